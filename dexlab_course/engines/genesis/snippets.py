"""Model files of a few lines, as text, in which one element of the file format can be looked at: actuators, limits, mimics."""

_WHEEL = (
    '<body name="{name}" pos="0 {y} 0"><joint name="{name}" type="hinge" axis="0 0 1"/>'
    '<inertial pos="0 0 0" mass="1" diaginertia="{i} {i} {i}"/><site name="at_{name}"/></body>'
)
_INERTIAL = '<inertial><mass value="{mass}"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
_JOINT = '<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{link}"/><origin xyz="{xyz}"/><axis xyz="{axis}"/>{more}</joint>'


def wheels_mjcf(names: str, actuators: str, *, inertia: float = 1.0) -> str:
    """MJCF text of wheels that do not feel one another, with actuators as you write them.

    Args:
        names: of the wheels, separated by blanks; each is a body, a hinge about z and, as ``at_<name>``, a site on the axis.
        actuators: what stands between ``<actuator>`` and ``</actuator>``.
        inertia: of each wheel about its axis [kg·m²].
    """
    bodies = "".join(_WHEEL.format(name=name, y=2.0 * k, i=inertia) for k, name in enumerate(names.split()))
    compiler = '<compiler angle="radian" autolimits="true"/>'
    return f"<mujoco>{compiler}<worldbody>{bodies}</worldbody><actuator>{actuators}</actuator></mujoco>"


def urdf_joint(
    name: str, kind: str, more: str = "", *, link: str = "", parent: str = "base", mass: float | None = 1.0, xyz: str = "0 0 0"
) -> str:
    """URDF text of one joint and the link that it moves.

    Args:
        name: of the joint.
        kind: ``revolute`` and ``continuous`` turn about z, ``prismatic`` slides along x, ``fixed`` holds.
        more: further elements of the joint, such as ``<limit lower="-1" upper="2" effort="7" velocity="1"/>``.
        link: name of the moved link; the joint's own where it is not given.
        parent: link in front of the joint.
        mass: of the moved link [kg], which has 0.1 kg·m² about each axis; None leaves it empty.
        xyz: where the joint sits in its parent [m].
    """
    link = link or name
    inertial = "" if mass is None else _INERTIAL.format(mass=mass)
    axis = "1 0 0" if kind == "prismatic" else "0 0 1"
    joint = _JOINT.format(name=name, kind=kind, parent=parent, link=link, xyz=xyz, axis=axis, more=more)
    return f'<link name="{link}">{inertial}</link>{joint}'


def urdf(*joints: str) -> str:
    """URDF text of a robot with an empty base link and the joints made by ``urdf_joint``.

    >>> urdf(urdf_joint("hinge", "revolute")).count("<link")
    2
    """
    return f'<robot name="snippet"><link name="base"/>{"".join(joints)}</robot>'
