"""Effort limits, and the one right place to apply them: after the sum, once."""

import dataclasses
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, as_floats, frozen, last_axis, non_negative
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
        object.__setattr__(self, "lower", frozen(lower))
        object.__setattr__(self, "upper", frozen(upper))

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
        effort = as_floats("u", u)
        if self.lower.ndim == 1:
            last_axis("u", effort, self.lower.size, of="actuator")
        total = effort.sum()
        if total != total and np.isnan(effort).any():  # the sum is one cheap pass; NaN could also come from inf - inf
            message = explain(
                "the effort is NaN",
                got=f"NaN at index {tuple(int(i[0]) for i in np.nonzero(np.isnan(effort)))}",
                expected="numbers",
                remedy="look at the terms of the sum one by one; nothing was written",
            )
            raise InvalidValueError(message)
        return np.clip(effort, self.lower, self.upper)


def compose_effort(*terms: ArrayLike, limits: EffortLimits) -> Floats:
    """Add all terms, limit the sum once, and return the one vector to write.

    All terms must be generalized forces in one order of the actuators [N·m or N], shape (..., n). Limiting a term before the sum
    is a different controller: -8 + 10 with a limit of 5 gives +2, but clipping the 10 first gives -3.

    Raises:
        ShapeError: no term, or terms whose shapes do not broadcast.
        InvalidValueError: the sum is NaN.

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
        total = arrays[0] if len(arrays) == 1 else arrays[0] + arrays[1]
        for array in arrays[2:]:
            total = total + array
    except ValueError as error:
        message = explain(
            "the terms have different lengths",
            got=", ".join(str(a.shape) for a in arrays),
            expected="one entry for each actuator in all of them",
            remedy="scatter each term into the full vector by joint name first",
        )
        raise ShapeError(message) from error
    return limits.apply(total)
