"""Put a URDF into a MultibodyPlant the way Drake needs it: weld the base in code, add the actuators by hand.

Drake's URDF reader makes an actuator only for a ``<transmission>``; the effort of ``<limit>`` alone gives none.
"""

import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dexlab_course.engines.model_files import existing
from dexlab_course.errors import ModelFileError, explain

if TYPE_CHECKING:
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import ModelInstanceIndex


def add_urdf(
    plant: "MultibodyPlant",
    path: str | os.PathLike[str],
    *,
    weld: str | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    rename: bool = False,
) -> "ModelInstanceIndex":
    """Parse a URDF into a plant that is not finalized yet.

    Args:
        plant: where the model goes.
        path: the URDF file.
        weld: link to weld to the world; None leaves the base free, with a quaternion unless
            ``plant.SetBaseBodyJointType(BaseBodyJointType.kRpyFloatingJoint, instance)`` is called before Finalize.
        packages: name -> folder, for meshes that the file calls ``package://name/...``.
        rename: give the model instance a new name when its own is taken, so that one file can be loaded twice.

    Returns:
        The model instance.

    Raises:
        ModelFileError: the file is missing, or Drake cannot read it.
    """
    from pydrake.multibody.parsing import Parser

    path = existing(path)
    parser = Parser(plant)
    parser.SetAutoRenaming(rename)
    for name, folder in (packages or {}).items():
        parser.package_map().Add(name, str(folder))
    instance: ModelInstanceIndex
    try:
        (instance,) = parser.AddModels(path)
    except RuntimeError as error:
        message = explain(
            f"Drake cannot read {path.name}",
            got=str(error).splitlines()[0].replace(f"{path.resolve().parent}/", ""),
            expected="a URDF",
            remedy="open the file at the line named",
        )
        raise ModelFileError(message) from error
    if weld is not None:
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(weld, instance))
    return instance


def add_actuators(plant: "MultibodyPlant", instance: "ModelInstanceIndex", path: str | os.PathLike[str]) -> None:
    """Add one actuator for each movable joint of the URDF, with the effort of its ``<limit>``; named ``<joint>_actuator``.

    A joint without an effort gets an unlimited actuator.
    """
    for joint in ElementTree.parse(existing(path)).getroot().iter("joint"):
        limit = joint.find("limit")
        if joint.get("type") in {"revolute", "continuous", "prismatic"}:
            effort = float(limit.get("effort", "inf")) if limit is not None else float("inf")
            plant.AddJointActuator(f"{joint.get('name')}_actuator", plant.GetJointByName(str(joint.get("name")), instance), effort)
