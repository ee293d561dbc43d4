"""The joint-space PD with memory: its law, its kick, its reset, and that a batch is its rows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dexlab_course.control import JointSpacePd, laws
from dexlab_course.errors import InvalidValueError, ShapeError

vectors = hnp.arrays(float, 2, elements=st.floats(-10, 10))
gains = hnp.arrays(float, 2, elements=st.floats(0, 1e3))


@given(st.lists(st.tuples(vectors, vectors, vectors), min_size=1, max_size=5), gains, gains, vectors, gains, st.floats(1e-4, 1.0))
def test_the_law_is_the_formula_with_the_difference_of_targets(rows, kp, kd, saturation, deadband, dt):
    controller = JointSpacePd(kp, kd, saturation, deadband)
    previous = rows[0][2]
    for q, v, target in rows:
        raw = kp * laws.deadband(target - q, deadband) + kd * ((target - previous) / dt - v)
        np.testing.assert_array_equal(controller.compute(q, v, target, dt), laws.saturate(raw, saturation, negative="unlimited"))
        previous = target


def test_a_jump_of_the_target_kicks_at_the_second_call_and_never_at_the_first():
    controller = JointSpacePd([10.0], [2.0])
    assert controller.compute([0.0], [0.0], [1.0], 0.02).tolist() == [10.0]
    assert controller.compute([0.0], [0.0], [1.5], 0.02)[0] == pytest.approx(15.0 + 2.0 * 0.5 / 0.02)
    assert controller.compute([0.0], [0.0], [1.5], 0.02).tolist() == [15.0]
    controller.reset()
    assert controller.compute([0.0], [0.0], [3.0], 0.02).tolist() == [30.0]


def test_the_control_period_counts_not_the_physics_step():
    kicks = []
    for dt in (0.02, 0.002):
        controller = JointSpacePd([0.0], [1.0])
        controller.compute([0.0], [0.0], [0.0], dt)
        kicks.append(controller.compute([0.0], [0.0], [0.1], dt)[0])
    assert kicks[1] == pytest.approx(10 * kicks[0])


def test_damping_stays_inside_the_deadband():
    controller = JointSpacePd([100.0], [5.0], deadband=[0.1])
    assert controller.compute([0.05], [2.0], [0.0], 0.01).tolist() == [-10.0]


def test_targets_across_pi_are_not_wrapped():
    assert JointSpacePd([1.0], [0.0]).compute([3.1], [0.0], [-3.1], 0.01)[0] == pytest.approx(-6.2)


def test_a_batch_is_its_rows():
    rng = np.random.default_rng(0)
    kp, kd, saturation, deadband = rng.random(7) * 100, rng.random(7) * 10, rng.random(7) * 50 - 5, rng.random(7) * 0.1
    batch, rows = JointSpacePd(kp, kd, saturation, deadband), [JointSpacePd(kp, kd, saturation, deadband) for _ in range(500)]
    for _ in range(3):
        q, v, target = rng.normal(size=(3, 500, 7))
        together = batch.compute(q, v, target, 0.01)
        alone = np.array([row.compute(q[i], v[i], target[i], 0.01) for i, row in enumerate(rows)])
        np.testing.assert_array_equal(together, alone)


def test_one_target_for_a_whole_batch():
    controller = JointSpacePd([10.0, 10.0], [1.0, 1.0])
    q = np.arange(2400.0).reshape(1200, 2) / 2400
    for target in ([0.5, 0.5], [0.6, 0.5]):
        effort = controller.compute(q, np.zeros_like(q), target, 0.1)
    np.testing.assert_allclose(effort, 10 * (np.array([0.6, 0.5]) - q) + [1.0, 0.0], atol=1e-12)


def test_results_of_earlier_calls_are_not_overwritten():
    controller = JointSpacePd([1.0], [1.0])
    first = controller.compute([0.0], [0.0], [1.0], 0.1)
    controller.compute([5.0], [0.0], [2.0], 0.1)
    assert first.tolist() == [1.0]


def test_a_target_array_may_be_reused_by_the_caller():
    controller, target = JointSpacePd([0.0], [1.0]), np.array([0.0])
    controller.compute([0.0], [0.0], target, 0.1)
    target[0] = 1.0
    assert controller.compute([0.0], [0.0], target, 0.1)[0] == pytest.approx(10.0)


@pytest.mark.parametrize("dt", [0.0, -0.01, math.nan, math.inf])
def test_without_a_period_there_is_no_velocity_and_the_error_says_so(dt):
    controller = JointSpacePd([1.0], [1.0])
    controller.compute([0.0], [0.0], [0.0], 0.1)
    with pytest.raises(InvalidValueError, match="dt"):
        controller.compute([0.0], [0.0], [1.0], dt)
    assert controller.compute([0.0], [0.0], [1.0], 0.1)[0] == pytest.approx(11.0)  # the history is as it was


def test_a_refused_call_leaves_the_history_as_it_was():
    controller = JointSpacePd([0.0, 0.0], [1.0, 1.0])
    controller.compute([0.0, 0.0], [0.0, 0.0], [1.0, 1.0], 0.1)
    with pytest.raises(InvalidValueError, match=r"target .* index \(1,\)"):
        controller.compute([0.0, 0.0], [0.0, 0.0], [5.0, math.nan], 0.1)
    with pytest.raises(ShapeError, match="batch"):
        controller.compute(np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((3, 2)), 0.1)
    with pytest.raises(ShapeError, match="belong together"):
        controller.compute(np.zeros((3, 2)), np.zeros((4, 2)), [5.0, 5.0], 0.1)
    with pytest.raises(ShapeError, match="q has"):
        controller.compute([0.0], [0.0, 0.0], [5.0, 5.0], 0.1)
    assert controller.compute([0.0, 0.0], [0.0, 0.0], [1.0, 1.0], 0.1).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"kp": 1.0, "kd": [1.0]}, ShapeError),
        ({"kp": [1.0], "kd": [1.0, 2.0]}, ShapeError),
        ({"kp": [math.nan], "kd": [1.0]}, InvalidValueError),
        ({"kp": [1.0], "kd": [1.0], "saturation": [math.nan]}, InvalidValueError),
        ({"kp": [1.0], "kd": [1.0], "deadband": [-0.1]}, InvalidValueError),
    ],
)
def test_parameters_that_cannot_be_right_are_refused(arguments, error):
    with pytest.raises(error, match="To mend it"):
        JointSpacePd(**arguments)
