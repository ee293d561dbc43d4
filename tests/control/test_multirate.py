"""Three clocks: which layer sees which value when."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dexlab_course.control import MultiRate, ZeroOrderHold
from dexlab_course.errors import InvalidValueError, UnknownNameError

H, T, STEP = 0.005, 0.010, 0.001


def test_simultaneous_updates_delay_a_task_value_by_one_control_period_and_one_step():
    timeline = MultiRate(STEP, H, T).timeline(23)
    assert timeline.task_update.tolist() == [-1] * 6 + [0] * 10 + [1] * 7
    np.testing.assert_allclose(timeline.latency, H + STEP)
    assert timeline.control_update[:7].tolist() == [-1, 0, 0, 0, 0, 0, 1]


def test_top_down_has_no_delay():
    timeline = MultiRate(STEP, H, T, order="top_down").timeline(23)
    assert timeline.task_update.tolist() == [0] * 10 + [1] * 10 + [2] * 3
    np.testing.assert_allclose(timeline.latency, 0.0)


def test_an_offset_of_the_control_takes_most_of_the_delay_away():
    timeline = MultiRate(STEP, H, T, control_offset=STEP).timeline(30)
    np.testing.assert_allclose(timeline.latency, 2 * STEP)
    assert timeline.control_due[:8].tolist() == [False, True, False, False, False, False, True, False]


def test_control_sees_the_task_as_it_was_before_the_instant():
    seen = []

    def control(time, reference, state):
        seen.append((round(time, 3), reference))
        return reference

    ticks = iter(range(1, 10))
    MultiRate(STEP, H, T).run(
        21,
        task=lambda time, state: next(ticks),
        control=control,
        plant=lambda time, command, state: state,
        state=None,
        reference=0,
        command=0,
    )
    assert seen == [(0.0, 0), (0.005, 1), (0.01, 1), (0.015, 2), (0.02, 2)]


def test_the_first_physics_step_gets_the_start_value_even_of_a_constant():
    forces = []

    def plant(time, command, state):
        forces.append(command)
        return state

    MultiRate(STEP, H, T).run(7, task=lambda t, x: 3.0, control=lambda t, r, x: 3.0, plant=plant, state=0.0, reference=0.0, command=0.0)
    assert forces == [0.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]


def test_holding_the_effort_and_holding_the_target_are_two_controllers():
    def pd(reference, state):
        q, v = state
        return 400.0 * (reference - q) - 20.0 * v

    def plant_with(effort):
        def plant(time, command, state):
            q, v = state
            v = v + STEP * effort(command, state)
            return q + STEP * v, v

        return plant

    rate = MultiRate(STEP, H, H)
    common = {"task": lambda t, x: 0.1, "state": (0.0, 0.0), "reference": 0.0}
    held_effort = rate.run(300, control=lambda t, r, x: pd(r, x), plant=plant_with(lambda u, x: u), command=0.0, **common)
    held_target = rate.run(300, control=lambda t, r, x: r, plant=plant_with(pd), command=0.0, **common)
    positions = [np.array([state[0] for _, _, _, state in rows]) for rows in (held_effort, held_target)]
    assert np.abs(positions[0] - positions[1]).max() > 1e-3
    changes = [np.count_nonzero(np.diff([command for _, _, command, _ in rows])) for rows in (held_effort, held_target)]
    assert changes[0] > 50
    assert changes[1] == 1


def test_long_runs_do_not_drift():
    rate = MultiRate(0.001, 0.005, 0.1)
    late = 10_000_000
    assert rate.time(late) == pytest.approx(10_000.0, abs=1e-9)
    assert rate.control_due([late - 1, late, late + 5]).tolist() == [False, True, True]


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 5), st.integers(0, 5), st.sampled_from(["simultaneous", "top_down"]))
def test_every_value_in_force_comes_from_an_earlier_update_and_none_is_older_than_it_must_be(control, task, c0, t0, order):
    rate = MultiRate(0.001, control * 0.001, task * 0.001, order=order, control_offset=c0 * 0.001, task_offset=t0 * 0.001)
    steps = 60
    timeline = rate.timeline(steps)
    now = order == "top_down"
    for k in range(steps):
        controls = [j for j in range(k + now) if j >= c0 and (j - c0) % control == 0]
        assert timeline.control_update[k] == len(controls) - 1
        tasks = [j for j in range(controls[-1] + now) if j >= t0 and (j - t0) % task == 0] if controls else []
        assert timeline.task_update[k] == len(tasks) - 1


def test_a_hold_keeps_a_copy():
    source = np.array([1.0])
    hold = ZeroOrderHold(np.zeros(1))
    hold.latch(source)
    source[0] = 9.0
    assert hold.value.tolist() == [1.0]
    hold.reset()
    assert (hold.value.tolist(), hold.latched) == ([0.0], False)


@pytest.mark.parametrize(
    ("arguments", "options", "word"),
    [
        ((0.001, 0.0025, 0.01), {}, "H is not a whole multiple"),
        ((0.001, 0.005, 0.0), {}, "T is no period"),
        ((0.002, 0.001, 0.01), {}, "H is not a whole multiple"),
        ((math.nan, 0.005, 0.01), {}, "h is no period"),
        ((0.001, 0.005, 0.01), {"control_offset": -0.001}, "control_offset"),
        ((0.001, 0.005, 0.01), {"task_offset": 0.0005}, "task_offset"),
        ((0.001, 0.005, 0.01), {"task_offset": math.inf}, "task_offset"),
    ],
)
def test_periods_that_cannot_be_counted_are_refused(arguments, options, word):
    with pytest.raises(InvalidValueError, match=word):
        MultiRate(*arguments, **options)


def test_an_unknown_order_lists_the_two():
    with pytest.raises(UnknownNameError, match="simultaneous, top_down"):
        MultiRate(0.001, 0.005, 0.01, order="bottom_up")


def test_the_timeline_as_a_table():
    frame = MultiRate(STEP, H, T).timeline(11).to_frame()
    assert list(frame.columns) == ["time", "task_due", "control_due", "control_update", "task_update"]
    assert frame.task_due.sum() == 2
