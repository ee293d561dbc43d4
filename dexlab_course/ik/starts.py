"""Where a new start begins: uniform numbers that belong to a goal and a start, not to the order in which they are drawn.

A generator that is drawn from in turn would give a goal other starts when its batch is split, or when a faster implementation visits
goals in another order. Here number k of the stream is computed from k alone (Steele, Lea, Flood: Fast splittable pseudorandom number
generators, 2014). The caller's ``np.random.Generator`` gives the seed, once a call.
"""

import numpy as np
from numpy.typing import NDArray

from dexlab_course.arrays import Floats

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
