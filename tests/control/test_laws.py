"""The laws of joint control: what they give, that they are one law, and what they refuse."""

import math

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dexlab_course.control import laws
from dexlab_course.errors import InvalidValueError

numbers = st.floats(-1e3, 1e3)
vectors = hnp.arrays(float, 3, elements=numbers)


def test_feedback_and_feedforward_add_before_anything_is_limited():
    total = laws.pd(q=1.0, v=0.0, q_des=0.0, v_des=0.0, kp=8.0, kd=0.0, feedforward=10.0)
    assert laws.saturate(total, 5.0) == 2.0
    assert laws.saturate(laws.pd(-1.0, 0.0, 0.0, 0.0, 8.0, 0.0, 10.0), 5.0) == 5.0


def test_kd_multiplies_the_velocity_error_whatever_the_period():
    assert laws.pd(q=0.0, v=0.2, q_des=5.0, v_des=0.5, kp=0.0, kd=1e-3) == pytest.approx(3e-4)


@given(vectors, vectors, vectors, vectors, vectors, vectors)
def test_the_affine_actuator_with_matching_bias_is_the_pd(x, v, x_des, v_des, kp, kd):
    affine = laws.affine_actuator(x, v, x_des, v_des, gain=kp, bias=(0.0, -kp, -kd))
    np.testing.assert_allclose(affine, laws.pd(x, v, x_des, v_des, kp, kd), rtol=1e-12, atol=1e-9)


def test_the_factored_form_keeps_digits_in_single_precision():
    x, target, gain = np.float32(1000.1), np.float32(1000.2), np.float32(30001.7)
    exact = float(gain) * (float(target) - float(x))
    factored = laws.affine_actuator(x, np.float32(0), target, np.float32(0), gain=gain, bias=(0.0, -gain, 0.0))
    expanded = gain * target - gain * x
    assert abs(factored - exact) < 1e-6 * exact
    assert abs(float(expanded) - exact) > 1e-5 * exact  # what the factoring avoids


def test_laws_take_symbols():
    q, v, kp, kd = sympy.symbols("q v k_p k_d")
    assert sympy.expand(laws.pd(q, v, 0, 0, kp, kd) + kp * q + kd * v) == 0
    affine = laws.affine_actuator(q, v, 0, 0, gain=kp, bias=(0, -kp, -kd))
    assert sympy.simplify(affine - laws.pd(q, v, 0, 0, kp, kd)) == 0


@given(vectors, hnp.arrays(float, 3, elements=st.floats(0, 100)))
def test_the_deadband_shrinks_the_error_and_never_turns_it(e, width):
    shrunk = laws.deadband(e, width)
    np.testing.assert_allclose(shrunk, np.sign(e) * np.maximum(0.0, np.abs(e) - width), rtol=0, atol=0)
    assert (shrunk[np.abs(e) <= width] == 0).all()
    assert (shrunk * e >= 0).all()


@given(vectors, hnp.arrays(float, 3, elements=st.floats(-10, 10)))
def test_a_negative_limit_is_an_error_or_none_as_one_says(u, limit):
    free = laws.saturate(u, limit, negative="unlimited")
    np.testing.assert_array_equal(free, np.where(limit < 0, u, np.clip(u, -np.abs(limit), np.abs(limit))))
    if (limit < 0).any():
        with pytest.raises(InvalidValueError, match="limit"):
            laws.saturate(u, limit)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_gains_that_are_not_finite_are_refused_by_name(bad):
    with pytest.raises(InvalidValueError, match="kp"):
        laws.pd(0.0, 0.0, 0.0, 0.0, kp=bad, kd=0.0)
    with pytest.raises(InvalidValueError, match="b2"):
        laws.affine_actuator(0.0, 0.0, 0.0, 0.0, gain=1.0, bias=(0.0, 0.0, bad))
    with pytest.raises(InvalidValueError, match="width"):
        laws.deadband(0.0, bad)
    with pytest.raises(InvalidValueError, match="limit"):
        laws.saturate(0.0, math.nan)


def test_no_negative_zero_is_handed_out():
    assert str(laws.saturate([5.0, -5.0], 0.0)) == "[0. 0.]"
