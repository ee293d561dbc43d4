"""Genesis' index map: each joint of an entity with its places in qpos and in the DoF vectors."""

from typing import TYPE_CHECKING

from dexlab_course.dof import DofMap, Joint

if TYPE_CHECKING:
    from genesis.engine.entities import RigidEntity

_KINDS = {
    "REVOLUTE": ("revolute", "rad"),
    "PRISMATIC": ("prismatic", "m"),
    "SPHERICAL": ("ball", "quat_wxyz"),
    "FREE": ("free", "m, quat_wxyz"),
}


def dof_map(entity: "RigidEntity") -> DofMap:
    """The map of one entity, with indices local to it (what the ``*_idx_local`` arguments take).

    Genesis commands DoFs, not actuators, so the command slots of a joint are its velocity slots. Joints that the importer removed
    (fixed ones) have no row.
    """
    entries = []
    for joint in entity.joints:
        v = [int(index) for index in joint.dofs_idx_local]
        if v:
            kind, unit = _KINDS.get(joint.type.name, (joint.type.name.lower(), ""))
            entries.append(Joint.at(joint.name, kind, q=[int(index) for index in joint.qs_idx_local], v=v, u=v, unit=unit))
    options = {"engine": "genesis", "links": [link.name for link in entity.links]}
    return DofMap(entries, nq=entity.n_qs, nv=entity.n_dofs, nu=entity.n_dofs, options=options)
