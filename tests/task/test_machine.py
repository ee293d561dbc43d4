"""The task contract, sentence by sentence: guards, equality, timers, order of checks, widths, reset."""

import math

import numpy as np
import pytest

from dexlab_course.errors import InvalidValueError, ShapeError
from dexlab_course.task import Observation, Phase, Reason, TaskState, Thresholds, advance, reset

DT = 0.01
GRIP = {"approach_error": 0.001, "aperture": 0.05, "normal_force": 5.0, "slip_speed": 0.0}
FAR = {"approach_error": 0.1, "aperture": 0.08, "normal_force": 0.0, "slip_speed": 0.0}
OPEN = {"approach_error": 0.001, "aperture": 0.08, "normal_force": 0.0, "slip_speed": 0.0}


def in_phase(phase, *, entered=0.0, stable_since=math.inf, width=0.05):
    return TaskState([phase], [entered], [stable_since], [width], [Reason.STARTED])


def tick(state, now=0.0, thresholds=None, **seen):
    observation = Observation(**({"sample_time": now} | seen))
    return advance(state, observation, now) if thresholds is None else advance(state, observation, now, thresholds)


def run(see, until, *, thresholds=None, state=None):
    """Changes as (time, phase) and the last state, with ``see(time, phase) -> fields`` every 10 ms."""
    state = state or TaskState.start()
    changes = []
    for step in range(round(until / DT) + 1):
        now = step * DT
        before = state
        state = tick(state, now, thresholds, **see(now, Phase(int(state.phase[0]))))
        if state.names != before.names:
            changes.append((round(now, 3), state.names[0]))
    return changes, state


def nominal(now, phase):
    return OPEN if phase == Phase.RELEASE and now > 2.0 else GRIP


def test_a_nominal_run_passes_all_phases():
    changes, state = run(nominal, 4.0)
    assert changes == [(0.0, "CLOSE"), (0.01, "HOLD"), (1.02, "RELEASE"), (2.01, "DONE")]
    assert state.reasons == ("GUARD",)


def test_one_frame_that_satisfies_everything_moves_one_phase_a_tick():
    changes, _ = run(lambda now, phase: GRIP | {"aperture": 0.08}, 0.05)
    assert changes == [(0.0, "CLOSE"), (0.01, "HOLD")]


@pytest.mark.parametrize(
    ("phase", "seen", "after"),
    [
        (Phase.APPROACH, FAR | {"approach_error": 0.005}, "CLOSE"),
        (Phase.APPROACH, FAR | {"approach_error": 0.00501}, "APPROACH"),
        (Phase.CLOSE, GRIP | {"normal_force": 2.0, "aperture": 0.00101}, "HOLD"),
        (Phase.CLOSE, GRIP | {"normal_force": 1.99}, "CLOSE"),
        (Phase.CLOSE, GRIP | {"normal_force": 2.0, "aperture": 0.001}, "CLOSE"),
        (Phase.RELEASE, OPEN | {"aperture": 0.070, "normal_force": 0.1}, "DONE"),
        (Phase.RELEASE, OPEN | {"aperture": 0.0699}, "RELEASE"),
        (Phase.RELEASE, OPEN | {"normal_force": 0.11}, "RELEASE"),
        (Phase.APPROACH, FAR | {"normal_force": 20.0}, "APPROACH"),
        (Phase.APPROACH, FAR | {"normal_force": 20.01}, "FAULT"),
    ],
)
def test_equality_counts_as_met_except_for_the_force_limit_and_the_closed_aperture(phase, seen, after):
    assert tick(in_phase(phase), **seen).names == (after,)


@pytest.mark.parametrize("phase", [Phase.APPROACH, Phase.CLOSE, Phase.HOLD, Phase.RELEASE])
def test_every_active_phase_times_out_after_three_seconds(phase):
    stuck = FAR | {"normal_force": 1.0}
    state = in_phase(phase)
    assert tick(state, 3.0, **stuck).names == (phase.name,)
    late = tick(state, 3.01, **stuck)
    assert (late.names, late.reasons) == (("FAULT",), ("TIMEOUT",))


def test_a_guard_met_at_the_deadline_wins_over_the_timeout():
    assert tick(in_phase(Phase.APPROACH), 3.01, **GRIP).names == ("CLOSE",)


def test_the_hold_timer_starts_at_the_first_good_sample_in_hold():
    entering = tick(in_phase(Phase.CLOSE), 0.5, **GRIP)
    assert entering.names == ("HOLD",)
    assert entering.stable_since[0] == math.inf
    first = tick(entering, 0.51, **GRIP)
    assert first.stable_since[0] == 0.51
    assert tick(first, 1.50, **GRIP).names == ("HOLD",)
    assert tick(first, 1.51, **GRIP).names == ("RELEASE",)


