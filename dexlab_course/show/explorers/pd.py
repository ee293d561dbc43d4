"""Chapter 3: the same gains, error and limit under the three laws of the course, side by side."""

import dataclasses
import html
from typing import Any

from dexlab_course.control import JointSpacePd, laws
from dexlab_course.show.plots import COLOURS

# What the sliders do not set: a joint of 1 kg·m², a step of 1 ms, a control period of 10 ms.
INERTIA = 1.0
STEP = 1e-3
PERIOD = 1e-2


@dataclasses.dataclass(frozen=True)
class Effort:
    """What one law asks for and what is left of it after the limit [N·m]."""

    asked: float
    given: float


def three_laws(
    *, kp: float, kd: float, error: float, velocity: float, limit: float, deadband: float = 0.0, target_jump: float = 0.0
) -> dict[str, Effort]:
    """Effort of one revolute joint under three laws, for the same numbers.

    Args:
        kp: stiffness [N·m/rad].
        kd: damping [N·m·s/rad].
        error: target minus position before the step [rad].
        velocity: of the joint before the step [rad/s].
        limit: largest effort [N·m].
        deadband: half width in which the third law sees no error [rad].
        target_jump: how far the target moved in the last control period [rad]; only the third law looks at it.

    Returns:
        By law: ``"at the start"`` (PD at the state before the step), ``"at the end"`` (the same PD at the state after a step of 1 ms of
        a joint of 1 kg·m², as an implicit solver finds it), ``"differenced target"`` (deadband, and a target velocity from two targets
        10 ms apart).

    >>> three_laws(kp=20, kd=2, error=0.4, velocity=0.5, limit=3)["at the start"]
    Effort(asked=7.0, given=3.0)
    """
    start = float(laws.pd(0.0, velocity, error, 0.0, kp, kd))
    # u = start - (kp h² + kd h)/I · u, solved for u; when the limit acts, the limit is the solution.
    end = (start - kp * STEP * velocity) / (1.0 + (kp * STEP**2 + kd * STEP) / INERTIA)
    controller = JointSpacePd([kp], [kd], deadband=[deadband])
    controller.compute([0.0], [0.0], [error - target_jump], PERIOD)
    differenced = float(controller.compute([0.0], [velocity], [error], PERIOD)[0])
    asked = {"at the start": start, "at the end": end, "differenced target": differenced}
    return {name: Effort(round(u, 12), float(laws.saturate(u, limit))) for name, u in asked.items()}


_WHERE = {
    "at the start": "external controllers, Genesis' reading",
    "at the end": "Drake's built-in PD",
    "differenced target": "SuperDex' joint-space PD",
}
_BAR = {"at the start": COLOURS["genesis"], "at the end": COLOURS["drake"], "differenced target": COLOURS["superdex"]}


def as_html(efforts: dict[str, Effort], limit: float) -> str:
    """The efforts as a table with a bar each: filled is given, outlined is asked for."""
    reach = max(1e-9, 1.25 * limit, *(abs(effort.asked) for effort in efforts.values()))
    rows = "".join(_row(name, effort, limit, reach) for name, effort in efforts.items())
    head = "".join(f'<th style="text-align:left;padding:2px 12px 2px 0">{text}</th>' for text in ("law", "asked [N·m]", "given [N·m]", ""))
    return f'<table style="border-collapse:collapse;font-size:14px"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _row(name: str, effort: Effort, limit: float, reach: float) -> str:
    cell = 'style="padding:2px 12px 2px 0;text-align:left;font-variant-numeric:tabular-nums"'
    key = name.replace(" ", "-")
    return (
        f"<tr><td {cell}><b>{html.escape(name)}</b><br><small>{html.escape(_WHERE[name])}</small></td>"
        f'<td {cell} class="dexlab-asked-{key}">{effort.asked:.3f}</td>'
        f'<td {cell} class="dexlab-given-{key}"><b>{effort.given:.3f}</b></td>'
        f"<td>{_bar(effort, limit, reach, _BAR[name])}</td></tr>"
    )


def _bar(effort: Effort, limit: float, reach: float, colour: str) -> str:
    """A small drawing: zero in the middle, dotted lines at the limit."""
    width, height, middle = 360, 26, 180

    def x(value: float) -> float:
        return middle + value / reach * (middle - 4)

    def box(value: float, style: str) -> str:
        left, right = sorted((x(0.0), x(value)))
        return f'<rect x="{left:.1f}" y="5" width="{right - left:.1f}" height="16" {style}/>'

    bounds = "".join(
        f'<line x1="{x(s * limit):.1f}" x2="{x(s * limit):.1f}" y1="0" y2="{height}" stroke="currentColor" stroke-dasharray="2 3"/>'
        for s in (-1, 1)
    )
    label = f"asked {effort.asked:.3f}, given {effort.given:.3f} newton metres"
    return (
        f'<svg width="{width}" height="{height}" role="img" aria-label="{label}">{bounds}'
        f'<line x1="{middle}" x2="{middle}" y1="0" y2="{height}" stroke="currentColor"/>'
        f"{box(effort.asked, f'fill="none" stroke="{colour}"')}{box(effort.given, f'fill="{colour}"')}</svg>"
    )


# name -> (label with unit, lowest, highest, step, first value). Gains span decades: their sliders run over the exponent of ten,
# and start on its grid, because the browser snaps to it.
LOG_SLIDERS = {
    "kp": ("kp [N·m/rad]", 0.0, 6.0, 0.05, 10.0),
    "kd": ("kd [N·m·s/rad]", -1.0, 3.5, 0.05, 1.0),
}
SLIDERS = {
    "error": ("error [rad]", -1.0, 1.0, 0.01, 0.4),
    "velocity": ("velocity [rad/s]", -3.0, 3.0, 0.05, 0.5),
    "limit": ("limit [N·m]", 0.0, 50.0, 0.5, 10.0),
    "deadband": ("deadband [rad]", 0.0, 0.5, 0.01, 0.0),
    "target_jump": ("target jump [rad]", -0.2, 0.2, 0.005, 0.0),
}


def pd_explorer() -> Any:
    """Sliders for gains, error, velocity and limit; the table below follows them. Works with the mouse and with the arrow keys."""
    import ipywidgets

    look = {"layout": ipywidgets.Layout(width="430px"), "style": {"description_width": "130px"}}
    sliders = {
        name: kind(description=text, min=low, max=high, step=step, value=value, **look)
        for kind, table in ((ipywidgets.FloatLogSlider, LOG_SLIDERS), (ipywidgets.FloatSlider, SLIDERS))
        for name, (text, low, high, step, value) in table.items()
    }
    efforts = ipywidgets.HTML()

    def refresh(_: object = None) -> None:
        values = {name: slider.value for name, slider in sliders.items()}
        efforts.value = as_html(three_laws(**values), values["limit"])

    for slider in sliders.values():
        slider.observe(refresh, names="value")
    refresh()
    left = ipywidgets.VBox([sliders[name] for name in ("kp", "kd", "error", "velocity", "limit")])
    right = ipywidgets.VBox([sliders[name] for name in ("deadband", "target_jump")])
    return ipywidgets.VBox([ipywidgets.HBox([left, right]), efforts])
