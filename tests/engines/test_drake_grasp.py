"""The grasp scene: what the observer measures is what Drake's state and contacts say."""

import numpy as np
import pytest

pytest.importorskip("pydrake")

from dexlab_course.engines.drake import gripper
from dexlab_course.engines.drake.grasp import GraspLoop, GraspOptions
from dexlab_course.engines.drake.observer import aperture, pressing_forces, slip_speed
from dexlab_course.errors import UnknownNameError
from dexlab_course.task import Phase


@pytest.fixture(scope="module")
def held() -> GraspLoop:
    """The loop in the middle of Hold, after the lift."""
    loop = GraspLoop()
    loop.simulator.AdvanceTo(2.0)
    return loop


def test_aperture_is_the_sum_of_both_fingers() -> None:
    loop = GraspLoop(GraspOptions(box=False))
    for name in gripper.FINGERS:
        loop.plant.GetJointByName(name).set_translation(loop.plant_context, 0.03)
    assert aperture(loop.plant, loop.plant_context) == pytest.approx(0.06, abs=1e-15)


def test_pressing_forces_balance_the_drives_of_a_steady_grip(held: GraspLoop) -> None:
    results = held.plant.get_contact_results_output_port().Eval(held.plant_context)
    left, right = pressing_forces(held.plant, held.plant_context, results, held.scene_graph.model_inspector())
    drive = held.plant.get_net_actuation_output_port(held.gripper).Eval(held.plant_context)
    np.testing.assert_allclose([left, right], -drive[1:], atol=1e-6)
    assert left == pytest.approx(600 * (0.025 - 0.015), rel=1e-3)  # kp times the way that is missing


def test_slip_is_told_in_the_palms_frame(held: GraspLoop) -> None:
    context = held.plant.CreateDefaultContext()
    context.SetTimeStateAndParametersFrom(held.plant_context)
    plant, box = held.plant, held.plant.GetBodyByName("box")
    v_WBo = plant.EvalBodySpatialVelocityInWorld(context, box)
    rise = 0.05
    plant.GetJointByName("lift").set_translation_rate(context, rise)  # the palm rises and the box does not follow
    expected = np.hypot(v_WBo.translational()[0], v_WBo.translational()[2] - rise)
    assert slip_speed(plant, context) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("contact", gripper.CONTACTS)
def test_a_box_at_rest_is_not_touched(contact: gripper.Contact) -> None:
    loop = GraspLoop(GraspOptions(contact=contact))
    loop.simulator.AdvanceTo(0.05)
    results = loop.plant.get_contact_results_output_port().Eval(loop.plant_context)
    assert pressing_forces(loop.plant, loop.plant_context, results, loop.scene_graph.model_inspector()) == (0.0, 0.0)
    assert results.num_point_pair_contacts() + results.num_hydroelastic_contacts() >= 1  # the table carries it
    v_WBo = loop.plant.EvalBodySpatialVelocityInWorld(loop.plant_context, loop.plant.GetBodyByName("box")).translational()
    assert np.linalg.norm(v_WBo) < 1e-4  # and it does not rattle


def test_a_run_is_the_same_twice_and_can_linger() -> None:
    first, second = (GraspLoop(GraspOptions(box=False)).run(until=1.0) for _ in range(2))
    assert first.transitions == second.transitions
    np.testing.assert_array_equal(first.observation["aperture"], second.observation["aperture"])
    assert first.ended == Phase.CLOSE
    assert np.isnan(first.at(Phase.DONE))
    assert np.isnan(first.box_height).all()


def test_the_state_of_the_task_is_that_of_its_last_transition(held: GraspLoop) -> None:
    state = held.task_state
    assert state.names == ("HOLD",)
    assert state.width[0] == held.options.thresholds.closed_width


def test_a_run_can_be_interrupted_and_goes_on() -> None:
    whole, parts = GraspLoop(GraspOptions(box=False)), GraspLoop(GraspOptions(box=False))
    parts.run(until=0.7)
    assert parts.run(until=1.0).transitions == whole.run(until=1.0).transitions
    assert len(parts.run(until=1.2).transitions) == 2


def test_the_scene_refuses_another_kind_of_contact() -> None:
    with pytest.raises(UnknownNameError):
        GraspLoop(GraspOptions(contact="glue"))  # type: ignore[arg-type]
