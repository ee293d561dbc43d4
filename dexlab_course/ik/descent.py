"""Follow starts to their ends: step after step until the goal is met, progress stops, or the iterations run out.

Many starts go side by side, one to a lane, for NumPy's sake; none sees its neighbours. Lanes whose start has ended are left out of the
next step, and when half of them are free, waiting starts take their places.
"""

import dataclasses

import numpy as np
from numpy.typing import NDArray

from dexlab_course.arrays import Floats
from dexlab_course.ik.step import limited_step, residual
from dexlab_course.kinematics import SerialChain, frames

HALVING = 0.5  # what counts as progress; the same number as in compiled.py, a test compares
_LANES = 4096  # so many side by side that NumPy's own time per call does not matter, so few that the arrays stay in the cache


@dataclasses.dataclass(frozen=True)
class Rules:
    """What every start of a call has in common: see ``solve_ik``."""

    mask: Floats
    position_tolerance: float
    rotation_tolerance: float
    damping: float
    max_iterations: int
    lower: Floats
    upper: Floats


@dataclasses.dataclass
class Starts:
    """Starts side by side, one to a lane; lanes are the last axis of every array, so that they can leave and join together."""

    lane: NDArray[np.intp]
    q: Floats  # (n, L)
    base: Floats  # (4, 3, L), the base seen from each lane's goal
    patience: NDArray[np.int64]
    iteration: NDArray[np.int64]
    reference: Floats  # the cost that has to be halved
    stalled: NDArray[np.int64]  # for so many iterations it was not

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Go on with these lanes only."""
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name)[..., which])

    def join(self, other: "Starts") -> None:
        """Go on with these lanes too."""
        for field in dataclasses.fields(self):
            setattr(self, field.name, np.concatenate([getattr(self, field.name), getattr(other, field.name)], axis=-1))


@dataclasses.dataclass
class Ends:
    """How each start ended: where, whether it met its goal, its cost, its iterations, and whether it had stopped making progress."""

    q: Floats
    solved: NDArray[np.bool_]
    cost: Floats
    iterations: NDArray[np.int64]
    stalled: NDArray[np.bool_]


def run_starts(chain: SerialChain, X_WG: Floats, q: Floats, patience: NDArray[np.int64], rules: Rules) -> Ends:
    """Follow every start to its end: goals (L, 4, 4), first configurations q (n, L), patience (L,)."""

    def begin(lane: NDArray[np.intp]) -> Starts:
        X_GW = frames.inverse(X_WG[lane])
        none = np.zeros(lane.size, dtype=np.int64)
        base = np.moveaxis(X_GW[:, :3, :], 0, -1).swapaxes(0, 1)
        return Starts(lane, q[:, lane], base, patience[lane], none, np.full(lane.size, np.inf), none)

    size = len(X_WG)
    ends = Ends(q.copy(), np.zeros(size, dtype=bool), np.full(size, np.inf), np.zeros(size, dtype=np.int64), np.zeros(size, dtype=bool))
    waiting = np.arange(size)
    live = begin(waiting[:0])
    while live.lane.size or waiting.size:
        if waiting.size and live.lane.size <= _LANES // 2:
            free = _LANES - live.lane.size
            live.join(begin(waiting[:free]))
            waiting = waiting[free:]
        e, J = residual(chain, live.q, live.base, rules.mask)
        position, rotation = (e[:3] ** 2).sum(axis=0), (e[3:] ** 2).sum(axis=0)
        cost = 0.5 * (position + rotation)
        solved = (position <= rules.position_tolerance**2) & (rotation <= rules.rotation_tolerance**2)
        halved = cost <= HALVING * live.reference
        live.reference = np.where(halved, cost, live.reference)
        live.stalled = np.where(halved, 0, live.stalled + 1)
        stalled = live.stalled >= live.patience
        ended = solved | stalled | (live.iteration >= rules.max_iterations)
        if ended.any():
            done = live.lane[ended]
            ends.q[:, done], ends.solved[done], ends.cost[done] = live.q[:, ended], solved[ended], cost[ended]
            ends.iterations[done], ends.stalled[done] = live.iteration[ended], stalled[ended]
            live.keep(~ended)
            e, J, cost = e[:, ~ended], J[..., ~ended], cost[~ended]
        live.q = limited_step(live.q, e, J, cost, damping=rules.damping, lower=rules.lower, upper=rules.upper)
        live.iteration = live.iteration + 1
    # The last word has forward kinematics from the base, without the goal's frame and the lanes.
    won = np.flatnonzero(ends.solved)
    position, rotation = measure(chain, ends.q[:, won].T, X_WG[won], rules.mask)
    ends.solved[won] = (position <= rules.position_tolerance) & (rotation <= rules.rotation_tolerance)
    return ends


def measure(chain: SerialChain, q: Floats, X_WG: Floats, mask: Floats) -> tuple[Floats, Floats]:
    """Position and rotation error (B,) [m], [rad] from the definition: forward kinematics of q (B, n) against goals (B, 4, 4)."""
    R_GW = X_WG[:, :3, :3].transpose(0, 2, 1)
    X_WT = chain.fk(q)
    gap = (R_GW @ (X_WT[:, :3, 3] - X_WG[:, :3, 3])[..., None])[..., 0]
    turn = frames.rotvec_from_matrix(R_GW @ X_WT[:, :3, :3])
    return np.linalg.norm(gap * mask[:3], axis=-1), np.linalg.norm(turn * mask[3:], axis=-1)
