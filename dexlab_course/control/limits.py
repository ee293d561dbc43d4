"""Effort limits, and the one right place to apply them: after the sum, once."""

import dataclasses
import math
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, as_floats, frozen, last_axis, non_negative
from dexlab_course.control.repeated import Repeated
from dexlab_course.errors import InvalidValueError, ShapeError, explain


@dataclasses.dataclass(frozen=True, eq=False)
class EffortLimits:
    """Lowest and highest effort of each actuator [N·m or N], shape (n,), or () for one interval that fits any length.

    Engines write limits down in three ways. Use the constructor that says what your numbers mean:

    * ``symmetric(limit)``: magnitudes >= 0, the interval is [-limit, +limit];
    * ``interval(lower, upper)``: both ends, not necessarily around zero;
    * ``signed(values)``: negative = unlimited, zero = not driven, positive = a magnitude.
    """

    lower: Floats
    upper: Floats
    _rows: tuple[Repeated, Repeated] = dataclasses.field(init=False, repr=False)

    def __post_init__(self) -> None:
        lower, upper = as_floats("lower", self.lower), as_floats("upper", self.upper)
        if lower.shape != upper.shape or lower.ndim > 1:
            message = explain(
                "limits do not belong together",
                got=f"lower {lower.shape}, upper {upper.shape}",
                expected="two scalars or two vectors of one length",
                remedy="give both ends for the same actuators",
            )
            raise ShapeError(message)
        if np.isnan(lower).any() or np.isnan(upper).any():
            message = explain(
                "an effort limit is NaN",
                got=f"lower {lower}, upper {upper}",
                expected="numbers; infinity means unlimited",
                remedy="replace NaN by a number or by infinity",
            )
            raise InvalidValueError(message)
        if (lower > upper).any():
            index = int(np.argmax(np.atleast_1d(lower > upper)))
            got = f"[{np.atleast_1d(lower)[index]:g}, {np.atleast_1d(upper)[index]:g}] at index {index}"
            message = explain(
                "a lower limit lies above its upper limit",
                got=got,
                expected="lower <= upper",
                remedy="swap the two, or check which array is which",
            )
            raise InvalidValueError(message)
        object.__setattr__(self, "lower", frozen(lower + 0.0))  # no -0.0: "not driven" must print as 0
        object.__setattr__(self, "upper", frozen(upper + 0.0))
        object.__setattr__(self, "_rows", (Repeated(self.lower), Repeated(self.upper)))

    @classmethod
    def symmetric(cls, limit: ArrayLike) -> Self:
        """Limits ``[-limit, +limit]``; a negative limit is an error here, see ``signed``.

        >>> EffortLimits.symmetric([5, 2]).apply([10.0, -1.0]).tolist()
        [5.0, -1.0]
        """
        magnitude = non_negative("limit", limit, allow_infinite=True)
        return cls(-magnitude, magnitude)

    @classmethod
    def interval(cls, lower: ArrayLike, upper: ArrayLike) -> Self:
        """Limits ``[lower, upper]``, for example [-2, 3] for an actuator that pulls harder than it pushes."""
        return cls(as_floats("lower", lower), as_floats("upper", upper))

    @classmethod
    def signed(cls, values: ArrayLike) -> Self:
        """Limits from one signed number each: negative unlimited, zero not driven, positive a magnitude.

        >>> EffortLimits.signed([-1, 0, 3]).apply([100.0, 100.0, 100.0]).tolist()
        [100.0, 0.0, 3.0]
        """
        array = as_floats("values", values)
        magnitude = np.where(array < 0, np.inf, array)
        return cls(-magnitude, magnitude)

    def apply(self, u: ArrayLike) -> Floats:
        """``u`` clipped entry by entry, shape (..., n) [N·m or N]. NaN is an error: clipping would let it pass."""
        return self._clip("u", as_floats("u", u), out=None)

    def _clip(self, name: str, effort: Floats, *, out: Floats | None) -> Floats:
        if self.lower.ndim == 1:
            last_axis(name, effort, self.lower.size, of="actuator")
        # The minimum is one cheap pass that NaN always survives. A sum would do too, but inf - inf makes it warn.
        if effort.size and math.isnan(np.minimum.reduce(effort, axis=None)):
            message = explain(
                "the effort is NaN",
                got=f"NaN at index {tuple(int(i[0]) for i in np.nonzero(np.isnan(effort)))}",
                expected="numbers",
                remedy="look at the terms of the sum one by one; nothing was written",
            )
            raise InvalidValueError(message)
        lower, upper = (rows.like(effort.shape) for rows in self._rows)
        return np.asarray(np.maximum(np.minimum(effort, upper, out=out), lower, out=out))


def compose_effort(*terms: ArrayLike, limits: EffortLimits) -> Floats:
    """Add all terms, limit the sum once, and return the one vector to write.

    All terms must be generalized forces in one order of the actuators [N·m or N], shape (..., n). Limiting a term before the sum
    is a different controller: -8 + 10 with a limit of 5 gives +2, but clipping the 10 first gives -3.

    Raises:
        ShapeError: no term, or terms whose shapes do not broadcast.
        InvalidValueError: the sum is NaN; also when infinite terms of opposite sign meet.

    >>> compose_effort([-8.0], [10.0], limits=EffortLimits.symmetric([5.0])).tolist()
    [2.0]
    """
    if not terms:
        message = explain(
            "nothing to compose", got="no terms", expected="at least one effort vector", remedy="pass the terms before limits="
        )
        raise ShapeError(message)
    arrays = [as_floats(f"term {index}", term) for index, term in enumerate(terms)]
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError as error:
        message = explain(
            "the terms have different lengths",
            got=", ".join(str(a.shape) for a in arrays),
            expected="one entry for each actuator in all of them",
            remedy="scatter each term into the full vector by joint name first",
        )
        raise ShapeError(message) from error
    total = np.empty(shape)
    # Infinity minus infinity is NaN and becomes an error in the next line, infinity alone is what limits are for: no warning.
    with np.errstate(invalid="ignore", over="ignore"):
        np.add(arrays[0], arrays[1] if len(arrays) > 1 else 0.0, out=total)
        for array in arrays[2:]:
            np.add(total, array, out=total)
    return limits._clip("the sum", total, out=total)
