"""Drake's index map: positions and velocities by joint, commands by actuator."""

from typing import TYPE_CHECKING

from dexlab_course.dof import DofMap, Joint

if TYPE_CHECKING:
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import ModelInstanceIndex

_KINDS = {
    "revolute": ("revolute", "rad"),
    "prismatic": ("prismatic", "m"),
    "quaternion_floating": ("free", "quat_wxyz, m"),
    "rpy_floating": ("free", "rad, m"),
    "ball_rpy": ("ball", "rad"),
    "planar": ("planar", "m, rad"),
    "universal": ("universal", "rad"),
    "screw": ("screw", "rad"),
}


def dof_map(plant: "MultibodyPlant", instance: "ModelInstanceIndex | None" = None) -> DofMap:
    """The map of a finalized plant, or of one model instance in it.

    Indices are those of the whole plant's q, v and u (``input_start`` of the actuator), not of an instance's compact vectors.

    Args:
        plant: finalized.
        instance: only the joints of this model instance; their indices still count from the start of the plant's vectors.

    Raises:
        UnknownNameError: never for one instance; a joint that repeats across instances is written ``instance::joint``.
    """
    joints = [plant.get_joint(index) for index in (plant.GetJointIndices() if instance is None else plant.GetJointIndices(instance))]
    joints = [joint for joint in joints if joint.num_velocities() > 0]
    names = [joint.name() for joint in joints]
    commands: dict[int, list[int]] = {}
    for index in plant.GetJointActuatorIndices():
        actuator = plant.get_joint_actuator(index)
        slots = range(actuator.input_start(), actuator.input_start() + actuator.num_inputs())
        commands.setdefault(int(actuator.joint().index()), []).extend(slots)
    entries = []
    for joint in joints:
        name = joint.name() if names.count(joint.name()) == 1 else f"{plant.GetModelInstanceName(joint.model_instance())}::{joint.name()}"
        kind, unit = _KINDS.get(joint.type_name(), (joint.type_name(), ""))
        q = range(joint.position_start(), joint.position_start() + joint.num_positions())
        v = range(joint.velocity_start(), joint.velocity_start() + joint.num_velocities())
        entries.append(Joint.at(name, kind, q=q, v=v, u=commands.get(int(joint.index()), []), unit=unit))
    options = {
        "engine": "drake",
        "time_step": plant.time_step() > 0,
        "instance": None if instance is None else plant.GetModelInstanceName(instance),
    }
    return DofMap(entries, nq=plant.num_positions(), nv=plant.num_velocities(), nu=plant.num_actuated_dofs(), options=options)
