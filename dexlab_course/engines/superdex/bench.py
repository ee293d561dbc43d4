"""Test benches for SuperDex: the smallest bots in which one effect shows, all of them on a base that does not move."""

import os
import pathlib
import tempfile
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dexlab_course.arrays import Floats
from dexlab_course.engines.superdex.load import add_prefab
from dexlab_course.errors import ModelFileError, explain
from dexlab_course.paths import ASSETS

if TYPE_CHECKING:
    from superdex.physics import Scene
    from superdex.robotics import Bot, BotPrefab, RoboticsContext

# SuperDex gives mass only to links with a mesh file; what the mesh looks like does not matter while nothing can touch it.
_MESH = ASSETS / "meshes" / "link.obj"


def add_slider(scene: "Scene", context: "RoboticsContext", *, mass: float = 1.0) -> "Bot":
    """A block on a rail along x; one slot [m], one command [N]. ``mass`` of the block [kg]."""
    return add_prefab(scene, context, _one_joint("PRISMATIC", axis=(1, 0, 0), mass=mass))


def add_rotor(scene: "Scene", context: "RoboticsContext", *, inertia: float = 1.0) -> "Bot":
    """A wheel on an axis along z, without stops; one slot [rad], one command [N·m]. ``inertia`` about every axis [kg·m²]."""
    return add_prefab(scene, context, _one_joint("REVOLUTE", axis=(0, 0, 1), inertia=inertia))


def add_ball(scene: "Scene", context: "RoboticsContext") -> "Bot":
    """A body on a ball joint; three slots, a rotation vector [rad], and three commands [N·m]."""
    return add_prefab(scene, context, _one_joint("SPHERICAL"))


def add_lever(scene: "Scene", context: "RoboticsContext", *, reach: float = 0.1, effort_limit: float = 2.0) -> "Bot":
    """A lever about y with a 40 mm cube at its end, which touches other bodies; a positive angle lowers it.

    Args:
        scene, context: where the bot goes, and the robotics context.
        reach: distance of the cube's centre from the axis [m].
        effort_limit: what the model says about its drive [N·m].
    """
    size = 0.04
    stretch = (size / 0.96, size / 0.06, size / 0.06)  # the mesh is a bar of 0.96 m by 60 mm by 60 mm that begins at x = 0.02 m
    body = {
        "center_of_mass": [reach, 0.0, 0.0],
        "shape_scale": list(stretch),
        "shape_translation": [reach - size / 2 - 0.02 * stretch[0], 0.0, 0.0],
    }
    prefab = _one_joint("REVOLUTE", axis=(0, 1, 0), mass=0.5, inertia=1e-3, effort_limit=effort_limit, touches=True, **body)
    return add_prefab(scene, context, prefab)


def edited_urdf(path: str | os.PathLike[str], edits: Mapping[str, str]) -> "BotPrefab":
    """The prefab of a URDF after textual changes; the file itself stays as it is.

    Args:
        path: the URDF; mesh files beside it are still found.
        edits: old text -> new text. Every old text must occur.

    Raises:
        ModelFileError: a text to be changed does not occur.
    """
    import superdex.robotics as robotics

    path = pathlib.Path(path)
    text = path.read_text(encoding="utf-8")
    for old, new in edits.items():
        if old not in text:
            message = explain(
                f"{path.name} does not contain the text to be changed",
                got=repr(old),
                expected="a piece of the file, letter by letter",
                remedy="copy it from the file",
            )
            raise ModelFileError(message)
        text = text.replace(old, new)
    text = text.replace('filename="meshes/', f'filename="{path.resolve().parent.as_posix()}/meshes/')
    with tempfile.TemporaryDirectory(prefix="dexlab-urdf-") as folder:
        variant = pathlib.Path(folder, path.name)
        variant.write_text(text, encoding="utf-8")
        return robotics.load_bot_prefab_from_urdf_file(str(variant))


def tetrahedron() -> Any:
    """A shape handle made in code, with corners at the origin and 1 m along each axis."""
    import superdex.physics as physics

    corners, sides = np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype=np.int32)
    return physics.create_tri_mesh_shape(corners.ravel(), sides.ravel())


