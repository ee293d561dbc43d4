"""Put a URDF into a MultibodyPlant the way Drake needs it: weld the base in code, add the actuators by hand.

Drake's URDF reader makes an actuator only for a ``<transmission>``; the effort of ``<limit>`` alone gives none.
"""

import os
import pathlib
import xml.etree.ElementTree as ElementTree
from typing import TYPE_CHECKING

from dexlab_course.errors import ModelFileError, explain

if TYPE_CHECKING:
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import ModelInstanceIndex


def add_urdf(plant: "MultibodyPlant", path: str | os.PathLike[str], *, weld: str | None = None) -> "ModelInstanceIndex":
    """Parse a URDF into a plant that is not finalized yet.

    Args:
        plant: where the model goes.
        path: the URDF file.
        weld: link to weld to the world; None leaves the base free.

    Returns:
        The model instance.

    Raises:
        ModelFileError: the file is missing, or Drake cannot read it.
    """
    from pydrake.multibody.parsing import Parser

    path = _readable(path)
    instance: ModelInstanceIndex
    try:
        (instance,) = Parser(plant).AddModels(path)
    except RuntimeError as error:
        message = explain(
            f"Drake cannot read {path.name}", got=str(error).splitlines()[0], expected="a URDF", remedy="open the file at the line named"
        )
        raise ModelFileError(message) from error
    if weld is not None:
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(weld, instance))
    return instance


def add_actuators(plant: "MultibodyPlant", instance: "ModelInstanceIndex", path: str | os.PathLike[str]) -> None:
    """Add one actuator for each movable joint of the URDF, with the effort of its ``<limit>``; named ``<joint>_actuator``.

    A joint without an effort gets an unlimited actuator.
    """
    for joint in ElementTree.parse(_readable(path)).getroot().iter("joint"):
        limit = joint.find("limit")
        if joint.get("type") in {"revolute", "continuous", "prismatic"}:
            effort = float(limit.get("effort", "inf")) if limit is not None else float("inf")
            plant.AddJointActuator(f"{joint.get('name')}_actuator", plant.GetJointByName(str(joint.get("name")), instance), effort)


def _readable(path: str | os.PathLike[str]) -> pathlib.Path:
    path = pathlib.Path(path)
    if not path.is_file():
        message = explain(
            "no such model file",
            got=path.name,
            expected="an existing URDF",
            remedy="check the path; the course's own models lie in assets/",
        )
        raise ModelFileError(message)
    return path
