"""One row of numbers written out for every environment, because NumPy is slow at the obvious alternative."""

import math

import numpy as np

from dexlab_course.arrays import Floats

_SMALL = 1024  # entries; below it the copy costs more than it saves


class Repeated:
    """A vector of shape (n,) that is combined with arrays of shape (..., n) again and again.

    Broadcasting (B, n) with (n,) runs one inner loop of n entries for each of B rows, which takes two to three times as long as two
    arrays of one shape. So the rows are written out once and kept for the next call of the same shape.

    >>> Repeated(np.array([1.0, 2.0])).like((3, 2)).shape
    (2,)
    >>> Repeated(np.array([1.0, 2.0])).like((1000, 2)).shape
    (1000, 2)
    """

    __slots__ = ("_rows", "vector")

    def __init__(self, vector: Floats) -> None:
        self.vector = vector
        self._rows = vector

    def like(self, shape: tuple[int, ...]) -> Floats:
        """The vector, in a form that is quick to combine with an array of ``shape``. Not to be written to."""
        rows = self._rows  # one read: another thread may replace it meanwhile, which costs time but never correctness
        if rows.shape == shape:
            return rows
        if self.vector.ndim == 0 or math.prod(shape) <= _SMALL:
            return self.vector
        self._rows = rows = np.ascontiguousarray(np.broadcast_to(self.vector, shape))
        return rows
