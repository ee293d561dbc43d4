"""The verb of the task contract: ``advance`` moves every environment by at most one phase a tick. Pure, batched, engine-free."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dexlab_course.arrays import Floats, as_floats, finite
from dexlab_course.errors import InvalidValueError, ShapeError, explain
from dexlab_course.task.contract import Channels, Codes, Observation, Phase, Reason, Thresholds
from dexlab_course.task.state import Mask, TaskState

Indices = NDArray[np.intp]
Clock = float | Floats

_DEFAULT = Thresholds()
# Plain integers: comparing an array with a member of an IntEnum takes three times as long.
_APPROACH, _CLOSE, _HOLD, _FAULT = Phase.APPROACH.value, Phase.CLOSE.value, Phase.HOLD.value, Phase.FAULT.value


def advance(state: TaskState, observation: Observation, now: ArrayLike, thresholds: Thresholds = _DEFAULT) -> TaskState:
    """The state after one tick at simulation time ``now``.

    Done and Fault stay as they are. For every other environment the first of these that applies decides, and is the reason:

    1. ABORT: ``abort`` is 1;
    2. INVALID: something is not finite, ``abort`` is neither 0 nor 1, or error, aperture or force is negative;
    3. FUTURE: a sample lies after now; STALE: a sample is older than ``sample_age``;
    4. FORCE: the normal force is above ``force_limit``;
    5. GUARD: the condition of the phase is met, so the next phase begins;
    6. TIMEOUT: the phase has lasted longer than ``phase_time``.

    All but GUARD lead to Fault. In Hold a good sample has enough force and little enough slip; the timer starts at the first good
    sample seen *in* Hold, so never at the tick that entered it, and a bad sample clears it. Equality counts as met, except for
    ``force_limit`` and ``grip_aperture``, which must be exceeded.

    Args:
        state: what the previous tick left; not changed.
        observation: the samples of this tick, see ``Observation``.
        now: simulation time [s], a number or shape (B,). Not finite: an INVALID fault, for nothing can be judged without a time.
        thresholds: the numbers of the contract.

    Returns:
        A new state, or ``state`` itself when nothing changed. Unchanged arrays are shared; all are read-only.

    Raises:
        ShapeError: ``observation`` or ``now`` does not fit the batch. No *value* ever raises.

    >>> seen = Observation(approach_error=0.004, aperture=0.05, normal_force=0.0, slip_speed=0.0, sample_time=0.0)
    >>> advance(TaskState.start(), seen, now=0.0).names
    ('CLOSE',)
    """
    t, clock = thresholds, _clock(now, state.size)
    channels = observation.for_batch(state.size)
    error, aperture, force, slip, _, _ = channels
    approach, close, hold, release, active = masks = state.masks()
    speed = np.abs(slip)
    sound = _sound(channels, speed, clock, t)

    strong = force >= t.grip_force
    stable_since = _hold_timer(state, hold, strong, force, speed, clock, t)
    # Every comparison is false for NaN, and an infinite stable_since is later than any time.
    met = stable_since <= clock - (t.hold_time - t.time_tolerance)
    met |= approach & (error <= t.approach_error)
    met |= close & strong & (aperture > t.grip_aperture)
    met |= release & (aperture >= t.release_aperture) & (force <= t.release_force)
    leaves = state.entered < clock - (t.phase_time + t.time_tolerance)
    leaves |= met
    leaves |= ~sound
    leaves &= active
    if not leaves.any():
        if stable_since is state.stable_since:
            return state
        return TaskState.trusted(state.phase, state.entered, stable_since, state.width, state.reason, masks)
    return _leave(state, stable_since, np.flatnonzero(leaves), met, sound, channels, clock, t)


def reset(state: TaskState, now: ArrayLike, where: ArrayLike | None = None, *, thresholds: Thresholds = _DEFAULT) -> TaskState:
    """Begin a new episode at ``now``: Approach, open width, no stretch, reason STARTED.

    The entry time is ``now`` and not zero; otherwise a reset at 5 s would time out at its first tick.

    Args:
        state: not changed.
        now: simulation time [s], a number or shape (B,), finite.
        where: boolean mask of shape (B,), the environments to reset. Omitted: all.
        thresholds: for the open width.

    Raises:
        InvalidValueError: ``now`` is not finite, or ``where`` holds something else than true and false.
        ShapeError: ``now`` or ``where`` does not fit the batch.

    >>> reset(TaskState.start(2), now=5.0, where=[False, True]).entered.tolist()
    [0.0, 5.0]
    """
    clock = np.broadcast_to(np.asarray(_clock(finite("now", now, unit="s"), state.size)), state.size)
    if where is None:
        where = np.ones(state.size, dtype=bool)
    mask = np.asarray(where)
    if mask.dtype != np.bool_:
        message = explain(
            "where is not a mask",
            got=f"values of type {mask.dtype}",
            expected=f"{state.size} times True or False",
            remedy="turn indices into a mask first: mask = np.zeros(B, bool); mask[indices] = True",
        )
        raise InvalidValueError(message)
    if mask.shape != (state.size,):
        message = explain(
            "where does not fit the batch", got=f"shape {mask.shape}", expected=f"({state.size},)", remedy="one entry for each environment"
        )
        raise ShapeError(message)
    return TaskState.trusted(
        np.where(mask, np.int8(_APPROACH), state.phase),
        np.where(mask, clock, state.entered),
        np.where(mask, np.inf, state.stable_since),
        np.where(mask, thresholds.open_width, state.width),
        np.where(mask, np.int8(Reason.STARTED), state.reason),
    )


def _clock(now: ArrayLike, size: int) -> Clock:
    if isinstance(now, float):
        return now
    clock = as_floats("now", now)
    if clock.ndim == 0:
        return float(clock)
    if clock.shape not in ((size,), (1,)):
        message = explain(
            "now does not fit the batch",
            got=f"shape {clock.shape}",
            expected=f"a number or ({size},)",
            remedy="pass the simulation time of each environment",
        )
        raise ShapeError(message)
    return clock


def _sound(channels: Channels, speed: Floats, clock: Clock, t: Thresholds) -> Mask:
    """Where checks 1 to 4 find nothing. Written with comparisons that NaN fails; which check failed is asked later, and rarely."""
    error, aperture, force, _, sample_time, abort = channels
    fresh = (sample_time <= clock + t.time_tolerance) & (sample_time >= clock - (t.sample_age + t.time_tolerance))
    sound: Mask = fresh if fresh.ndim == 1 else fresh.all(axis=0)
    sound &= abort == 0
    sound &= error >= 0
    sound &= error < np.inf
    sound &= aperture >= 0
    sound &= aperture < np.inf
    sound &= force >= 0
    sound &= force <= t.force_limit
    sound &= speed < np.inf
    if isinstance(clock, float):  # the usual case: one clock for all, nothing to compare entry by entry
        return sound if math.isfinite(clock) else np.zeros_like(sound)
    return sound & np.isfinite(clock)


def _hold_timer(state: TaskState, in_hold: Mask, strong: Mask, force: Floats, speed: Floats, clock: Clock, t: Thresholds) -> Floats:
    """When the current good stretch of Hold began. The old array is returned when no stretch began or broke."""
    running = state.stable_since < np.inf
    good = strong & (speed <= t.slip_speed)
    if t.keep_force is not None or t.keep_slip_speed is not None:
        keep_force = t.grip_force if t.keep_force is None else t.keep_force
        keep_speed = t.slip_speed if t.keep_slip_speed is None else t.keep_slip_speed
        good |= running & (force >= keep_force) & (speed <= keep_speed)
    good &= in_hold
    running ^= good
    if not running.any():
        return state.stable_since
    switched = np.flatnonzero(running)
    since = state.stable_since.copy()
    since[switched] = np.where(good[switched], _at(clock, switched), np.inf)
    return since


def _leave(
    state: TaskState, stable_since: Floats, index: Indices, met: Mask, sound: Mask, channels: Channels, clock: Clock, t: Thresholds
) -> TaskState:
    """Move the environments at ``index``: by their guard where all is sound, otherwise to Fault with the first cause."""
    phase, reason = state.phase.copy(), state.reason.copy()
    entered, width = state.entered.copy(), state.width.copy()
    if stable_since is state.stable_since:
        stable_since = stable_since.copy()
    stable_since[index] = np.inf
    by_guard = met[index] & sound[index]
    if not by_guard.all():
        index, faulty = index[by_guard], index[~by_guard]
        time = np.full(faulty.size, _at(clock, faulty))
        # Fault keeps the last width, and an entry time that is not finite would poison the state.
        phase[faulty], entered[faulty] = _FAULT, np.where(np.isfinite(time), time, entered[faulty])
        reason[faulty] = np.where(sound[faulty], np.int8(Reason.TIMEOUT), _cause(channels, faulty, time, t))
    following = phase[index] + np.int8(1)
    phase[index], reason[index], entered[index] = following, Reason.GUARD.value, _at(clock, index)
    width[index] = np.where((following == _CLOSE) | (following == _HOLD), t.closed_width, t.open_width)
    return TaskState.trusted(phase, entered, stable_since, width, reason)


def _at(clock: Clock, index: Indices) -> Clock:
    """The time of some environments."""
    return clock if isinstance(clock, float) or clock.size == 1 else clock[index]


def _cause(channels: Channels, index: Indices, clock: Floats, t: Thresholds) -> Codes:
    """Which of checks 1 to 4 fails first, for the environments at ``index``."""
    error, aperture, force, slip, sample_time, abort = (channel[..., index] for channel in channels)
    stamps = np.atleast_2d(sample_time)
    known = np.isfinite(clock) & np.isfinite(stamps).all(axis=0)
    for channel in (error, aperture, force, slip, abort):
        known &= np.isfinite(channel)
    valid = known & (error >= 0) & (aperture >= 0) & (force >= 0) & ((abort == 0) | (abort == 1))
    future = (stamps > clock + t.time_tolerance).any(axis=0)
    stale = (stamps < clock - (t.sample_age + t.time_tolerance)).any(axis=0)
    conditions = [abort == 1, ~valid, future, stale]
    causes = [Reason.ABORT, Reason.INVALID, Reason.FUTURE, Reason.STALE]
    return np.select(conditions, [np.int8(cause) for cause in causes], np.int8(Reason.FORCE))
