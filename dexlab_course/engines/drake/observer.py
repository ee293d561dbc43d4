"""What the grasp scene of ``gripper`` shows a task: distance, aperture, pressing force, slip; measured, never commanded."""

import numpy as np
from pydrake.common.value import Value
from pydrake.geometry import SceneGraphInspector
from pydrake.multibody.plant import ContactResults, MultibodyPlant
from pydrake.systems.framework import BasicVector, Context, DiscreteValues, EventStatus, LeafSystem

from dexlab_course.arrays import Floats
from dexlab_course.engines.drake import gripper
from dexlab_course.engines.drake.task_system import observation_vector

GOAL_HEIGHT = gripper.BOX_SIZE / 2  # where the tool centre point should be to grasp [m]


class Observer(LeafSystem):  # type: ignore[misc]
    """Measures the six numbers of an observation every ``period`` and holds them, stamped with the simulation time of the measurement.

    Input ports: ``state``, the plant's; ``contact_results``, the plant's. Output port: ``observation``, see ``TaskSystem``.

    Args:
        plant: finalized, with a gripper of ``gripper.add_gripper``.
        inspector: of the SceneGraph, to find the bodies of hydroelastic surfaces.
        period: [s].
    """

    def __init__(self, plant: MultibodyPlant, inspector: SceneGraphInspector, *, period: float) -> None:
        super().__init__()
        self.set_name("observer")
        self._plant, self._inspector = plant, inspector
        self._scratch = plant.CreateDefaultContext()  # a work sheet for kinematics, overwritten at every use
        self._state = self.DeclareVectorInputPort("state", plant.num_multibody_states())
        self._contacts = self.DeclareAbstractInputPort("contact_results", Value(ContactResults()))
        # Before the first sample: far away and open.
        start = observation_vector(approach_error=1.0, aperture=gripper.WIDEST, normal_force=0.0, slip_speed=0.0, sample_time=0.0)
        self.DeclareDiscreteState(start)
        self.DeclarePeriodicDiscreteUpdateEvent(period, 0.0, self._sample)
        self.DeclareVectorOutputPort("observation", len(start), self._give, prerequisites_of_calc={self.all_state_ticket()})

    def _sample(self, context: Context, discrete_state: DiscreteValues) -> EventStatus:
        plant, scratch = self._plant, self._scratch
        plant.SetPositionsAndVelocities(scratch, self._state.Eval(context))
        p_WT = plant.GetFrameByName("tcp").CalcPoseInWorld(scratch).translation()
        seen = observation_vector(
            approach_error=float(np.linalg.norm(p_WT - [0, 0, GOAL_HEIGHT])),
            aperture=max(aperture(plant, scratch), 0.0),
            normal_force=min(pressing_forces(plant, scratch, self._contacts.Eval(context), self._inspector)),
            slip_speed=slip_speed(plant, scratch),
            sample_time=context.get_time(),
        )
        discrete_state.set_value(seen)
        return EventStatus.Succeeded()

    @staticmethod
    def _give(context: Context, output: BasicVector) -> None:
        output.SetFromVector(context.get_discrete_state_vector().value())


def aperture(plant: MultibodyPlant, context: Context) -> float:
    """Distance of the two pads' inner faces along the closing direction [m], from forward kinematics; negative where they overlap."""
    palm, (left, right) = plant.GetFrameByName("palm"), (plant.GetFrameByName(f"{name}_finger") for name in gripper.FINGERS)
    y_left, y_right = (float(plant.CalcRelativeTransform(context, palm, finger).translation()[1]) for finger in (left, right))
    return y_left - y_right


def slip_speed(plant: MultibodyPlant, context: Context) -> float:
    """Speed of the box's centre along the pads' faces in the palm's frame [m/s], >= 0; 0 without a box."""
    if not plant.HasBodyNamed("box"):
        return 0.0
    palm = plant.GetFrameByName("palm")
    v_PBo_P = plant.GetBodyByName("box").body_frame().CalcSpatialVelocity(context, palm, palm).translational()
    return float(np.hypot(v_PBo_P[0], v_PBo_P[2]))


def pressing_forces(
    plant: MultibodyPlant, context: Context, results: ContactResults, inspector: SceneGraphInspector
) -> tuple[float, float]:
    """With how much force each finger, left and right, presses on the box along the closing direction [N], >= 0; from contacts only."""
    if not plant.HasBodyNamed("box"):
        return 0.0, 0.0
    box = plant.GetBodyByName("box").index()
    on_body = {plant.GetBodyByName(f"{name}_finger").index(): np.zeros(3) for name in gripper.FINGERS}  # force of the box on a finger, in W
    for number in range(results.num_point_pair_contacts()):
        pair = results.point_pair_contact_info(number)
        _add(on_body, box, pair.bodyA_index(), pair.bodyB_index(), pair.contact_force())  # the force acts on B
    for number in range(results.num_hydroelastic_contacts()):
        info = results.hydroelastic_contact_info(number)
        surface = info.contact_surface()
        of_M, of_N = (plant.GetBodyFromFrameId(inspector.GetFrameId(name)).index() for name in (surface.id_M(), surface.id_N()))
        _add(on_body, box, of_N, of_M, info.F_Ac_W().translational())  # the force acts on the body of M
    closing_W = plant.GetFrameByName("palm").CalcPoseInWorld(context).rotation().matrix()[:, 1]
    left, right = (float(force @ closing_W) for force in on_body.values())
    return max(left, 0.0), max(-right, 0.0)  # the box pushes the left finger towards +y and the right one towards -y


def _add(on_body: dict[object, Floats], box: object, other: object, target: object, force: Floats) -> None:
    if other == box and target in on_body:
        on_body[target] += force
    if target == box and other in on_body:
        on_body[other] -= force
