"""What was asked for, what was sent, what the actuators gave and what was seen: side by side, tick by tick, and replayable.

The four often differ, so a log of "action sent" proves nothing about the task. One row for each tick and environment, with time, phase
and reason; what a quantity was measured at is written beside it, because a net actuation usually belongs to an earlier step.
"""

import dataclasses
import os
import pathlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, as_floats
from dexlab_course.errors import InvalidValueError, ShapeError, explain, unknown_name
from dexlab_course.task.contract import CHANNELS, Observation, Phase, Reason, Thresholds
from dexlab_course.task.log_file import read_table, write_table
from dexlab_course.task.machine import advance, reset
from dexlab_course.task.state import TaskState

if TYPE_CHECKING:
    import pandas

_FORMAT = {"format": "dexlab task log", "version": 1}
_KEYS = ("tick", "member", "time", "phase", "reason", "width", "entered", "stable_since", "reset")
_GROUPS = ("request", "command", "net_actuation")


@dataclasses.dataclass(frozen=True, eq=False)
class Replay:
    """A log run through ``advance`` again.

    Attributes:
        states: what came out, one for each tick, the first before any observation.
        first_difference: the first tick whose state differs from the recorded one in any bit, or None.
    """

    states: tuple[TaskState, ...]
    first_difference: int | None

    @property
    def same(self) -> bool:
        """True when every state came out as it was recorded."""
        return self.first_difference is None


