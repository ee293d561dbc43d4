"""The links of a SuperDex bot by name: where they are, and what their motion amounts to."""

from typing import TYPE_CHECKING

import numpy as np

from dexlab_course.arrays import Floats
from dexlab_course.kinematics import frames

if TYPE_CHECKING:
    from superdex.physics import Actor
    from superdex.robotics import Bot


def link_actors(bot: "Bot") -> dict[str, "Actor"]:
    """Every link is an actor of its own, which knows its place, its mass and its velocity: the links by name, without the bot's name."""
    scene = bot.get_scene()
    links = [scene.get_actor(handle) for handle in bot.get_articulated_actor().get_nested_link_actors()]
    return {str(link.get_name()).split("/", 1)[1]: link for link in links}


def link_pose(link: "Actor") -> Floats:
    """X_WL, the frame of a link in the world, shape (4, 4) [m]. It is the frame of the joint that carries the link."""
    X = link.get_root_transform()
    return frames.pose(frames.matrix_from_quat_xyzw(list(X.rotation)), list(X.translation))


def momentum(bot: "Bot") -> Floats:
    """Linear momentum of all links that can move, in the world, shape (3,) [kg·m/s]."""
    moving = [link for link in link_actors(bot).values() if not link.is_static()]
    return np.sum(
        [link.get_mass() * _array(link.get_linear_velocity()) for link in moving], axis=0
    )  # velocities are those of the mass centres


def kinetic_energy(bot: "Bot") -> float:
    """Of all links that can move [J]."""
    total = 0.0
    for link in link_actors(bot).values():
        if link.is_static() or not link.get_mass():
            continue
        v, w = _array(link.get_linear_velocity()), _array(link.get_angular_velocity())
        R = link_pose(link)[:3, :3]
        total += link.get_mass() * v @ v / 2 + w @ R @ inertia(link) @ R.T @ w / 2
    return float(total)


def inertia(link: "Actor") -> Floats:
    """Moment of inertia about the centre of mass in the axes of the link, shape (3, 3) [kg·m²]; zeros where the link has no mass."""
    if not link.get_mass():
        return np.zeros((3, 3))
    xx, xy, xz, yy, yz, zz = _array(link.get_rigid_moment_of_inertia_local())
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _array(values: object) -> Floats:
    return np.array([float(x) for x in values])  # type: ignore[attr-defined]
