"""Inverse kinematics by Levenberg-Marquardt steps inside joint limits, with restarts. The readable form, and the reference.

For each goal, start after start until one arrives:

1. The first start begins at ``q0``, or at the nearest of some configurations away from the limits; the others at random.
2. Each iteration computes the error e and the Jacobian J, and takes one step of ``step.limited_step``.
3. The start succeeds when position and rotation error are within tolerance, confirmed by forward kinematics computed anew.
4. It is given up when three iterations in a row have not halved the error E = e^T e / 2: most starts that fail do so early, and a
   new start is worth more than patience. Patience grows by one with every ten starts, and the last start has more of it.

Goals of a batch advance side by side, each alone with its own starts, so an answer does not depend on what else is in the batch.
``descent.py`` follows the starts, ``step.py`` is one step; ``compiled.py`` is the same algorithm for numba, used when that is installed.
"""

import copy
import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dexlab_course.arrays import Floats
from dexlab_course.errors import InvalidValueError, explain
from dexlab_course.ik.arguments import as_goals, check_mask, check_numbers, check_start
from dexlab_course.ik.descent import Rules, measure, run_starts
from dexlab_course.ik.result import REASONS, IkReason, IkResult, batch_result, one_result
from dexlab_course.ik.starts import HUGE, Choices, restart_configurations
from dexlab_course.kinematics import SerialChain, frames

# The same numbers as in compiled.py; a test compares.
PATIENCE, MORE_PATIENCE_EVERY, LAST_PATIENCE = 3, 10, 10
_ALL = np.ones(6)
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
        q0: where the first start begins [rad or m], (n,), or (..., n) with one for each goal; clipped to the limits. When omitted, the
            nearest of some configurations in the middle of the joint ranges, see ``starts``.
        position_tolerance, rotation_tolerance: largest accepted errors [m], [rad].
        max_iterations: steps of one start.
        restarts: further starts after the first, at most.
        damping: Chan's factor k in lambda = k E, positive.
        mask: (6,) of 0 and 1, which parts of the error count: position along, and rotation about, the goal's own x, y, z axes.
            (1, 1, 1, 0, 0, 0) is a position alone, (1, 1, 1, 1, 1, 0) leaves the turn about the goal's z axis free.
        tool: (4, 4), a tool frame in the tip link's frame, in place of the chain's own. In a loop, make ``chain.with_tool(tool)`` once.
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
    weights = _ALL if mask is None else check_mask(mask)
    model, limits, choices, no_start = _prepared(chain, respect_limits)
    begin = no_start if q0 is None else check_start(chain, q0, batch)
    seed = 0 if rng is None else int(rng.random() * 2.0**53)
    count = len(flat)
    out = np.empty((count, chain.n + 6))
    kernel = None if compiled is False else _kernel(1 if count < _FEW else 16)
    if kernel is not None:
        kernel(model, flat, begin, weights, position_tolerance, rotation_tolerance, damping, max_iterations, restarts, seed, out)
    else:
        if compiled:
            message = explain("there is no compiled form", got="no numba", expected="numba", remedy="pip install numba, or compiled=None")
            raise InvalidValueError(message)
        rules = Rules(weights, position_tolerance, rotation_tolerance, damping, max_iterations, limits[2], limits[3])
        solve_readably(chain, limits, flat, choices.nearest(flat, weights) if q0 is None else begin, rules, restarts, seed, out)
    if chain.turns_freely:
        _nearest_turn(chain, out, begin)
    return batch_result(out, respect_limits, batch) if batch else one_result(out, respect_limits)


@functools.lru_cache(maxsize=128)
def _prepared(chain: SerialChain, respect_limits: bool) -> tuple[Floats, Floats, Choices, Floats]:
    """What no goal changes: all of it in one array for compiled code, limits (6, n), the choices for the first start, no start (0, n).

    The rows of limits are the chain's lower and upper limits, those that a step keeps to, and the range of random starts.
    """
    infinite = np.full(chain.n, np.inf)
    kept = (chain.lower, chain.upper) if respect_limits else (-infinite, infinite)
    lower, upper = chain.sampling_range()
    limits = np.stack([chain.lower, chain.upper, *kept, lower, upper])
    choices = Choices.of(chain)
    model = [chain.poses, chain.slides, limits, np.array([chain.reach]), choices.q, choices.poses]
    return np.concatenate([part.ravel() for part in model]), limits, choices, choices.q[:0].copy()


