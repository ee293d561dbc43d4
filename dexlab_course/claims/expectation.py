"""What a row of the catalogue expects, and whether a measured value agrees.

An expectation is written in TOML as plain data:

===============================  ==========================================================================
``2.0``                          a number, within the row's tolerance
``[0.1, 0.2]``                   a list: same length, each entry by its own rule
``"kSap"``, ``true``             exactly this value
``{at_most = 1e-12}``            also ``at_least``, ``between = [low, high]`` (numbers or arrays, every entry)
``{differs_from = 4.3}``         some entry is further away than the tolerance
``{raises = "SystemExit"}``      ended with this exception; ``says = "word"`` asks for a word of its message
``{ends = "SIGSEGV"}``           how a child process ended: ``"exit 1"``, a signal name, ``"timeout"``
``{net = 0.0, acc = [1, 2]}``    named parts: a table with any other keys, each part by its own rule
===============================  ==========================================================================
"""

import dataclasses
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from dexlab_course.errors import CatalogueError, explain

_ONE_SIDED = {"at_most", "at_least", "between"}
RULES = {*_ONE_SIDED, "differs_from", "raises", "ends"}


_ADDRESS = re.compile(r"@[0-9a-f]{8,16}\b| at 0x[0-9a-f]+")


@dataclasses.dataclass(frozen=True)
class Raised:
    """How a call ended: the exception's type name and message, or type ``"nothing"``."""

    type: str
    message: str = ""

    def __str__(self) -> str:
        return self.type


def raised(call: Callable[[], object]) -> Raised:
    """Run ``call`` and say which exception it ended with; ``SystemExit`` counts too, Ctrl-C does not.

    Addresses in memory, which differ from run to run, are taken out of the message.

    >>> raised(lambda: 1 / 0)
    Raised(type='ZeroDivisionError', message='division by zero')
    """
    try:
        call()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Raised(type(error).__name__, _ADDRESS.sub("", str(error)))
    return Raised("nothing")


def plain(value: Any) -> Any:
    """``value`` as JSON data: arrays become lists, numpy scalars numbers, exceptions small tables.

    Raises:
        TypeError: the value has no plain form.
    """
    if isinstance(value, Raised):
        return {"raised": value.type, "message": value.message}
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if hasattr(value, "detach"):  # a torch tensor
        value = value.detach().cpu().numpy()
    if isinstance(value, np.generic | np.ndarray) or hasattr(value, "__array__"):
        return plain(np.asarray(value).tolist())
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    raise TypeError(f"a measured value must be numbers, text or truth values, not {type(value).__name__}")


def check_rule(expect: Any, where: str) -> None:
    """Reject an expectation that can never be read as written.

    Raises:
        CatalogueError: with ``where`` in the message.
    """
    if isinstance(expect, list):
        for part in expect:
            check_rule(part, where)
    elif isinstance(expect, dict):
        rules = RULES & expect.keys()
        if rules and (len(rules) > 1 or expect.keys() - rules - {"says"}):
            message = explain(
                f"{where} mixes rules",
                got=sorted(expect),
                expected=f"one of {sorted(RULES)} (raises may have says)",
                remedy="write the parts as a list, one rule each",
            )
            raise CatalogueError(message)
        if "between" in expect and not (
            isinstance(expect["between"], list) and len(expect["between"]) == 2 and expect["between"][0] <= expect["between"][1]
        ):
            message = explain(
                f"{where} has no usable interval", got=expect["between"], expected="[low, high]", remedy="write between = [low, high]"
            )
            raise CatalogueError(message)
        if not rules:
            for part in expect.values():
                check_rule(part, where)


def agrees(measured: Any, expect: Any, tolerance: float) -> bool:
    """Whether ``measured`` (plain data, see ``plain``) meets the expectation.

    >>> agrees([0.1, 2.0], [0.1, {"at_least": 1}], 1e-9), agrees(4.2977, {"differs_from": 4.3}, 1e-3)
    (True, True)
    """
    if isinstance(expect, dict):
        rule = RULES & expect.keys()
        if not rule:
            return (
                isinstance(measured, dict)
                and measured.keys() == expect.keys()
                and all(agrees(measured[k], v, tolerance) for k, v in expect.items())
            )
        return _RULE[rule.pop()](measured, expect, tolerance)
    if isinstance(expect, list):
        return (
            isinstance(measured, list)
            and len(measured) == len(expect)
            and all(agrees(m, e, tolerance) for m, e in zip(measured, expect, strict=True))
        )
    if isinstance(expect, (bool, str)) or isinstance(measured, bool):
        return type(measured) is type(expect) and measured == expect
    return _is_number(measured) and abs(float(measured) - float(expect)) <= tolerance


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _numbers(value: Any) -> list[float] | None:
    """All numbers of nested lists, or None when anything else is in there."""
    if isinstance(value, list):
        parts = [_numbers(part) for part in value]
        return None if not parts or any(part is None for part in parts) else [number for part in parts if part for number in part]
    return [float(value)] if _is_number(value) else None


