"""Chapter 1: pick a robot and a joint, and see its slots in q, v and u of each engine. Works from recorded maps, without any engine."""

import html
from typing import Any

from dexlab_course.dof import DofMap, Joint
from dexlab_course.show.explorers.recorded import VARIANTS, counterpart, recorded_maps
from dexlab_course.show.plots import COLOURS

# Which of an engine's names stands for a joint in the list: the first variant that has it.
_SPACES = {"q": "positions", "v": "velocities", "u": "commands"}


def joints_of(robot: str) -> list[str]:
    """Names of all joints of a robot, in the order of the first engine that has them; a free base is listed once.

    >>> joints_of("two_joint_arm")
    ['shoulder', 'elbow']
    """
    names: dict[str, None] = {}
    for layout in recorded_maps()[robot].values():
        for joint in layout:
            if joint.name not in names and not any(_same(joint, robot, name) for name in names):
                names[joint.name] = None
    return list(names)


def _same(joint: Joint, robot: str, name: str) -> bool:
    """Whether ``name`` already stands for this joint: importers call a free base differently."""
    known = find(robot, name)
    return joint.kind == "free" and known is not None and known.kind == "free"


def find(robot: str, name: str) -> Joint | None:
    """The joint of that name in the first map that has it."""
    return next((layout[name] for layout in recorded_maps()[robot].values() if name in layout), None)


def slots(robot: str, name: str) -> dict[str, dict[str, list[int]]]:
    """By variant, the slots of the joint in each space; an empty list where it owns none.

    Raises:
        UnknownNameError: the robot has no such joint.

    >>> slots("two_joint_arm", "elbow")["drake"]
    {'q': [1], 'v': [1], 'u': [1]}
    """
    joint = find(robot, name)
    if joint is None:
        from dexlab_course.errors import unknown_name

        raise unknown_name("joint", name, joints_of(robot))
    found = {}
    for variant, layout in recorded_maps()[robot].items():
        here = counterpart(joint, layout)
        found[variant] = {space: getattr(here, space).tolist() if here is not None else [] for space in _SPACES}
    return found


def as_html(robot: str, name: str) -> str:
    """The three vectors of each engine as rows of boxes; the joint's own boxes are filled and numbered."""
    chosen = slots(robot, name)
    blocks = "".join(_block(variant, layout, chosen[variant], robot, name) for variant, layout in recorded_maps()[robot].items())
    names = " ".join(f"<b>{html.escape(one)}</b>" if one == name else html.escape(one) for one in joints_of(robot))
    return f'<div style="font-size:14px"><div style="max-width:44em">{names}</div>{blocks}</div>'


def _block(variant: str, layout: DofMap, own: dict[str, list[int]], robot: str, name: str) -> str:
    colour = COLOURS[variant.split("_")[0]]
    rows = "".join(_row(variant, space, layout.size(space), own[space], colour) for space in ("q", "v", "u"))
    note = "" if any(own.values()) else f" <i>{html.escape(_absent(layout, robot, name))}</i>"
    return f'<div style="margin:6px 0 10px"><b style="color:{colour}">{html.escape(VARIANTS[variant])}</b>{note}{rows}</div>'


def _absent(layout: DofMap, robot: str, name: str) -> str:
    kind = layout.slotless.get(name)
    joint = find(robot, name)
    if kind is None and joint is not None and joint.kind == "free" and "free" in layout.slotless.values():
        kind = "free"  # known here under another name
    return f"here a {kind} joint: it owns no slot" if kind else "this joint does not exist here"


def _row(variant: str, space: str, size: int, own: list[int], colour: str) -> str:
    """One vector as an inline drawing, with words for those who cannot see it."""
    width, height = 22, 20
    boxes = ""
    for index in range(size):
        mine = index in own
        fill, ink = (colour, "#fff") if mine else ("none", "currentColor")
        weight = "bold" if mine else "normal"
        boxes += (
            f'<rect x="{index * width + 1}" y="1" width="{width - 3}" height="{height - 3}" fill="{fill}" stroke="{colour}"/>'
            f'<text x="{index * width + width / 2 - 0.5}" y="14" font-size="10" text-anchor="middle" fill="{ink}" font-weight="{weight}">{index}</text>'
        )
    listed = ", ".join(map(str, own)) or "none"
    label = f"{_SPACES[space]}: slot {listed} of {size}"
    return (
        f'<div style="display:flex;align-items:center;gap:8px"><code style="width:1.2em">{space}</code>'
        f'<svg class="dexlab-{variant}-{space}" data-slots="{listed}" role="img" aria-label="{label}" '
        f'width="{max(size, 1) * width}" height="{height}">{boxes}</svg></div>'
    )


def slots_explorer() -> Any:
    """A list of robots and a slider over the joints; the slots below follow.

    The joints are a slider and no list because JupyterLab takes the up and down keys of a list for itself; left and right reach a slider.
    """
    import ipywidgets

    robots = list(recorded_maps())
    robot = ipywidgets.Dropdown(options=robots, value="mixed_joints", description="robot", layout=ipywidgets.Layout(width="300px"))
    joint = ipywidgets.SelectionSlider(options=joints_of(robot.value), description="joint", layout=ipywidgets.Layout(width="420px"))
    view = ipywidgets.HTML()

    def show_joint(_: object = None) -> None:
        if joint.value is not None:
            view.value = as_html(robot.value, joint.value)

    def change_robot(_: object) -> None:
        joint.options = joints_of(robot.value)

    robot.observe(change_robot, names="value")
    joint.observe(show_joint, names="value")
    show_joint()
    return ipywidgets.VBox([ipywidgets.HBox([robot, joint]), view])
