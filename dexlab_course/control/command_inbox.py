"""The one door through which commands of another thread or process reach a controller.

A sender lives on its own clock: its messages come late, twice, in the wrong order, in bursts or not at all. None of that may act as
time. So the channel only carries immutable messages; the inbox belongs to the thread that steps the simulation, empties the channel
at the control tick, judges every message against the simulation time of that tick, and holds one value until the next tick.
"""

import dataclasses
import enum
import math
import queue
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, as_floats, finite, frozen, last_axis, non_negative
from dexlab_course.control.command import SPACES, UNITS, Command, Quantity, Refused
from dexlab_course.dof import DofMap
from dexlab_course.errors import InvalidValueError, ShapeError, explain, unknown_name


class Standing(enum.StrEnum):
    """What the latched values are."""

    START = "start"  # nothing valid has come yet: the start values
    COMMAND = "command"  # a command that is valid now
    LOST = "lost"  # the last command has expired: what ``when_lost`` says


@dataclasses.dataclass(frozen=True)
class Refusal:
    """A message that was not taken: its sequence number where it had one, the reason, and a sentence for the log."""

    sequence: int | None
    reason: Refused
    message: str


@dataclasses.dataclass(frozen=True, eq=False)
class Latched:
    """What drives the robot from this control tick to the next.

    Attributes:
        values: shape (k,), in the order of the inbox's ``names``; read-only.
        standing: where the values come from.
        fresh: a new command was taken at this tick.
        sequence: number of the last command taken, None before the first.
        age: simulation time since the stamp of that command [s], infinity before the first.
        refused: the messages refused at this tick, in order of arrival.
    """

    values: Floats
    standing: Standing
    fresh: bool
    sequence: int | None
    age: float
    refused: tuple[Refusal, ...]


