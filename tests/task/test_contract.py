"""Phases, thresholds, observations and states: what they refuse, and how they are stored."""

import copy
import math
import pickle

import numpy as np
import pytest

from dexlab_course.errors import InvalidValueError, ShapeError
from dexlab_course.task import Observation, Phase, Reason, TaskState, Thresholds

SEEN = {"approach_error": 0.1, "aperture": 0.08, "normal_force": 0.0, "slip_speed": 0.0, "sample_time": 0.0}


def test_active_phases_come_in_the_order_of_the_task():
    assert [phase.name for phase in Phase] == ["APPROACH", "CLOSE", "HOLD", "RELEASE", "DONE", "FAULT"]


def test_reasons_are_numbered_in_the_order_of_the_checks():
    assert [reason.name for reason in Reason] == ["STARTED", "ABORT", "INVALID", "FUTURE", "STALE", "FORCE", "GUARD", "TIMEOUT"]


@pytest.mark.parametrize(
    "bad", [{"grip_force": -1.0}, {"phase_time": math.nan}, {"force_limit": math.inf}, {"open_width": "wide"}, {"hold_time": None}]
)
def test_a_threshold_that_is_no_number_is_refused_by_name(bad):
    with pytest.raises(InvalidValueError, match=next(iter(bad))):
        Thresholds(**bad)


@pytest.mark.parametrize("bad", [{"keep_force": 2.5}, {"keep_slip_speed": 0.0005}])
def test_hysteresis_may_only_be_more_lenient(bad):
    with pytest.raises(InvalidValueError, match="stricter"):
        Thresholds(**bad)


def test_wrong_values_in_an_observation_are_not_an_error_but_wrong_shapes_and_texts_are():
    Observation(**SEEN | {"aperture": math.nan, "normal_force": -1.0})
    with pytest.raises(InvalidValueError, match="aperture"):
        Observation(**SEEN | {"aperture": "wide"})
    with pytest.raises(ShapeError, match="slip_speed"):
        Observation(**SEEN | {"slip_speed": [[0.0]]})
    with pytest.raises(ShapeError, match="sample_time"):
        Observation(**SEEN | {"sample_time": np.zeros((0, 3))})


def test_an_observation_knows_its_sensor_groups():
    assert Observation(**SEEN).groups == 1
    assert Observation(**SEEN | {"sample_time": np.zeros((3, 5))}).groups == 3


def test_a_state_survives_numbers_pickle_and_deepcopy():
    state = TaskState([0, 2, 5], [0.0, 1.0, 2.0], [math.inf, 1.5, math.inf], [0.08, 0.03, 0.03], [0, 6, 3])
    for again in (TaskState.from_array(state.to_array()), pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
        assert again.equals(state)
    assert state[1].names == ("HOLD",)
    assert state[[False, True, True]].reasons == ("GUARD", "FUTURE")
    assert not state.equals(TaskState.start(3))


@pytest.mark.parametrize(
    ("column", "value"),
    [(0, 6.0), (0, 0.5), (0, math.nan), (1, math.nan), (1, math.inf), (2, math.nan), (2, -math.inf), (3, math.nan), (4, 8.0), (4, -1.0)],
)
def test_numbers_that_are_no_state_are_refused(column, value):
    numbers = TaskState.start(2).to_array()
    numbers[1, column] = value
    with pytest.raises(InvalidValueError, match="index 1"):
        TaskState.from_array(numbers)


def test_states_of_wrong_shape_are_refused():
    with pytest.raises(ShapeError, match="entered"):
        TaskState([0, 0], [0.0], [math.inf], [0.08], [0])
    with pytest.raises(ShapeError, match="to_array"):
        TaskState.from_array(np.zeros((2, 4)))
    with pytest.raises(InvalidValueError, match="size"):
        TaskState.start(-1)
    with pytest.raises(InvalidValueError, match="entered"):
        TaskState.start(1, now=math.nan)


def test_a_state_does_not_follow_the_arrays_it_was_made_from():
    entered = np.zeros(1)
    state = TaskState([0], entered, [math.inf], [0.08], [0])
    entered[0] = 7.0
    assert state.entered[0] == 0.0