def _every(test: Callable[[float, dict[str, Any]], bool]) -> Callable[[Any, dict[str, Any], float], bool]:
    def rule(measured: Any, expect: dict[str, Any], tolerance: float) -> bool:
        numbers = _numbers(measured)
        return numbers is not None and all(test(number, expect) for number in numbers)

    return rule


def _differs(measured: Any, expect: dict[str, Any], tolerance: float) -> bool:
    # A value of another kind than a number (an error, NaN) is no evidence of a different number.
    number_expected = _numbers(expect["differs_from"]) is not None
    return (not number_expected or _numbers(measured) is not None) and not agrees(measured, expect["differs_from"], tolerance)


def _raises(measured: Any, expect: dict[str, Any], tolerance: float) -> bool:
    if not isinstance(measured, dict) or measured.get("raised") != expect["raises"]:
        return False
    return str(expect.get("says", "")).lower() in str(measured.get("message", "")).lower()


_RULE: dict[str, Callable[[Any, dict[str, Any], float], bool]] = {
    "at_most": _every(lambda number, e: number <= e["at_most"]),
    "at_least": _every(lambda number, e: number >= e["at_least"]),
    "between": _every(lambda number, e: e["between"][0] <= number <= e["between"][1]),
    "differs_from": _differs,
    "raises": _raises,
    "ends": lambda measured, e, _: measured == e["ends"],
}


def show_expectation(expect: Any, tolerance: float) -> str:
    """The expectation in a few signs, for tables.

    >>> show_expectation({"between": [1, 2]}, 0), show_expectation([2.0, {"raises": "SystemExit"}], 1e-3)
    ('1 to 2', '[2, SystemExit]')
    """
    if isinstance(expect, dict):
        rule = RULES & expect.keys()
        if not rule:
            return "{" + ", ".join(f"{key}: {show_expectation(part, tolerance)}" for key, part in expect.items()) + "}"
        name = rule.pop()
        if name == "between":
            low, high = expect["between"]
            return f"{show_value(low, 0)} to {show_value(high, 0)}"
        sign = {"at_most": "≤ ", "at_least": "≥ ", "differs_from": "≠ "}.get(name, "")
        return sign + show_value(expect[name], tolerance if name == "differs_from" else 0)
    if isinstance(expect, list):
        return "[" + ", ".join(show_expectation(part, tolerance) for part in expect) + "]"
    return show_value(expect, tolerance)


def show_measured(measured: Any, expect: Any, tolerance: float) -> str:
    """The measured value, rounded so that the same engine always prints the same text.

    A value that only has to stay on one side of a bound is shown by that bound when it does: its digits may differ between two
    machines. The full number is in the ledger.

    >>> show_measured(3.2e-16, {"at_most": 1e-12}, 0), show_measured(4.29766, 4.2977, 1e-4)
    ('≤ 1e-12', '4.2977')
    """
    if isinstance(expect, list) and isinstance(measured, list) and len(expect) == len(measured):
        return "[" + ", ".join(show_measured(m, e, tolerance) for m, e in zip(measured, expect, strict=True)) + "]"
    if isinstance(expect, dict):
        rule = RULES & expect.keys()
        if not rule and isinstance(measured, dict):
            return "{" + ", ".join(f"{key}: {show_measured(part, expect.get(key), tolerance)}" for key, part in measured.items()) + "}"
        if rule & _ONE_SIDED and not tolerance and agrees(measured, expect, 0):
            return show_expectation(expect, 0)
    return show_value(measured, tolerance)


def show_value(value: Any, tolerance: float) -> str:
    """``value`` with no more digits than the tolerance supports; below the tolerance it is 0.

    >>> show_value(0.30000000004, 1e-6), show_value(-1e-9, 1e-6), show_value([1.5, True], 0), show_value(4.8e8, 1e-3)
    ('0.3', '0', '[1.5, true]', '4.8e+08')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        if value.keys() == {"raised", "message"}:
            return str(value["raised"])
        return "{" + ", ".join(f"{key}: {show_value(part, tolerance)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(show_value(part, tolerance) for part in value) + "]"
    if not isinstance(value, float):
        return str(value)
    if abs(value) >= 1e6:
        return f"{value:.2g}"
    if tolerance <= 0:
        return f"{value:.6g}"
    decimals = max(0, math.ceil(-math.log10(tolerance) - 1e-9))
    text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in {"-0", ""} else text
