"""One command from outside: an immutable message that says everything the receiver needs to check it."""

import dataclasses
import enum
import math
import numbers
from collections.abc import Mapping
from typing import Any, Literal, Self

from dexlab_course.errors import InvalidValueError, explain

Quantity = Literal["position", "velocity", "effort"]
# Which vector of a DofMap a quantity lives in, and its unit for a joint that is measured in rad or m.
_LARGEST = 2**63  # a counter that no 64 bit number holds is a mistake
SPACES: dict[str, Literal["q", "v", "u"]] = {"position": "q", "velocity": "v", "effort": "u"}
UNITS = {
    "position": {"rad": "rad", "m": "m"},
    "velocity": {"rad": "rad/s", "m": "m/s"},
    "effort": {"rad": "N·m", "m": "N"},
}


class Refused(enum.StrEnum):
    """Why a message was not taken, in the order in which the inbox asks."""

    MALFORMED = "malformed"  # not a command at all: missing fields, NaN, names and values of different length
    OTHER_EPISODE = "other episode"
    OTHER_SENDER = "other sender"
    OTHER_MODEL = "other model"
    UNKNOWN_JOINT = "unknown joint"
    MISSING_JOINT = "missing joint"
    WRONG_QUANTITY = "wrong quantity"
    WRONG_UNIT = "wrong unit"
    WRONG_FRAME = "wrong frame"
    DUPLICATE = "duplicate"
    OUT_OF_ORDER = "out of order"
    FUTURE = "future"
    STALE = "stale"
    OVER_LIMIT = "over limit"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Command:
    """A command for some joints. It can be pickled, and ``to_message`` turns it into plain types for any other wire.

    Attributes:
        names: joint names, unique within the model; never indices.
        values: one finite number for each name.
        quantity: ``position``, ``velocity`` or ``effort``.
        units: one for each name: rad and m, rad/s and m/s, or N·m and N. One text stands for all.
        frame: in which coordinates the values are meant; ``joint`` for joint coordinates.
        stamp: time that the command was computed *for*, on the sender's clock [s]: best the simulation time of the observation it
            answers. Not the time at which it was sent or arrived.
        sequence: counts up from message to message of one sender and episode, >= 0.
        valid_for: how long after ``stamp`` the command may drive anything [s], > 0. What is sent once cannot be called back, so it
            must end by itself.
        sender: name of the one sender.
        episode: number of the episode it was computed in.
        model: fingerprint of the sender's DofMap, if it has one.

    Raises:
        InvalidValueError: a field is of the wrong type, or a number that cannot be used.
    """

    names: tuple[str, ...]
    values: tuple[float, ...]
    quantity: Quantity
    units: tuple[str, ...] | str
    frame: str
    stamp: float
    sequence: int
    valid_for: float
    sender: str = ""
    episode: int = 0
    model: str | None = None

    def __post_init__(self) -> None:
        names = (self.names,) if isinstance(self.names, str) else tuple(self.names)
        units = (self.units,) * len(names) if isinstance(self.units, str) else tuple(self.units)
        self._require(
            "names", names, bool(names) and all(isinstance(n, str) for n in names) and len(set(names)) == len(names), "different texts"
        )
        self._require("units", units, len(units) == len(names) and all(isinstance(u, str) for u in units), f"{len(names)} texts")
        values = tuple(self._number("values", value) for value in self.values)
        self._require("values", values, len(values) == len(names), f"{len(names)} numbers, one for each name")
        for field in ("quantity", "frame", "sender"):
            text = getattr(self, field)
            self._require(field, text, isinstance(text, str), "a text")
        self._require("quantity", self.quantity, self.quantity in SPACES, f"one of {', '.join(SPACES)}")
        self._require("model", self.model, self.model is None or isinstance(self.model, str), "a fingerprint or None")
        stamp, valid_for = self._number("stamp", self.stamp), self._number("valid_for", self.valid_for)
        self._require("valid_for", valid_for, valid_for > 0, "a positive number of seconds")
        for field in ("sequence", "episode"):
            count = getattr(self, field)
            whole = isinstance(count, numbers.Integral) and not isinstance(count, bool)
            self._require(
                field,
                count if not whole or count < _LARGEST else "more digits",
                whole and 0 <= int(count) < _LARGEST,
                "a whole number from 0 to 2^63",
            )
            object.__setattr__(self, field, int(count))
        for field, value in (("names", names), ("units", units), ("values", values), ("stamp", stamp), ("valid_for", valid_for)):
            object.__setattr__(self, field, value)

    @classmethod
    def _number(cls, field: str, value: object) -> float:
        """Texts are no numbers here, although float() would read them: a sender that quotes its numbers is wrong about more."""
        real = isinstance(value, numbers.Real) and not isinstance(value, bool)
        try:
            number = float(value) if real else math.nan  # type: ignore[arg-type]
        except OverflowError:
            number = math.inf
        cls._require(field, value, math.isfinite(number), "finite numbers")
        return number

    @staticmethod
    def _require(field: str, got: object, holds: bool, expected: str) -> None:
        if not holds:
            remedy = f"set {field} in the sender"
            raise InvalidValueError(explain(f"{field} of a command cannot be used", got=f"{got!r:.120}", expected=expected, remedy=remedy))

    def to_message(self) -> dict[str, Any]:
        """Plain types only, ready for JSON.

        >>> sent = Command(names=("a",), values=(1.0,), quantity="effort", units="N·m", frame="joint", stamp=0.0, sequence=0, valid_for=0.1)
        >>> Command.from_message(sent.to_message()) == sent
        True
        """
        return {k: list(v) if isinstance(v, tuple) else v for k, v in dataclasses.asdict(self).items()}

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Self:
        """The inverse of ``to_message``, with all checks.

        Raises:
            InvalidValueError: a field is missing, unknown, of the wrong type, or cannot be used.
        """
        try:
            return cls(**message)
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            if isinstance(error, InvalidValueError):
                raise
            fields = ", ".join(field.name for field in dataclasses.fields(cls))
            message_text = explain(
                "this is no command",
                got=f"{error}",
                expected=f"the fields {fields}",
                remedy="build messages with Command(...).to_message()",
            )
            raise InvalidValueError(message_text) from error
