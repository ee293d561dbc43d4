"""Robots of others in Genesis, read from its own package, with what is in the file and nothing added to it."""

from typing import TYPE_CHECKING, Any

from dexlab_course.engines.genesis.load import add_mjcf, add_urdf
from dexlab_course.engines.model_files import robot_file

if TYPE_CHECKING:
    from genesis import Scene
    from genesis.engine.entities import RigidEntity


def panda(scene: "Scene", *, fixed: bool = True, keep_links: tuple[str, ...] = (), material: Any = None, **morph: Any) -> "RigidEntity":
    """Franka Panda with its hand from the URDF that all three engines read: seven revolute joints and two prismatic fingers [m].

    The links behind fixed joints (``panda_link8``, ``panda_hand``, ``panda_grasptarget``) are merged into ``panda_link7`` unless they are
    named in ``keep_links``. The second finger's mimic becomes an equality. Every link has a placeholder inertia of 0.1 kg·m².

    Args:
        scene: not built yet; it must not hold an MJCF with an equality as well (``panda_mjcf``, ``four_bar.xml``), or the build fails.
        fixed: weld the base to the world.
        keep_links: links behind fixed joints that shall stay links.
        material: passed on; None is Genesis' default rigid material.
        morph: further options of ``genesis.morphs.URDF``, such as ``pos``.
    """
    return add_urdf(scene, robot_file("panda"), fixed=fixed, keep_links=keep_links, material=material, **morph)


def panda_mjcf(scene: "Scene", *, material: Any = None, **morph: Any) -> "RigidEntity":
    """The same arm from the MJCF file: other names (``joint1``, ``finger_joint1``), real inertias, and actuators with gains.

    Args:
        scene: not built yet, without a URDF that has a mimic joint.
        material: passed on; None is Genesis' default rigid material.
        morph: further options of ``genesis.morphs.MJCF``, such as ``pos``.
    """
    return add_mjcf(scene, robot_file("panda_mjcf"), material=material, **morph)


def iiwa(scene: "Scene", *, fixed: bool = True, keep_links: tuple[str, ...] = (), material: Any = None, **morph: Any) -> "RigidEntity":
    """KUKA LBR iiwa: seven revolute joints. Arguments as for ``panda``; nothing must be mended."""
    return add_urdf(scene, robot_file("iiwa"), fixed=fixed, keep_links=keep_links, material=material, **morph)


def shadow_hand(
    scene: "Scene", *, fixed: bool = True, keep_links: tuple[str, ...] = (), material: Any = None, **morph: Any
) -> "RigidEntity":
    """Shadow hand: 24 revolute joints. Arguments as for ``panda``. The file has no inertial block: masses come from the meshes."""
    return add_urdf(scene, robot_file("shadow_hand"), fixed=fixed, keep_links=keep_links, material=material, **morph)
