"""What inverse kinematics answers: never an exception for a goal it cannot reach, and never a success it did not verify."""

import dataclasses
import enum
from typing import Any

import numpy as np

from dexlab_course.arrays import Floats


class IkReason(enum.StrEnum):
    """Why a solution ended as it did. Only ``SOLVED`` is a success."""

    SOLVED = "solved"
    """The pose is met within both tolerances and, where they count, within the joint limits."""
    STALLED = "stalled"
    """No start made progress any more: a local minimum, joints at their limits, or a goal that cannot be reached."""
    MAX_ITERATIONS = "max_iterations"
    """The last start was still improving when its iterations ran out."""
    OUT_OF_REACH = "out_of_reach"
    """The goal is further from the base than all links together are long; one start was made to come near."""
    INVALID_GOAL = "invalid_goal"
    """The goal is no pose: NaN or infinite entries, a matrix that is no rotation, or a last row other than (0, 0, 0, 1)."""


REASONS = tuple(IkReason)
_REASON_ARRAY = np.array(REASONS, dtype=object)


@dataclasses.dataclass(frozen=True, eq=False)
class IkResult:
    """The answer to one goal, or to a batch of them (then every field has the batch's shape).

    Attributes:
        q: (..., n) [rad or m]. On failure the nearest configuration that was found, not a solution.
        success: true only if forward kinematics, computed anew, meets the goal within both tolerances, and the limits hold.
        reason: an ``IkReason``, or an object array of them.
        iterations: steps taken, all starts together.
        restarts: how many times a new start was made.
        position_error: distance of the tool from the goal [m], of the axes that ``mask`` keeps.
        rotation_error: angle between tool and goal [rad], of the axes that ``mask`` keeps.
        limit_violation: how far the worst joint is outside its limits [rad or m]; 0 when all are inside.
    """

    q: Floats
    success: Any
    reason: Any
    iterations: Any
    restarts: Any
    position_error: Any
    rotation_error: Any
    limit_violation: Any


def one_result(out: Floats, respect_limits: bool) -> IkResult:
    """The result of a single goal from one row of q and six numbers, (1, n + 6)."""
    code, iterations, restarts, position_error, rotation_error, violation = out[0, -6:].tolist()
    # A frozen dataclass sets its fields one by one through object.__setattr__: a tenth of the time of a whole solution.
    result = object.__new__(IkResult)
    fields = result.__dict__
    fields["q"] = out[0, :-6]
    fields["success"] = code == 0.0 and (violation <= 0.0 or not respect_limits)
    fields["reason"] = REASONS[int(code)]
    fields["iterations"] = int(iterations)
    fields["restarts"] = int(restarts)
    fields["position_error"] = position_error
    fields["rotation_error"] = rotation_error
    fields["limit_violation"] = violation
    return result


def batch_result(out: Floats, respect_limits: bool, batch: tuple[int, ...]) -> IkResult:
    """The result of a batch from rows of q and six numbers, (B, n + 6), in the batch's shape."""
    q, info = out[:, :-6].copy(), out[:, -6:]
    code, iterations, restarts = (column.astype(np.int64).reshape(batch) for column in info[:, :3].T)
    position_error, rotation_error, violation = (column.copy().reshape(batch) for column in info[:, 3:].T)
    return IkResult(
        q=q.reshape(*batch, q.shape[-1]),
        success=(code == 0) & ((violation <= 0.0) | (not respect_limits)),
        reason=_REASON_ARRAY[code],
        iterations=iterations,
        restarts=restarts,
        position_error=position_error,
        rotation_error=rotation_error,
        limit_violation=violation,
    )
