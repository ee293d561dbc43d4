"""What counts as numbers, and what is refused instead of being read as something else."""

from fractions import Fraction

import numpy as np
import pytest

from dexlab_course.arrays import as_floats, finite
from dexlab_course.errors import InvalidValueError


@pytest.mark.parametrize("value", [3, [1, 2.5], [True, False], np.float32([1, 2]), [Fraction(1, 3)], [], np.arange(3, dtype=np.uint8)])
def test_numbers_of_all_kinds_become_floats(value):
    assert as_floats("q", value).dtype == np.float64
    assert as_floats("q", value) == pytest.approx(np.array(value, dtype=float))


@pytest.mark.parametrize("value", ["7", ["7", 1], None, [1.0, None], 1j, [[1, 2], [3]], {"a": 1}, np.datetime64("2020-01-01")])
def test_what_is_no_number_is_refused_by_name(value):
    with pytest.raises(InvalidValueError, match="q is not numeric"):
        as_floats("q", value)


def test_the_message_says_which_entry():
    with pytest.raises(InvalidValueError, match=r"nan rad at index \(1,\)"):
        finite("q", [0.0, np.nan], unit="rad")
