"""How long a batched joint controller takes, beside the time to read and write its arrays once.

The yardstick is one ``np.copyto`` for each array that must be read or kept, and one ``copy`` for the new array that is returned (so both
sides pay for its memory): position, velocity, target and previous target in, previous target kept, effort out; for ``compose_effort``
the terms in and the sum out. Both sides are measured in turns.
"""

import json
from collections.abc import Callable, Sequence

import numpy as np
from stopwatch import best_times

from dexlab_course.arrays import Floats
from dexlab_course.control import EffortLimits, JointSpacePd, compose_effort

TARGETS = {
    "joint_space_pd": "JointSpacePd over 4096 environments <= 3 times reading and writing its arrays once",
    "compose_effort": "compose_effort over 4096 environments <= 3 times reading and writing its arrays once",
}
B, N = 4096, 7
PERIOD = 0.005


def copies(inputs: Sequence[Floats], kept: int) -> Callable[[], object]:
    """One copy for each array read, each array kept, and the one returned."""
    scratch, written = np.empty_like(inputs[0]), [np.empty_like(inputs[0]) for _ in range(kept)]

    def copy() -> Floats:
        for array in inputs:
            np.copyto(scratch, array)
        for array in written:
            np.copyto(array, scratch)
        return scratch.copy()

    return copy


def controllers(size: int, rng: np.random.Generator) -> dict[str, Callable[[], object]]:
    """The controllers in three dresses, the sum of three efforts, and their yardsticks."""
    q, v, target, feedback, gravity, feedforward = rng.normal(size=(6, size, N))
    kp, kd, limit = rng.uniform(50, 100, N), rng.uniform(1, 10, N), rng.uniform(10, 80, N)
    limits = EffortLimits.symmetric(limit)
    plain = JointSpacePd(kp, kd)
    limited = JointSpacePd(kp, kd, saturation=limit)
    banded = JointSpacePd(kp, kd, saturation=limit, deadband=np.full(N, 0.01))
    return {
        "copies for a controller": copies([q, v, target, feedback], 1),
        "JointSpacePd without saturation": lambda: plain.compute(q, v, target, PERIOD),
        "JointSpacePd": lambda: limited.compute(q, v, target, PERIOD),
        "JointSpacePd with deadband": lambda: banded.compute(q, v, target, PERIOD),
        "copies for a sum": copies([feedback, gravity, feedforward], 0),
        "compose_effort": lambda: compose_effort(feedback, gravity, feedforward, limits=limits),
    }


def measure() -> dict[str, object]:
    """All figures, ready for JSON."""
    rng = np.random.default_rng(0)
    best = best_times(controllers(B, rng), seconds=4.0)
    yardstick = {name: best["copies for a sum" if name == "compose_effort" else "copies for a controller"] for name in best}
    rows = {
        name: {"us": round(value, 2), "floor_us": round(yardstick[name], 2), "ratio": round(value / yardstick[name], 2)}
        for name, value in best.items()
        if not name.startswith("copies")
    }
    scaling = []
    for size in (1, 10, 100, 1000, 10_000, 100_000):
        times = best_times(controllers(size, rng), seconds=0.5)
        scaling.append({"environments": size} | {name: round(value, 2) for name, value in times.items()})
    return {"environments": B, "joints": N, "rows": rows, "scaling": scaling}


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
