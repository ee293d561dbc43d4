"""PD in the space of the tool: a spring and a damper between tool and goal, carried to the joints by the Jacobian transpose."""

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, as_floats, finite, frozen, non_negative
from dexlab_course.errors import InvalidValueError, ShapeError, explain

_TWIST = 6


def pose_error(X_WT: ArrayLike, X_WT_des: ArrayLike) -> Floats:
    """What separates a pose from its goal, as a twist over one second, linear part first: [p_des - p; rotvec(R_des R^T)].

    Both parts are expressed in W. The rotation part is the rotation vector of the turn from the present to the wanted orientation:
    its direction is the axis, its length the angle in [0, pi]. It is not a difference of roll, pitch and yaw.

    Args:
        X_WT, X_WT_des: poses of the tool frame T in W, present and wanted, homogeneous, shape (..., 4, 4).

    Returns:
        Shape (..., 6), [m, m, m, rad, rad, rad].

    Raises:
        ShapeError: a pose is not (..., 4, 4), or the batches do not fit.
        InvalidValueError: a pose is not finite, or its rotation part is not a rotation.

    >>> X = np.eye(4); X_des = np.eye(4); X_des[:3, 3] = [0.1, 0.0, 0.0]
    >>> pose_error(X, X_des).tolist()
    [0.1, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    X, X_des = _pose("X_WT", X_WT), _pose("X_WT_des", X_WT_des)
    try:
        batch = np.broadcast_shapes(X.shape[:-2], X_des.shape[:-2])
    except ValueError as error:
        message = explain(
            "the two poses have different batches",
            got=f"{X.shape} and {X_des.shape}",
            expected="(..., 4, 4) with batches that broadcast",
            remedy="give one goal, or one for each pose",
        )
        raise ShapeError(message) from error
    from scipy.spatial.transform import Rotation  # takes half a second to import, and only this function needs it

    e = np.zeros((*batch, _TWIST))
    e[..., :3] = X_des[..., :3, 3] - X[..., :3, 3]
    turn = X_des[..., :3, :3] @ np.swapaxes(X[..., :3, :3], -1, -2)
    if turn.size:
        e[..., 3:] = Rotation.from_matrix(turn.reshape(-1, 3, 3)).as_rotvec().reshape(*batch, 3)
    return e


class OperationalSpacePd:
    """Jacobian-transpose PD ``u = J^T (Kp e - Kd J v)``.

    The power of u in the joints is then the power of the spring and damper at the tool, whatever the arm's configuration; that
    is all the law promises. It has no operational-space inertia, no gravity term and no target velocity, and the same gains act as
    differently as the arm's inertia does. The goal is at rest: the damper works on the whole velocity of the tool.

    The Jacobian must belong to **the point whose error is measured**. The Jacobian of another point of the same body (a centre of
    mass, a flange) gives a force at that other point and with it a wrong moment; move it first with
    ``kinematics.frames.shift_jacobian``.

    Args:
        kp: stiffness, one number for each axis of W, shape (6,), linear first [N/m, N/m, N/m, N·m/rad, …]; a scalar counts for all.
        kd: damping, likewise [N·s/m, …, N·m·s/rad, …].

    Raises:
        InvalidValueError: a gain is negative or not finite.
        ShapeError: a gain is neither a scalar nor (6,).
    """

    def __init__(self, kp: ArrayLike, kd: ArrayLike) -> None:
        self.kp: Floats = _gain("kp", kp)
        self.kd: Floats = _gain("kd", kd)

    def compute(self, J: ArrayLike, X_WT: ArrayLike, X_WT_des: ArrayLike, v: ArrayLike) -> Floats:
        """The generalized force, shape (..., n) [N·m or N], not limited.

        Args:
            J: Jacobian of the tool point T, expressed in W, linear rows first, shape (..., 6, n): V_WT = J v.
            X_WT, X_WT_des: present and wanted pose of the tool, shape (..., 4, 4); T's origin is the point that J belongs to.
            v: joint velocities [rad/s or m/s], shape (..., n).

        Raises:
            ShapeError: J is not (..., 6, n), v not (..., n), or the batches do not broadcast.
            InvalidValueError: a pose cannot be used, see ``pose_error``; J or v is not finite.
        """
        return self.effort_of(pose_error(X_WT, X_WT_des), J, v)

    def effort_of(self, e: ArrayLike, J: ArrayLike, v: ArrayLike) -> Floats:
        """The same from an error twist of your own, shape (..., 6): masked, limited, or with a deadband."""
        e, J, v = finite("e", e), finite("J", J), finite("v", v)
        if J.ndim < 2 or J.shape[-2] != _TWIST:
            message = explain(
                "J is not a Jacobian",
                got=f"shape {J.shape}",
                expected="(..., 6, n), three linear rows, then three angular rows",
                remedy="for a planar task give zero rows for what is not controlled, or zero gains",
            )
            raise ShapeError(message)
        try:
            wrench = self.kp * e - self.kd * (J @ v[..., None])[..., 0]
            return np.asarray((np.swapaxes(J, -1, -2) @ wrench[..., None])[..., 0])
        except (ValueError, IndexError) as error:
            message = explain(
                "e, J and v do not belong together",
                got=f"e {e.shape}, J {J.shape}, v {v.shape}",
                expected=f"e (..., 6), v (..., {J.shape[-1]}), with batches that broadcast",
                remedy="read all of them from the same state",
            )
            raise ShapeError(message) from error


def _gain(name: str, value: ArrayLike) -> Floats:
    array = non_negative(name, value)
    if array.shape not in ((), (_TWIST,)):
        message = explain(
            f"{name} has the wrong shape",
            got=f"{array.shape}",
            expected="a number or (6,), linear first",
            remedy="give one gain for each axis",
        )
        raise ShapeError(message)
    return frozen(np.broadcast_to(array, (_TWIST,)))


def _pose(name: str, value: ArrayLike) -> Floats:
    X = as_floats(name, value)
    if X.ndim < 2 or X.shape[-2:] != (4, 4):
        message = explain(
            f"{name} is not a pose",
            got=f"shape {X.shape}",
            expected="(..., 4, 4), homogeneous",
            remedy="build it from rotation and position",
        )
        raise ShapeError(message)
    finite(name, X)
    R = X[..., :3, :3]
    off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-1, -2), initial=0.0)
    if (off > 1e-6).any() or (np.linalg.det(R) < 0).any():
        message = explain(
            f"{name} holds no rotation",
            got=f"R R^T that differs from 1 by {off.max(initial=0.0):.3g}, determinant {np.linalg.det(R).min(initial=1.0):.3g}",
            expected="an orthonormal matrix with determinant 1",
            remedy="normalize the rotation, and check that rows and columns were not mixed",
        )
        raise InvalidValueError(message)
    return X
