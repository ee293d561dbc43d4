"""Rotations, poses and twists: the conversions that every engine writes down a little differently.

Names follow monogram notation. ``R_WB`` (3, 3) turns coordinates in frame B into coordinates in W, ``X_WB`` (4, 4) is the pose of B in
W, ``p_PQ_W`` the position of Q from P in W's coordinates. A twist stacks a linear velocity [m/s] and an angular velocity [rad/s];
which comes first is said by ``order``. Everything is vectorised over leading dimensions and returns new arrays.
"""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, as_floats, finite, last_axis
from dexlab_course.errors import InvalidValueError, ShapeError, explain, unknown_name

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

Order = Literal["linear_first", "angular_first"]
Quaternion = Literal["quat_wxyz", "quat_xyzw"]
_ORDERS = ("linear_first", "angular_first")
_QUATERNIONS = ("quat_wxyz", "quat_xyzw")

# A matrix further than this from R^T R = I is refused. Six printed digits of a rotation pass, three do not.
ROTATION_TOLERANCE = 1e-5


# --- small pieces -----------------------------------------------------------------------------------------------------------------


def skew(v: ArrayLike) -> Floats:
    """The matrix ``[v]x`` with ``[v]x w = v x w``, shape (..., 3, 3), of a vector (..., 3).

    >>> skew([1.0, 2.0, 3.0]).tolist()
    [[0.0, -3.0, 2.0], [3.0, 0.0, -1.0], [-2.0, 1.0, 0.0]]
    """
    v = last_axis("v", as_floats("v", v), 3, of="coordinate")
    matrix = np.zeros((*v.shape, 3))
    matrix[..., 0, 1], matrix[..., 0, 2], matrix[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    matrix[..., 1, 0], matrix[..., 2, 0], matrix[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return matrix


def pose(R: ArrayLike | None = None, p: ArrayLike | None = None) -> Floats:
    """The homogeneous matrix ``X`` (..., 4, 4) of a rotation (..., 3, 3) and a position (..., 3) [m]; omitted means none.

    >>> pose(p=[1.0, 2.0, 3.0])[:, 3].tolist()
    [1.0, 2.0, 3.0, 1.0]
    """
    rotation = np.eye(3) if R is None else _matrices("R", R, 3)
    position = np.zeros(3) if p is None else last_axis("p", as_floats("p", p), 3, of="coordinate")
    X = np.zeros((*np.broadcast_shapes(rotation.shape[:-2], position.shape[:-1]), 4, 4))
    X[..., :3, :3], X[..., :3, 3], X[..., 3, 3] = rotation, position, 1.0
    return X


def inverse(X: ArrayLike) -> Floats:
    """The inverse pose: ``inverse(X_WB)`` is ``X_BW``. Uses ``R^T``, so the answer is a rigid pose to the last bit.

    >>> inverse(pose(p=[1.0, 2.0, 3.0]))[:3, 3].tolist()
    [-1.0, -2.0, -3.0]
    """
    X = _matrices("X", X, 4)
    R_T = np.swapaxes(X[..., :3, :3], -1, -2)
    return pose(R_T, -(R_T @ X[..., :3, 3, None])[..., 0] + 0.0)  # + 0.0 turns -0.0 into 0.0


# --- rotations --------------------------------------------------------------------------------------------------------------------


def rotvec_from_matrix(R: ArrayLike) -> Floats:
    """Rotation vector (angle times unit axis) [rad] of a rotation matrix, angle in [0, pi], shape (..., 3).

    Correct over the whole range: at angle 0 and 1e-8 nothing is divided by a sine, and near pi the axis comes from the symmetric
    part of the matrix (scipy goes through the largest quaternion entry). At exactly pi both axes are right; one is returned.

    Raises:
        ShapeError: not (..., 3, 3).
        InvalidValueError: not a rotation: not finite, ``R^T R`` is not the identity, or the determinant is -1.

    >>> rotvec_from_matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]]).round(6).tolist()
    [0.0, 0.0, 1.570796]
    """
    R = _rotations(R)
    return np.asarray(_scipy(R).as_rotvec()).reshape(R.shape[:-1])


def matrix_from_rotvec(rotvec: ArrayLike) -> Floats:
    """Rotation matrix (..., 3, 3) of a rotation vector (..., 3) [rad]: Rodrigues' formula, safe at angle 0.

    >>> matrix_from_rotvec([0.0, 0.0, np.pi / 2]).round(6).tolist()
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    rotvec = last_axis("rotvec", finite("rotvec", rotvec, unit="rad"), 3, of="coordinate")
    return np.asarray(_rotation_class().from_rotvec(rotvec.reshape(-1, 3)).as_matrix()).reshape((*rotvec.shape, 3))


def quat_wxyz_from_matrix(R: ArrayLike) -> Floats:
    """Unit quaternion (w, x, y, z), shape (..., 4), of a rotation matrix; of the two signs the one with w >= 0.

    >>> quat_wxyz_from_matrix(np.eye(3)).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    return wxyz_from_xyzw(quat_xyzw_from_matrix(R))


def quat_xyzw_from_matrix(R: ArrayLike) -> Floats:
    """Unit quaternion (x, y, z, w), shape (..., 4), of a rotation matrix; of the two signs the one with w >= 0."""
    R = _rotations(R)
    return np.asarray(_scipy(R).as_quat(canonical=True)).reshape((*R.shape[:-2], 4))


def matrix_from_quat_wxyz(quat_wxyz: ArrayLike) -> Floats:
    """Rotation matrix (..., 3, 3) of a quaternion (w, x, y, z); it is normalised first.

    Raises:
        InvalidValueError: the quaternion is zero or not finite.
    """
    return matrix_from_quat_xyzw(xyzw_from_wxyz(quat_wxyz))


def matrix_from_quat_xyzw(quat_xyzw: ArrayLike) -> Floats:
    """Rotation matrix (..., 3, 3) of a quaternion (x, y, z, w); it is normalised first.

    >>> matrix_from_quat_xyzw([0.0, 0.0, 0.0, 2.0]).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    quat = _quaternions(quat_xyzw)
    return np.asarray(_rotation_class().from_quat(quat.reshape(-1, 4)).as_matrix()).reshape((*quat.shape[:-1], 3, 3))


def wxyz_from_xyzw(quat_xyzw: ArrayLike) -> Floats:
    """Re-order a quaternion, shape (..., 4).

    >>> wxyz_from_xyzw([1.0, 2.0, 3.0, 4.0]).tolist()
    [4.0, 1.0, 2.0, 3.0]
    """
    return np.roll(last_axis("quat_xyzw", as_floats("quat_xyzw", quat_xyzw), 4, of="quaternion entry"), 1, axis=-1)


def xyzw_from_wxyz(quat_wxyz: ArrayLike) -> Floats:
    """Re-order a quaternion, shape (..., 4).

    >>> xyzw_from_wxyz([4.0, 1.0, 2.0, 3.0]).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    return np.roll(last_axis("quat_wxyz", as_floats("quat_wxyz", quat_wxyz), 4, of="quaternion entry"), -1, axis=-1)


# --- twists and Jacobians ---------------------------------------------------------------------------------------------------------


def reorder_twist(J: ArrayLike, *, axis: int = -2) -> Floats:
    """Swap the linear and the angular half: linear-first becomes angular-first and back.

    Args:
        J: a Jacobian (..., 6, n), or one twist (6,).
        axis: where the six rows are; for a stack of twists (..., 6) pass ``axis=-1``.

    >>> reorder_twist([1, 2, 3, 4, 5, 6]).tolist()
    [4.0, 5.0, 6.0, 1.0, 2.0, 3.0]
    """
    J = as_floats("J", J)
    axis = -1 if J.ndim == 1 else axis
    if J.ndim < -axis or J.shape[axis] != 6:
        message = explain(
            "a twist has six entries",
            got=f"shape {J.shape} with axis {axis}",
            expected="6 along that axis",
            remedy="pass a Jacobian (..., 6, n), or twists (..., 6) with axis=-1",
        )
        raise ShapeError(message)
    return np.roll(J, 3, axis=axis)


def shift_jacobian(J: ArrayLike, p_from_to: ArrayLike, *, order: Order = "linear_first") -> Floats:
    """The same body's Jacobian with its linear half at another point: ``J_v(P) = J_v(O) - [p_OP]x J_w``.

    From v_P = v_O + w x p_OP = v_O - p_OP x w. Only the linear rows change; a body has one angular velocity.

    Args:
        J: (..., 6, n) about point O [m, rad], coordinates of frame W.
        p_from_to: ``p_OP_W`` [m], shape (..., 3), in the same frame as the rows of ``J``.
        order: which half of ``J`` comes first.

    >>> J = np.array([[0.0], [0], [0], [0], [0], [1]])  # turning about z through O
    >>> shift_jacobian(J, [2.0, 0, 0])[:3, 0].tolist()  # two metres along x, P moves along +y
    [0.0, 2.0, 0.0]
    """
    J = np.array(as_floats("J", J))
    linear, angular = _halves(order)
    if J.ndim < 2 or J.shape[-2] != 6:
        message = explain("J is not a Jacobian", got=f"shape {J.shape}", expected="(..., 6, n)", remedy="pass all six rows")
        raise ShapeError(message)
    shift = skew(p_from_to) @ J[..., angular, :]
    J = np.array(np.broadcast_to(J, np.broadcast_shapes(J.shape, (*shift.shape[:-2], 6, J.shape[-1]))))
    J[..., linear, :] -= shift
    return J


def adjoint(X_AB: ArrayLike, *, order: Order = "linear_first") -> Floats:
    """The map (..., 6, 6) that turns a twist seen from frame B into the same motion seen from frame A.

    Both twists are of one rigid body. V_B has its linear half at B's origin in B's coordinates, V_A = adjoint(X_AB) V_B has it at A's
    origin in A's coordinates: w_A = R w_B and v_A = R v_B + p_AB x (R w_B). Source: Murray, Li, Sastry (1994), section 2.4.
    """
    X = _matrices("X_AB", X_AB, 4)
    R, p = X[..., :3, :3], X[..., :3, 3]
    linear, angular = _halves(order)
    Ad = np.zeros((*X.shape[:-2], 6, 6))
    Ad[..., linear, linear] = R
    Ad[..., angular, angular] = R
    Ad[..., linear, angular] = skew(p) @ R
    return Ad


def pose_error(X_WA: ArrayLike, X_WB: ArrayLike) -> Floats:
    """What moves A onto B, linear first, in W's coordinates: ``[p_B - p_A, rotvec(R_WB R_WA^T)]``, shape (..., 6) [m, rad].

    Held for one second as a twist (its linear half at A's origin) it turns and shifts A onto B to first order.
    """
    A, B = _matrices("X_WA", X_WA, 4), _matrices("X_WB", X_WB, 4)
    turn = rotvec_from_matrix(B[..., :3, :3] @ np.swapaxes(A[..., :3, :3], -1, -2))
    return np.concatenate([np.broadcast_to(B[..., :3, 3] - A[..., :3, 3], turn.shape), turn], axis=-1)


def floating_base_map(
    q: ArrayLike,
    *,
    order: Order = "angular_first",
    quaternion: Quaternion = "quat_wxyz",
    angular_velocity: Literal["world", "body"] = "world",
) -> Floats:
    """The map N(q) of a floating base with ``qdot = N(q) v``, shape (..., 7, 6).

    The quaternion rate is ``1/2 (0, w) * quat`` for w in the world, ``1/2 quat * (0, w)`` for w in the body (quaternion products);
    the position rate is the linear velocity in the world. q has seven entries and v six, so qdot is not v.

    Args:
        q: (..., 7), quaternion and position [m] of the base in the world, in the order that ``order`` says: ``angular_first`` is
            (quaternion, position) with v = (angular, linear), ``linear_first`` is (position, quaternion) with v = (linear, angular).
        order: the order of both halves, in q as in v.
        quaternion: order of the four quaternion entries in q.
        angular_velocity: the frame in whose coordinates the angular velocity is written.

    >>> floating_base_map([1, 0, 0, 0, 0, 0, 0]).shape
    (7, 6)
    """
    q = last_axis("q", finite("q", q), 7, of="entry of a floating base")
    _halves(order)
    if quaternion not in _QUATERNIONS:
        raise unknown_name("quaternion order", quaternion, _QUATERNIONS)
    if angular_velocity not in ("world", "body"):
        raise unknown_name("frame of the angular velocity", angular_velocity, ("world", "body"))
    at = slice(0, 4) if order == "angular_first" else slice(3, 7)
    quat = q[..., at] if quaternion == "quat_wxyz" else wxyz_from_xyzw(q[..., at])
    w, v = quat[..., :1], quat[..., 1:]
    sign = -1.0 if angular_velocity == "world" else 1.0
    rate = 0.5 * np.concatenate([0.0 - v[..., None, :], w[..., None] * np.eye(3) + sign * skew(v)], axis=-2)  # (..., 4, 3), w row first
    if quaternion == "quat_xyzw":
        rate = np.roll(rate, -1, axis=-2)
    N = np.zeros((*q.shape[:-1], 7, 6))
    if order == "angular_first":
        N[..., :4, :3], N[..., 4:, 3:] = rate, np.eye(3)
    else:
        N[..., :3, :3], N[..., 3:, 3:] = np.eye(3), rate
    return N


# --- checks -----------------------------------------------------------------------------------------------------------------------


def check_order(order: str) -> None:
    """Raise ``UnknownNameError`` unless ``order`` names one of the two orders of a twist."""
    if order not in _ORDERS:
        raise unknown_name("row order", order, _ORDERS)


def _halves(order: str) -> tuple[slice, slice]:
    check_order(order)
    first, second = slice(0, 3), slice(3, 6)
    return (first, second) if order == "linear_first" else (second, first)


def _matrices(name: str, value: ArrayLike, size: int) -> Floats:
    array = as_floats(name, value)
    if array.ndim < 2 or array.shape[-2:] != (size, size):
        message = explain(
            f"{name} has the wrong shape",
            got=f"shape {array.shape}",
            expected=f"(..., {size}, {size})",
            remedy="pass a rotation as (3, 3) and a pose as (4, 4)",
        )
        raise ShapeError(message)
    return array


def _rotations(R: ArrayLike) -> Floats:
    """Rotation matrices, checked: scipy would silently replace anything else by the nearest rotation."""
    R = finite("R", _matrices("R", R, 3))
    gap = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0)
    if gap > ROTATION_TOLERANCE or (np.linalg.det(R) < 0).any():
        what = f"R^T R differs from the identity by {gap:.3g}" if gap > ROTATION_TOLERANCE else "determinant -1"
        message = explain(
            "R is not a rotation matrix",
            got=what,
            expected="orthonormal columns and determinant +1",
            remedy="take the upper left 3 x 3 of a pose, unscaled, and keep at least six digits",
        )
        raise InvalidValueError(message)
    return R


def _quaternions(quat: ArrayLike) -> Floats:
    quat = last_axis("quaternion", finite("quaternion", quat), 4, of="quaternion entry")
    if (np.linalg.norm(quat, axis=-1) < 1e-12).any():
        message = explain("a quaternion is zero", got="length 0", expected="length 1", remedy="the identity has w = 1, not four zeros")
        raise InvalidValueError(message)
    return quat


def _rotation_class() -> Any:
    # Imported here because it takes longer than the rest of the course's arithmetic together, and chains and IK do without.
    from scipy.spatial.transform import Rotation

    return Rotation


def _scipy(R: Floats) -> "Rotation":
    return _rotation_class().from_matrix(R.reshape(-1, 3, 3))
