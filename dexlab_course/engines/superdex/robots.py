"""Robots of others in SuperDex, read from the installed genesis package, with what must be mended for each."""

from typing import TYPE_CHECKING

from dexlab_course.engines.model_files import robot_file
from dexlab_course.engines.superdex.load import add_prefab, add_urdf

if TYPE_CHECKING:
    from superdex.physics import Scene
    from superdex.robotics import Bot, RoboticsContext


def panda(scene: "Scene", context: "RoboticsContext", *, weld: bool = True, self_contact: bool = False, contact: bool = True) -> "Bot":
    """Franka Panda with its hand: seven revolute joints and two prismatic fingers [m]. Nothing must be mended.

    The second finger's mimic is ignored: both fingers move on their own. Links without a mesh (``panda_link8``, ``panda_grasptarget``)
    have no mass, the others a placeholder inertia of 0.1 kg·m².

    Args:
        scene: where the bot goes.
        context: of ``superdex.robotics.create_context()``.
        weld: fix the base to the world; otherwise a free joint stands in front of it.
        self_contact: let the links of the bot touch each other.
        contact: let the links touch anything at all; without it the robot loads at once, and no mesh that is not closed is reported.

    Raises:
        MissingEngineError: the genesis package, which brings the file, is not installed.
    """
    return add_urdf(scene, context, robot_file("panda"), weld=weld, self_contact=self_contact, contact=contact)


def iiwa(scene: "Scene", context: "RoboticsContext", *, weld: bool = True, self_contact: bool = False, contact: bool = True) -> "Bot":
    """KUKA LBR iiwa: seven revolute joints. Arguments as for ``panda``.

    Mended: the file gives the base a mass of 0, which SuperDex refuses; it gets 1 kg, which matters only when it is not welded.
    With ``contact`` it takes five seconds to load.
    """
    import superdex.physics as physics
    import superdex.robotics as robotics

    prefab = robotics.load_bot_prefab_from_urdf_file(str(robot_file("iiwa")))
    prefab.links[0].mass = 1.0
    if weld:
        prefab.joints[0].type = physics.ArticulatedJointType.HARD
    return add_prefab(scene, context, prefab, self_contact=self_contact, contact=contact)


def shadow_hand(
    scene: "Scene", context: "RoboticsContext", *, weld: bool = True, self_contact: bool = False, contact: bool = True
) -> "Bot":
    """Shadow hand: 24 revolute joints. Arguments as for ``panda``.

    The fingers come in alphabetical order (index, little, middle, ring, thumb), the file has thumb, index, middle, ring, little. The file
    has no inertial block: masses come from the meshes, and ``thumb_base`` and ``thumb_hub``, which have none, are massless.
    """
    return add_urdf(scene, context, robot_file("shadow_hand"), weld=weld, self_contact=self_contact, contact=contact)
