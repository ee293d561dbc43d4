"""The operational-space PD: a spring at the point whose error is measured, and at no other."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.transform import Rotation

from dexlab_course.control import OperationalSpacePd
from dexlab_course.errors import InvalidValueError, ShapeError
from dexlab_course.kinematics.frames import pose_error, shift_jacobian

joints = hnp.arrays(float, 3, elements=st.floats(-3, 3))
AXES = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
LINKS = np.array([[0.0, 0.0, 0.4], [0.5, 0.0, 0.1], [0.3, 0.1, 0.0]])


def pose(R=None, p=(0.0, 0.0, 0.0)):
    X = np.eye(4)
    X[:3, :3] = np.eye(3) if R is None else R
    X[:3, 3] = p
    return X


def arm(q, tool=(0.0, 0.0, 0.0)):
    """Pose of a point on the last link of an arm with three skew joints, and the Jacobian of that very point, linear rows first."""
    X, places, axes = np.eye(4), [], []
    for axis, link, angle in zip(AXES, LINKS, q, strict=True):
        places.append(X[:3, 3])
        axes.append(X[:3, :3] @ axis)
        X = X @ pose(Rotation.from_rotvec(angle * axis).as_matrix()) @ pose(p=link)
    X = X @ pose(p=tool)
    linear = [np.cross(axis, X[:3, 3] - place) for axis, place in zip(axes, places, strict=True)]
    return X, np.concatenate([np.transpose(linear), np.transpose(axes)])


def test_a_spring_alone_pulls_with_its_stiffness_along_each_axis():
    X, J = arm([0.3, 0.4, -0.5])
    pd = OperationalSpacePd([100.0, 200.0, 300.0, 0.0, 0.0, 0.0], 0.0)
    u = pd.compute(J, X, X + pose(p=(0.01, 0.0, -0.02)) - np.eye(4), [0.0, 0.0, 0.0])
    np.testing.assert_allclose(u, J[:3].T @ [1.0, 0.0, -6.0])


@given(joints, joints, st.floats(0, 500), st.floats(0, 50))
def test_the_spring_is_the_slope_of_its_energy(q, goal, k_p, k_r):
    """u = -dV/dq with V = k_p |p_des - p|² / 2 + k_r angle² / 2, by finite differences: this needs the right point and the right rows."""
    X_des, _ = arm(goal, tool=(0.05, 0.1, 0.2))

    def energy(at):
        X, _ = arm(at, tool=(0.05, 0.1, 0.2))
        e = pose_error(X, X_des)
        return 0.5 * k_p * e[:3] @ e[:3] + 0.5 * k_r * e[3:] @ e[3:]

    X, J = arm(q, tool=(0.05, 0.1, 0.2))
    if np.linalg.norm(pose_error(X, X_des)[3:]) > 3.0:
        return  # next to a half turn the energy has a crease
    u = OperationalSpacePd([k_p] * 3 + [k_r] * 3, 0.0).compute(J, X, X_des, np.zeros(3))
    step = 1e-6
    slope = [(energy(q + step * d) - energy(q - step * d)) / (2 * step) for d in np.eye(3)]
    np.testing.assert_allclose(u, np.negative(slope), atol=1e-4 * (1 + k_p + k_r))


def test_the_jacobian_of_another_point_gives_another_effort():
    q, tool = [0.3, 0.4, -0.5], np.array([0.0, 0.15, 0.25])
    X, J = arm(q, tool)
    link, J_link = arm(q)
    X_des = X + pose(p=(0.0, 0.1, 0.1)) - np.eye(4)
    pd = OperationalSpacePd([100.0] * 3 + [10.0] * 3, 5.0)
    right, wrong = (pd.compute(each, X, X_des, [0.1, 0.2, 0.3]) for each in (J, J_link))
    assert np.abs(right - wrong).max() > 1.0
    shifted = shift_jacobian(J_link, link[:3, :3] @ tool)  # moving the reference point mends it
    np.testing.assert_allclose(pd.compute(shifted, X, X_des, [0.1, 0.2, 0.3]), right, atol=1e-12)


@given(joints, joints, hnp.arrays(float, 6, elements=st.floats(0, 100)))
def test_the_damper_never_gives_power(q, v, kd):
    X, J = arm(q)
    assert OperationalSpacePd(0.0, kd).compute(J, X, X, v) @ v <= 1e-12


@given(joints)
def test_at_rest_on_the_goal_there_is_no_effort(q):
    X, J = arm(q)
    np.testing.assert_allclose(OperationalSpacePd(1e3, 1e2).compute(J, X, X, np.zeros(3)), 0.0, atol=1e-9)


def test_the_error_twist_can_be_masked_before_it_acts():
    X, J = arm([0.3, 0.4, -0.5])
    e = pose_error(X, pose(p=(1.0, 1.0, 1.0)))
    e[3:] = 0.0
    pd = OperationalSpacePd(10.0, 0.0)
    np.testing.assert_allclose(pd.effort_of(e, J, np.zeros(3)), 10.0 * J[:3].T @ e[:3])


def test_a_batch_is_its_rows():
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(2, 4, 5, 3))
    X, J = (np.array([[arm(each)[k] for each in row] for row in q]) for k in (0, 1))
    X_des, _ = arm([0.1, 0.2, 0.3])
    pd = OperationalSpacePd([100.0] * 3 + [10.0] * 3, 5.0)
    together = pd.compute(J, X, X_des, v)
    assert together.shape == (4, 5, 3)
    np.testing.assert_allclose(together[2, 3], pd.compute(J[2, 3], X[2, 3], X_des, v[2, 3]), rtol=1e-12)
    assert pd.compute(J[:0], X[:0], X_des, v[:0]).shape == (0, 5, 3)


@pytest.mark.parametrize(
    ("change", "error", "word"),
    [
        ({"J": np.zeros((3, 3))}, ShapeError, "Jacobian"),
        ({"v": np.zeros(4)}, ShapeError, "belong together"),
        ({"v": [0.0, math.nan, 0.0]}, InvalidValueError, "v "),
        ({"X_WT": np.eye(3)}, ShapeError, "X_WT"),
        ({"X_WT": 2 * np.eye(4)}, InvalidValueError, "rotation"),
        ({"X_WT_des": np.diag([1.0, 1.0, -1.0, 1.0])}, InvalidValueError, "rotation"),
        ({"X_WT_des": np.full((4, 4), math.nan)}, InvalidValueError, "X_WT_des"),
        ({"X_WT_des": np.broadcast_to(np.eye(4), (2, 4, 4)), "X_WT": np.broadcast_to(np.eye(4), (3, 4, 4))}, ShapeError, "batches"),
    ],
)
def test_what_is_no_pose_and_no_jacobian_is_refused(change, error, word):
    arguments = {"J": np.zeros((6, 3)), "X_WT": np.eye(4), "X_WT_des": np.eye(4), "v": np.zeros(3)} | change
    with pytest.raises(error, match=word):
        OperationalSpacePd(1.0, 1.0).compute(**arguments)


@pytest.mark.parametrize(("kp", "error"), [([1.0, 1.0], ShapeError), (-1.0, InvalidValueError), (math.inf, InvalidValueError)])
def test_gains_that_cannot_be_right_are_refused(kp, error):
    with pytest.raises(error, match="kp"):
        OperationalSpacePd(kp, 1.0)
