"""The state that a task carries from tick to tick.

It is five explicit arrays of shape (B,), one entry for each environment, so that it can be copied, restored, batched and stored
inside whatever an engine uses as its state.
"""

import dataclasses
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dexlab_course.arrays import Floats, as_floats
from dexlab_course.errors import InvalidValueError, ShapeError, explain
from dexlab_course.task.contract import Codes, Phase, Reason, Thresholds

Mask = NDArray[np.bool_]
_STATE_DTYPES: dict[str, Any] = {
    "phase": np.int8,
    "entered": np.float64,
    "stable_since": np.float64,
    "width": np.float64,
    "reason": np.int8,
}


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class TaskState:
    """All that a task remembers, five read-only arrays of shape (B,).

    Attributes:
        phase: codes of ``Phase``.
        entered: simulation time at which the phase was entered [s].
        stable_since: simulation time of the first good sample of the current stretch in Hold [s]; infinity when there is none.
        width: reference for the aperture [m]. In Fault it keeps its last value, which is no claim that this is safe.
        reason: codes of ``Reason``: why the phase was entered.
    """

    phase: Codes
    entered: Floats
    stable_since: Floats
    width: Floats
    reason: Codes
    # Who is in which phase; asked at every tick, and the same as long as nobody moves.
    _masks: tuple[Mask, ...] | None = dataclasses.field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        shape = np.shape(self.phase)
        for name, dtype in _STATE_DTYPES.items():
            given = np.asarray(getattr(self, name))
            if given.shape != shape or given.ndim != 1:
                message = explain(
                    f"{name} has the wrong shape",
                    got=f"{given.shape}",
                    expected="(B,), the same for all five arrays of a state",
                    remedy="build a state with TaskState.start, reset or from_array",
                )
                raise ShapeError(message)
            array = as_floats(name, given)
            self._check(name, array)
            copy = array.astype(dtype)
            copy.flags.writeable = False
            object.__setattr__(self, name, copy)

    @staticmethod
    def _check(name: str, array: Floats) -> None:
        codes = {"phase": len(Phase), "reason": len(Reason)}
        if name in codes:
            bad, expected = ~np.isin(array, np.arange(codes[name])), f"whole numbers from 0 to {codes[name] - 1}"
        elif name == "stable_since":
            bad, expected = np.isnan(array) | (array == -np.inf), "a time, or infinity for none"
        else:
            bad, expected = ~np.isfinite(array), "finite numbers"
        if bad.any():
            index = int(np.argmax(bad))
            remedy = "store and restore all five arrays of a state together"
            raise InvalidValueError(
                explain(f"{name} is not a state", got=f"{array[index]:g} at index {index}", expected=expected, remedy=remedy)
            )

    @classmethod
    def trusted(
        cls, phase: Codes, entered: Floats, stable_since: Floats, width: Floats, reason: Codes, masks: tuple[Mask, ...] | None = None
    ) -> Self:
        """A state from arrays that the machine itself just made: no copy, no check, and read-only from here on."""
        self = object.__new__(cls)
        put = object.__setattr__  # written out, because a loop over five names takes as long as a pass over a batch
        for array in (phase, entered, stable_since, width, reason):
            array.setflags(write=False)
        put(self, "phase", phase)
        put(self, "entered", entered)
        put(self, "stable_since", stable_since)
        put(self, "width", width)
        put(self, "reason", reason)
        put(self, "_masks", masks)
        return self

    @classmethod
    def start(cls, size: int = 1, *, now: float = 0.0, thresholds: Thresholds | None = None) -> Self:
        """``size`` environments at the begin of Approach, entered at ``now`` [s], with the open width.

        Raises:
            InvalidValueError: ``size`` is not a whole number >= 0, or ``now`` is not finite.

        >>> TaskState.start(2).names
        ('APPROACH', 'APPROACH')
        """
        if not isinstance(size, int | np.integer) or size < 0:
            message = explain("size cannot be used", got=repr(size), expected="a number of environments >= 0", remedy="pass an integer")
            raise InvalidValueError(message)
        width = (thresholds or Thresholds()).open_width
        codes = np.zeros(size, np.int8)
        return cls(codes, np.full(size, now), np.full(size, np.inf), np.full(size, width), codes)

    def masks(self) -> tuple[Mask, ...]:
        """Who is in Approach, Close, Hold, Release, and who is active at all: five boolean arrays (B,), not to be written to."""
        masks = self._masks
        if masks is None:
            masks = (*(self.phase == code for code in range(4)), self.phase < Phase.DONE.value)
            object.__setattr__(self, "_masks", masks)
        return masks

    @property
    def size(self) -> int:
        """Number of environments B."""
        return self.phase.size

    @property
    def names(self) -> tuple[str, ...]:
        """Name of each environment's phase."""
        return tuple(Phase(code).name for code in self.phase.tolist())

    @property
    def reasons(self) -> tuple[str, ...]:
        """Name of each environment's reason."""
        return tuple(Reason(code).name for code in self.reason.tolist())

    def to_array(self) -> Floats:
        """The state as numbers, shape (B, 5), columns phase, entered, stable_since, width, reason: for an engine's own state.

        >>> TaskState.start(1).to_array().tolist()
        [[0.0, 0.0, inf, 0.08, 0.0]]
        """
        return np.stack([getattr(self, name) for name in _STATE_DTYPES], axis=1).astype(float)

    @classmethod
    def from_array(cls, numbers: ArrayLike) -> Self:
        """The inverse of ``to_array``."""
        array = as_floats("task state", numbers)
        if array.ndim != 2 or array.shape[1] != len(_STATE_DTYPES):
            message = explain(
                "the numbers are not a task state",
                got=f"shape {array.shape}",
                expected=f"(B, {len(_STATE_DTYPES)})",
                remedy="pass what to_array returned",
            )
            raise ShapeError(message)
        return cls(*array.T)

    def equals(self, other: "TaskState") -> bool:
        """True when all five arrays are the same, bit for bit."""
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in _STATE_DTYPES)

    def __getitem__(self, index: Any) -> "TaskState":
        """The state of some environments: an integer, a slice, a list of indices or a boolean mask."""
        return TaskState(*(np.atleast_1d(getattr(self, name)[index]) for name in _STATE_DTYPES))
