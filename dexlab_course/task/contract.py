"""The nouns of the task contract: phases, reasons, the thresholds, and what is observed.

The state that is carried from tick to tick is in ``state``, and the verb, ``advance``, in ``machine``.
"""

import dataclasses
import enum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dexlab_course.arrays import Floats, as_floats
from dexlab_course.errors import InvalidValueError, ShapeError, explain

Codes = NDArray[np.int8]
# Approach error, aperture, normal force, slip speed, sample time, abort.
Channels = tuple[Floats, Floats, Floats, Floats, Floats, Floats]


class Phase(enum.IntEnum):
    """Where a task is. The first four are active and follow each other; Done and Fault are final until ``reset``."""

    APPROACH = 0
    CLOSE = 1
    HOLD = 2
    RELEASE = 3
    DONE = 4
    FAULT = 5


class Reason(enum.IntEnum):
    """Why a task is in its phase, numbered in the order in which ``advance`` asks."""

    STARTED = 0  # by TaskState.start or reset
    ABORT = 1
    INVALID = 2
    FUTURE = 3
    STALE = 4
    FORCE = 5
    GUARD = 6  # the only reason that leads anywhere but to Fault
    TIMEOUT = 7


@dataclasses.dataclass(frozen=True, kw_only=True)
class Thresholds:
    """The numbers of the contract. Teaching values: they prove nothing about a real gripper.

    Attributes:
        approach_error: Approach is left at or below this distance [m].
        grip_force: Close and Hold need at least this normal force [N].
        grip_aperture: Close needs more than this aperture [m]; less means that the fingers closed on nothing.
        slip_speed: Hold needs at most this speed of the object in the gripper frame [m/s].
        hold_time: length of an unbroken good stretch in Hold [s].
        release_aperture, release_force: Release is left at or above this aperture [m] and at or below this force [N].
        force_limit: a normal force above it is a fault [N].
        sample_age: a sample older than this is stale [s].
        phase_time: longest stay in an active phase [s].
        open_width, closed_width: width references [m] for Approach, Release, Done and for Close, Hold.
        keep_force, keep_slip_speed: hysteresis: once a good stretch runs in Hold, it breaks only below this force [N] or above
            this speed [m/s]. Omitted: the entering thresholds. They may only be more lenient than those.
        time_tolerance: slack of every comparison of times [s]. Sums of a decimal period are not exact in binary.

    Raises:
        InvalidValueError: a number is not finite or negative, or a hysteresis is stricter than its entering threshold.
    """

    approach_error: float = 0.005
    grip_force: float = 2.0
    grip_aperture: float = 0.001
    slip_speed: float = 0.001
    hold_time: float = 1.0
    release_aperture: float = 0.070
    release_force: float = 0.1
    force_limit: float = 20.0
    sample_age: float = 0.02
    phase_time: float = 3.0
    open_width: float = 0.08
    closed_width: float = 0.03
    keep_force: float | None = None
    keep_slip_speed: float | None = None
    time_tolerance: float = 1e-9

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is None and field.default is None:
                continue
            if not isinstance(value, int | float | np.floating | np.integer) or not 0 <= value < np.inf:
                message = explain(
                    f"threshold {field.name} cannot be used",
                    got=repr(value),
                    expected="one finite number >= 0",
                    remedy=f"give {field.name} in SI units",
                )
                raise InvalidValueError(message)
        if self.keep_force is not None and self.keep_force > self.grip_force:
            self._too_strict("keep_force", self.keep_force, f"at most grip_force = {self.grip_force:g} N")
        if self.keep_slip_speed is not None and self.keep_slip_speed < self.slip_speed:
            self._too_strict("keep_slip_speed", self.keep_slip_speed, f"at least slip_speed = {self.slip_speed:g} m/s")

    @staticmethod
    def _too_strict(name: str, value: float, expected: str) -> None:
        remedy = "hysteresis is there to keep a good stretch alive under noise: make it more lenient than the entering threshold"
        raise InvalidValueError(
            explain(f"{name} is stricter than its entering threshold", got=f"{value:g}", expected=expected, remedy=remedy)
        )


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Observation:
    """What the task sees at one tick: measured, never commanded. Each field is one number or an array of shape (B,).

    Attributes:
        approach_error: distance between tool centre point and its goal [m], >= 0, the same in any frame; from FK or perception.
        aperture: distance between the finger surfaces [m], >= 0; from joint readings through the gripper's geometry.
        normal_force: pressing force of the fingers on the object [N], >= 0; from contacts, never from a drive effort.
        slip_speed: speed of the object along the finger surface in the gripper frame [m/s]; signed, its absolute value counts.
        sample_time: when the sample was taken, on the simulation clock [s]. Shape (B,) if all channels are sampled together;
            (G, B) with one row for each of G sensor groups, so that a slow channel cannot hide under a fast one's stamp. Pass
            double precision: single precision is coarser than the time tolerance.
        abort: 1 asks for the end of the task, 0 does not; anything else is invalid.

    The arrays are not copied; use them before the engine overwrites its buffers, or pass copies.

    Raises:
        InvalidValueError: a field is not numeric. Wrong *values* are no error here: the machine answers them with a Fault.
        ShapeError: a field is neither a number nor a vector.
    """

    approach_error: ArrayLike
    aperture: ArrayLike
    normal_force: ArrayLike
    slip_speed: ArrayLike
    sample_time: ArrayLike
    abort: ArrayLike = 0.0

    def __post_init__(self) -> None:
        for name in CHANNELS:
            array = as_floats(name, getattr(self, name))
            if array.ndim > (2 if name == "sample_time" else 1) or (array.ndim == 2 and len(array) == 0):
                message = explain(
                    f"{name} has the wrong shape",
                    got=f"shape {array.shape}",
                    expected="a number or (B,)" + (", or (G, B) for G sensor groups" if name == "sample_time" else ""),
                    remedy="flatten the batch to one axis",
                )
                raise ShapeError(message)
            object.__setattr__(self, name, array)

    @property
    def groups(self) -> int:
        """Number of sensor groups G: rows of ``sample_time``."""
        stamps = np.asarray(self.sample_time)
        return len(stamps) if stamps.ndim == 2 else 1

    def for_batch(self, size: int) -> Channels:
        """The six channels in the order of ``CHANNELS``, each of shape (size,) (``sample_time`` perhaps (G, size)).

        Raises:
            ShapeError: a channel has another batch size.
        """
        channels: list[Any] = [getattr(self, name) for name in CHANNELS]
        for index, array in enumerate(channels):
            if array.shape == (size,):
                continue
            if array.ndim and array.shape[-1] not in (1, size):
                message = explain(
                    f"{CHANNELS[index]} does not fit the batch",
                    got=f"shape {array.shape}",
                    expected=f"a number or (..., {size}), one entry for each environment",
                    remedy="observe the same environments that the task state holds",
                )
                raise ShapeError(message)
            channels[index] = np.broadcast_to(array, (*array.shape[:-1], size))
        return tuple(channels)


CHANNELS = tuple(field.name for field in dataclasses.fields(Observation))
