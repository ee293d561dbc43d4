"""The index maps of all robots of the course as Genesis makes them, for the record that the explorer of chapter 1 reads."""

from typing import Any

from dexlab_course.dof import DofMap
from dexlab_course.engines.genesis import robots
from dexlab_course.engines.genesis.dof_map import dof_map
from dexlab_course.engines.genesis.load import add_mjcf, add_urdf
from dexlab_course.paths import ASSETS


def course_maps() -> dict[str, dict[str, DofMap]]:
    """By robot, then ``genesis``. Genesis must be started; nothing is built."""
    import genesis

    scene = genesis.Scene(show_viewer=False)
    shapes: dict[str, Any] = {"collision": False, "visualization": False}  # half of the time of loading goes into meshes
    entities = {
        "two_joint_arm": add_urdf(scene, ASSETS / "two_joint_arm.urdf", **shapes),
        "floating_seven": add_urdf(scene, ASSETS / "floating_seven.urdf", fixed=False, **shapes),
        "mixed_joints": add_mjcf(scene, ASSETS / "mixed_joints.xml", **shapes),
        "four_bar": add_mjcf(scene, ASSETS / "four_bar.xml", **shapes),
        "panda": robots.panda(scene, **shapes),
        "iiwa": robots.iiwa(scene, **shapes),
        "shadow_hand": robots.shadow_hand(scene, **shapes),
    }
    return {name: {"genesis": dof_map(entity)} for name, entity in entities.items()}
