"""Turn what a caller gives into arrays, or say clearly why that is impossible."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dexlab_course.errors import InvalidValueError, ShapeError, explain

Floats = NDArray[np.float64]
# Formulas of the course also accept sympy expressions and plain numbers; those have no useful static type.
Operand = Any


def is_symbolic(*operands: object) -> bool:
    """True when an operand is a sympy expression (or an array of them), so that numeric checks do not apply."""
    return any(hasattr(x, "free_symbols") or (isinstance(x, np.ndarray) and x.dtype == object) for x in operands)


def as_floats(name: str, value: ArrayLike) -> Floats:
    """``value`` as a float array of any shape; text, None, complex numbers and ragged lists give an error that names ``name``."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        return value
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biufO" or (array.dtype.kind == "O" and any(x is None or isinstance(x, str) for x in array.flat)):
            raise TypeError(array.dtype)
        return array.astype(float)
    except (TypeError, ValueError) as error:
        message = explain(
            f"{name} is not numeric",
            got=f"{value!r:.80}",
            expected="numbers, all rows of one length",
            remedy=f"pass {name} as a list or array of numbers",
        )
        raise InvalidValueError(message) from error


def finite(name: str, value: ArrayLike, *, unit: str = "") -> Floats:
    """``value`` as floats, none of them NaN or infinite.

    >>> finite("kp", [10, 20])
    array([10., 20.])
    """
    array = as_floats(name, value)
    _reject(name, array, ~np.isfinite(array), "finite numbers", unit)
    return array


def non_negative(name: str, value: ArrayLike, *, unit: str = "", allow_infinite: bool = False) -> Floats:
    """``value`` as floats >= 0; infinity only where the caller allows it."""
    array = as_floats(name, value)
    bad = np.isnan(array) | (array < 0)
    if not allow_infinite:
        bad |= np.isinf(array)
    _reject(name, array, bad, "numbers >= 0" + (" or infinity" if allow_infinite else ""), unit)
    return array


def last_axis(name: str, array: Floats, length: int, *, of: str) -> Floats:
    """Check that the last axis of ``array`` has ``length`` entries, one for each ``of``."""
    if array.ndim == 0 or array.shape[-1] != length:
        message = explain(
            f"{name} has the wrong length",
            got=f"shape {array.shape}",
            expected=f"(..., {length}), one entry for each {of}",
            remedy=f"pass {length} entries in the order of the {of}s",
        )
        raise ShapeError(message)
    return array


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only copy, for arrays that an object keeps."""
    copy = np.array(array)
    copy.flags.writeable = False
    return copy


def _reject(name: str, array: Floats, bad: NDArray[np.bool_], expected: str, unit: str) -> None:
    if not bad.any():
        return
    where = "" if array.ndim == 0 else f" at index {tuple(int(i[0]) for i in np.nonzero(bad))}"
    suffix = f" {unit}" if unit else ""
    message = explain(
        f"{name} cannot be used",
        got=f"{array[bad].flat[0]:g}{suffix}{where}",
        expected=expected + suffix,
        remedy=f"correct {name} where it is computed; nothing was changed",
    )
    raise InvalidValueError(message)
