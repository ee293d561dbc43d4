"""Rotations, poses and twists."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dexlab_course.errors import InvalidValueError, ShapeError, UnknownNameError
from dexlab_course.kinematics import frames, symbolic

EDGES = [0.0, 1e-300, 1e-12, 1e-8, 1e-4, 1.0, np.pi / 2, 3.0, np.pi - 1e-4, np.pi - 1e-8, np.pi]
axes = hnp.arrays(float, 3, elements=st.floats(-1, 1)).filter(lambda a: np.linalg.norm(a) > 1e-3).map(lambda a: a / np.linalg.norm(a))
angles = st.one_of(st.sampled_from(EDGES), st.floats(0, np.pi))
numbers = st.floats(-3, 3)


def vectors(n):
    return hnp.arrays(float, n, elements=numbers)


@given(axes, angles)
def test_a_rotation_vector_survives_the_round_trip(axis, angle):
    back = frames.rotvec_from_matrix(frames.matrix_from_rotvec(angle * axis))
    # At pi both axes are the same rotation; just below, a rounding of the matrix may fall on either side.
    gap = min(np.abs(back - angle * axis).max(), np.abs(back + angle * axis).max() if angle > np.pi - 1e-7 else np.inf)
    assert gap < 1e-12


@pytest.mark.parametrize("angle", EDGES)
def test_the_matrix_is_the_exponential(angle):
    rotvec = angle * np.array([2.0, -1.0, 2.0]) / 3
    assert frames.matrix_from_rotvec(rotvec) == pytest.approx(scipy.linalg.expm(frames.skew(rotvec)), abs=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-8, np.pi - 1e-8, np.pi])
def test_the_angle_is_exact_where_naive_formulas_fail(angle):
    axis = np.array([0.6, 0.0, 0.8])
    rotvec = frames.rotvec_from_matrix(symbolic_rotation(axis, angle))
    assert np.linalg.norm(rotvec) == pytest.approx(angle, abs=2e-16 + 1e-15 * angle)
    if angle:
        assert abs(rotvec @ axis) == pytest.approx(angle, rel=1e-12)


def symbolic_rotation(axis, angle):
    a, theta, R = symbolic.rodrigues()
    return np.array(R.subs({**dict(zip(a, axis, strict=True)), theta: angle}).evalf(30), dtype=float)


def test_rodrigues_formula_is_the_one_that_was_derived():
    axis = np.array([2.0, -1.0, 2.0]) / 3
    assert frames.matrix_from_rotvec(0.7 * axis) == pytest.approx(symbolic_rotation(axis, 0.7), abs=1e-15)


@given(axes, angles)
def test_quaternions_of_both_orders_agree_with_the_matrix(axis, angle):
    R = frames.matrix_from_rotvec(angle * axis)
    wxyz, xyzw = frames.quat_wxyz_from_matrix(R), frames.quat_xyzw_from_matrix(R)
    assert wxyz == pytest.approx(np.concatenate([xyzw[3:], xyzw[:3]]))
    assert wxyz[0] >= 0.0
    assert np.linalg.norm(wxyz) == pytest.approx(1.0)
    for quat in (wxyz, -wxyz, 3.0 * wxyz):  # both signs, any length
        assert frames.matrix_from_quat_wxyz(quat) == pytest.approx(R, abs=1e-14)
    assert frames.matrix_from_quat_xyzw(xyzw) == pytest.approx(R, abs=1e-14)


def test_quaternion_entries_are_where_their_names_say():
    quarter_about_z = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    root = np.sqrt(0.5)
    assert frames.quat_wxyz_from_matrix(quarter_about_z) == pytest.approx([root, 0, 0, root])
    assert frames.quat_xyzw_from_matrix(quarter_about_z) == pytest.approx([0, 0, root, root])


@pytest.mark.parametrize(
    "R",
    [
        2.0 * np.eye(3),
        np.diag([1.0, 1.0, -1.0]),
        np.zeros((3, 3)),
        np.eye(3) + 1e-3,
        np.full((3, 3), np.nan),
    ],
)
def test_what_is_no_rotation_is_refused(R):
    for function in (frames.rotvec_from_matrix, frames.quat_wxyz_from_matrix, frames.quat_xyzw_from_matrix):
        with pytest.raises(InvalidValueError):
            function(R)


def test_six_printed_digits_are_a_rotation():
    R = frames.matrix_from_rotvec([0.3, -0.2, 0.9])
    assert frames.rotvec_from_matrix(R.round(6)) == pytest.approx([0.3, -0.2, 0.9], abs=2e-6)


@pytest.mark.parametrize("quat", [[0, 0, 0, 0], [np.nan, 0, 0, 1]])
def test_a_quaternion_without_direction_is_refused(quat):
    with pytest.raises(InvalidValueError):
        frames.matrix_from_quat_wxyz(quat)


def test_wrong_shapes_name_what_was_expected():
    with pytest.raises(ShapeError, match="4, 4"):
        frames.inverse(np.eye(3))
    with pytest.raises(ShapeError, match="3, 3"):
        frames.rotvec_from_matrix(np.eye(4))
    with pytest.raises(ShapeError, match="6"):
        frames.shift_jacobian(np.zeros((3, 7)), np.zeros(3))
    with pytest.raises(ShapeError):
        frames.reorder_twist(np.zeros((3, 7)))


@pytest.mark.parametrize("batch", [(), (1,), (0,), (2, 3)])
def test_everything_is_vectorised_over_leading_dimensions(batch):
    rng = np.random.default_rng(1)
    rotvec, p = rng.normal(size=(*batch, 3)), rng.normal(size=(*batch, 3))
    R = frames.matrix_from_rotvec(rotvec)
    X = frames.pose(R, p)
    assert R.shape == (*batch, 3, 3)
    assert frames.rotvec_from_matrix(R).shape == (*batch, 3)
    assert frames.matrix_from_quat_wxyz(frames.quat_wxyz_from_matrix(R)) == pytest.approx(R)
    assert frames.inverse(X) @ X == pytest.approx(np.broadcast_to(np.eye(4), X.shape))
    assert frames.adjoint(X).shape == (*batch, 6, 6)
    assert frames.pose_error(X, X) == pytest.approx(np.zeros((*batch, 6)), abs=1e-12)
    assert frames.floating_base_map(np.ones((*batch, 7))).shape == (*batch, 7, 6)


def some_pose(seed):
    rng = np.random.default_rng(seed)
    return frames.pose(frames.matrix_from_rotvec(rng.normal(size=3)), rng.normal(size=3))


@pytest.mark.parametrize("order", ["linear_first", "angular_first"])
def test_adjoints_compose_like_poses(order):
    X_AB, X_BC = some_pose(1), some_pose(2)
    Ad = frames.adjoint(X_AB, order=order) @ frames.adjoint(X_BC, order=order)
    assert Ad == pytest.approx(frames.adjoint(X_AB @ X_BC, order=order))
    assert np.linalg.inv(frames.adjoint(X_AB, order=order)) == pytest.approx(frames.adjoint(frames.inverse(X_AB), order=order))


def test_an_adjoint_moves_a_twist_to_another_frame():
    # The exponential of a twist written in B, seen from A, is the exponential of the adjoint's image.
    X_AB, V = some_pose(3), np.array([0.2, -0.1, 0.3, 0.4, 0.5, -0.6])

    def matrix(twist):
        M = np.zeros((4, 4))
        M[:3, :3], M[:3, 3] = frames.skew(twist[3:]), twist[:3]
        return M

    assert X_AB @ matrix(V) @ frames.inverse(X_AB) == pytest.approx(matrix(frames.adjoint(X_AB) @ V))


@given(vectors((6, 4)), vectors(3), vectors(3))
def test_shifting_there_and_back_changes_nothing(J, a, b):
    there = frames.shift_jacobian(J, a)
    assert frames.shift_jacobian(there, -a) == pytest.approx(J, abs=1e-12)
    assert frames.shift_jacobian(there, b) == pytest.approx(frames.shift_jacobian(J, a + b), abs=1e-12)
    swapped = frames.shift_jacobian(frames.reorder_twist(J), a, order="angular_first")
    assert frames.reorder_twist(swapped) == pytest.approx(there)
    assert there[3:] == pytest.approx(J[3:])


def test_the_shift_is_the_one_that_was_derived():
    v, w, p, v_P = symbolic.shifted_jacobian()
    values = dict(zip([*v, *w, *p], np.random.default_rng(2).normal(size=9), strict=True))
    column = np.array([float(values[x]) for x in [*v, *w]])[:, None]
    expected = np.array(v_P.subs(values), dtype=float).ravel()
    assert frames.shift_jacobian(column, [float(values[x]) for x in p])[:3, 0] == pytest.approx(expected)


def test_a_jacobian_takes_one_shift_for_each_configuration():
    J, p = np.random.default_rng(3).normal(size=(5, 6, 7)), np.random.default_rng(4).normal(size=(5, 3))
    one_by_one = np.stack([frames.shift_jacobian(J[i], p[i]) for i in range(5)])
    assert frames.shift_jacobian(J, p) == pytest.approx(one_by_one)
    assert frames.shift_jacobian(J[0], p).shape == (5, 6, 7)


def test_nothing_is_changed_in_place():
    J = np.ones((6, 2))
    frames.shift_jacobian(J, [1.0, 2.0, 3.0])
    frames.reorder_twist(J)
    assert (J == 1.0).all()


def test_an_unknown_order_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match="linear_first, angular_first"):
        frames.shift_jacobian(np.zeros((6, 1)), np.zeros(3), order="linear")


def test_twists_in_a_stack_are_reordered_along_their_own_axis():
    twists = np.arange(12.0).reshape(2, 6)
    assert frames.reorder_twist(twists, axis=-1).tolist() == [[3, 4, 5, 0, 1, 2], [9, 10, 11, 6, 7, 8]]


def test_the_pose_error_moves_one_pose_onto_the_other():
    X_WA, X_WB = some_pose(5), some_pose(6)
    e = frames.pose_error(X_WA, X_WB)
    moved = frames.pose(frames.matrix_from_rotvec(e[3:]) @ X_WA[:3, :3], X_WA[:3, 3] + e[:3])
    assert moved == pytest.approx(X_WB)


@pytest.mark.parametrize("frame", ["world", "body"])
@pytest.mark.parametrize("quaternion", ["quat_wxyz", "quat_xyzw"])
@pytest.mark.parametrize("order", ["linear_first", "angular_first"])
def test_the_map_of_a_floating_base_is_the_derivative_of_its_pose(order, quaternion, frame):
    rng = np.random.default_rng(7)
    rotvec, p, v, w = rng.normal(size=(4, 3))

    def configuration(t):
        turn = frames.matrix_from_rotvec(t * w)
        R = frames.matrix_from_rotvec(rotvec)
        R = turn @ R if frame == "world" else R @ turn
        quat = frames.quat_wxyz_from_matrix(R) if quaternion == "quat_wxyz" else frames.quat_xyzw_from_matrix(R)
        return np.concatenate([p + t * v, quat] if order == "linear_first" else [quat, p + t * v])

    h = 1e-6
    rate = (configuration(h) - configuration(-h)) / (2 * h)
    N = frames.floating_base_map(configuration(0.0), order=order, quaternion=quaternion, angular_velocity=frame)
    assert N @ np.concatenate([v, w] if order == "linear_first" else [w, v]) == pytest.approx(rate, abs=1e-8)


@pytest.mark.parametrize("frame", ["world", "body"])
def test_the_quaternion_rate_is_the_one_that_was_derived(frame):
    quat, derived = symbolic.quaternion_rate(angular_velocity=frame)
    values = np.array([0.5, -0.5, 0.1, 0.7])
    values /= np.linalg.norm(values)
    expected = np.array(derived.subs(dict(zip(quat, values, strict=True))), dtype=float)
    N = frames.floating_base_map(np.concatenate([values, np.zeros(3)]), angular_velocity=frame)
    assert N[:4, :3] == pytest.approx(expected)


def test_an_unknown_quaternion_order_or_frame_is_refused():
    with pytest.raises(UnknownNameError, match="quat_wxyz"):
        frames.floating_base_map(np.ones(7), quaternion="wxyz")
    with pytest.raises(UnknownNameError, match="world, body"):
        frames.floating_base_map(np.ones(7), angular_velocity="local")
