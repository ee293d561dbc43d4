"""Robots of others in Drake, read from the installed genesis package, with what must be mended for each."""

import re
from typing import TYPE_CHECKING

from dexlab_course.engines.drake.load import add_actuators, add_urdf
from dexlab_course.engines.model_files import robot_file

if TYPE_CHECKING:
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import ModelInstanceIndex


def panda(plant: "MultibodyPlant", *, weld: bool = True, actuators: bool = True, rename: bool = False) -> "ModelInstanceIndex":
    """Franka Panda with its hand: seven revolute joints and two prismatic fingers [m]; nine commands.

    Mended: the package ``meshes`` of the file is named, and the actuators that it lacks are added. The second finger's mimic becomes a
    constraint of the plant. Every link has a placeholder inertia of 0.1 kg·m², and Drake's reader gives 1 kg to each of the two links
    of mass 0 (19.96 kg instead of 17.96): good for kinematics, not for dynamics.

    Args:
        plant: not finalized yet, with or without a scene graph.
        weld: fix ``panda_link0`` to the world; otherwise the base floats.
        actuators: add one for each joint, with the effort of the file; without them nu is 0.
        rename: give the model instance a new name when ``panda`` is taken.

    Raises:
        MissingEngineError: the genesis package, which brings the file, is not installed.
    """
    path = robot_file("panda")
    packages = {"meshes": path.parent / "meshes"}
    instance = add_urdf(plant, path, weld="panda_link0" if weld else None, packages=packages, rename=rename)
    if actuators:
        add_actuators(plant, instance, path)
    return instance


def iiwa(plant: "MultibodyPlant", *, weld: bool = True, actuators: bool = True, rename: bool = False) -> "ModelInstanceIndex":
    """KUKA LBR iiwa: seven revolute joints, seven commands. Arguments as for ``panda``; the base is ``lbr_iiwa_link_0``, of mass 0 in the
    file and of 1 kg in Drake.

    Mended: with a scene graph Drake refuses the file's STL meshes; the OBJ meshes beside them are taken instead. Actuators are added.
    """
    path = robot_file("iiwa")
    text = path.read_text(encoding="utf-8").replace('.stl"', '.obj"').replace('filename="meshes/', 'filename="package://iiwa_meshes/')
    instance = _add_text(
        plant, text, weld="lbr_iiwa_link_0" if weld else None, packages={"iiwa_meshes": path.parent / "meshes"}, rename=rename
    )
    if actuators:
        add_actuators(plant, instance, path)
    return instance


def shadow_hand(plant: "MultibodyPlant", *, weld: bool = True, actuators: bool = True, rename: bool = False) -> "ModelInstanceIndex":
    """Shadow hand: 24 revolute joints, 24 commands. Arguments as for ``panda``; the base is ``forearm``.

    Mended: the shapes are left out, because they are STL without an OBJ beside them. The file has no inertial block at all, so every
    link has mass 0 here: good for names, slots and kinematics, not for a simulation.
    """
    path = robot_file("shadow_hand")
    text = re.sub(r"<(visual|collision)\b.*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    instance = _add_text(plant, text, weld="forearm" if weld else None, packages={}, rename=rename)
    if actuators:
        add_actuators(plant, instance, path)
    return instance


def _add_text(plant: "MultibodyPlant", text: str, *, weld: str | None, packages: dict[str, object], rename: bool) -> "ModelInstanceIndex":
    """Parse a URDF that was changed on the way. Drake takes no absolute path in a text, so its meshes need a package."""
    from pydrake.multibody.parsing import Parser

    parser = Parser(plant)
    parser.SetAutoRenaming(rename)
    for name, folder in packages.items():
        parser.package_map().Add(name, str(folder))
    instance: ModelInstanceIndex
    (instance,) = parser.AddModelsFromString(text, "urdf")
    if weld is not None:
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(weld, instance))
    return instance