def osc_efforts(bot: "Bot", base: str, tip: str, place: Sequence[float], *, within_limits: bool) -> Floats:
    """What SuperDex' operational-space PD answers when it shall pull a link to a place, at rest in the present pose.

    Args:
        bot: its links are named without the bot's name.
        base, tip: the chain that is driven, the joint above ``base`` included. Below a floating root ``base`` must not be the root.
        place: of the tip's frame, seen from the bot's root [m]; 100 N/m and 10 N·m/rad pull, nothing damps.
        within_limits: scale all efforts by one factor until none exceeds the effort limit of the model.

    Returns:
        Efforts of all slots in actor space, shape (n,) [N·m or N].
    """
    import superdex.physics as physics
    import superdex.robotics as robotics

    name = bot.get_bot_prefab().name
    osc = bot.create_controller("BASIC_OSC_PD")
    osc.initialize(f"{name}/{base}", f"{name}/{tip}")
    params = robotics.ControllerBasicOscPdParams(
        kp_p=100.0,
        kp_r=10.0,
        kd_p=0.0,
        kd_r=0.0,
        b_apply_max_error_magnitude_normalization=False,
        b_apply_max_osc_torque_normalization=within_limits,
    )
    osc.set_params(params)
    goal = robotics.ControllerBasicOscPdTarget(root_from_target_ee=physics.TransformRT(translation=list(place)))
    return np.array(osc.compute_output(osc.get_current_observations_from_mochi(), goal), dtype=float)


def set_joint_gains(controller: Any, kp: Floats) -> None:
    """Give a ``BASIC_JSC_PD`` the stiffness ``kp`` of every slot [N·m/rad or N/m], equal damping, and neither saturation nor deadband."""
    import superdex.robotics as robotics

    controller.set_params(robotics.ControllerBasicJscPdParams(kp=kp, kd=kp, saturation=-np.ones_like(kp), deadband=np.zeros_like(kp)))


def ask_joint_pd(controller: Any, *, target_pose: Floats) -> Floats:
    """Efforts of a ``BASIC_JSC_PD`` for a target, in the present state of its bot, shape (n,) [N·m or N]."""
    import superdex.robotics as robotics

    target = robotics.ControllerBasicJscPdTarget(target_pose=target_pose)
    return np.array(controller.compute_output(controller.get_current_observations_from_mochi(), target), dtype=float)


def ask_pose_controller(controller: Any, *, pose_dofs: Floats) -> None:
    """Give a pose controller, made by ``add_pose_controller``, its target; it acts in the steps that follow."""
    import superdex.robotics as robotics

    target = robotics.ControllerMochiArticulatedPoseTarget()
    target.pose_dofs = pose_dofs
    controller.compute_output(robotics.ControllerMochiArticulatedPoseObsv(), target)


def add_pose_controller(bot: "Bot", *, stiffness: float, damping: float) -> Any:
    """SuperDex' pose controller, which acts inside the physics step, ready for ``compute_output``.

    Args:
        bot: has none yet.
        stiffness: of every joint [N·m/rad or N/m].
        damping: of every joint [N·m·s/rad or N·s/m].
    """
    import superdex.physics as physics
    import superdex.robotics as robotics

    tracking, params = physics.PoseControllerParams(), robotics.ControllerMochiArticulatedPoseParams()
    tracking.joint_tracking = [physics.PoseTrackingParams(stiffness=stiffness, damping=damping)]
    params.pose_controller_params = tracking
    controller = bot.create_controller("MOCHI_ARTICULATED_POSE")
    controller.set_params(params)
    controller.initialize(True)
    return controller


def _one_joint(
    kind: str,
    *,
    axis: Sequence[float] = (),
    mass: float = 1.0,
    inertia: float = 1.0,
    effort_limit: float = -1.0,
    touches: bool = False,
    **body: Any,
) -> "BotPrefab":
    """A welded base and one body on one joint of that kind."""
    import superdex.physics as physics
    import superdex.robotics as robotics

    kinds = physics.ArticulatedJointType
    joint = robotics.BotJointPrefab(name="joint", type=getattr(kinds, kind), effort_limit=effort_limit)
    if axis:
        joint.axis = list(axis)
    body = {"center_of_mass": [0.0, 0.0, 0.0], **body}
    if not touches:
        body["collider_type"] = physics.ColliderType.NONE
    prefab = robotics.BotPrefab(name="bench")
    prefab.joints = [robotics.BotJointPrefab(name="root", type=kinds.HARD), joint]
    prefab.links = [
        robotics.BotLinkPrefab(name="base", parent_link=-1),
        robotics.BotLinkPrefab(
            name="body",
            parent_link=0,
            mass=mass,
            moment_of_inertia=[inertia, 0.0, 0.0, inertia, 0.0, inertia],
            shape_file=str(_MESH),
            **body,
        ),
    ]
    prefab.default_pose = [0.0] * (3 if kind == "SPHERICAL" else 1)  # a prefab made in code does not size it by itself
    return prefab
