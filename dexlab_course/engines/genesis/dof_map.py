"""Genesis' index map: each joint of an entity with its places in qpos and in the DoF vectors."""

import os
from typing import TYPE_CHECKING, Any

from dexlab_course.dof import DofMap, Joint, file_bytes

if TYPE_CHECKING:
    from genesis.engine.entities import RigidEntity

_KINDS = {
    "REVOLUTE": ("revolute", "rad"),
    "PRISMATIC": ("prismatic", "m"),
    "SPHERICAL": ("ball", "quat_wxyz"),
    "FREE": ("free", "m, quat_wxyz"),
}
# What the importer was told; each of these changes the model that comes out.
_OPTIONS = ("fixed", "merge_fixed_links", "links_to_keep", "default_armature", "scale")


def dof_map(entity: "RigidEntity", *, scene_wide: bool = False) -> DofMap:
    """The map of one entity; the scene need not be built yet.

    Genesis commands DoFs, not actuators, so the command slots of a joint are its velocity slots, a floating base included. Fixed joints
    are gone after the import. A loop is in ``slotless``; a mimic is an equality that takes no slot from the joints it ties. The bytes of
    the model file and the import options are part of the fingerprint.

    Args:
        entity: of a scene.
        scene_wide: indices of the solver's own vectors, in which all entities of the scene stand one after the other (``dofs_idx``),
            instead of those local to the entity, which the ``*_idx_local`` arguments take.
    """
    entries = []
    for joint in entity.joints:
        q, v = (joint.qs_idx, joint.dofs_idx) if scene_wide else (joint.qs_idx_local, joint.dofs_idx_local)
        slots = [int(index) for index in v]
        if slots:
            kind, unit = _KINDS.get(joint.type.name, (joint.type.name.lower(), ""))
            entries.append(Joint.at(joint.name, kind, q=[int(index) for index in q], v=slots, u=slots, unit=unit))
    loops = [equality.name or "loop" for equality in entity.equalities if equality.type.name != "JOINT"]
    slotless = {name if loops.count(name) == 1 else f"{name} ({k})": "loop" for k, name in enumerate(loops)}
    nq, nv = (entity.solver.n_qs, entity.solver.n_dofs) if scene_wide else (entity.n_qs, entity.n_dofs)
    options = {"engine": "genesis", "links": [link.name for link in entity.links], "scene_wide": scene_wide}
    options |= {name: _plain(getattr(entity.morph, name)) for name in _OPTIONS if hasattr(entity.morph, name)}
    return DofMap(entries, nq=nq, nv=nv, nu=nv, source=_source(entity), options=options, slotless=slotless)


def _source(entity: Any) -> bytes | str:
    """What the entity was made of: the bytes of its file, its text, or the kind of a primitive shape."""
    file = getattr(entity, "model_file", None) or getattr(entity.morph, "file", None)
    if file is None:
        return type(entity.morph).__name__
    return file_bytes(file) if os.path.isfile(file) else str(file)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