@pytest.mark.parametrize("bad", [{"slip_speed": 0.002}, {"slip_speed": -0.0011}, {"normal_force": 1.9}])
def test_a_break_in_hold_restarts_the_timer(bad):
    changes, _ = run(lambda now, phase: GRIP | bad if abs(now - 0.5) < 1e-6 else GRIP, 2.0)
    assert changes[-1] == (1.51, "RELEASE")


def test_good_stretches_are_not_added_up():
    changes, state = run(lambda now, phase: GRIP | {"slip_speed": 0.002 if round(now / DT) % 90 == 0 else 0.0}, 3.5)
    assert changes[-1] == (3.02, "FAULT")
    assert state.reasons == ("TIMEOUT",)


def test_the_absolute_slip_counts():
    for slip in (0.001, -0.001):
        assert run(lambda now, phase, slip=slip: GRIP | {"slip_speed": slip}, 1.1)[0][-1] == (1.02, "RELEASE")
    assert run(lambda now, phase: GRIP | {"slip_speed": -0.00101}, 1.1)[0][-1] == (0.01, "HOLD")


def test_hysteresis_keeps_a_stretch_alive_but_does_not_begin_one():
    lenient = Thresholds(keep_force=1.5, keep_slip_speed=0.003)
    weak = GRIP | {"normal_force": 1.7, "slip_speed": 0.002}

    def see(now, phase):
        return weak if now > 0.1 else GRIP

    assert run(see, 1.1, thresholds=lenient)[0][-1] == (1.02, "RELEASE")
    assert run(see, 1.1)[0][-1] == (0.01, "HOLD")
    assert tick(in_phase(Phase.HOLD), 0.1, lenient, **weak).stable_since[0] == math.inf
    assert tick(in_phase(Phase.HOLD, stable_since=0.0), 0.1, lenient, **GRIP | {"normal_force": 1.4}).stable_since[0] == math.inf


SINGLE_FAULTS = {
    "future": ({"sample_time": 0.1}, "FUTURE"),
    "stale": ({"sample_time": -0.03}, "STALE"),
    "abort": ({"abort": 1.0}, "ABORT"),
    "half an abort": ({"abort": 0.5}, "INVALID"),
    "negative error": ({"approach_error": -1e-3}, "INVALID"),
    "negative aperture": ({"aperture": -1e-6}, "INVALID"),
    "negative force": ({"normal_force": -0.1}, "INVALID"),
    "too strong": ({"normal_force": 25.0}, "FORCE"),
} | {
    f"{value} {field}": ({field: value}, "INVALID")
    for field in ("approach_error", "aperture", "normal_force", "slip_speed", "sample_time", "abort")
    for value in (math.nan, math.inf, -math.inf)
}


@pytest.mark.parametrize("phase", [Phase.APPROACH, Phase.CLOSE, Phase.HOLD, Phase.RELEASE])
@pytest.mark.parametrize("name", SINGLE_FAULTS)
def test_one_wrong_value_is_a_fault_in_every_active_phase(phase, name):
    wrong, reason = SINGLE_FAULTS[name]
    after = tick(in_phase(phase, entered=-1.0), **GRIP | wrong)
    assert (after.names, after.reasons) == (("FAULT",), (reason,))
    assert after.entered[0] == 0.0
    assert after.width[0] == 0.05  # the last reference, whatever it was
    assert after.stable_since[0] == math.inf


@pytest.mark.parametrize("phase", [Phase.DONE, Phase.FAULT])
@pytest.mark.parametrize("name", SINGLE_FAULTS)
def test_done_and_fault_are_final(phase, name):
    state = in_phase(phase, entered=-10.0)
    assert tick(state, **GRIP | SINGLE_FAULTS[name][0]) is state


def test_the_first_check_that_applies_gives_the_reason():
    everything = {"approach_error": -1.0, "normal_force": 25.0, "sample_time": 9.0, "abort": 1.0}
    order = ["ABORT", "INVALID", "FUTURE", "FORCE"]
    mend = [{}, {"abort": 0.0}, {"approach_error": 0.001}, {"sample_time": 5.0}]
    for reason, change in zip(order, mend, strict=True):
        everything |= change
        assert tick(in_phase(Phase.APPROACH), 5.0, **GRIP | everything).reasons == (reason,)
    assert tick(in_phase(Phase.APPROACH), 5.0, **GRIP | {"sample_time": 4.0, "normal_force": 25.0}).reasons == ("STALE",)


