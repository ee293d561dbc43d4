"""Inverse kinematics by Levenberg-Marquardt steps inside joint limits, with restarts. The readable form, and the reference.

For each goal, start after start until one arrives:

1. A start begins at ``q0``, in the middle of the joint ranges, or, from the second on, at a random configuration.
2. Each iteration computes the error e and the Jacobian J, and takes one step of ``step.limited_step``.
3. The start succeeds when position and rotation error are within tolerance, confirmed by forward kinematics computed anew.
4. It is given up when three iterations in a row have not halved the error E = e^T e / 2: most starts that fail do so early, and a
   new start is worth more than patience. Patience grows by one with every ten starts, and the last start has more of it.

All goals of a batch advance side by side, each alone with its own starts, so a goal's answer does not depend on its neighbours.
``compiled.py`` is the same algorithm for numba; it is used when numba is installed.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dexlab_course.arrays import Floats, as_floats, last_axis
from dexlab_course.errors import InvalidValueError, ShapeError, explain
from dexlab_course.ik.result import REASONS, IkReason, IkResult, batch_result, one_result
from dexlab_course.ik.starts import restart_configurations
from dexlab_course.ik.step import limited_step, residual
from dexlab_course.kinematics import SerialChain, frames
from dexlab_course.kinematics.chain import as_buffer

# The same numbers as in compiled.py; a test compares.
HALVING, PATIENCE, MORE_PATIENCE_EVERY, LAST_PATIENCE = 0.5, 3, 10, 10
HUGE = 1e100  # larger entries would overflow when squared
_LANES = 1024  # how many goals the readable form advances side by side: its arrays stay in the cache
_FEW = 12  # smaller batches than this are faster one lane at a time
_MANY = 1_000_000_000  # counters of restarts and iterations stay exact
_ALL = np.ones(6)


def solve_ik(
    chain: SerialChain,
    X_WT: ArrayLike,
    q0: ArrayLike | None = None,
    *,
    position_tolerance: float = 1e-6,
    rotation_tolerance: float = 1e-6,
    max_iterations: int = 50,
    restarts: int = 100,
    damping: float = 0.1,
    mask: ArrayLike | None = None,
    tool: ArrayLike | None = None,
    respect_limits: bool = True,
    rng: np.random.Generator | None = None,
    compiled: bool | None = None,
) -> IkResult:
    """Joint positions that put the chain's tool frame T onto the goal.

    Args:
        chain: the arm.
        X_WT: goal pose(s) of T in the base link's frame W, (4, 4), or (..., 4, 4) for a batch.
        q0: where the first start begins [rad or m], (n,), or (..., n) with one for each goal; clipped to the limits. The middle of the
            joint ranges when omitted, which on most arms is a better start than a random one.
        position_tolerance, rotation_tolerance: largest accepted errors [m], [rad].
        max_iterations: steps of one start.
        restarts: further starts after the first, at most.
        damping: Chan's factor k in lambda = k E, positive.
        mask: (6,) of 0 and 1, which parts of the error count: position along, and rotation about, the goal's own x, y, z axes.
            (1, 1, 1, 0, 0, 0) is a position alone, (1, 1, 1, 1, 1, 0) leaves the turn about the goal's z axis free.
        tool: (4, 4), a tool frame in the tip link's frame, in place of the chain's own.
        respect_limits: keep every step inside the joint limits. Otherwise they are ignored, and only reported.
        rng: gives the seed of the random starts. When omitted, the same starts are made at each call.
        compiled: False for the readable NumPy form, True for the numba form or an error; None takes numba when it is installed.

    Returns:
        An ``IkResult``; with a batch all its fields are arrays. A goal that cannot be reached, or is no pose at all, is a failure
        with a reason, not an exception.

    Raises:
        ShapeError: arguments whose shapes do not fit the chain or each other.
        InvalidValueError: a tolerance, damping or count out of range, a start that is not finite, an empty mask, ``compiled=True``
            without numba.

    Source: Levenberg-Marquardt with the damping of Chan and Lawrence (1988); see Haviland and Corke, Manipulator differential
    kinematics, part 1 (2023), for a comparison of damping rules.
    """
    if tool is not None:
        chain = chain.with_tool(tool)
    goals = _as_goals(X_WT)
    batch = goals.shape[:-2]
    flat = goals.reshape(-1, 4, 4)
    _check_numbers(position_tolerance, rotation_tolerance, damping, max_iterations, restarts)
    weights = _ALL if mask is None else _check_mask(mask)
    limits = _limits(chain, respect_limits)
    begin = _middle(chain) if q0 is None else _check_start(chain, q0, batch)
    seed = 0 if rng is None else int(rng.random() * 2.0**53)
    q, info = np.empty((len(flat), chain.n)), np.empty((len(flat), 6))
    options = (position_tolerance, rotation_tolerance, damping, max_iterations, restarts, chain.reach, seed, q, info)
    kernel = None if compiled is False else _kernel(1 if len(flat) < _FEW else 16)
    if kernel is not None:
        kernel(chain.poses, chain.slides, limits, flat, begin, weights, *options)
    elif compiled:
        message = explain("there is no compiled form", got="no numba", expected="numba", remedy="pip install numba, or compiled=None")
        raise InvalidValueError(message)
    else:
        solve_readably(chain, limits, flat, begin, weights, *options)
    if chain.turns_freely:
        _nearest_turn(chain, q, begin)
    return one_result(q[0], info[0], respect_limits) if goals.ndim == 2 else batch_result(q, info, respect_limits, batch)


# --- the algorithm ----------------------------------------------------------------------------------------------------------------


class _Lanes:
    """The goals at work, one to a lane. Every array has its lanes last, so that lanes can leave and join together."""

    def __init__(self, **arrays: NDArray[Any]) -> None:
        self.__dict__.update(arrays)

    def __getattr__(self, name: str) -> Any:  # for the type checker; every name is set in __init__
        raise AttributeError(name)

    def keep(self, which: NDArray[np.bool_]) -> None:
        for name, array in self.__dict__.items():
            self.__dict__[name] = array[..., which]

    def join(self, other: "_Lanes") -> None:
        for name, array in self.__dict__.items():
            self.__dict__[name] = np.concatenate([array, other.__dict__[name]], axis=-1)


def solve_readably(
    chain: SerialChain,
    limits: Floats,
    X: Floats,
    Q0: Floats,
    mask: Floats,
    position_tolerance: float,
    rotation_tolerance: float,
    damping: float,
    max_iterations: int,
    restarts: int,
    reach: float,
    seed: int,
    Q: Floats,
    info: Floats,
) -> None:
    """Fill Q (B, n) and info (B, 6): reason, iterations, restarts, position error, rotation error, limit violation.

    Args:
        limits: (6, n), the chain's lower and upper limits, those that a step keeps to, the range of random starts.
        X: (B, 4, 4) goals. Q0: (B, n) first starts, or (1, n) for all. The others are those of ``solve_ik``.
    """
    lower, upper = limits[2], limits[3]
    Q[:] = np.clip(Q0, lower, upper)
    valid = _are_poses(X)
    info[:, 0], info[:, 1:3], info[:, 3:5] = REASONS.index(IkReason.INVALID_GOAL), 0.0, np.nan
    waiting = np.flatnonzero(valid)
    lanes = _new_lanes(waiting[:0], X, Q, mask, reach + position_tolerance, restarts)
    while waiting.size or lanes.goal.size:
        free = _LANES - lanes.goal.size
        lanes.join(_new_lanes(waiting[:free], X, Q, mask, reach + position_tolerance, restarts))
        waiting = waiting[free:]

        e, J = residual(chain, lanes.q, lanes.base, mask)
        cost = 0.5 * (e * e).sum(axis=0)
        solved = (np.linalg.norm(e[:3], axis=0) <= position_tolerance) & (np.linalg.norm(e[3:], axis=0) <= rotation_tolerance)
        if solved.any():
            position, rotation = measure(chain, lanes.q[:, solved].T, X[lanes.goal[solved]], mask)
            solved[solved] = (position <= position_tolerance) & (rotation <= rotation_tolerance)

        halved = cost <= HALVING * lanes.reference
        lanes.reference = np.where(halved, cost, lanes.reference)
        lanes.stalled = np.where(halved, 0, lanes.stalled + 1)
        last = lanes.start == lanes.last
        stalled = lanes.stalled >= np.where(last, LAST_PATIENCE, PATIENCE + lanes.start // MORE_PATIENCE_EVERY)
        failed = ~solved & (stalled | (lanes.iteration >= max_iterations))

        nearer = failed & (cost < lanes.best_cost)
        lanes.best_cost = np.where(nearer, cost, lanes.best_cost)
        lanes.best = np.where(nearer | solved, lanes.q, lanes.best)
        finished = solved | (failed & last)
        again = failed & ~finished
        going = ~(failed | finished)

        reason = np.where(stalled, REASONS.index(IkReason.STALLED), REASONS.index(IkReason.MAX_ITERATIONS))
        reason = np.where(lanes.beyond, REASONS.index(IkReason.OUT_OF_REACH), reason)
        done = lanes.goal[finished]
        Q[done] = lanes.best[:, finished].T
        info[done, 0] = np.where(solved, REASONS.index(IkReason.SOLVED), reason)[finished]
        info[done, 1], info[done, 2] = lanes.total[finished], lanes.start[finished]

        if going.any():
            lanes.q[:, going] = limited_step(
                lanes.q[:, going], e[:, going], J[..., going], cost[going], damping=damping, lower=lower, upper=upper
            )
        lanes.start = lanes.start + again
        lanes.q[:, again] = restart_configurations(seed, lanes.goal[again], lanes.start[again], restarts, limits[4], limits[5])
        lanes.iteration = np.where(again, 0, lanes.iteration + going)
        lanes.stalled, lanes.reference = np.where(again, 0, lanes.stalled), np.where(again, np.inf, lanes.reference)
        lanes.total = lanes.total + going
        lanes.keep(~finished)

    info[valid, 3], info[valid, 4] = measure(chain, Q[valid], X[valid], mask)
    info[:, 5] = np.maximum(limits[0] - Q, Q - limits[1]).max(axis=1, initial=0.0)


def measure(chain: SerialChain, q: Floats, X_WG: Floats, mask: Floats) -> tuple[Floats, Floats]:
    """Position and rotation error (B,) [m], [rad] from the definition: forward kinematics of q (B, n) against goals (B, 4, 4)."""
    R_GW = X_WG[:, :3, :3].transpose(0, 2, 1)
    X_WT = chain.fk(q)
    gap = (R_GW @ (X_WT[:, :3, 3] - X_WG[:, :3, 3])[..., None])[..., 0]
    turn = frames.rotvec_from_matrix(R_GW @ X_WT[:, :3, :3])
    return np.linalg.norm(gap * mask[:3], axis=-1), np.linalg.norm(turn * mask[3:], axis=-1)


def _new_lanes(goal: NDArray[np.intp], X: Floats, Q: Floats, mask: Floats, reach: float, restarts: int) -> _Lanes:
    X_GW = frames.inverse(X[goal])
    zeros = np.zeros(goal.size, dtype=np.int64)
    beyond = (np.linalg.norm(X[goal, :3, 3], axis=-1) > reach) & mask[:3].all()
    return _Lanes(
        goal=goal,
        base=np.moveaxis(X_GW[:, :3, :], 0, -1).swapaxes(0, 1),
        q=Q[goal].T.copy(),
        best=Q[goal].T.copy(),
        best_cost=np.full(goal.size, np.inf),
        reference=np.full(goal.size, np.inf),
        stalled=zeros,
        iteration=zeros,
        total=zeros,
        start=zeros,
        last=np.where(beyond, 0, restarts),
        beyond=beyond,
    )


def _are_poses(X: Floats) -> NDArray[np.bool_]:
    """True where a matrix (B, 4, 4) is a rigid pose."""
    finite = (np.abs(X) < HUGE).all(axis=(1, 2))
    X = np.where(finite[:, None, None], X, np.eye(4))
    R = X[:, :3, :3]
    gap = np.abs(R.transpose(0, 2, 1) @ R - np.eye(3)).max(axis=(1, 2), initial=0.0)
    return finite & (gap <= frames.ROTATION_TOLERANCE) & (np.linalg.det(R) > 0.0) & (X[:, 3] == [0.0, 0.0, 0.0, 1.0]).all(axis=1)


def _nearest_turn(chain: SerialChain, q: Floats, begin: Floats) -> None:
    """Whole turns are no motion: bring joints without limits to the turn nearest to where they started."""
    free = np.array([kind == "continuous" for kind in chain.kinds])
    turns = np.round((q[:, free] - begin[:, free]) / (2 * np.pi))
    q[:, free] -= 2 * np.pi * turns


# --- arguments --------------------------------------------------------------------------------------------------------------------


@functools.cache
def _kernel(lanes: int) -> Callable[..., None] | None:
    """The compiled form, or None without numba."""
    try:
        from dexlab_course.ik import compiled
    except ImportError:
        return None
    return compiled.kernel(lanes)


def _as_goals(X_WT: ArrayLike) -> Floats:
    goals = as_floats("X_WT", X_WT)
    if goals.ndim < 2 or goals.shape[-2:] != (4, 4):
        message = explain(
            "X_WT is not a goal pose", got=f"shape {goals.shape}", expected="(4, 4) or (..., 4, 4)", remedy="make it with frames.pose(R, p)"
        )
        raise ShapeError(message)
    return as_buffer(goals)


def _check_numbers(position_tolerance: float, rotation_tolerance: float, damping: float, max_iterations: int, restarts: int) -> None:
    for name, value, unit in (("position_tolerance", position_tolerance, " m"), ("rotation_tolerance", rotation_tolerance, " rad"), ("damping", damping, "")):
        if not 0.0 < value < np.inf:
            message = explain(f"{name} cannot be used", got=f"{value}{unit}", expected="a positive number", remedy="the default suits most arms")
            raise InvalidValueError(message)
    for name, count in (("max_iterations", max_iterations), ("restarts", restarts)):
        if not 0 <= count <= _MANY or count != int(count):
            message = explain(f"{name} is a count", got=count, expected=f"a whole number from 0 to {_MANY}", remedy="restarts=0 makes one start")
            raise InvalidValueError(message)


def _check_mask(mask: ArrayLike) -> Floats:
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


def _check_start(chain: SerialChain, q0: ArrayLike, batch: tuple[int, ...]) -> Floats:
    """The first starts, (1, n) or (B, n)."""
    start = last_axis("q0", as_floats("q0", q0), chain.n, of="joint")
    if not np.isfinite(start).all():
        message = explain("q0 is not finite", got=start, expected="finite numbers", remedy="leave q0 out to start in the middle of the ranges")
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


@functools.lru_cache(maxsize=128)
def _limits(chain: SerialChain, respect_limits: bool) -> Floats:
    """(6, n): the limits, those that a step keeps to, the range of random starts."""
    infinite = np.full(chain.n, np.inf)
    kept = (chain.lower, chain.upper) if respect_limits else (-infinite, infinite)
    return np.stack([chain.lower, chain.upper, *kept, *chain.sampling_range()])


@functools.lru_cache(maxsize=128)
def _middle(chain: SerialChain) -> Floats:
    """(1, n): the middle of the joint ranges, zero for a joint without limits."""
    lower, upper = chain.sampling_range()
    return 0.5 * (lower + upper)[None]
