"""Model terms, on the two-link arm with point masses at mid-link whose numbers are printed in the literature."""

import math

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dexlab_course.control import InverseDynamicsPd, commanded_acceleration, inverse_dynamics
from dexlab_course.errors import InvalidValueError, ShapeError
from dexlab_course.kinematics import TwoLinkArm

ARM = TwoLinkArm()  # unit links, 1 kg in the middle of each


def terms(q, v):
    return ARM.mass_matrix(q), ARM.bias(q, v), ARM.gravity(q)


@pytest.mark.parametrize(
    ("q", "gravity", "velocity"),
    [
        ((0.0, 0.0), (19.62, 4.905), (0.0, 0.0)),
        ((0.0, math.pi / 2), (14.715, 0.0), (-1.5, 0.5)),
        ((math.pi / 2, 0.0), (0.0, 0.0), (0.0, 0.0)),
        ((math.pi / 2, -math.pi / 2), (4.905, 4.905), (1.5, -0.5)),
    ],
)
def test_gravity_and_velocity_terms_are_those_of_the_literature(q, gravity, velocity):
    M, bias, g = terms(q, (1.0, 1.0))
    zero = [0.0, 0.0]
    np.testing.assert_allclose(inverse_dynamics(M, zero, g, zero), gravity, atol=1e-12)
    np.testing.assert_allclose(inverse_dynamics(M, bias, zero, zero), velocity, atol=1e-12)


two = hnp.arrays(float, 2, elements=st.floats(-3, 3))


@given(two, two, two)
def test_the_commanded_acceleration_comes_out_of_the_equation_of_motion(q, v, a):
    M, bias, gravity = terms(q, v)
    u = inverse_dynamics(M, bias, gravity, a)
    np.testing.assert_allclose(np.linalg.solve(M, u - bias - gravity), a, atol=1e-9)


def swing(controller, seconds=1.0, dt=1e-3):
    """The arm, let go at rest; the controller wants it at zero."""
    q, v, zero = np.array([0.3, -0.8]), np.zeros(2), np.zeros(2)
    for _ in range(round(seconds / dt)):
        v = v + dt * ARM.forward_dynamics(q, v, controller.compute(q, v, zero, zero, zero))
        q = q + dt * v
    return q


def test_with_a_right_model_the_error_decays_as_commanded_in_every_joint():
    q = swing(InverseDynamicsPd(ARM, kp=25.0, kd=10.0))
    np.testing.assert_allclose(q, np.array([0.3, -0.8]) * (1 + 5.0) * math.exp(-5.0), rtol=2e-2)  # critically damped


def test_with_a_wrong_mass_gravity_is_not_cancelled():
    heavy = InverseDynamicsPd(TwoLinkArm(m2=0.5), kp=25.0, kd=10.0)
    assert np.abs(swing(heavy, seconds=5.0)).max() > 0.05
    assert np.abs(swing(InverseDynamicsPd(ARM, kp=25.0, kd=10.0), seconds=5.0)).max() < 1e-6


def test_the_controller_is_the_sum_of_its_terms_for_a_batch():
    rng = np.random.default_rng(0)
    q, v, q_des, v_des, a_des = rng.normal(size=(5, 4, 2))
    a = commanded_acceleration(q, v, q_des, v_des, a_des, kp=[9.0, 4.0], kd=2.0)
    u = InverseDynamicsPd(ARM, kp=[9.0, 4.0], kd=2.0).compute(q, v, q_des, v_des, a_des)
    np.testing.assert_allclose(u, ARM.inverse_dynamics(q, v, a), atol=1e-12)


def test_the_terms_take_symbols_and_batches():
    m, a, g = sympy.symbols("m a g")
    assert inverse_dynamics(sympy.Matrix([[m]]), sympy.Matrix([0]), sympy.Matrix([m * g]), sympy.Matrix([a]))[0] == m * a + m * g
    M = np.broadcast_to(np.eye(2), (3, 4, 2, 2))
    assert inverse_dynamics(M, np.zeros((4, 2)), [1.0, 2.0], np.ones((3, 1, 2))).shape == (3, 4, 2)
    assert (
        commanded_acceleration(np.zeros((5, 2)), [0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0], kp=[1.0, 4.0], kd=2.0).tolist()
        == [[1.0, 4.0]] * 5
    )


def test_terms_of_different_arms_are_refused():
    with pytest.raises(ShapeError, match="one arm"):
        inverse_dynamics(np.eye(2), [0.0, 0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
    with pytest.raises(ShapeError, match="one arm"):
        inverse_dynamics(np.eye(2), [0.0], [0.0, 0.0], 0.0)
    with pytest.raises(InvalidValueError, match="gravity"):
        inverse_dynamics(np.eye(2), [0.0, 0.0], [0.0, math.nan], [0.0, 0.0])
    with pytest.raises(ShapeError, match="v_des"):
        commanded_acceleration([0.0], [0.0], [0.0], [0.0, 0.0], [0.0], kp=1.0, kd=1.0)
    with pytest.raises(InvalidValueError, match="kp"):
        commanded_acceleration([0.0], [0.0], [0.0], [0.0], [0.0], kp=math.nan, kd=1.0)
