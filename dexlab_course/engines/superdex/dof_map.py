"""SuperDex' index map: each joint of an articulated actor with its slots in the one pose, velocity and force vector."""

import os
from typing import TYPE_CHECKING, Any, Literal

from dexlab_course.dof import DofMap, Joint, file_bytes
from dexlab_course.errors import unknown_name

if TYPE_CHECKING:
    from superdex.physics import Actor
    from superdex.robotics import Bot

_KINDS = {
    "REVOLUTE": ("revolute", "rad"),
    "PRISMATIC": ("prismatic", "m"),
    "SPHERICAL": ("ball", "rad (rotation vector)"),
    "FREE": ("free", "m, rad (rotation vector)"),
}
_SLOTLESS = {"HARD": "fixed", "CYCLE": "loop"}


def dof_map(actor: "Actor | Bot", *, space: Literal["actor", "bot"] = "actor", source: str | os.PathLike[str] | None = None) -> DofMap:
    """The map of an articulated actor. Every joint has as many positions as velocities, and every one of them takes a force.

    Args:
        actor: an articulated actor, or the bot that it belongs to.
        space: ``"actor"``: what poses, velocities and external forces of the actor and the joint-space controller use; a free root
            owns the first six slots. ``"bot"``: what ``default_pose``, the effort limits of the model and the pose controller's
            ``pose_dofs`` use; the free root is left out and all slots move up by six. With a welded root both are the same.
        source: the model file, if its bytes shall be part of the fingerprint. A bot does not know what it was read from.

    Raises:
        UnknownNameError: another space.
        ModelFileError: ``source`` does not exist.
    """
    if space not in ("actor", "bot"):
        raise unknown_name("space", space, ("actor", "bot"))
    body: Any = actor.get_articulated_actor() if hasattr(actor, "get_bot_prefab") else actor
    info = body.get_articulated_shape_info()
    names, types = [str(name) for name in info.joint_names], [kind.name for kind in info.joint_types]
    root = 6 if space == "bot" and types[0] == "FREE" else 0
    entries, slotless = [], {}
    for index, (name, kind) in enumerate(zip(names, types, strict=True)):
        dofs = info.dof_info[index]
        size = dofs.trans_size + dofs.rot_size
        if size == 0:
            # All loops are called "joint".
            slotless[name if names.count(name) == 1 else f"{name} ({index})"] = _SLOTLESS.get(kind, kind.lower())
        elif root == 0 or index > 0:
            slots = range(dofs.offset - root, dofs.offset - root + size)
            word, unit = _KINDS.get(kind, (kind.lower(), ""))
            entries.append(Joint.at(name, word, q=slots, v=slots, u=slots, unit=unit))
        else:
            slotless[name] = "free"
    n = body.get_num_dofs() - root
    data = b"" if source is None else file_bytes(source)
    return DofMap(entries, nq=n, nv=n, nu=n, source=data, options={"engine": "superdex", "space": space}, slotless=slotless)
