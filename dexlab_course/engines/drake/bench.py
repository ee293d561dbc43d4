"""Test benches for Drake: the smallest plants in which one effect shows."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import JointActuator, ModelInstanceIndex


def add_slider(
    plant: "MultibodyPlant",
    name: str = "slider",
    *,
    mass: float = 1.0,
    effort: float = np.inf,
    instance: "ModelInstanceIndex | None" = None,
) -> "JointActuator":
    """A block on a rail along x with an actuator; one position [m], one command [N].

    Args:
        plant: not finalized yet.
        name: of the model instance, the joint and the actuator.
        mass: of the block [kg].
        effort: effort limit of the actuator [N].
        instance: put the block into this model instance instead of a new one.

    Returns:
        The actuator; ``actuator.joint()`` and ``actuator.model_instance()`` lead to the rest.
    """
    from pydrake.multibody.tree import PrismaticJoint, SpatialInertia

    instance = plant.AddModelInstance(name) if instance is None else instance
    block = plant.AddRigidBody(name, instance, SpatialInertia.SolidBoxWithMass(mass, 0.1, 0.1, 0.1))
    joint = plant.AddJoint(PrismaticJoint(name, plant.world_frame(), block.body_frame(), [1.0, 0.0, 0.0]))
    return plant.AddJointActuator(name, joint, effort)


def add_rotor(
    plant: "MultibodyPlant",
    name: str = "rotor",
    *,
    inertia: float = 1.0,
    effort: float = np.inf,
    instance: "ModelInstanceIndex | None" = None,
) -> "JointActuator":
    """A wheel on an axis along z with an actuator; one position [rad], one command [N·m]. Arguments as for ``add_slider``; inertia [kg·m²]."""
    from pydrake.multibody.tree import RevoluteJoint, SpatialInertia, UnitInertia

    instance = plant.AddModelInstance(name) if instance is None else instance
    unit = UnitInertia(inertia, inertia, inertia)  # of 1 kg, so that the wheel has exactly this inertia
    wheel = plant.AddRigidBody(name, instance, SpatialInertia(mass=1.0, p_PScm_E=[0.0, 0.0, 0.0], G_SP_E=unit))
    joint = plant.AddJoint(RevoluteJoint(name, plant.world_frame(), wheel.body_frame(), [0.0, 0.0, 1.0]))
    return plant.AddJointActuator(name, joint, effort)
