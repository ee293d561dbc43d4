"""The index maps of all robots of the course as Drake makes them, for the record that the explorer of chapter 1 reads."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from dexlab_course.dof import DofMap
from dexlab_course.engines import installed
from dexlab_course.engines.drake import robots
from dexlab_course.engines.drake.dof_map import dof_map
from dexlab_course.engines.drake.load import add_actuators, add_urdf
from dexlab_course.paths import ASSETS

if TYPE_CHECKING:
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import ModelInstanceIndex


def course_maps() -> dict[str, dict[str, DofMap]]:
    """By robot, then by ``drake`` and, where the base floats, ``drake_rpy``. Robots of others only where genesis is installed."""
    from pydrake.multibody.plant import BaseBodyJointType, MultibodyPlant

    floating = ("floating_seven", "mixed_joints")
    loaders: dict[str, Callable[[MultibodyPlant], ModelInstanceIndex]] = {
        name: functools.partial(_own, name=name) for name in ("two_joint_arm", *floating, "four_bar")
    }
    if installed("genesis"):
        loaders |= {"panda": robots.panda, "iiwa": robots.iiwa, "shadow_hand": robots.shadow_hand}
    found: dict[str, dict[str, DofMap]] = {}
    for name, load in loaders.items():
        for variant in ("drake", "drake_rpy") if name in floating else ("drake",):
            plant = MultibodyPlant(1e-3)
            instance = load(plant)
            if variant == "drake_rpy":
                plant.SetBaseBodyJointType(BaseBodyJointType.kRpyFloatingJoint, instance)
            plant.Finalize()
            found.setdefault(name, {})[variant] = dof_map(plant)
    return found


def _own(plant: "MultibodyPlant", name: str) -> "ModelInstanceIndex":
    """A model of assets/ with its actuators: from the file's transmissions, or added where it has none."""
    path = ASSETS / f"{name}.urdf"
    instance = add_urdf(plant, path, weld={"two_joint_arm": "base", "four_bar": "ground"}.get(name))
    if plant.num_actuators() == 0:
        add_actuators(plant, instance, path)
    return instance
