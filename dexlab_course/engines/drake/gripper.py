"""A small grasp scene: a parallel gripper on a vertical rail, a box, and a table.

Frames: world W with z up and the table's top at z = 0; palm P, parallel to W, whose y axis is the closing direction. The tool centre
point lies midway between the pads, 80 mm below the palm. Each finger joint is *half* of the aperture: q = 0.015 m on both means that
the pads are 30 mm apart.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from dexlab_course.errors import unknown_name

if TYPE_CHECKING:
    from pydrake.geometry import ProximityProperties
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import ModelInstanceIndex, RigidBody

Contact = Literal["spheres", "pads", "hydroelastic"]
CONTACTS: tuple[Contact, ...] = ("spheres", "pads", "hydroelastic")

RAIL_HEIGHT = 0.25  # of the palm at lift = 0 [m]
TCP_DROP = 0.08  # the tool centre point below the palm [m]
PAD = (0.02, 0.01, 0.04)  # size of a pad [m]
BOX_SIZE = 0.05  # edge of the box [m]
FOOT = 1e-4  # how far the box's feet stand out below it, where contact is by points [m]
WIDEST = 0.09  # largest aperture [m]
FINGERS = ("left", "right")
_GREY, _BLUE, _ORANGE = (0.7, 0.7, 0.7, 1.0), (0.0, 0.45, 0.7, 1.0), (0.9, 0.62, 0.0, 1.0)  # only seen in a viewer
_CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def add_gripper(
    plant: "MultibodyPlant",
    *,
    contact: Contact = "spheres",
    friction: float = 0.8,
    finger_gains: tuple[float, float] = (600.0, 20.0),
    finger_effort: float = 10.0,
) -> "ModelInstanceIndex":
    """A palm on a vertical rail with two fingers; joints ``lift``, ``left`` and ``right``, each with an actuator and a built-in PD.

    Gravity is off for the gripper, so that its drives show what the object does to it.

    Args:
        plant: registered with a SceneGraph, not finalized.
        contact: how a pad touches: ``"spheres"``, four small spheres proud of its inner face; ``"pads"``, the pad itself as one box;
            ``"hydroelastic"``, the pad as a compliant body. The first two are for point contact.
        friction: coefficient of the pads [-].
        finger_gains: kp [N/m] and kd [N·s/m] of each finger.
        finger_effort: limit of each finger [N].

    Raises:
        UnknownNameError: another kind of contact.
    """
    from pydrake.math import RigidTransform
    from pydrake.multibody.tree import FixedOffsetFrame, PdControllerGains, PrismaticJoint, SpatialInertia

    _check(contact)
    instance = plant.AddModelInstance("gripper")
    palm = plant.AddRigidBody("palm", instance, SpatialInertia.SolidBoxWithMass(0.3, 0.06, 0.12, 0.03))
    _show(plant, palm, [0, 0, 0], (0.06, 0.12, 0.03), _GREY)
    rail = plant.AddFrame(FixedOffsetFrame("rail", plant.world_frame(), RigidTransform([0, 0, RAIL_HEIGHT]), instance))
    lift = plant.AddJoint(PrismaticJoint("lift", rail, palm.body_frame(), [0, 0, 1], -0.3, 0.3))
    plant.AddJointActuator("lift", lift, 200.0).set_controller_gains(PdControllerGains(p=5000.0, d=300.0))
    plant.AddFrame(FixedOffsetFrame("tcp", palm.body_frame(), RigidTransform([0, 0, -TCP_DROP]), instance))
    for name, side in zip(FINGERS, (1, -1), strict=True):
        finger = plant.AddRigidBody(f"{name}_finger", instance, SpatialInertia.SolidBoxWithMass(0.05, *PAD))
        joint = plant.AddJoint(
            PrismaticJoint(name, plant.GetFrameByName("tcp", instance), finger.body_frame(), [0, side, 0], 0, WIDEST / 2)
        )
        plant.AddJointActuator(name, joint, finger_effort).set_controller_gains(PdControllerGains(p=finger_gains[0], d=finger_gains[1]))
        _add_pad(plant, finger, side, contact, friction)
        top, bottom = TCP_DROP - 0.015, -PAD[2] / 2  # a finger reaches from the palm down to the end of its pad
        _show(plant, finger, [0, side * PAD[1] / 2, (top + bottom) / 2], (PAD[0], PAD[1], top - bottom), _BLUE)
    plant.set_gravity_enabled(instance, False)
    return instance


def add_box(plant: "MultibodyPlant", *, mass: float = 0.1, contact: Contact = "spheres", friction: float = 0.8) -> "RigidBody":
    """A free cube of 50 mm; mass [kg], friction [-]. Returns its body.

    With point contact a face on the table would touch in one corner and rattle from one to the next, so the box gets four small feet.
    """
    from pydrake.geometry import Box, Sphere
    from pydrake.math import RigidTransform
    from pydrake.multibody.tree import SpatialInertia

    _check(contact)
    size = (BOX_SIZE,) * 3
    box = plant.AddRigidBody("box", plant.AddModelInstance("box"), SpatialInertia.SolidBoxWithMass(mass, *size))
    _show(plant, box, [0, 0, 0], size, _ORANGE)
    material = _material(friction, contact, modulus=1e7)
    plant.RegisterCollisionGeometry(box, RigidTransform(), Box(*size), "box", material)
    if contact != "hydroelastic":
        radius, corner = 0.001, BOX_SIZE / 2 - 0.001
        for number, (x, y) in enumerate(np.array(_CORNERS) * corner):
            X_BG = RigidTransform([x, y, radius - BOX_SIZE / 2 - FOOT])
            plant.RegisterCollisionGeometry(box, X_BG, Sphere(radius), f"foot_{number}", material)
    return box


def resting_height(contact: Contact) -> float:
    """Height of the box's centre when it stands on the table, without penetration [m]."""
    return BOX_SIZE / 2 + (0.0 if contact == "hydroelastic" else FOOT)