def test_freshness_tolerates_rounding_of_decimal_periods():
    state = in_phase(Phase.APPROACH)
    for step in range(2, 290):
        now = step * DT
        assert tick(state, now, **FAR | {"sample_time": now - 0.02}).names == ("APPROACH",)
    assert tick(state, 0.06, **FAR | {"sample_time": 0.06 - 0.02 - 1e-8}).names == ("FAULT",)
    assert tick(state, 0.06, **FAR | {"sample_time": 0.06 + 5e-10}).names == ("APPROACH",)


def test_each_sensor_group_has_its_own_age():
    state = TaskState.start(2)
    stamps = np.array([[1.0, 1.0], [0.99, 0.97]])  # fast and slow sensors of two environments
    after = advance(state, Observation(**FAR, sample_time=stamps), 1.0)
    assert after.names == ("APPROACH", "FAULT")
    assert after.reasons == ("STARTED", "STALE")
    assert advance(state, Observation(**FAR, sample_time=stamps[:1]), 1.0) is state


def test_widths_follow_the_phase_in_the_same_tick_and_fault_keeps_the_last():
    for phase, width in ((Phase.APPROACH, 0.03), (Phase.CLOSE, 0.03), (Phase.RELEASE, 0.08)):
        seen = OPEN if phase == Phase.RELEASE else GRIP
        assert tick(in_phase(phase), **seen).width[0] == width
    assert tick(in_phase(Phase.HOLD, entered=-1.0, stable_since=-1.0), **GRIP).width[0] == 0.08
    assert TaskState.start().width[0] == 0.08


def test_a_clock_that_is_no_time_is_a_fault_and_does_not_poison_the_state():
    for now in (math.nan, math.inf, -math.inf):
        for stamp in (now, 0.0):
            after = tick(in_phase(Phase.APPROACH, entered=0.5), now, **FAR | {"sample_time": stamp})
            assert after.reasons == ("INVALID",)
            assert after.entered[0] == 0.5
    after = advance(TaskState.start(3), Observation(**FAR, sample_time=[1.0, math.inf, -math.inf]), np.array([1.0, math.inf, -math.inf]))
    assert after.names == ("APPROACH", "FAULT", "FAULT")


def test_reset_starts_a_new_episode_for_the_masked_members_only():
    state = advance(TaskState.start(3), Observation(**FAR | {"abort": [1, 0, 1]}, sample_time=0.0), 0.0)
    again = reset(state, 5.0, [True, False, False])
    assert again.names == ("APPROACH", "APPROACH", "FAULT")
    assert again.entered.tolist() == [5.0, 0.0, 0.0]
    assert again.reasons == ("STARTED", "STARTED", "ABORT")
    assert advance(again, Observation(**FAR, sample_time=5.0), 5.0).names == ("APPROACH", "FAULT", "FAULT")  # the second timed out
    assert reset(state, 5.0).names == ("APPROACH",) * 3
    assert state.names == ("FAULT", "APPROACH", "FAULT")  # nothing was changed in place


def test_reset_refuses_indices_that_could_be_taken_for_a_mask():
    with pytest.raises(InvalidValueError, match=r"mask\[indices\]"):
        reset(TaskState.start(2), 0.0, [0, 1])
    with pytest.raises(ShapeError):
        reset(TaskState.start(2), 0.0, [True])
    with pytest.raises(InvalidValueError, match="now"):
        reset(TaskState.start(2), math.nan)


def test_states_are_read_only_and_shared_when_nothing_changes():
    state = TaskState.start(2)
    after = advance(state, Observation(**FAR | {"approach_error": [0.1, 0.001]}, sample_time=0.0), 0.0)
    for array in (after.phase, after.entered, after.stable_since, after.width, after.reason):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert advance(state, Observation(**FAR, sample_time=0.0), 0.0) is state


def test_an_observation_of_another_batch_is_refused_by_name():
    with pytest.raises(ShapeError, match="aperture"):
        advance(TaskState.start(2), Observation(**FAR | {"aperture": [0.1, 0.1, 0.1]}, sample_time=0.0), 0.0)
    with pytest.raises(ShapeError, match="now"):
        advance(TaskState.start(2), Observation(**FAR, sample_time=0.0), [0.0, 0.0, 0.0])


def test_an_empty_batch_stays_empty():
    state = TaskState.start(0)
    assert advance(state, Observation(**FAR, sample_time=0.0), 0.0) is state
    assert reset(state, 1.0).size == 0
