"""Every kind of expectation agrees where it should, and only there."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dexlab_course.claims import raised
from dexlab_course.claims.expectation import Raised, agrees, check_rule, plain, show_measured, show_value
from dexlab_course.errors import CatalogueError

AGREE = [
    (2.0, 2.0 + 1e-7, 1e-6),
    (0, 0.0, 0.0),
    ([1.0, [2.0]], [1.0, [2.0]], 1e-9),
    ("kSap", "kSap", 0.0),
    (True, True, 0.0),
    ({"at_most": 1e-12}, 3e-16, 0.0),
    ({"at_least": 2}, [2.0, 3.0], 0.0),
    ({"between": [1, 2]}, [[1.0], [2.0]], 0.0),
    ({"differs_from": 4.3}, 4.2977, 1e-3),
    ({"differs_from": [1.0, 2.0]}, [1.0, 2.1], 1e-3),
    ({"raises": "SystemExit"}, {"raised": "SystemExit", "message": "condition failed"}, 0.0),
    ({"raises": "Error", "says": "LENGTH"}, {"raised": "Error", "message": "wrong length"}, 0.0),
    ({"ends": "SIGSEGV"}, "SIGSEGV", 0.0),
    ({"net": 0.0, "how": {"ends": "exit 1"}}, {"how": "exit 1", "net": 0.0}, 0.0),
]
DISAGREE = [
    (2.0, 2.0 + 1e-5, 1e-6),
    (2.0, float("nan"), 1e9),
    (2.0, "2.0", 1.0),
    (1.0, True, 1.0),
    (True, 1, 0.0),
    ([1.0, 2.0], [1.0], 1e-9),
    ([1.0], 1.0, 1e-9),
    ("kSap", "kTamsi", 0.0),
    ({"at_most": 1.0}, [0.5, 1.5], 0.0),
    ({"at_most": 1.0}, "0.5", 0.0),
    ({"at_most": 1.0}, [], 0.0),
    ({"at_least": 1.0}, None, 0.0),
    ({"between": [1, 2]}, float("inf"), 0.0),
    ({"differs_from": 4.3}, 4.3 + 1e-4, 1e-3),
    ({"differs_from": 4.3}, {"raised": "Error", "message": ""}, 1e-3),
    ({"differs_from": 4.3}, "nan", 1e-3),
    ({"raises": "RuntimeError"}, {"raised": "SystemExit", "message": ""}, 0.0),
    ({"raises": "Error", "says": "length"}, {"raised": "Error", "message": "shape"}, 0.0),
    ({"raises": "Error"}, 2.0, 0.0),
    ({"ends": "exit 1"}, "exit 0", 0.0),
    ({"net": 0.0}, {"net": 0.0, "more": 1.0}, 0.0),
    ({"net": 0.0}, 0.0, 0.0),
]


@pytest.mark.parametrize(("expect", "measured", "tolerance"), AGREE)
def test_agrees(expect: object, measured: object, tolerance: float) -> None:
    assert agrees(measured, expect, tolerance)


@pytest.mark.parametrize(("expect", "measured", "tolerance"), DISAGREE)
def test_disagrees(expect: object, measured: object, tolerance: float) -> None:
    assert not agrees(measured, expect, tolerance)


@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.floats(1e-9, 1.0))
def test_a_number_agrees_with_itself_and_not_with_one_further_than_the_tolerance(value: float, tolerance: float) -> None:
    assert agrees(value, value, tolerance)
    away = value + 3 * tolerance + 1e-6 * abs(value)
    assert not agrees(away, value, tolerance)


def test_plain_takes_what_engines_give() -> None:
    measured = {"a": np.array([[1, 2]]), "b": np.float32(0.5), "c": (np.bool_(True), None), "d": Raised("Error", "why"), "e": float("nan")}
    assert plain(measured) == {"a": [[1, 2]], "b": 0.5, "c": [True, None], "d": {"raised": "Error", "message": "why"}, "e": "nan"}


def test_plain_refuses_what_has_no_plain_form() -> None:
    with pytest.raises(TypeError, match="measured value"):
        plain(object())


def test_raised_sees_exit_and_nothing_but_lets_an_interrupt_pass() -> None:
    assert raised(lambda: None).type == "nothing"
    assert raised(lambda: exit(3)).type == "SystemExit"
    plant = "Plant@000055ac1559 and <object object at 0x7f5de0>, arm@home"
    assert raised(lambda: [].index(plant)).message == "'Plant and <object object>, arm@home' is not in list"

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        raised(interrupted)


@pytest.mark.parametrize(
    "expect",
    [{"at_most": 1, "at_least": 0}, {"raises": "E", "other": 1}, {"between": [2, 1]}, {"between": 3}, [{"at_most": 1, "ends": "x"}]],
)
def test_a_rule_that_cannot_be_read_is_refused(expect: object) -> None:
    with pytest.raises(CatalogueError, match="row"):
        check_rule(expect, "row")


def test_values_below_the_tolerance_print_as_zero_and_noise_never_shows() -> None:
    assert show_value(-3e-9, 1e-6) == "0"
    assert show_value(1.9999999, 1e-4) == show_value(2.0000001, 1e-4) == "2"
    assert show_measured([7.8e8, 3e-16], [{"at_least": 1e6}, {"at_most": 1e-12}], 0.0) == "[≥ 1e+06, ≤ 1e-12]"
    assert not math.isnan(float(show_value(1e300, 1e-3)))
