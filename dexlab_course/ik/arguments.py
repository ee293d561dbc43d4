"""The arguments of ``solve_ik``: checked, and brought into the form that both implementations take."""

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, as_floats, last_axis
from dexlab_course.errors import InvalidValueError, ShapeError, explain
from dexlab_course.kinematics import SerialChain
from dexlab_course.kinematics.chain import as_buffer

_MANY = 1_000_000_000  # counters of restarts and iterations stay exact
_INFINITE = float("inf")


def as_goals(X_WT: ArrayLike) -> Floats:
    """Goals (..., 4, 4). Whether they are poses is for the answer to say, goal by goal."""
    goals = as_floats("X_WT", X_WT)
    if goals.ndim < 2 or goals.shape[-2:] != (4, 4):
        message = explain(
            "X_WT is not a goal pose", got=f"shape {goals.shape}", expected="(4, 4) or (..., 4, 4)", remedy="make it with frames.pose(R, p)"
        )
        raise ShapeError(message)
    return as_buffer(goals)


def check_numbers(position_tolerance: float, rotation_tolerance: float, damping: float, max_iterations: int, restarts: int) -> None:
    """Tolerances and damping are positive, counts are whole numbers."""
    positive = 0.0 < position_tolerance < _INFINITE and 0.0 < rotation_tolerance < _INFINITE and 0.0 < damping < _INFINITE
    if positive and type(max_iterations) is int and type(restarts) is int and 0 <= max_iterations <= _MANY and 0 <= restarts <= _MANY:
        return  # all that a call in a control loop pays for
    for name, value, unit in (
        ("position_tolerance", position_tolerance, " m"),
        ("rotation_tolerance", rotation_tolerance, " rad"),
        ("damping", damping, ""),
    ):
        if not 0.0 < value < np.inf:
            message = explain(
                f"{name} cannot be used", got=f"{value}{unit}", expected="a positive number", remedy="the default suits most arms"
            )
            raise InvalidValueError(message)
    for name, count in (("max_iterations", max_iterations), ("restarts", restarts)):
        if not 0 <= count <= _MANY or count != int(count):
            message = explain(
                f"{name} is a count", got=count, expected=f"a whole number from 0 to {_MANY}", remedy="restarts=0 makes one start"
            )
            raise InvalidValueError(message)


def check_mask(mask: ArrayLike) -> Floats:
    """Which parts of the error count, (6,) of 0 and 1."""
    weights = as_floats("mask", mask)
    if weights.shape != (6,) or not np.isin(weights, (0.0, 1.0)).all() or not weights.any():
        message = explain(
            "mask cannot be used",
            got=f"{weights.tolist()}",
            expected="six entries of 0 and 1, linear first, not all 0",
            remedy="(1, 1, 1, 0, 0, 0) is a position goal",
        )
        raise InvalidValueError(message)
    return as_buffer(weights)


def check_start(chain: SerialChain, q0: ArrayLike, batch: tuple[int, ...]) -> Floats:
    """The first starts, (1, n) or (B, n)."""
    start = last_axis("q0", as_floats("q0", q0), chain.n, of="joint")
    if not (start.dot(start) < _INFINITE if start.ndim == 1 else np.isfinite(start).all()):
        message = explain(
            "q0 is not finite", got=start, expected="finite numbers", remedy="leave q0 out to start in the middle of the ranges"
        )
        raise InvalidValueError(message)
    if start.ndim == 1:
        return as_buffer(start[None])
    if start.shape[:-1] != batch:
        message = explain(
            "q0 and X_WT are batches of different shape",
            got=f"{start.shape[:-1]} and {batch}",
            expected="one start for each goal, or one for all",
            remedy=f"pass q0 as ({chain.n},) or as {(*batch, chain.n)}",
        )
        raise ShapeError(message)
    return as_buffer(start.reshape(-1, chain.n))
