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

import copy
import dataclasses
import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dexlab_course.arrays import Floats
from dexlab_course.errors import InvalidValueError, explain
from dexlab_course.ik.arguments import as_goals, check_mask, check_numbers, check_start
from dexlab_course.ik.result import REASONS, IkReason, IkResult, batch_result, one_result
from dexlab_course.ik.starts import restart_configurations
from dexlab_course.ik.step import limited_step, residual
from dexlab_course.kinematics import SerialChain, frames

# The same numbers as in compiled.py; a test compares.
HALVING, PATIENCE, MORE_PATIENCE_EVERY, LAST_PATIENCE = 0.5, 3, 10, 10
HUGE = 1e100  # larger entries would overflow when squared
_LANES = 2048  # how many goals the readable form advances side by side: its arrays stay in the cache
_FEW = 12  # smaller batches than this are faster one lane at a time


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
    goals = as_goals(X_WT)
    batch = goals.shape[:-2]
    flat = goals.reshape(-1, 4, 4) if batch else goals[None]
    check_numbers(position_tolerance, rotation_tolerance, damping, max_iterations, restarts)
    weights = check_mask(mask)
    limits, middle, reach, one, many = _prepared(chain, respect_limits)
    begin = middle if q0 is None else check_start(chain, q0, batch)
    seed = 0 if rng is None else int(rng.random() * 2.0**53)
    out = np.empty((len(flat), chain.n + 6))
    kernel = one if len(flat) < _FEW else many
    if compiled is False or kernel is None:
        if compiled:
            message = explain("there is no compiled form", got="no numba", expected="numba", remedy="pip install numba, or compiled=None")
            raise InvalidValueError(message)
        kernel = functools.partial(solve_readably, chain)
    kernel(
        chain.poses, chain.slides, limits, flat, begin, weights,
        position_tolerance, rotation_tolerance, damping, max_iterations, restarts, reach, seed, out,
    )  # fmt: skip
    if chain.turns_freely:
        _nearest_turn(chain, out, begin)
    return batch_result(out, respect_limits, batch) if batch else one_result(out, respect_limits)


@functools.lru_cache(maxsize=128)
def _prepared(chain: SerialChain, respect_limits: bool) -> tuple[Floats, Floats, float, Any, Any]:
    """What a chain needs and no goal changes: limits (6, n), the middle of its ranges (1, n), its reach [m], the compiled forms."""
    infinite = np.full(chain.n, np.inf)
    kept = (chain.lower, chain.upper) if respect_limits else (-infinite, infinite)
    lower, upper = chain.sampling_range()
    limits = np.stack([chain.lower, chain.upper, *kept, lower, upper])
    return limits, 0.5 * (lower + upper)[None], chain.reach, *_kernels()


@functools.cache
def _kernels() -> tuple[Any, Any]:
    """The compiled forms for single goals and for batches, or None without numba."""
    try:
        from dexlab_course.ik import compiled
    except ImportError:
        return None, None
    return compiled.solve_one, compiled.solve_many


# --- the algorithm ----------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class _Lanes:
    """The goals at work, one to a lane. Every array has its lanes last, so that lanes can leave and join together."""

    goal: NDArray[np.intp]  # which goal
    base: Floats  # (4, 3, L), the base seen from the goal
    q: Floats  # (n, L)
    best: Floats  # (n, L), the nearest end of a start so far, and its cost
    best_cost: Floats
    reference: Floats  # the cost that has to be halved, and for how many iterations it was not
    stalled: NDArray[np.int64]
    iteration: NDArray[np.int64]  # of this start, and of all
    total: NDArray[np.int64]
    start: NDArray[np.int64]  # number of this start, and of the last one allowed
    last: NDArray[np.int64]
    beyond: NDArray[np.bool_]  # the goal is out of reach

    def keep(self, which: NDArray[np.bool_]) -> None:
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name)[..., which])

    def join(self, other: "_Lanes") -> None:
        for field in dataclasses.fields(self):
            setattr(self, field.name, np.concatenate([getattr(self, field.name), getattr(other, field.name)], axis=-1))


def solve_readably(
    chain: SerialChain,
    poses: Floats,
    slides: NDArray[np.bool_],
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
    out: Floats,
) -> None:
    """Fill out (B, n + 6): q, then reason, iterations, restarts, position error, rotation error, limit violation.

    Args:
        poses, slides: the chain's normal form; the compiled form, which has the same arguments after the first, needs it.
        limits: (6, n), the chain's lower and upper limits, those that a step keeps to, the range of random starts.
        X: (B, 4, 4) goals. Q0: (B, n) first starts, or (1, n) for all. The others are those of ``solve_ik``.
    """
    chain = copy.copy(chain)
    chain.compiled_from = None
    Q, info = out[:, : chain.n], out[:, chain.n :]
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
    return np.asarray(
        finite & (gap <= frames.ROTATION_TOLERANCE) & (np.linalg.det(R) > 0.0) & (X[:, 3] == [0.0, 0.0, 0.0, 1.0]).all(axis=1)
    )


def _nearest_turn(chain: SerialChain, q: Floats, begin: Floats) -> None:
    """Whole turns are no motion: bring joints without limits to the turn nearest to where they started."""
    free = np.flatnonzero([kind == "continuous" for kind in chain.kinds])
    turns = np.round((q[:, free] - begin[:, free]) / (2 * np.pi))
    q[:, free] -= 2 * np.pi * turns
