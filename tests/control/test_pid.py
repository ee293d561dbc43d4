"""The PID: what the integral does while a limit holds, against numbers of a full dynamics run made elsewhere."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dexlab_course.control import EffortLimits, Pid
from dexlab_course.errors import InvalidValueError, ShapeError, UnknownNameError


def slider(pid, *, seconds, load=-0.5, target=5.0, dt=1e-3):
    """Largest and last position of 1 kg on a rail, pushed by the controller and by a constant load [m]."""
    q = v = highest = 0.0
    for _ in range(round(seconds / dt)):
        u = pid.compute([q], [v], [target], [0.0], dt)[0]
        v += dt * (u + load)
        q += dt * v
        highest = max(highest, q)
    return highest, q


def controller(ki, limit=1.0, **options):
    return Pid([4.0], [ki], [4.0], limits=EffortLimits.symmetric([limit]), **options)


# Largest and last position [m] of the same plant in a physics engine with its own PID, saturation and hold.
@pytest.mark.parametrize(
    ("pid", "seconds", "highest", "last"),
    [
        (controller(0.0), 12, 4.875, 4.875),
        (controller(1.0), 12, 8.303, 5.471),
        (controller(1.0, limit=100.0), 12, 5.781, None),
        (controller(1.0, anti_windup="clamp"), 12, 5.188, 5.043),
        (controller(1.0, anti_windup="back_calculation", tracking=1.0), 20, 4.997, 4.997),
        (controller(1.0, anti_windup="back_calculation", tracking=3.0), 20, 4.995, None),
    ],
)
def test_windup_and_its_two_cures_agree_with_an_independent_run(pid, seconds, highest, last):
    peak, end = slider(pid, seconds=seconds)
    assert peak == pytest.approx(highest, abs=0.02)
    if last is not None:
        assert end == pytest.approx(last, abs=0.02)


def test_without_ki_all_three_are_one_controller():
    peaks = {
        slider(controller(0.0, anti_windup=form, tracking=rate), seconds=5)
        for form, rate in ((None, None), ("clamp", None), ("back_calculation", 1.0))
    }
    # back calculation still takes from I what the limit cut off, so it is the one that differs
    assert len(peaks) == 2


def test_the_integral_is_used_before_it_is_advanced():
    pid = Pid([1.0], [2.0], [0.0])
    assert pid.compute([0.0], [0.0], [1.0], [0.0], 0.1).tolist() == [1.0]
    assert pid.integral.tolist() == [0.2]
    assert pid.compute([0.0], [0.0], [1.0], [0.0], 0.1).tolist() == [1.2]
    pid.reset()
    assert pid.compute([0.0], [0.0], [1.0], [0.0], 0.1).tolist() == [1.0]
    pid.reset([3.0])
    assert pid.compute([0.0], [0.0], [0.0], [0.0], 0.1).tolist() == [3.0]


def test_clamping_stops_growth_only_in_the_direction_of_the_limit():
    pid = Pid([1.0, 1.0], [1.0, 1.0], [0.0, 0.0], limits=EffortLimits.symmetric([0.5, 5.0]), anti_windup="clamp")
    pid.compute([0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 0.0], 0.1)
    assert pid.integral.tolist() == [0.0, 0.1]
    pid.reset([5.0, 0.0])
    pid.compute([0.0, 0.0], [0.0, 0.0], [-1.0, 0.0], [0.0, 0.0], 0.1)  # still over the limit, but the error shrinks I
    assert pid.integral[0] == pytest.approx(4.9)


@given(st.lists(hnp.arrays(float, 2, elements=st.floats(-5, 5)), min_size=1, max_size=50), st.floats(0.1, 10))
def test_back_calculation_keeps_the_raw_effort_near_the_limit(errors, limit):
    """I never runs away: with tracking * dt = 1 the raw effort of a constant error returns to the limit plus one period's growth."""
    dt = 0.1
    pid = Pid([1.0, 1.0], [1.0, 1.0], [0.0, 0.0], limits=EffortLimits.symmetric(limit), anti_windup="back_calculation", tracking=1 / dt)
    for e in errors:
        pid.compute([0.0, 0.0], [0.0, 0.0], e, [0.0, 0.0], dt)
        assert (np.abs(e + pid.integral) <= limit + dt * np.abs(e) + 1e-9).all()


@given(hnp.arrays(float, (4, 3), elements=st.floats(-10, 10)), st.sampled_from([None, "clamp", "back_calculation"]))
def test_a_batch_is_its_rows(errors, form):
    rate = 2.0 if form == "back_calculation" else None

    def make():
        return Pid([2.0] * 3, [1.0] * 3, [0.0] * 3, limits=EffortLimits.symmetric([1.0, 5.0, 50.0]), anti_windup=form, tracking=rate)

    batch, rows = make(), [make() for _ in errors]
    for sign in (1.0, 1.0, -1.0):
        together = batch.compute(np.zeros((4, 3)), np.zeros((4, 3)), sign * errors, np.zeros((4, 3)), 0.1)
        np.testing.assert_array_equal(
            together, [row.compute([0.0] * 3, [0.0] * 3, sign * e, [0.0] * 3, 0.1) for row, e in zip(rows, errors, strict=True)]
        )
    np.testing.assert_array_equal(batch.integral, [row.integral for row in rows])


def test_a_refused_call_leaves_the_integral_as_it_was():
    pid = Pid([1.0], [1.0], [0.0])
    pid.compute([[0.0], [0.0]], [0.0], [1.0], [0.0], 0.1)
    with pytest.raises(InvalidValueError, match="dt"):
        pid.compute([0.0], [0.0], [1.0], [0.0], 0.0)
    with pytest.raises(InvalidValueError, match="v_des"):
        pid.compute([0.0], [0.0], [1.0], [math.nan], 0.1)
    with pytest.raises(ShapeError, match="reset"):
        pid.compute([0.0], [0.0], [1.0], [0.0], 0.1)  # the batch of two became one
    assert pid.integral.tolist() == [[0.1], [0.1]]
    pid.integral[:] = 7.0  # a copy
    assert pid.integral.tolist() == [[0.1], [0.1]]


@pytest.mark.parametrize(
    ("options", "error", "word"),
    [
        ({"anti_windup": "clip"}, UnknownNameError, "clamp"),
        ({"anti_windup": "back_calculation"}, InvalidValueError, "tracking"),
        ({"tracking": 1.0}, InvalidValueError, "tracking"),
        ({"anti_windup": "back_calculation", "tracking": -1.0}, InvalidValueError, "tracking"),
        ({"limits": EffortLimits.symmetric([1.0, 1.0])}, ShapeError, "limits"),
        ({"ki": [math.inf]}, InvalidValueError, "ki"),
        ({"kp": 1.0}, ShapeError, "kp"),
        ({"kd": [1.0, 2.0]}, ShapeError, "kd"),
    ],
)
def test_parameters_that_cannot_be_right_are_refused(options, error, word):
    with pytest.raises(error, match=word):
        Pid(**{"kp": [1.0], "ki": [1.0], "kd": [0.0]} | options)
