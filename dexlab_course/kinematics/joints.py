"""One joint of a chain, checked when it is made."""

import dataclasses
import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, as_floats, finite, frozen
from dexlab_course.errors import InvalidValueError, ShapeError, explain, unknown_name
from dexlab_course.kinematics.frames import ROTATION_TOLERANCE

Kind = Literal["revolute", "continuous", "prismatic"]
_KINDS = ("revolute", "continuous", "prismatic")


@dataclasses.dataclass(frozen=True, eq=False)
class ChainJoint:
    """A joint that one number moves.

    Attributes:
        name: its name.
        kind: ``revolute`` (angle in limits), ``continuous`` (angle without limits) or ``prismatic`` (length).
        X_PJ: (4, 4), the joint frame at zero in the frame that the joint before it moves (or in the base).
        axis: (3,), the direction it turns about or slides along, in the joint frame; stored with length 1.
        lower, upper: limits [rad or m]; a continuous joint has none.
        velocity, effort: largest speed [rad/s or m/s] and force [N·m or N]; infinite where the model says nothing.

    Raises:
        UnknownNameError: an unknown kind.
        ShapeError, InvalidValueError: a pose or an axis that is none, lower > upper, or limits that are NaN.
    """

    name: str
    kind: Kind
    X_PJ: ArrayLike = dataclasses.field(default_factory=lambda: np.eye(4))
    axis: ArrayLike = (0.0, 0.0, 1.0)
    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise unknown_name("joint kind", self.kind, _KINDS)
        object.__setattr__(self, "X_PJ", frozen(rigid_pose(f"X_PJ of {self.name}", self.X_PJ)))
        axis = finite(f"axis of {self.name}", self.axis)
        length = float(np.linalg.norm(axis))
        if axis.shape != (3,) or length < 1e-9:
            message = explain(f"{self.name} has no axis", got=axis, expected="three numbers, not all zero", remedy="use (0, 0, 1) for z")
            raise ShapeError(message)
        object.__setattr__(self, "axis", frozen(axis / length))
        if self.kind == "continuous":
            object.__setattr__(self, "lower", -math.inf)
            object.__setattr__(self, "upper", math.inf)
        if not self.lower <= self.upper:
            message = explain(
                f"{self.name} has unusable limits",
                got=f"[{self.lower}, {self.upper}]",
                expected="lower <= upper",
                remedy="swap or correct them",
            )
            raise InvalidValueError(message)

    def aligned(self) -> Floats:
        """A rotation (4, 4) whose third column is the axis: in the turned joint frame every joint moves about or along its own z."""
        z = as_floats("axis", self.axis)
        # The coordinate axis that is furthest from z gives a well-conditioned x; a joint about z itself stays as it is.
        if z[2] == 1.0:
            return np.eye(4)
        x = np.eye(3)[int(np.argmin(np.abs(z)))]
        x = x - (x @ z) * z
        x /= np.linalg.norm(x)
        turned = np.eye(4)
        turned[:3, :3] = np.stack([x, np.cross(z, x), z], axis=-1)
        return turned


def rigid_pose(name: str, X: ArrayLike) -> Floats:
    """``X`` as a rigid pose (4, 4), or an error that says what is wrong with it."""
    pose = finite(name, X)
    if pose.shape != (4, 4):
        message = explain(f"{name} is not a pose", got=f"shape {pose.shape}", expected="(4, 4)", remedy="make it with frames.pose(R, p)")
        raise ShapeError(message)
    R = pose[:3, :3]
    gap = float(np.abs(R.T @ R - np.eye(3)).max())
    if gap > ROTATION_TOLERANCE or np.linalg.det(R) < 0 or not np.array_equal(pose[3], [0, 0, 0, 1]):
        message = explain(
            f"{name} is not a rigid pose",
            got=f"R^T R off by {gap:.3g}, determinant {np.linalg.det(R):.3g}, last row {pose[3]}",
            expected="a rotation, a position, and the last row (0, 0, 0, 1)",
            remedy="make it with frames.pose(R, p); a transposed pose has its position in the last row",
        )
        raise InvalidValueError(message)
    return pose