class TaskLog:
    """A log of a batch of tasks.

    Args:
        state: the state before the first tick; it becomes the rows of tick 0.
        thresholds: those that the run uses; they are stored in the file, never filled in from a later default.

    >>> log = TaskLog(TaskState.start())
    >>> seen = Observation(approach_error=0.004, aperture=0.05, normal_force=0.0, slip_speed=0.0, sample_time=0.0)
    >>> log.record(0.0, advance(TaskState.start(), seen, 0.0), seen, request={"width": 0.03}, command={"finger": 0.015})
    >>> log.replay().same
    True
    """

    def __init__(self, state: TaskState, *, thresholds: Thresholds | None = None) -> None:
        self.thresholds = thresholds or Thresholds()
        self.size = state.size
        self._columns: tuple[str, ...] | None = None
        self._rows: list[dict[str, Any]] = [{"time": state.entered, "state": state, "reset": np.full(self.size, np.nan)}]
        self._reset = np.full(self.size, np.nan)

    def __len__(self) -> int:
        """Number of ticks, not counting tick 0."""
        return len(self._rows) - 1

    def note_reset(self, now: float, where: ArrayLike | None = None) -> None:
        """Say that ``reset(state, now, where)`` was called since the last tick; without it a replay cannot know."""
        mask = np.ones(self.size, dtype=bool) if where is None else np.asarray(where)
        if mask.shape != (self.size,) or mask.dtype != np.bool_:
            message = explain(
                "where is no mask of this batch",
                got=f"{mask.dtype} {mask.shape}",
                expected=f"bool ({self.size},)",
                remedy="pass the mask that reset got",
            )
            raise ShapeError(message)
        self._reset = np.where(mask, as_floats("now", now), self._reset)

    def record(
        self,
        now: ArrayLike,
        state: TaskState,
        observation: Observation,
        *,
        request: Mapping[str, ArrayLike] | None = None,
        command: Mapping[str, ArrayLike] | None = None,
        net_actuation: Mapping[str, ArrayLike] | None = None,
        times: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        """Add one tick; everything is copied, and nothing is added when an argument is wrong.

        Args:
            now: what ``advance`` got [s].
            state: what ``advance`` returned.
            observation: what ``advance`` got.
            request: what the task wants, by name, each a number or shape (B,), in SI units; for example the aperture.
            command: what was sent to the actuators, after all limits.
            net_actuation: what the engine says that the actuators gave.
            times: when ``request``, ``command`` and ``net_actuation`` were valid [s]; omitted: ``now``.

        Raises:
            ShapeError: something has another batch size.
            UnknownNameError: names differ from those of the first tick.
            InvalidValueError: something is not numeric.
        """
        if state.size != self.size:
            raise ShapeError(
                explain(
                    "the state does not fit the log",
                    got=state.size,
                    expected=f"{self.size} environments",
                    remedy="log one batch in one log",
                )
            )
        row: dict[str, Any] = {"time": self._each("now", now), "state": state, "reset": self._reset}
        for name, channel in zip(CHANNELS, observation.for_batch(self.size), strict=True):
            for group, values in enumerate(np.atleast_2d(channel)):
                row[f"observation.{name}" + (f".{group}" if channel.ndim == 2 else "")] = values.copy()
        times = dict(times or {})
        for prefix, values in zip(_GROUPS, (request, command, net_actuation), strict=True):
            if values is not None:
                row[f"{prefix}.time"] = self._each(f"time of {prefix}", times.pop(prefix, now))
                row |= {f"{prefix}.{name}": self._each(f"{prefix} {name}", value) for name, value in values.items()}
        if times:
            raise unknown_name("logged group", next(iter(times)), [prefix for prefix in _GROUPS if f"{prefix}.time" in row])
        columns = tuple(row)[3:]
        if self._columns is not None and columns != self._columns:
            odd = next(iter(set(columns) ^ set(self._columns)), columns[0])
            raise unknown_name("column, or its order, in this tick; the first tick decided it", odd, self._columns)
        self._columns = columns
        self._rows.append(row)
        self._reset = np.full(self.size, np.nan)

    def _each(self, name: str, value: ArrayLike) -> Floats:
        array = as_floats(name, value)
        if array.shape not in ((), (1,), (self.size,)):
            raise ShapeError(
                explain(
                    f"{name} does not fit the batch",
                    got=f"shape {array.shape}",
                    expected=f"a number or ({self.size},)",
                    remedy="one value for each environment",
                )
            )
        return np.array(np.broadcast_to(array, (self.size,)))

    @property
    def states(self) -> tuple[TaskState, ...]:
        """The recorded states, tick 0 first."""
        return tuple(row["state"] for row in self._rows)

    def replay(self) -> Replay:
        """Run the recorded observations through ``reset`` and ``advance`` again, from the state of tick 0."""
        state, states = self._rows[0]["state"], [self._rows[0]["state"]]
        for row in self._rows[1:]:
            again = ~np.isnan(row["reset"])
            if again.any():
                state = reset(state, np.where(again, row["reset"], 0.0), again, thresholds=self.thresholds)
            state = advance(state, self._observation(row), row["time"], self.thresholds)
            states.append(state)
        different = (tick for tick, (old, new) in enumerate(zip(self.states, states, strict=True)) if not old.equals(new))
        return Replay(tuple(states), next(different, None))

    @staticmethod
    def _observation(row: dict[str, Any]) -> Observation:
        def channel(name: str) -> Any:
            key = f"observation.{name}"
            return row[key] if key in row else np.stack([values for column, values in row.items() if column.startswith(key + ".")])

        return Observation(**{name: channel(name) for name in CHANNELS})

    def to_frame(self) -> "pandas.DataFrame":
        """The log as a table: one row for each tick and member, in that order.

        Columns: ``tick member time phase reason width entered stable_since reset``, then ``observation.*``, ``request.*``,
        ``command.*`` and ``net_actuation.*``, in SI units. ``reset`` is the time of a reset before the tick, or NaN.
        """
        import pandas

        states = self.states
        data: dict[str, Any] = {
            "tick": np.repeat(np.arange(len(states)), self.size),
            "member": np.tile(np.arange(self.size), len(states)),
            "time": np.concatenate([row["time"] for row in self._rows]),
            "phase": [name for state in states for name in state.names],
            "reason": [name for state in states for name in state.reasons],
            "width": np.concatenate([state.width for state in states]),
            "entered": np.concatenate([state.entered for state in states]),
            "stable_since": np.concatenate([state.stable_since for state in states]),
            "reset": np.concatenate([row["reset"] for row in self._rows]),
        }
        nothing = np.full(self.size, np.nan)
        data |= {column: np.concatenate([row.get(column, nothing) for row in self._rows]) for column in self._columns or ()}
        return pandas.DataFrame(data)

    @classmethod
    def from_frame(cls, frame: "pandas.DataFrame", *, thresholds: Thresholds | None = None) -> Self:
        """A log from such a table.

        Raises:
            InvalidValueError: columns are missing, or the rows are not complete ticks of one batch.
        """
        missing = [key for key in _KEYS if key not in frame.columns]
        seen = {column.split(".")[1] for column in map(str, frame.columns) if column.startswith("observation.")}
        missing += [f"observation.{channel}" for channel in CHANNELS if channel not in seen]
        if missing and (set(missing) & set(_KEYS) or (frame["tick"] > 0).any()):  # a log without a tick has seen nothing yet
            raise InvalidValueError(
                explain("this table is no task log", got=list(frame.columns), expected=f"also {missing}", remedy="use what TaskLog wrote")
            )
        frame = frame.sort_values(["tick", "member"], kind="stable")
        ticks, members = frame["tick"].to_numpy(), frame["member"].to_numpy()
        size = int((ticks == 0).sum())
        count = len(frame) // size if size else 0
        if (
            not size
            or not np.array_equal(ticks, np.repeat(np.arange(count), size))
            or not np.array_equal(members, np.tile(np.arange(size), count))
        ):
            message = explain(
                "this table is not a whole log",
                got=f"{len(frame)} rows, {size} of tick 0",
                expected="every member at every tick, counted from 0",
                remedy="do not filter rows before reading a log back",
            )
            raise InvalidValueError(message)
        table = {str(column): frame[column].to_numpy().reshape(count, size) for column in frame.columns}
        for key, kind in (("phase", Phase), ("reason", Reason)):
            table[key] = _codes(key, table[key], kind)
        states = [
            TaskState(*(table[key][tick] for key in ("phase", "entered", "stable_since", "width", "reason"))) for tick in range(count)
        ]
        log = cls(states[0], thresholds=thresholds)
        log._columns = tuple(column for column in table if column not in _KEYS) or None
        log._rows[0] |= {"time": as_floats("time", table["time"][0])}
        for tick in range(1, count):
            row = {key: as_floats(key, table[key][tick]) for key in ("time", "reset")}
            log._rows.append(
                {"time": row["time"], "state": states[tick], "reset": row["reset"]}
                | {c: as_floats(c, table[c][tick]) for c in log._columns or ()}
            )
        return log

    def write(self, path: str | os.PathLike[str]) -> pathlib.Path:
        """Write the log with its thresholds, as ``.parquet`` or ``.csv``. An existing file is replaced only by a complete one.

        Raises:
            UnknownNameError: another suffix.
            InvalidValueError: the folder cannot be written.
        """
        return write_table(self.to_frame(), _FORMAT | {"thresholds": dataclasses.asdict(self.thresholds)}, path)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """A log that ``write`` wrote, bit for bit.

        Raises:
            UnknownNameError: another suffix.
            InvalidValueError: the file is missing, unreadable, or no task log of this version.
        """
        frame, header = read_table(path)
        try:
            if {key: header.get(key) for key in _FORMAT} != _FORMAT:
                raise ValueError(f"its header says {header.get('format')!r}, version {header.get('version')!r}")
            thresholds = Thresholds(**header["thresholds"])
        except (KeyError, TypeError, ValueError) as error:
            message = explain(
                "this file is no task log", got=f"{path}: {error}", expected=f"{_FORMAT}", remedy="write it again with this version"
            )
            raise InvalidValueError(message) from error
        return cls.from_frame(frame, thresholds=thresholds)


def _codes(key: str, names: Any, kind: type[Phase] | type[Reason]) -> Any:
    codes = {member.name: member.value for member in kind}
    try:
        return np.array([[codes[name] for name in row] for row in names.tolist()], dtype=np.int8)
    except KeyError as error:
        raise unknown_name(key, error.args[0], codes) from None
