"""Put a URDF or a .superdex_bot file into a SuperDex scene, and read its state into arrays."""

import os
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np

from dexlab_course.arrays import Floats
from dexlab_course.engines.model_files import existing
from dexlab_course.errors import ModelFileError, explain

if TYPE_CHECKING:
    from superdex.physics import Actor, Scene
    from superdex.robotics import Bot, BotPrefab, RoboticsContext


def add_urdf(
    scene: "Scene",
    context: "RoboticsContext",
    path: str | os.PathLike[str],
    *,
    weld: bool = True,
    self_contact: bool = False,
    contact: bool = True,
) -> "Bot":
    """Create a bot from a URDF.

    The importer puts a free joint in front of every model; ``weld`` makes it rigid. Only links with a collision mesh get a mass.

    Args:
        scene: where the bot goes.
        context: of ``superdex.robotics.create_context()``.
        path: the URDF file.
        weld: fix the base to the world.
        self_contact: let the links of the bot touch each other.
        contact: let the links touch anything at all; see ``add_prefab``.

    Raises:
        ModelFileError: the file is missing, or SuperDex cannot make a bot of it.
    """
    import superdex.physics as physics
    import superdex.robotics as robotics

    path = existing(path)
    try:
        prefab = robotics.load_bot_prefab_from_urdf_file(str(path))
        if weld:
            prefab.joints[0].type = physics.ArticulatedJointType.HARD
        return add_prefab(scene, context, prefab, self_contact=self_contact, contact=contact)
    except Exception as error:  # physics.Error, and whatever the XML reader raises
        raise _unusable(path, error, "a URDF with a mesh for each moving link") from error


def add_bot_file(
    scene: "Scene", context: "RoboticsContext", path: str | os.PathLike[str], *, self_contact: bool = False, contact: bool = True
) -> "Bot":
    """Create a bot from a .superdex_bot file, SuperDex' own format, which has the joints that a URDF lacks: ball, free root and loop.

    The reader puts the children of a link into alphanumerical order, so the order of the file is not the order of the slots. A loop's
    ``jointFromChildLink`` is the child link seen from the joint: for a pivot at the point p of the child its translation is -p.

    Args:
        scene: where the bot goes.
        context: of ``superdex.robotics.create_context()``.
        path: the file.
        self_contact: let the links of the bot touch each other.
        contact: let the links touch anything at all; see ``add_prefab``.

    Raises:
        ModelFileError: the file is missing, or SuperDex cannot make a bot of it.
    """
    import superdex.robotics as robotics

    path = existing(path, ".superdex_bot file")
    try:
        return add_prefab(scene, context, robotics.load_bot_prefab_from_file(str(path)), self_contact=self_contact, contact=contact)
    except Exception as error:  # physics.Error; what is wrong in detail stands in the engine's log
        raise _unusable(path, error, "a .superdex_bot file whose joints and links all have different names") from error


def _unusable(path: pathlib.Path, error: Exception, expected: str) -> ModelFileError:
    message = explain(
        f"SuperDex cannot make a bot of {path.name}",
        got=str(error).strip().splitlines()[-1],
        expected=expected,
        remedy="open the file at the place named",
    )
    return ModelFileError(message)


def add_prefab(
    scene: "Scene", context: "RoboticsContext", prefab: "BotPrefab", *, self_contact: bool = False, contact: bool = True
) -> "Bot":
    """Create a bot from a prefab that was loaded, edited or made in code.

    Args:
        scene: where the bot goes.
        context: of ``superdex.robotics.create_context()``.
        prefab: joints and links.
        self_contact: let the links of the bot touch each other.
        contact: let the links touch anything at all. Without it (``collider_type`` NONE on all links of the prefab) meshes still give
            mass, and a robot with large meshes loads a hundred times faster.
    """
    import superdex.physics as physics
    import superdex.robotics as robotics

    if not contact:
        for index in range(len(prefab.links)):
            prefab.links[index].collider_type = physics.ColliderType.NONE
    bot = robotics.create_bot(scene, prefab, context)
    if contact and not self_contact:
        handle = bot.get_articulated_actor().get_handle()
        scene.enable_actor_contact_symmetric(handle, handle, False, physics.IncludeNestedActors.YES)
    return bot


def real() -> Any:
    """The floating-point type of the loaded engine; its output arrays take no other."""
    import superdex.physics as physics

    return np.float64 if physics.uses_double_precision() else np.float32


def read_pose(actor: "Actor") -> Floats:
    """Generalized positions of an articulated actor, shape (n_dofs,) [rad or m]."""
    pose = np.zeros(actor.get_num_dofs(), dtype=real())
    actor.get_articulated_pose(pose)
    return pose.astype(float)


def read_velocity(actor: "Actor") -> Floats:
    """Generalized velocities of an articulated actor, shape (n_dofs,) [rad/s or m/s]."""
    velocity = np.zeros(actor.get_num_dofs(), dtype=real())
    actor.get_articulated_joint_velocities(velocity)
    return velocity.astype(float)


def read_external_forces(actor: "Actor") -> Floats:
    """Generalized forces written from outside that act in the next step, shape (n_dofs,) [N·m or N].

    Forces of a pose controller or a transmission are not among them.
    """
    forces = np.zeros(actor.get_num_dofs(), dtype=real())
    actor.get_external_forces(forces)
    return forces.astype(float)
