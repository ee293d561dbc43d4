"""Model terms, on the two-link arm with point masses at mid-link whose numbers are printed in the literature."""

import math

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dexlab_course.control import commanded_acceleration, inverse_dynamics
from dexlab_course.errors import InvalidValueError, ShapeError

G = 9.81


def arm(q, v):
    """M, bias, gravity of two unit links with 1 kg at their middle, angles from the horizontal: written from the Lagrangian."""
    c2, s2 = math.cos(q[1]), math.sin(q[1])
    M = np.array([[1.5 + c2, 0.25 + 0.5 * c2], [0.25 + 0.5 * c2, 0.25]])
    bias = np.array([-s2 * v[0] * v[1] - 0.5 * s2 * v[1] ** 2, 0.5 * s2 * v[0] ** 2])
    gravity = G * np.array([1.5 * math.cos(q[0]) + 0.5 * math.cos(q[0] + q[1]), 0.5 * math.cos(q[0] + q[1])])
    return M, bias, gravity


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
    M, bias, g = arm(q, (1.0, 1.0))
    zero = [0.0, 0.0]
    np.testing.assert_allclose(inverse_dynamics(M, zero, g, zero), gravity, atol=1e-12)
    np.testing.assert_allclose(inverse_dynamics(M, bias, zero, zero), velocity, atol=1e-12)


two = hnp.arrays(float, 2, elements=st.floats(-3, 3))


@given(two, two, two)
def test_the_commanded_acceleration_comes_out_of_the_equation_of_motion(q, v, a):
    M, bias, gravity = arm(q, v)
    u = inverse_dynamics(M, bias, gravity, a)
    np.testing.assert_allclose(np.linalg.solve(M, u - bias - gravity), a, atol=1e-9)


def test_with_a_right_model_the_error_decays_as_commanded():
    q, v, dt = np.array([0.3, -0.8]), np.zeros(2), 1e-4
    kp, kd, start = 25.0, 10.0, np.array([0.3, -0.8])
    for _ in range(10_000):
        M, bias, gravity = arm(q, v)
        a = commanded_acceleration(q, v, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], kp=kp, kd=kd)
        acceleration = np.linalg.solve(M, inverse_dynamics(M, bias, gravity, a) - bias - gravity)
        v = v + dt * acceleration
        q = q + dt * v
    np.testing.assert_allclose(q, start * (1 + 5.0) * math.exp(-5.0), rtol=2e-3)  # critically damped: (1 + w t) exp(-w t)


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
