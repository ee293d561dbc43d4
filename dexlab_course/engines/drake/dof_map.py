"""Drake's index map: positions and velocities by joint, commands by actuator."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dexlab_course.dof import DofMap, Joint, file_bytes
from dexlab_course.errors import InvalidValueError, explain

if TYPE_CHECKING:
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import ModelInstanceIndex

# Drake's own name of a joint type -> kind, unit of its positions. A quaternion stands before the translation.
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


def dof_map(
    plant: "MultibodyPlant",
    instance: "ModelInstanceIndex | Sequence[ModelInstanceIndex] | None" = None,
    *,
    compact: bool = False,
    source: str | os.PathLike[str] | None = None,
) -> DofMap:
    """The map of a finalized plant, or of some model instances in it.

    Indices are those of the whole plant's q, v and u, unless ``compact`` asks for the vectors of one instance. Joints stand in the order
    of their JointIndex, in which a floating base comes last although its slots come first. Commands belong to actuators: a joint without
    one has no u slot, and u is in the order of the actuators. Welds are in ``slotless``; a loop or a mimic in a file is a constraint of
    the plant (``num_constraints``), which has neither a name nor a slot, and takes no slot from the joints it ties.

    Args:
        plant: finalized.
        instance: only the joints of this model instance, or of these. A name that repeats among them is written ``instance::joint``.
        compact: indices of the vectors that belong to the one instance: ``GetPositions(context, instance)``,
            ``GetVelocities(context, instance)`` and ``get_actuation_input_port(instance)``.
        source: the model file, if its bytes shall be part of the fingerprint. A plant does not know what it was read from.

    Raises:
        InvalidValueError: ``compact`` without exactly one instance.
        ModelFileError: ``source`` does not exist.
    """
    instances = [] if instance is None else list(instance) if isinstance(instance, Sequence) else [instance]
    if compact and len(instances) != 1:
        message = explain(
            "compact vectors belong to one model instance",
            got=f"{len(instances)} of them" if instances else "the whole plant",
            expected="one ModelInstanceIndex",
            remedy="make one compact map for each instance",
        )
        raise InvalidValueError(message)
    indices = [index for one in instances for index in plant.GetJointIndices(one)] if instances else plant.GetJointIndices()
    joints = [plant.get_joint(index) for index in indices]
    names = [joint.name() for joint in joints]
    commands = _commands(plant)
    place = _places(plant, instances[0] if compact else None)
    entries, slotless = [], {}
    for joint in joints:
        name = joint.name() if names.count(joint.name()) == 1 else f"{plant.GetModelInstanceName(joint.model_instance())}::{joint.name()}"
        if joint.num_velocities() == 0:
            slotless[name] = "fixed"
            continue
        kind, unit = _KINDS.get(joint.type_name(), (joint.type_name(), ""))
        q = [place["q"][joint.position_start() + k] for k in range(joint.num_positions())]
        v = [place["v"][joint.velocity_start() + k] for k in range(joint.num_velocities())]
        u = [place["u"][slot] for slot in commands.get(int(joint.index()), [])]
        entries.append(Joint.at(name, kind, q=q, v=v, u=u, unit=unit))
    options = {
        "engine": "drake",
        "time_step": plant.time_step() > 0,
        "instances": [plant.GetModelInstanceName(one) for one in instances],
        "compact": compact,
    }
    nq, nv, nu = (len(place[space]) for space in ("q", "v", "u"))
    data = b"" if source is None else file_bytes(source)
    return DofMap(entries, nq=nq, nv=nv, nu=nu, source=data, options=options, slotless=slotless)


def _commands(plant: "MultibodyPlant") -> dict[int, list[int]]:
    """Joint index -> its slots in u. An actuator says where it starts (``input_start``); no order of joints or names does."""
    found: dict[int, list[int]] = {}
    for index in plant.GetJointActuatorIndices():
        actuator = plant.get_joint_actuator(index)
        slots = range(actuator.input_start(), actuator.input_start() + actuator.num_inputs())
        found.setdefault(int(actuator.joint().index()), []).extend(slots)
    return found


def _places(plant: "MultibodyPlant", instance: "ModelInstanceIndex | None") -> dict[str, dict[int, int]]:
    """For q, v and u: slot of the whole plant -> slot of the vector that is asked for."""
    slots = {"q": np.arange(plant.num_positions()), "v": np.arange(plant.num_velocities()), "u": np.arange(plant.num_actuated_dofs())}
    if instance is not None:  # the plant itself cuts its numbered vectors
        cut = {"q": plant.GetPositionsFromArray, "v": plant.GetVelocitiesFromArray, "u": plant.GetActuationFromArray}
        slots = {space: cut[space](instance, numbers) for space, numbers in slots.items()}
    return {space: {int(slot): k for k, slot in enumerate(numbers)} for space, numbers in slots.items()}