def add_table(plant: "MultibodyPlant", *, contact: Contact = "spheres", friction: float = 0.8) -> None:
    """A rigid table whose top is z = 0."""
    from pydrake.geometry import AddRigidHydroelasticProperties, Box
    from pydrake.math import RigidTransform

    _check(contact)
    material = _material(friction, "spheres", modulus=0.0)
    if contact == "hydroelastic":
        AddRigidHydroelasticProperties(material)
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform([0, 0, -0.05]), Box(1.0, 1.0, 0.1), "table", material)
    _show(plant, plant.world_body(), [0, 0, -0.005], (0.3, 0.3, 0.01), _GREY)


def _add_pad(plant: "MultibodyPlant", finger: "RigidBody", side: int, contact: Contact, friction: float) -> None:
    """The pad of one finger; its inner face lies in the finger's plane y = 0."""
    from pydrake.geometry import Box, Sphere
    from pydrake.math import RigidTransform

    material = _material(friction, contact, modulus=5e6)
    if contact != "spheres":
        X_FG = RigidTransform([0, side * PAD[1] / 2, 0])
        plant.RegisterCollisionGeometry(finger, X_FG, Box(*PAD), f"{finger.name()}_pad", material)
        return
    radius = 0.003
    for number, (x, z) in enumerate(np.array(_CORNERS) * [0.008, 0.015]):
        X_FG = RigidTransform([x, side * radius, z])
        plant.RegisterCollisionGeometry(finger, X_FG, Sphere(radius), f"{finger.name()}_{number}", material)


def _show(plant: "MultibodyPlant", body: "RigidBody", p_BG: Sequence[float], size: tuple[float, ...], colour: tuple[float, ...]) -> None:
    """A box that a viewer shows and nothing touches."""
    from pydrake.geometry import Box
    from pydrake.math import RigidTransform

    plant.RegisterVisualGeometry(body, RigidTransform(p_BG), Box(*size), f"{body.name()}_visual", np.array(colour))


def _material(friction: float, contact: Contact, *, modulus: float) -> "ProximityProperties":
    """Friction and damping; for hydroelastic contact also compliance (Young's modulus like, [Pa])."""
    from pydrake.geometry import AddCompliantHydroelasticProperties, AddContactMaterial, ProximityProperties
    from pydrake.multibody.plant import CoulombFriction

    material = ProximityProperties()
    AddContactMaterial(dissipation=2.0, friction=CoulombFriction(friction, friction), properties=material)
    if contact == "hydroelastic":
        AddCompliantHydroelasticProperties(resolution_hint=0.01, hydroelastic_modulus=modulus, properties=material)
    return material


def _check(contact: str) -> None:
    if contact not in CONTACTS:
        raise unknown_name("kind of contact", contact, CONTACTS)
