"""SuperDex' index map: each joint of an articulated actor with its slots in the one pose, velocity and force vector."""

from typing import TYPE_CHECKING

from dexlab_course.dof import DofMap, Joint

if TYPE_CHECKING:
    from superdex.physics import Actor

_KINDS = {
    "REVOLUTE": ("revolute", "rad"),
    "PRISMATIC": ("prismatic", "m"),
    "SPHERICAL": ("ball", "rad (rotation vector)"),
    "FREE": ("free", "m, rad (rotation vector)"),
}


def dof_map(actor: "Actor") -> DofMap:
    """The map of an articulated actor, in actor space: a free root counts, and every joint has as many positions as velocities.

    External forces are generalized forces on any DoF, so the command slots of a joint are its position slots.
    """
    info = actor.get_articulated_shape_info()
    entries = []
    for index, name in enumerate(info.joint_names):
        dofs = info.dof_info[index]
        size = dofs.trans_size + dofs.rot_size
        if size:
            kind, unit = _KINDS.get(info.joint_types[index].name, (info.joint_types[index].name.lower(), ""))
            slots = range(dofs.offset, dofs.offset + size)
            entries.append(Joint.at(str(name), kind, q=slots, v=slots, u=slots, unit=unit))
    n = actor.get_num_dofs()
    return DofMap(entries, nq=n, nv=n, nu=n, options={"engine": "superdex"})