@functools.cache
def _kernel(lanes: int) -> Any:
    """The compiled form for that many goals side by side, or None without numba."""
    try:
        from dexlab_course.ik import compiled
    except ImportError:
        return None
    return compiled.kernel(lanes)


# --- the algorithm ----------------------------------------------------------------------------------------------------------------


def solve_readably(
    chain: SerialChain,
    limits: Floats,
    X: Floats,
    Q0: Floats,
    rules: Rules,
    restarts: int,
    seed: int,
    out: Floats,
) -> None:
    """Fill out (B, n + 6): q, then reason, iterations, restarts, position error, rotation error, limit violation.

    Starts of one goal are independent, so several are made side by side and the first of them that succeeds counts, as if they had
    been made one after the other. Most goals need one; those that are left get one more, then 2, 4, 8, …

    Args:
        limits: (6, n), see ``_prepared``.
        X: (B, 4, 4) goals. Q0: (B, n) first starts, or (1, n) for all. The others are made from what ``solve_ik`` takes.
    """
    chain = copy.copy(chain)
    chain.compiled_from = None
    Q, info = out[:, : chain.n], out[:, chain.n :]
    Q[:] = np.clip(Q0, limits[2], limits[3])
    valid = _are_poses(X)
    beyond = (np.linalg.norm(np.where(valid[:, None], X[:, :3, 3], 0.0), axis=-1) > chain.reach + rules.position_tolerance) & rules.mask[
        :3
    ].all()
    last = np.where(beyond, 0, restarts)
    info[:, 0], info[:, 1:3], info[:, 3:5] = REASONS.index(IkReason.INVALID_GOAL), 0.0, np.nan
    best_cost = np.full(len(X), np.inf)

    open_goals, first = np.flatnonzero(valid), 0
    while open_goals.size:
        count = min(max(1, first), restarts + 1 - first)
        goal, start = np.repeat(open_goals, count), np.tile(np.arange(first, first + count), open_goals.size)
        begin = Q[goal].T if first == 0 else restart_configurations(seed, goal, start, restarts, limits[4], limits[5])
        patience = np.where(start == last[goal], LAST_PATIENCE, PATIENCE + start // MORE_PATIENCE_EVERY)
        ends = run_starts(chain, X[goal], begin, patience, rules)

        # One row for each goal, one column for each of its starts.
        solved, cost = ends.solved.reshape(-1, count), ends.cost.reshape(-1, count)
        found = solved.any(axis=1)
        chosen = np.where(found, solved.argmax(axis=1), cost.argmin(axis=1))
        nearer = found | (cost.min(axis=1) < best_cost[open_goals])
        rows = np.arange(open_goals.size)
        Q[open_goals[nearer]] = ends.q.T.reshape(open_goals.size, count, chain.n)[rows[nearer], chosen[nearer]]
        best_cost[open_goals] = np.minimum(best_cost[open_goals], cost.min(axis=1))

        final = np.where(found, chosen, count - 1)  # the last start that the goal made
        stalled = ends.stalled.reshape(-1, count)[rows, final]
        failure = np.where(stalled, REASONS.index(IkReason.STALLED), REASONS.index(IkReason.MAX_ITERATIONS))
        failure = np.where(beyond[open_goals], REASONS.index(IkReason.OUT_OF_REACH), failure)
        info[open_goals, 0] = np.where(found, REASONS.index(IkReason.SOLVED), failure)
        info[open_goals, 1] += ends.iterations.reshape(-1, count).cumsum(axis=1)[rows, final]
        info[open_goals, 2] = first + final
        first += count
        open_goals = open_goals[~found & (last[open_goals] >= first)]

    info[valid, 3], info[valid, 4] = measure(chain, Q[valid], X[valid], rules.mask)
    info[:, 5] = np.maximum(limits[0] - Q, Q - limits[1]).max(axis=1, initial=0.0)


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
    turns = np.round((q[:, free] - (begin[:, free] if len(begin) else 0.0)) / (2 * np.pi))
    q[:, free] -= 2 * np.pi * turns
