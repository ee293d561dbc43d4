"""How long one tick of the task machine takes for a batch, beside the time to read and write its arrays once.

Memory bound means: no array may be touched much more often than it must be. The yardstick is one ``np.copyto`` for each array that
``advance`` reads (six channels, five arrays of state) and one ``copy`` for each that it may return (five arrays of state). It is measured in
turns with ``advance``, and the best of many turns counts on both sides.

What remains where the target is missed: a tick in which nobody moves is some forty passes of NumPy over the batch, a third of them for
the checks of the samples; a tick in which some move copies the five arrays of state and gathers and scatters the few. One compiled loop
over the environments was tried instead and took as long as the quiet tick, because phases in random order defeat its branches.
"""

import dataclasses
import json
import time
from collections.abc import Callable

import numpy as np
from stopwatch import best_times

from dexlab_course.task import Observation, Phase, TaskState, Thresholds, advance, machine

TARGETS = {
    "rows": "advance <= 3 times reading and writing its arrays once",
}
B = 4096
DT = 0.01


def quiet(size: int, rng: np.random.Generator) -> tuple[TaskState, Observation, float]:
    """A batch spread over all six phases in which nobody is about to leave."""
    phase = rng.integers(0, len(Phase), size)
    state = TaskState(phase, np.zeros(size), np.where(phase == Phase.HOLD, 0.5, np.inf), np.full(size, 0.03), np.zeros(size))
    now = 1.0
    seen = Observation(
        approach_error=rng.uniform(0.1, 0.2, size),
        aperture=rng.uniform(0.04, 0.06, size),
        normal_force=np.where(phase == Phase.CLOSE, 1.0, rng.uniform(3, 5, size)),
        slip_speed=rng.uniform(-5e-4, 5e-4, size),
        sample_time=now - rng.uniform(0, 0.02, size),
        abort=np.zeros(size),
    )
    return state, seen, now


def copies(state: TaskState, seen: Observation) -> Callable[[], None]:
    """One copy for each array read and each array written."""
    outputs = [state.phase, state.entered, state.stable_since, state.width, state.reason]
    inputs = [*seen.for_batch(state.size), *outputs]
    scratch = {array.dtype: np.empty_like(array) for array in inputs}

    def copy() -> None:
        for array in inputs:
            np.copyto(scratch[array.dtype], array)
        for array in outputs:
            array.copy()

    return copy


def moving(state: TaskState, seen: Observation, share: float) -> tuple[TaskState, Observation]:
    """The same batch, in which that share of Approach, Close and Hold has just met its guard or begins a stretch."""
    count = max(1, int(share * state.size / 3))
    error, force, since = (np.array(array) for array in (seen.approach_error, seen.normal_force, state.stable_since))
    for array, phase, value in ((error, Phase.APPROACH, 0.001), (force, Phase.CLOSE, 5.0), (since, Phase.HOLD, np.inf)):
        array[np.flatnonzero(state.phase == phase)[:count]] = value
    changed = {"approach_error": error, "normal_force": force}
    return TaskState(state.phase, state.entered, since, state.width, state.reason), Observation(**fields(seen) | changed)


def fields(seen: Observation) -> dict[str, object]:
    """The channels by name."""
    return {field.name: getattr(seen, field.name) for field in dataclasses.fields(seen)}


def episode(size: int, rng: np.random.Generator) -> dict[str, float]:
    """A whole episode, members out of step with each other: time of each tick [us], transitions included."""
    begin, grip, leave = rng.uniform(0.1, 2.5, size), rng.uniform(0.1, 1.0, size), rng.uniform(0.1, 1.0, size)
    state, times = TaskState.start(size), []
    while (state.phase < Phase.DONE).any() and len(times) < 1000:
        now = len(times) * DT
        spent, phase = now - state.entered, state.phase
        seen = Observation(
            approach_error=np.where(now >= begin, 0.001, 0.1),
            aperture=np.where((phase == Phase.RELEASE) & (spent >= leave), 0.08, 0.05),
            normal_force=np.where((phase == Phase.HOLD) | ((phase == Phase.CLOSE) & (spent >= grip)), 5.0, 0.0),
            slip_speed=rng.normal(0, 2e-4, size),
            sample_time=np.full(size, now),
            abort=np.zeros(size),
        )
        start = time.perf_counter()
        state = advance(state, seen, now)
        times.append((time.perf_counter() - start) * 1e6)
    done = float((state.phase == Phase.DONE).mean())
    return {"ticks": len(times), "done": done, "median_us": float(np.median(times)), "p90_us": float(np.quantile(times, 0.9))}


def profile(state: TaskState, seen: Observation, now: float) -> dict[str, float]:
    """Where a tick goes [us]."""
    t, channels = Thresholds(), seen.for_batch(state.size)
    error, _, force, slip, _, _ = channels
    speed, strong, hold = np.abs(slip), force >= t.grip_force, state.phase == Phase.HOLD.value
    parts = best_times(
        {
            "fit the batch": lambda: seen.for_batch(state.size),
            "checks 1 to 4": lambda: machine._sound(channels, speed, now, t),
            "hold timer": lambda: machine._hold_timer(state, hold, strong, force, speed, now, t),
            "one comparison": lambda: error <= t.approach_error,
            "one logical and": lambda: strong & hold,
        },
        seconds=0.5,
    )
    return {name: round(value, 2) for name, value in parts.items()}


def measure() -> dict[str, object]:
    """All figures, ready for JSON."""
    rng = np.random.default_rng(0)
    state, seen, now = quiet(B, rng)
    assert advance(state, seen, now) is state
    busy = moving(state, seen, 0.02)
    bad = Observation(**fields(seen) | {"abort": np.ones(B)})
    best = best_times(
        {
            "copies": copies(state, seen),
            "quiet": lambda: advance(state, seen, now),
            "2 % move": lambda: advance(*busy, now),
            "quiet, with making the observation": lambda: advance(state, Observation(**fields(seen)), now),
            "all active members fault at once": lambda: advance(state, bad, now),
        },
        seconds=4.0,
    )
    scaling = []
    for size in (1, 10, 100, 1000, 10_000, 100_000, 1_000_000):
        case = quiet(size, rng)
        times = best_times({"advance": lambda case=case: advance(*case), "copies": copies(*case[:2])}, seconds=0.5)
        scaling.append({"environments": size, "us": round(times["advance"], 2), "copies_us": round(times["copies"], 2)})
    large = scaling[-3:]
    slope = float(np.polyfit(np.log([row["environments"] for row in large]), np.log([row["us"] for row in large]), 1)[0])
    return {
        "environments": B,
        "floor_us": round(best["copies"], 2),
        "rows": {name: {"us": round(us, 2), "ratio": round(us / best["copies"], 2)} for name, us in best.items() if name != "copies"},
        "episode": {key: round(value, 3) for key, value in episode(B, rng).items()},
        "profile_us": profile(state, seen, now),
        "scaling": scaling,
        "slope_above_1e4": round(slope, 3),
    }


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
