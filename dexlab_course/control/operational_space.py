"""PD in the space of the tool: a spring and a damper between tool and goal, carried to the joints by the Jacobian transpose."""

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, as_floats, finite, frozen, non_negative
from dexlab_course.errors import ShapeError, explain
from dexlab_course.kinematics import frames

_TWIST = 6


class OperationalSpacePd:
    """Jacobian-transpose PD ``u = J^T (Kp e - Kd J v)``.

    The power of u in the joints is then the power of the spring and damper at the tool, whatever the arm's configuration; that
    is all the law promises. It has no operational-space inertia, no gravity term and no target velocity, and the same gains act as
    differently as the arm's inertia does. The goal is at rest: the damper works on the whole velocity of the tool.

    The error e is ``frames.pose_error``: position difference, then the rotation vector of the turn from the present to the wanted
    orientation, both in W. It is not a difference of roll, pitch and yaw.

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
            InvalidValueError: something is not finite, or a pose holds no rotation.
        """
        X, X_des = _pose("X_WT", X_WT), _pose("X_WT_des", X_WT_des)
        try:
            np.broadcast_shapes(X.shape, X_des.shape)
        except ValueError as error:
            message = explain(
                "the two poses have different batches",
                got=f"{X.shape} and {X_des.shape}",
                expected="(..., 4, 4) with batches that broadcast",
                remedy="give one goal, or one for each pose",
            )
            raise ShapeError(message) from error
        return self.effort_of(frames.pose_error(X, X_des), J, v)

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
    return finite(name, X)
