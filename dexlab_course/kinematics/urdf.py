"""Read one chain of joints out of a URDF file, or say exactly why it cannot be done."""

import math
import pathlib
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np

from dexlab_course.errors import ModelFileError, explain, unknown_name
from dexlab_course.kinematics.joints import ChainJoint

_MOVING = ("revolute", "continuous", "prismatic")


def read_chain(path: str | pathlib.Path, base: str, tip: str) -> tuple[list[ChainJoint], Any]:
    """The moving joints from link ``base`` to link ``tip``, and the pose of the tip after the last of them.

    Fixed joints are folded into their neighbours. Meshes, masses and links beside the path are not looked at.

    Returns:
        The joints in order, and ``X_end`` (4, 4): the tip link in the frame that the last joint moves.

    Raises:
        ModelFileError: the file is missing or no URDF; the tip does not hang below the base; or a joint on the path is a mimic joint,
            of a kind that one number cannot move (floating, planar), or has no usable axis or limits.
        UnknownNameError: a link that the file does not have; the message lists those it has.
    """
    robot = _parse(pathlib.Path(path))
    links = [link.name for link in robot.links]
    for link in (base, tip):
        if link not in links:
            raise unknown_name("link", link, links)
    joints: list[ChainJoint] = []
    X = np.eye(4)
    for joint in _path(robot, base, tip, path):
        X = X @ _origin(joint, path)
        if joint.type == "fixed":
            continue
        joints.append(_moving(joint, X, path))
        X = np.eye(4)
    return joints, X


def _refuse(what: str, *, got: object, expected: object, remedy: str) -> ModelFileError:
    return ModelFileError(explain(what, got=got, expected=expected, remedy=remedy))


def _parse(path: pathlib.Path) -> Any:
    try:
        text = path.read_bytes()
    except OSError as error:
        reason = error.strerror or "not readable"
        raise _refuse(
            f"cannot read {path.name}",
            got=f"{path} ({reason})",
            expected="a URDF file",
            remedy="check the path, and the folder it starts from",
        ) from error
    # The parser below repairs broken XML and carries on with half a robot, so well-formedness is settled first.
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        if b"xacro:" in text:
            remedy = "expand it first: xacro model.urdf.xacro > model.urdf"
        else:
            remedy = "open the file at that line; a tag is not closed or a quote is missing"
        raise _refuse(f"{path.name} is not well-formed XML", got=str(error), expected="a URDF file", remedy=remedy) from error
    if root.tag != "robot":
        raise _refuse(
            f"{path.name} is not a URDF",
            got=f"root element <{root.tag}>",
            expected="<robot>",
            remedy="SDF and MJCF files are read by their engines; export a URDF for this chain",
        )
    if any("xacro" in element.tag for element in root.iter()):
        raise _refuse(
            f"{path.name} still holds xacro macros",
            got="xacro elements",
            expected="plain URDF",
            remedy="expand it first: xacro model.urdf.xacro > model.urdf",
        )
    import yourdfpy  # takes two seconds, so only those who read a file pay

    try:
        return yourdfpy.URDF.load(str(path), build_scene_graph=False, load_meshes=False).robot
    except Exception as error:  # the parser answers a missing attribute with KeyError, AttributeError or ValueError alike
        raise _refuse(
            f"{path.name} cannot be read as URDF",
            got=f"{type(error).__name__}: {error}",
            expected="links and joints with all required attributes",
            remedy="every joint needs a name, a type, a parent and a child link",
        ) from error


def _path(robot: Any, base: str, tip: str, path: str | pathlib.Path) -> list[Any]:
    """The joints from base to tip. A URDF is a tree, so there is one way up from the tip."""
    above: dict[str, Any] = {}
    for joint in robot.joints:
        if joint.child in above:
            raise _refuse(
                f"link {joint.child} has two parents",
                got=f"joints {above[joint.child].name} and {joint.name}",
                expected="a tree: one joint above each link",
                remedy="cut the loop in the file",
            )
        above[joint.child] = joint
    up = _climb(above, tip)
    links = [tip, *(joint.parent for joint in up)]
    if base not in links:
        if tip in [base, *(joint.parent for joint in _climb(above, base))]:
            remedy = f"swap them: base={tip!r}, tip={base!r}"
        else:
            remedy = f"they lie on two branches; use a base that both share, such as {links[-1]!r}"
        raise _refuse(
            f"{pathlib.Path(path).name}: {tip} does not hang below {base}",
            got=f"above {tip} are [{', '.join(links[1:])}]",
            expected=f"{base} among them",
            remedy=remedy,
        )
    return up[: links.index(base)][::-1]


def _climb(above: dict[str, Any], link: str) -> list[Any]:
    joints: list[Any] = []
    while link in above:
        joints.append(above[link])
        link = above[link].parent
        if len(joints) > len(above):
            raise _refuse(
                f"the joints above {link} go round in a circle",
                got=" <- ".join(joint.name for joint in joints[:5]),
                expected="a tree with one root",
                remedy="cut the loop in the file",
            )
    return joints


def _origin(joint: Any, path: str | pathlib.Path) -> Any:
    X = np.eye(4) if joint.origin is None else np.asarray(joint.origin, dtype=float)
    if X.shape != (4, 4) or not np.isfinite(X).all():
        raise _refuse(
            f"{pathlib.Path(path).name}: joint {joint.name} has no usable origin",
            got="numbers that are missing or not finite",
            expected='xyz="x y z" rpy="r p y"',
            remedy="correct its <origin>",
        )
    return X


def _moving(joint: Any, X_PJ: Any, path: str | pathlib.Path) -> ChainJoint:
    where = f"{pathlib.Path(path).name}: joint {joint.name}"
    if joint.mimic is not None:
        raise _refuse(
            f"{where} is a mimic joint",
            got=f"it follows {joint.mimic.joint}",
            expected="joints that move on their own",
            remedy="end the chain before it, or make it a fixed or a free joint in the file",
        )
    if joint.type not in _MOVING:
        raise _refuse(
            f"{where} cannot be part of a chain",
            got=f"type {joint.type}",
            expected=f"one of {', '.join(_MOVING)}, fixed",
            remedy="start the chain below it; the map N(q) of a floating base is in frames",
        )
    axis = np.asarray(joint.axis, dtype=float)
    if axis.shape != (3,) or not np.isfinite(axis).all() or np.linalg.norm(axis) < 1e-9:
        raise _refuse(f"{where} has no usable axis", got=axis, expected="three numbers, not all zero", remedy='write <axis xyz="0 0 1"/>')
    lower, upper = -math.inf, math.inf
    limit = joint.limit
    if joint.type != "continuous":
        if limit is None or limit.lower is None or limit.upper is None:
            raise _refuse(
                f"{where} has no limits",
                got="no lower and upper",
                expected=f"both, a {joint.type} joint is bounded",
                remedy="add <limit lower= upper= effort= velocity=>, or make a turning joint continuous",
            )
        lower, upper = float(limit.lower), float(limit.upper)
        if not lower <= upper:
            raise _refuse(
                f"{where} has unusable limits", got=f"[{lower}, {upper}]", expected="lower <= upper", remedy="swap or correct them"
            )
    return ChainJoint(
        name=joint.name,
        kind=joint.type,
        X_PJ=X_PJ,
        axis=axis,
        lower=lower,
        upper=upper,
        velocity=_or_infinite(limit, "velocity"),
        effort=_or_infinite(limit, "effort"),
    )


def _or_infinite(limit: Any, name: str) -> float:
    value = getattr(limit, name, None)
    return math.inf if value is None else abs(float(value))