class CommandInbox:
    """Takes commands for some joints of a model and latches one at each control tick.

    Args:
        dof_map: the map of the model that is driven; every name goes through it.
        channel: what the sender writes into: a ``queue.Queue`` or ``queue.SimpleQueue`` (threads), a ``multiprocessing.Queue``
            or one end of a ``multiprocessing.Pipe`` (processes). It carries ``Command`` objects or their ``to_message`` form.
        names: the joints that are commanded, each with one entry; a command must name exactly these, in any order.
        quantity: ``position``, ``velocity`` or ``effort``.
        start: values before the first command, shape (k,).
        when_lost: what happens when the last command has expired: ``"hold"`` keeps its values, an array (k,) replaces them. For
            efforts holding means to go on pushing. There is no safe answer for all robots, so there is no default.
        max_age: longest time a command may drive, whatever it says itself [s].
        lower, upper: range of each value, shape (k,) or a scalar. A value outside refuses the whole command; it is not clipped.
        frame: the coordinates in which values must be meant.
        sender: the one sender to listen to. Omitted: the first that is accepted, until ``reset``.
        clock_offset: sender's clock minus simulation clock [s]. It is subtracted from every stamp, and nothing else is.
        episode: messages of other episodes are refused; see ``reset``.
        tolerance: slack of comparisons of times [s].
        max_messages: read at most this many at one tick, so that a flood cannot stop the controller.

    Raises:
        UnknownNameError: a name is not in the map.
        ShapeError: a joint has no entry or several, or an array has the wrong length.
        InvalidValueError: a number cannot be used, a unit is unknown, or ``start`` or ``when_lost`` lies outside the range.

    >>> from dexlab_course.dof import Joint
    >>> arm = DofMap([Joint.at("elbow", "revolute", q=[0], v=[0], u=[0])], nq=1, nv=1, nu=1)
    >>> channel = queue.SimpleQueue()
    >>> inbox = CommandInbox(arm, channel, names=["elbow"], quantity="effort", start=[0.0], when_lost=[0.0], max_age=0.1)
    >>> what = {"names": ("elbow",), "values": (2.0,), "quantity": "effort", "units": "N·m", "frame": "joint"}
    >>> channel.put(Command(**what, stamp=0.0, sequence=0, valid_for=0.05))
    >>> [inbox.latch(now).values.tolist() for now in (0.0, 0.04, 0.06)]
    [[2.0], [2.0], [0.0]]
    """

    def __init__(
        self,
        dof_map: DofMap,
        channel: Any,
        *,
        names: Sequence[str],
        quantity: Quantity,
        start: ArrayLike,
        when_lost: ArrayLike | Literal["hold"],
        max_age: float,
        lower: ArrayLike = -math.inf,
        upper: ArrayLike = math.inf,
        frame: str = "joint",
        sender: str | None = None,
        clock_offset: float = 0.0,
        episode: int = 0,
        tolerance: float = 1e-9,
        max_messages: int = 1000,
    ) -> None:
        self.names = (names,) if isinstance(names, str) else tuple(names)
        if quantity not in SPACES:
            raise unknown_name("quantity", quantity, SPACES)
        self.quantity, self.space, self.frame = quantity, SPACES[quantity], frame
        slots = dof_map.indices(self.names, self.space)
        if slots.size != len(self.names):
            message = explain(
                "a commanded joint has several entries",
                got=f"{slots.size} entries for {len(self.names)} joints",
                expected="one entry for each",
                remedy="leave ball, planar and free joints out",
            )
            raise ShapeError(message)
        self.units = tuple(self._unit(dof_map, name) for name in self.names)
        self._map, self._fingerprint, self._channel = dof_map, dof_map.fingerprint(), channel
        self.lower, self.upper = self._each("lower", lower), self._each("upper", upper)
        self._start = self._within("start", start)
        self._fallback = None if isinstance(when_lost, str) and when_lost == "hold" else self._within("when_lost", when_lost)
        self.max_age = float(non_negative("max_age", max_age, unit="s"))
        self.clock_offset = float(finite("clock_offset", clock_offset, unit="s"))
        self.tolerance, self.max_messages, self._wanted_sender = tolerance, max_messages, sender
        self.counts: Counter[str] = Counter()
        self.reset(episode)

    def reset(self, episode: int) -> None:
        """Begin another episode: forget the last command and its sequence number, and bind to a sender anew.

        Call it when the simulation time jumps (a restart of the episode) or the sender restarts. Messages still under way carry
        the old number and are refused.
        """
        self.episode = episode
        self._sender = self._wanted_sender
        self._last: Command | None = None
        self._values = self._start
        self._now = -math.inf

    def latch(self, now: float) -> Latched:
        """Empty the channel, judge every message against ``now``, and return what drives until the next control tick.

        Call it once at each control tick, from the thread that steps the simulation. Between two ticks nothing changes, however
        many messages arrive; and without messages only ``now`` can make a command expire.

        Args:
            now: simulation time [s], not earlier than at the last call.

        Raises:
            InvalidValueError: ``now`` is not finite or goes back (call ``reset`` first). No message ever raises.
        """
        now = float(finite("now", now, unit="s"))
        if now < self._now - self.tolerance:
            message = explain(
                "the simulation time went back", got=f"{now:g} s", expected=f">= {self._now:g} s", remedy="call reset(episode) first"
            )
            raise InvalidValueError(message)
        self._now = now
        refused, before = [], self._last
        for message in self._waiting():
            refusal = self._judge(message, now)
            self.counts["accepted" if refusal is None else refusal.reason.value] += 1
            if refusal is not None:
                refused.append(refusal)
        last = self._last
        if last is None:
            return Latched(self._start, Standing.START, False, None, math.inf, tuple(refused))
        age = now - (last.stamp - self.clock_offset)
        valid = age <= min(last.valid_for, self.max_age) + self.tolerance
        values = self._values if valid or self._fallback is None else self._fallback
        return Latched(values, Standing.COMMAND if valid else Standing.LOST, last is not before, last.sequence, age, tuple(refused))

    def _waiting(self) -> Iterator[Any]:
        """What lies in the channel now, never waiting for more. A message that cannot be unpacked is handed on as its error."""
        for _ in range(self.max_messages):
            try:
                if hasattr(self._channel, "get_nowait"):
                    message = self._channel.get_nowait()
                elif self._channel.poll(0):
                    message = self._channel.recv()
                else:
                    return
            except (queue.Empty, EOFError, OSError):  # nothing there, or the sender is gone: what is held will expire by itself
                return
            except Exception as error:  # unpickling runs foreign code, and its failure must not stop a control loop
                message = error
            yield message

    def _judge(self, message: object, now: float) -> Refusal | None:
        """Take the message over, or say why not."""
        try:
            if not isinstance(message, Command | Mapping):
                raise InvalidValueError(
                    explain("this is no command", got=f"{type(message).__name__}", expected="a Command", remedy="send Command objects")
                )
            # Also a Command is read again from its fields: unpickling does not run its checks.
            command = Command.from_message(message.to_message() if isinstance(message, Command) else message)
        except Exception as error:
            return Refusal(None, Refused.MALFORMED, str(error))
        for reason, got, expected, remedy in self._objections(command, now):
            text = explain(f"command {command.sequence} refused, {reason}", got=got, expected=expected, remedy=remedy)
            return Refusal(command.sequence, reason, text)  # the first objection decides
        order = [command.names.index(name) for name in self.names]
        self._last, self._sender = command, command.sender
        self._values = frozen(np.array(command.values)[order])
        return None

    def _objections(self, command: Command, now: float) -> Iterator[tuple[Refused, str, str, str]]:
        """Everything that speaks against a command: reason, what was given, what was expected, how to mend it."""
        if command.episode != self.episode:
            yield Refused.OTHER_EPISODE, f"{command.episode}", f"episode {self.episode}", "tell the sender that a new episode began"
        if self._sender is not None and command.sender != self._sender:
            yield Refused.OTHER_SENDER, repr(command.sender), repr(self._sender), "let one sender command a joint, and reset to change it"
        if command.model is not None and command.model != self._fingerprint:
            yield Refused.OTHER_MODEL, command.model, self._fingerprint, "build sender and receiver from one model file"
        for name in command.names:
            if name not in self.names:
                known = "a joint of the model, but not of this inbox" if name in self._map else "not in the model"
                yield Refused.UNKNOWN_JOINT, f"{name!r}, {known}", ", ".join(self.names), "use the joint names of the DofMap"
        missing = [name for name in self.names if name not in command.names]
        if missing:
            yield Refused.MISSING_JOINT, ", ".join(command.names), f"also {', '.join(missing)}", "name all joints in every command"
        if command.quantity != self.quantity:
            yield Refused.WRONG_QUANTITY, command.quantity, self.quantity, "send the quantity that this controller takes"
        given = dict(zip(command.names, command.units, strict=True))
        for name, unit in zip(self.names, self.units, strict=True):
            if given.get(name, unit) != unit:
                yield Refused.WRONG_UNIT, f"{given[name]} for {name}", unit, "convert in the sender"
        if command.frame != self.frame:
            yield Refused.WRONG_FRAME, command.frame, self.frame, "express the values in the coordinates of the receiver"
        yield from self._untimely(command, now)
        for name, value in zip(command.names, command.values, strict=True):
            index = self.names.index(name)
            if not self.lower[index] <= value <= self.upper[index]:
                unit, range_ = self.units[index], f"[{self.lower[index]:g}, {self.upper[index]:g}]"
                yield Refused.OVER_LIMIT, f"{value:g} {unit} for {name}", f"{range_} {unit}", "limit in the sender; nothing was clipped"

    def _untimely(self, command: Command, now: float) -> Iterator[tuple[Refused, str, str, str]]:
        stamp, last = command.stamp - self.clock_offset, self._last
        if last is not None and command.sequence == last.sequence:
            yield Refused.DUPLICATE, f"{command.sequence}", f"> {last.sequence}", "nothing to do: the first copy was taken"
        if last is not None and (command.sequence < last.sequence or command.stamp < last.stamp):
            got, expected = (
                f"number {command.sequence}, stamp {stamp:g} s",
                f"after {last.sequence} and {last.stamp - self.clock_offset:g} s",
            )
            yield Refused.OUT_OF_ORDER, got, expected, "nothing to do: a newer command was taken"
        if stamp > now + self.tolerance:
            remedy = "stamp with the time of the observation, or correct clock_offset"
            yield Refused.FUTURE, f"stamp {stamp:g} s", f"at most {now:g} s", remedy
        life = min(command.valid_for, self.max_age)
        if now - stamp > life + self.tolerance:
            remedy = "send sooner, make it valid for longer, or correct clock_offset"
            yield Refused.STALE, f"age {now - stamp:g} s", f"at most {life:g} s", remedy

    def _unit(self, dof_map: DofMap, name: str) -> str:
        units, unit = UNITS[self.quantity], dof_map[name].unit
        if unit not in units:
            message = explain(
                f"{name} has a unit that no command can have",
                got=unit,
                expected=" or ".join(units),
                remedy="give the map's joints units rad or m",
            )
            raise InvalidValueError(message)
        return units[unit]

    def _each(self, name: str, value: ArrayLike) -> Floats:
        array = as_floats(name, value)
        if np.isnan(array).any():
            raise InvalidValueError(
                explain(f"{name} is NaN", got=array, expected="numbers; infinity for no limit", remedy="set both limits")
            )
        if array.ndim:
            last_axis(name, array, len(self.names), of="joint")
        return frozen(np.broadcast_to(array, (len(self.names),)))

    def _within(self, name: str, value: ArrayLike) -> Floats:
        array = last_axis(name, finite(name, value), len(self.names), of="joint")
        if ((array < self.lower) | (array > self.upper)).any():
            message = explain(
                f"{name} lies outside the range",
                got=array,
                expected=f"{self.lower} to {self.upper}",
                remedy="correct the range or the values",
            )
            raise InvalidValueError(message)
        return frozen(array)
