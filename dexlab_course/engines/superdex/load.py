"""Put a URDF into a SuperDex scene, and read its state into arrays."""

import os
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np

from dexlab_course.arrays import Floats
from dexlab_course.errors import ModelFileError, explain

if TYPE_CHECKING:
    from superdex.physics import Actor, Scene
    from superdex.robotics import Bot, BotPrefab, RoboticsContext


def add_urdf(
    scene: "Scene", context: "RoboticsContext", path: str | os.PathLike[str], *, weld: bool = True, self_contact: bool = False
) -> "Bot":
    """Create a bot from a URDF.

    The importer puts a free joint in front of every model; ``weld`` makes it rigid. Only links with a collision mesh get a mass.

    Args:
        scene: where the bot goes.
        context: of ``superdex.robotics.create_context()``.
        path: the URDF file.
        weld: fix the base to the world.
        self_contact: let the links of the bot touch each other.

    Raises:
        ModelFileError: the file is missing, or SuperDex cannot make a bot of it.
    """
    import superdex.physics as physics
    import superdex.robotics as robotics

    path = pathlib.Path(path)
    if not path.is_file():
        message = explain(
            "no such model file",
            got=path.name,
            expected="an existing URDF",
            remedy="check the path; the course's own models lie in assets/",
        )
        raise ModelFileError(message)
    try:
        prefab = robotics.load_bot_prefab_from_urdf_file(str(path))
        if weld:
            prefab.joints[0].type = physics.ArticulatedJointType.HARD
        return add_prefab(scene, context, prefab, self_contact=self_contact)
    except Exception as error:  # physics.Error, and whatever the XML reader raises
        message = explain(
            f"SuperDex cannot make a bot of {path.name}",
            got=str(error).strip().splitlines()[-1],
            expected="a URDF with a mesh for each moving link",
            remedy="open the file at the place named",
        )
        raise ModelFileError(message) from error


def add_prefab(scene: "Scene", context: "RoboticsContext", prefab: "BotPrefab", *, self_contact: bool = False) -> "Bot":
    """Create a bot from a prefab that was loaded, edited or made in code.

    Args:
        scene: where the bot goes.
        context: of ``superdex.robotics.create_context()``.
        prefab: joints and links.
        self_contact: let the links of the bot touch each other.
    """
    import superdex.physics as physics
    import superdex.robotics as robotics

    bot = robotics.create_bot(scene, prefab, context)
    if not self_contact:
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
