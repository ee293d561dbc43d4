"""Where starts begin.

The first one, when the caller names none, is the nearest of a few configurations spread over the middle half of the joint ranges: away
from the limits, and already on the goal's side of the arm. Compared with a random start that halves the iterations.

The others are random: uniform numbers that belong to a goal and a start, not to the order in which they are drawn. A generator that is drawn from in turn would give a goal other starts when its batch is split, or when a faster implementation visits
goals in another order. Here number k of the stream is computed from k alone (Steele, Lea, Flood: Fast splittable pseudorandom number
generators, 2014). The caller's ``np.random.Generator`` gives the seed, once a call.
"""

import dataclasses

import numpy as np
from numpy.typing import NDArray

from dexlab_course.arrays import Floats
from dexlab_course.kinematics import SerialChain

# How many configurations to choose the first start from, over which share of the ranges, and what a square radian weighs in m².
CHOICES, SHARE, SQUARE_RADIAN = 128, 0.5, 0.1
HUGE = 1e100  # larger numbers would overflow when squared

_GOLDEN, _MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def uniform(seed: int, counter: NDArray[np.integer]) -> Floats:
    """Numbers ``counter`` of the stream that ``seed`` names, in [0, 1), same shape.

    >>> uniform(1, np.arange(3)).round(6).tolist()
    [0.566562, 0.745782, 0.971003]
    """
    x = np.uint64(seed) + (np.asarray(counter).astype(np.uint64) + np.uint64(1)) * _GOLDEN
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    x = x ^ (x >> np.uint64(31))
    return (x >> np.uint64(11)).astype(float) * (1.0 / 9007199254740992.0)


def restart_configurations(
    seed: int, goal: NDArray[np.integer], start: NDArray[np.integer], restarts: int, lower: Floats, upper: Floats
) -> Floats:
    """Start number ``start`` (1 to ``restarts``) of goal number ``goal``, shape (n, k) for k of each, uniform in [lower, upper]."""
    n = lower.size
    counter = (goal * (restarts + 1) + start) * n + np.arange(n)[:, None]
    return lower[:, None] + uniform(seed, counter) * (upper - lower)[:, None]


@dataclasses.dataclass(frozen=True, eq=False)
class Choices:
    """Configurations to choose the first start from: q (N, n), and what their poses look like, (12, N): position, then rotation by rows."""

    q: Floats
    poses: Floats

    @classmethod
    def of(cls, chain: SerialChain) -> "Choices":
        """A chain's choices: the points of an additive sequence (Roberts' generalisation of the golden ratio) fill a box evenly."""
        lower, upper = chain.sampling_range()
        ratio = 2.0
        for _ in range(64):  # the positive root of x^(n+1) = x + 1
            ratio = (1.0 + ratio) ** (1.0 / (chain.n + 1))
        share = (0.5 + np.outer(np.arange(1, CHOICES + 1), ratio ** -np.arange(1.0, chain.n + 1))) % 1.0
        q = 0.5 * (lower + upper) + SHARE * (share - 0.5) * (upper - lower)
        return cls(q, _twelve(chain.fk(q)).T.copy())

    def nearest(self, X: Floats, mask: Floats) -> Floats:
        """The choice nearest to each goal (B, 4, 4), as q (B, n).

        The distance is |p - p'|² plus a weighted 3 - tr(R^T R') = 1 - cos(angle), up to constants; a half masked out by ``mask`` weighs less.
        """
        position, rotation = mask[:3].mean(), SQUARE_RADIAN * mask[3:].mean()
        weights = np.repeat([position, rotation], [3, 9])
        own = position * (self.poses[:3] ** 2).sum(axis=0)
        twelve = _twelve(X)
        twelve[~(np.abs(twelve).sum(axis=1) < HUGE)] = 0.0  # no pose; where its start begins does not matter, but it must not be NaN
        blocks = np.array_split(twelve * weights, len(X) // 4096 + 1)
        chosen = np.concatenate([np.argmin(own - 2.0 * block @ self.poses, axis=1) for block in blocks])
        return np.asarray(self.q[chosen])


def _twelve(X: Floats) -> Floats:
    """Position and rotation of poses (B, 4, 4) as (B, 12)."""
    return np.concatenate([X[:, :3, 3], X[:, :3, :3].reshape(-1, 9)], axis=1)
