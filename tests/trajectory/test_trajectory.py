"""Trajectories: their ends, what holds outside, and limits that are respected everywhere and not only at samples."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dexlab_course.errors import InvalidValueError, ShapeError, UnknownNameError
from dexlab_course.trajectory import Trajectory

coordinates = st.floats(-3, 3).map(lambda x: round(x, 6))


@st.composite
def splines(draw):
    count, n = draw(st.integers(2, 6)), draw(st.integers(1, 3))
    steps = draw(st.lists(st.floats(0.05, 3.0), min_size=count - 1, max_size=count - 1))
    points = draw(hnp.arrays(float, (count, n), elements=coordinates))
    end = draw(st.sampled_from(["start_velocity", "start_acceleration"]))
    return Trajectory.cubic(draw(st.floats(-5, 5)) + np.concatenate([[0.0], np.cumsum(steps)]), points, **{end: draw(st.floats(-1, 1))})


def grid(trajectory, count=4001):
    return np.linspace(trajectory.start, trajectory.end, count)


def test_two_points_from_rest_to_rest():
    move = Trajectory.cubic([0.0, 2.0], [[0.0, 0.0], [0.4, -0.6]])
    np.testing.assert_allclose(move.value([0.0, 1.0, 2.0]), [[0.0, 0.0], [0.2, -0.3], [0.4, -0.6]], atol=1e-12)
    np.testing.assert_allclose(move.velocity([0.0, 1.0, 2.0]), [[0.0, 0.0], [0.3, -0.45], [0.0, 0.0]], atol=1e-12)
    assert move.extrema().speed == pytest.approx([0.3, 0.45])  # 3/2 of the mean
    assert move.extrema().acceleration == pytest.approx([0.6, 0.9])


def test_the_same_move_in_a_tenth_of_a_second_is_smooth_and_far_too_fast():
    peak = Trajectory.cubic([0.0, 0.1], [[0.0], [0.4]]).extrema()
    assert (peak.speed[0], peak.acceleration[0]) == (pytest.approx(6.0), pytest.approx(240.0))


@pytest.mark.parametrize(
    ("options", "speeds", "accelerations"),
    [
        ({}, (0.0, 0.0), (None, None)),
        ({"start_velocity": [0.7, 0.1], "end_velocity": -0.8}, ([0.7, 0.1], -0.8), (None, None)),
        ({"start_acceleration": 0.0, "end_acceleration": [1.0, -2.0]}, (None, None), (0.0, [1.0, -2.0])),
        ({"start_velocity": 0.3, "end_acceleration": 0.0}, (0.3, None), (None, 0.0)),
    ],
)
def test_each_end_has_the_condition_that_was_chosen(options, speeds, accelerations):
    spline = Trajectory.cubic([0.0, 1.0, 3.0], [[0.0, 1.0], [0.5, -1.0], [0.2, 0.0]], **options)
    for function, wanted in ((spline.velocity, speeds), (spline.acceleration, accelerations)):
        for time, value in zip((0.0, 3.0), wanted, strict=True):
            if value is not None:
                np.testing.assert_allclose(function(time), np.broadcast_to(value, 2), atol=1e-12)


def test_velocity_and_acceleration_are_continuous_at_inner_waypoints():
    spline = Trajectory.cubic([0.0, 1.0, 3.0], [[0.0], [0.5], [0.2]], start_velocity=0.1)
    for function in (spline.value, spline.velocity, spline.acceleration):
        np.testing.assert_allclose(function(1.0 - 1e-9), function(1.0 + 1e-9), atol=1e-6)


@given(splines(), st.floats(1e-9, 1e3))
def test_outside_the_ends_are_held_at_rest(trajectory, beyond):
    for time, end in ((trajectory.start - beyond, trajectory.start), (trajectory.end + beyond, trajectory.end)):
        assume(time != end)
        np.testing.assert_array_equal(trajectory.value(time), trajectory.value(end))
        assert (trajectory.velocity(time) == 0).all()
        assert (trajectory.acceleration(time) == 0).all()


@given(splines())
@settings(deadline=None)
def test_extrema_are_never_missed_by_a_fine_grid_and_are_attained(trajectory):
    peak, times = trajectory.extrema(), grid(trajectory)
    q, v, a = trajectory.value(times), np.abs(trajectory.velocity(times)), np.abs(trajectory.acceleration(times))
    scale = 1 + np.abs(q).max() + v.max() + a.max()
    assert (q >= peak.lower - 1e-9 * scale).all()
    assert (q <= peak.upper + 1e-9 * scale).all()
    assert (v <= peak.speed + 1e-9 * scale).all()
    assert (a <= peak.acceleration + 1e-9 * scale).all()
    np.testing.assert_allclose(q.min(axis=0), peak.lower, atol=1e-4 * scale)
    np.testing.assert_allclose(q.max(axis=0), peak.upper, atol=1e-4 * scale)
    np.testing.assert_allclose(v.max(axis=0), peak.speed, atol=1e-3 * scale)
    np.testing.assert_allclose(a.max(axis=0), peak.acceleration, atol=2e-2 * scale)


def test_peaks_that_no_sample_shows_are_found():
    spline = Trajectory.cubic([0.0, 1.0, 2.0], [[0.0], [1.0], [0.0]])
    assert np.abs(spline.velocity([0.0, 1.0, 2.0])).max() == pytest.approx(0.0, abs=1e-12)
    assert spline.extrema().speed[0] == pytest.approx(1.5)
    fast_in_between = Trajectory.cubic([0.0, 1.03, 1.04, 2.0], [[0.0], [0.0], [0.01], [0.0]])
    coarse = np.abs(fast_in_between.velocity(np.linspace(0.0, 2.0, 21))).max()
    assert fast_in_between.extrema().speed[0] > 1.1 * coarse


@given(splines(), st.floats(0.05, 5.0), st.floats(0.05, 5.0))
@settings(deadline=None)
def test_slowing_down_respects_both_limits_everywhere_and_no_more_than_needed(trajectory, velocity, acceleration):
    slow = trajectory.within(velocity=velocity, acceleration=acceleration)
    assert slow.respects(velocity=velocity, acceleration=acceleration)
    times = grid(slow)
    assert np.abs(slow.velocity(times)).max() <= velocity * (1 + 1e-9)
    assert np.abs(slow.acceleration(times)).max() <= acceleration * (1 + 1e-9)
    if slow is trajectory:
        return
    peak = slow.extrema()
    assert max(peak.speed.max() / velocity, peak.acceleration.max() / acceleration) == pytest.approx(1.0, abs=1e-6)
    assert slow.start == trajectory.start
    np.testing.assert_allclose(slow.value(times), trajectory.value(grid(trajectory)), atol=1e-8)  # the same path


def test_limits_count_joint_by_joint_and_infinity_is_none():
    move = Trajectory.cubic([0.0, 1.0], [[0.0, 0.0], [1.0, 0.1]])
    assert move.within(velocity=[math.inf, 0.15], acceleration=math.inf) is move
    assert move.within(velocity=[math.inf, 0.075], acceleration=math.inf).duration == pytest.approx(2.0)


@given(hnp.arrays(float, (2, 3), elements=coordinates), st.sampled_from(["cubic", "quintic"]), st.floats(0.1, 5), st.floats(0.1, 5))
@settings(deadline=None)
def test_rest_to_rest_takes_the_shortest_time_that_its_profile_allows(ends, profile, velocity, acceleration):
    move = Trajectory.rest_to_rest(*ends, velocity=velocity, acceleration=acceleration, profile=profile, start=7.0)
    delta = np.abs(ends[1] - ends[0]).max()
    peaks = {"cubic": (1.5, 6.0), "quintic": (15 / 8, 10 / math.sqrt(3))}[profile]
    assert move.duration == pytest.approx(max(peaks[0] * delta / velocity, math.sqrt(peaks[1] * delta / acceleration), 1e-3))
    assert move.respects(velocity=velocity, acceleration=acceleration)
    np.testing.assert_allclose(move.value([0.0, 7.0]), [ends[0]] * 2, atol=1e-12)
    np.testing.assert_allclose(move.value([move.end, 1e6]), [ends[1]] * 2, atol=1e-9)
    assert np.abs(move.velocity([move.start, move.end])).max() <= 1e-6 * (1 + delta / move.duration)
    halfway = move.value(move.start + move.duration / 2)
    np.testing.assert_allclose(halfway, ends.mean(axis=0), atol=1e-9)


def test_the_two_time_scalings_have_the_values_of_the_textbook():
    for profile, value in (("cubic", 0.216), ("quintic", 0.16308)):
        unit = Trajectory.rest_to_rest([0.0], [1.0], velocity=math.inf, acceleration=math.inf, profile=profile)
        assert unit.stretched(2.0 / unit.duration).value(0.6)[0] == pytest.approx(value, abs=5e-6)


def test_the_quintic_begins_without_a_jump_of_the_acceleration():
    ends = {"velocity": 1.0, "acceleration": 1.0}
    assert Trajectory.rest_to_rest([0.0], [1.0], profile="quintic", **ends).acceleration(0.0)[0] == 0.0
    assert Trajectory.rest_to_rest([0.0], [1.0], profile="cubic", **ends).acceleration(0.0)[0] == pytest.approx(1.0)


def test_a_reference_made_for_time_zero_must_be_moved_to_the_phase_that_uses_it():
    move = Trajectory.cubic([0.0, 2.0], [[0.0, 0.0], [0.4, -0.6]])
    np.testing.assert_allclose(move.value(5.0), [0.4, -0.6])  # used at 5 s as it is, it jumps to its end
    moved = move.starting_at(5.0)
    np.testing.assert_allclose(moved.value([5.0, 6.0, 7.0]), move.value([0.0, 1.0, 2.0]), atol=1e-12)
    assert (moved.start, moved.duration, moved.n) == (5.0, 2.0, 2)


def test_a_spline_may_leave_the_range_of_its_waypoints():
    assert Trajectory.cubic([0.0, 1.0, 2.0, 3.0], [[0.0], [1.0], [1.0], [0.0]]).extrema().upper[0] > 1.01


def test_times_of_any_shape():
    move = Trajectory.cubic([0.0, 2.0], [[0.0, 0.0], [0.4, -0.6]])
    for function in (move.value, move.velocity, move.acceleration):
        assert function(np.zeros((2, 3))).shape == (2, 3, 2)
        assert function(1).shape == (2,)


def test_a_joint_that_stays_may_have_a_limit_of_zero():
    move = Trajectory.rest_to_rest([0.0, 1.0], [0.5, 1.0], velocity=[1.0, 0.0], acceleration=[math.inf, 0.0])
    assert move.duration == pytest.approx(0.75)
    with pytest.raises(InvalidValueError, match="joint 1 must move"):
        Trajectory.rest_to_rest([0.0, 1.0], [0.5, 1.1], velocity=[1.0, 0.0], acceleration=math.inf)


CUBIC = {"times": [0.0, 1.0], "points": [[0.0, 0.0], [1.0, 1.0]]}


@pytest.mark.parametrize(
    ("make", "error", "word"),
    [
        (lambda: Trajectory.cubic([0.0, 1.0, 2.0], [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]), ShapeError, "transpose"),
        (lambda: Trajectory.cubic([0.0], [[0.0]]), ShapeError, "K >= 2"),
        (lambda: Trajectory.cubic([0.0, 1.0], [0.0, 1.0]), ShapeError, "one row"),
        (lambda: Trajectory.cubic([0.0, 1.0], np.zeros((2, 0))), ShapeError, "points"),
        (lambda: Trajectory.cubic([0.0, 0.0], [[0.0], [1.0]]), InvalidValueError, "increase"),
        (lambda: Trajectory.cubic([0.0, math.nan], [[0.0], [1.0]]), InvalidValueError, "times"),
        (lambda: Trajectory.cubic([0.0, 1.0], [[0.0], [math.inf]]), InvalidValueError, "points"),
        (lambda: Trajectory.cubic(**CUBIC, end_velocity=0.0, end_acceleration=0.0), InvalidValueError, "two conditions for the end"),
        (lambda: Trajectory.cubic(**CUBIC, start_velocity=[0.0, 0.0, 0.0]), ShapeError, "start_velocity"),
        (lambda: Trajectory.cubic(**CUBIC).within(velocity=-1.0, acceleration=1.0), InvalidValueError, "velocity limit"),
        (lambda: Trajectory.cubic(**CUBIC).within(velocity=1.0, acceleration=[1.0]), ShapeError, "acceleration limit"),
        (lambda: Trajectory.cubic(**CUBIC).within(velocity=0.0, acceleration=1.0), InvalidValueError, "must move"),
        (lambda: Trajectory.cubic(**CUBIC).stretched(0.0), InvalidValueError, "factor"),
        (lambda: Trajectory.cubic(**CUBIC).value(math.nan), InvalidValueError, "t "),
        (lambda: Trajectory.cubic(**CUBIC).starting_at(math.inf), InvalidValueError, "start"),
        (lambda: Trajectory.rest_to_rest([0.0], [1.0, 2.0], velocity=1.0, acceleration=1.0), ShapeError, "q1"),
        (lambda: Trajectory.rest_to_rest(0.0, 1.0, velocity=1.0, acceleration=1.0), ShapeError, "q0"),
        (lambda: Trajectory.rest_to_rest([0.0], [1.0], velocity=math.nan, acceleration=1.0), InvalidValueError, "velocity limit"),
        (lambda: Trajectory.rest_to_rest([0.0], [1.0], velocity=1.0, acceleration=1.0, profile="linear"), UnknownNameError, "quintic"),
    ],
)
def test_what_cannot_be_right_is_refused(make, error, word):
    with pytest.raises(error, match=word):
        make()
