"""Test benches for Genesis: the smallest models in which one effect shows."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dexlab_course.arrays import Floats

if TYPE_CHECKING:
    from genesis import Scene
    from genesis.engine.entities import RigidEntity

_BODY = (
    '<body name="{name}" pos="0 {y} 0"><joint name="{name}" {joint}/><inertial pos="0 0 0" mass="{mass}" diaginertia="{i} {i} {i}"/></body>'
)
_FILE = '<mujoco><compiler angle="radian" autolimits="true"/><worldbody>{bodies}</worldbody><actuator>{actuators}</actuator></mujoco>'


class BenchJoint(NamedTuple):
    """One body on one joint, as pieces of MJCF."""

    name: str
    joint: str
    mass: float
    inertia: float
    actuator: str


def rotor(name: str = "wheel", *, inertia: float = 1.0, joint: str = "", actuator: str = "") -> BenchJoint:
    """A wheel on an axis along z: one position [rad], one command [N·m].

    Args:
        name: of the body, the joint and the link.
        inertia: about the axis [kg·m²].
        joint: further attributes of MJCF's joint, such as ``ref="0.2" range="-1 1.5"``.
        actuator: an MJCF actuator with its attributes, such as ``position kp="80" kv="8"``; none: Genesis' default gains.
    """
    return BenchJoint(name, f'type="hinge" axis="0 0 1" {joint}', 1.0, inertia, actuator)


def slider(name: str = "block", *, mass: float = 1.0, joint: str = "", actuator: str = "") -> BenchJoint:
    """A block on a rail along x: one position [m], one command [N]. Arguments as for ``rotor``; mass [kg]."""
    return BenchJoint(name, f'type="slide" axis="1 0 0" {joint}', mass, 0.1, actuator)


def ball(name: str = "wrist", *, inertia: float = 1.0) -> BenchJoint:
    """A body on a ball joint: four positions (quat_wxyz), three DoFs [rad], three commands [N·m]; inertia [kg·m²] about each axis."""
    return BenchJoint(name, 'type="ball"', 1.0, inertia, "")


def mjcf(*joints: BenchJoint) -> str:
    """The MJCF text of bodies that do not touch or feel one another, in the order given."""
    bodies = "".join(_BODY.format(name=one.name, joint=one.joint, mass=one.mass, i=one.inertia, y=2.0 * k) for k, one in enumerate(joints))
    actuators = "".join(f'<{one.actuator} name="{one.name}" joint="{one.name}"/>' for one in joints if one.actuator)
    return _FILE.format(bodies=bodies, actuators=actuators)


def add_joints(scene: "Scene", *joints: BenchJoint, armature: float | None = 0.0, **morph: Any) -> "RigidEntity":
    """Add bench joints to a scene that is not built yet, as one entity away from those already there.

    Args:
        scene: not built yet.
        joints: made by ``rotor``, ``slider`` or ``ball``.
        armature: what the importer adds to a joint without its own [kg·m² or kg]; 0, so that what is in the file is what moves. None leaves
            Genesis' default.
        morph: further options of ``genesis.morphs.MJCF``.
    """
    import genesis

    options: dict[str, Any] = {"pos": (0.0, -20.0 * (1 + len(scene.entities)), 0.0)}
    if armature is not None:
        options["default_armature"] = armature
    return scene.add_entity(genesis.morphs.MJCF(file=mjcf(*joints), **{**options, **morph}))


def per_env(entity: "RigidEntity", numbers: Any) -> Floats:
    """``numbers`` as Genesis takes them for all environments: one row for each, one column for each DoF.

    Args:
        entity: of a scene that is built.
        numbers: one number for all, one for each environment, or the table itself.
    """
    rows = np.asarray(numbers, dtype=float)
    rows = rows[:, np.newaxis] if rows.ndim == 1 else rows
    return np.broadcast_to(rows, (entity.solver.n_envs, entity.n_dofs)).copy()


def values(tensor: Any) -> Floats:
    """A tensor that Genesis returned as a NumPy array of its own."""
    return np.array(tensor.detach().cpu(), dtype=float)
