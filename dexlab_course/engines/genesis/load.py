"""Put a URDF or an MJCF into a Genesis scene so that what is in the file is what moves."""

import os
import pathlib
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from dexlab_course.arrays import Floats
from dexlab_course.engines.model_files import existing
from dexlab_course.errors import ModelFileError, explain

if TYPE_CHECKING:
    from genesis import Scene
    from genesis.engine.entities import RigidEntity


def add_urdf(
    scene: "Scene",
    path: str | os.PathLike[str],
    *,
    fixed: bool = True,
    keep_links: tuple[str, ...] = (),
    material: Any = None,
    **morph: Any,
) -> "RigidEntity":
    """Add a URDF to a scene that is not built yet.

    Two defaults of the importer are switched off here because they change the model silently: 0.1 kg·m² of armature on each joint
    without its own (``default_armature=0``), and the merging of links behind fixed joints (name those to keep in ``keep_links``).

    With ``collision=False`` and ``visualization=False`` Genesis gets the file without its shapes. It would read the meshes all the same,
    three times over: two seconds for a Panda. What moves is the same; a link without an inertial block weighs nothing either way.

    Args:
        scene: not built yet.
        path: the URDF file.
        fixed: weld the base to the world.
        keep_links: empty links to keep, for example a tool centre point.
        material: passed on; None is Genesis' default rigid material.
        morph: further options of ``genesis.morphs.URDF``, such as ``pos``.

    Raises:
        ModelFileError: the file is missing, or Genesis cannot read it.
    """
    import genesis

    options = {"fixed": fixed, "default_armature": 0.0, "links_to_keep": list(keep_links), **morph}
    bare = options.get("collision") is False and options.get("visualization") is False
    return _add(scene, genesis.morphs.URDF, path, "URDF", material, options, read=_without_shapes if bare else str)


def add_mjcf(scene: "Scene", path: str | os.PathLike[str], *, material: Any = None, **morph: Any) -> "RigidEntity":
    """Add an MJCF to a scene that is not built yet. A base without a joint is fixed to the world, one with a ``freejoint`` is free.

    Joints without an armature of their own keep it at zero (``default_armature=0``).

    Args:
        scene: not built yet.
        path: the MJCF file.
        material: passed on; None is Genesis' default rigid material.
        morph: further options of ``genesis.morphs.MJCF``, such as ``pos``.

    Raises:
        ModelFileError: the file is missing, or Genesis cannot read it.
    """
    import genesis

    return _add(scene, genesis.morphs.MJCF, path, "MJCF", material, {"default_armature": 0.0, **morph})


def _without_shapes(path: pathlib.Path) -> str:
    """The text of a URDF without what is seen and touched."""
    robot = ET.parse(path).getroot()
    for link in robot.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    return ET.tostring(robot, encoding="unicode")


def _add(
    scene: "Scene",
    morph: Any,
    path: str | os.PathLike[str],
    kind: str,
    material: Any,
    options: dict[str, Any],
    read: Callable[[pathlib.Path], str] = str,
) -> "RigidEntity":
    path = existing(path, kind)
    try:
        entity = scene.add_entity(morph(file=read(path), **options), material=material)
    except Exception as error:  # the reader raises whatever its XML library raises
        message = explain(
            f"Genesis cannot read {path.name}",
            got=f"{type(error).__name__}: {error}".splitlines()[0],
            expected=f"a {kind}",
            remedy="open the file at the line named",
        )
        raise ModelFileError(message) from error
    entity.model_file = str(path)  # for the fingerprint: the same file is the same model, with and without its shapes
    return entity


def dof_buffer(entity: "RigidEntity", name: str) -> Floats:
    """A copy of one of the solver's own arrays over DoFs, cut to an entity, shape (n_envs, n_dofs).

    These are the numbers the solver works with, not what an accessor recomputes: ``ctrl_mode`` (position 0, velocity 1, force 2),
    ``ctrl_pos``, ``ctrl_vel``, ``ctrl_force``, ``qf_applied`` (what the step really applied), ``qf_passive``, ``qf_bias``, ``force``, ``acc``.
    """
    from genesis.utils.misc import qd_to_torch

    array = qd_to_torch(getattr(entity.solver.dyn_state.dofs, name), transpose=True, copy=True)
    return np.asarray(array.cpu())[:, entity.dof_start : entity.dof_end].astype(float)
