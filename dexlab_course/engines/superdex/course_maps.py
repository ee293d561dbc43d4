"""The index maps of all robots of the course as SuperDex makes them, for the record that the explorer of chapter 1 reads."""

from dexlab_course.dof import DofMap
from dexlab_course.engines import installed
from dexlab_course.engines.superdex import robots
from dexlab_course.engines.superdex.dof_map import dof_map
from dexlab_course.engines.superdex.load import add_bot_file, add_urdf
from dexlab_course.engines.superdex.start import start
from dexlab_course.paths import ASSETS


def course_maps() -> dict[str, dict[str, DofMap]]:
    """By robot, then by ``superdex`` (actor space) and, where the base floats, ``superdex_bot``. Robots of others only with genesis."""
    physics, robotics = start()
    context, scene = robotics.create_context(), physics.create_scene("course maps")
    bots = {
        "two_joint_arm": add_urdf(scene, context, ASSETS / "two_joint_arm.urdf", contact=False),
        "floating_seven": add_urdf(scene, context, ASSETS / "floating_seven.urdf", weld=False, contact=False),
        "mixed_joints": add_bot_file(scene, context, ASSETS / "mixed_joints.superdex_bot", contact=False),
        "four_bar": add_bot_file(scene, context, ASSETS / "four_bar.superdex_bot", contact=False),
    }
    if installed("genesis"):
        for name in ("panda", "iiwa", "shadow_hand"):
            bots[name] = getattr(robots, name)(scene, context, contact=False)
    found = {name: {"superdex": dof_map(bot)} for name, bot in bots.items()}
    for name in ("floating_seven", "mixed_joints"):
        found[name]["superdex_bot"] = dof_map(bots[name], space="bot")
    physics.destroy_scene(scene)
    return found
