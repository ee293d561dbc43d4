"""Times of short functions, measured in turns within one process. Processes of their own are compared by ``contest.py``."""

import time
from collections.abc import Callable


def best_times(functions: dict[str, Callable[[], object]], *, seconds: float = 1.0) -> dict[str, float]:
    """Best time of each function [us], called in turns so that a busy machine is unfair to none."""
    loops = {}
    for name, function in functions.items():
        begin = time.perf_counter()
        function()
        loops[name] = max(1, int(2e-3 / max(time.perf_counter() - begin, 1e-6)))
    best = dict.fromkeys(functions, float("inf"))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, function in functions.items():
            begin = time.perf_counter()
            for _ in range(loops[name]):
                function()
            best[name] = min(best[name], (time.perf_counter() - begin) / loops[name] * 1e6)
    return best
