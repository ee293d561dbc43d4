"""A task machine that grasps: approach, close, hold and lift, release; all six phases decided by what is measured in Drake.

    python -m dexlab_course.examples.drake.task_sequencer
    python -m dexlab_course.examples.drake.task_sequencer --friction 0.1 --replay grasp.html

The program prints each phase with its simulation time and reason, and then what really happened to the box. The two are different
questions: with a friction of 0.1 the machine ends in DONE, and the box was lifted by half of what was wanted.
"""

import math
import pathlib
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from dexlab_course.engines import require
from dexlab_course.errors import MissingEngineError

if TYPE_CHECKING:
    from dexlab_course.engines.drake.gripper import Contact


class Grip(NamedTuple):
    """How a finger presses: stiffness [N/m], damping [N·s/m], limit [N], and the width reference in Close and Hold [m]."""

    stiffness: float
    damping: float
    effort: float
    closed_width: float


GRIPS = {
    "normal": Grip(600.0, 20.0, 10.0, 0.03),
    "strong": Grip(3000.0, 60.0, 60.0, 0.03),
    "weak": Grip(300.0, 20.0, 10.0, 0.045),
}


def measure(
    *,
    box: bool = True,
    friction: float = 0.8,
    grip: str = "normal",
    mass: float = 0.1,
    contact: "Contact" = "spheres",
    linger: float = 0.5,
    replay: pathlib.Path | None = None,
) -> dict[str, Any]:
    """Run the loop once and say what came of it.

    Args:
        box: whether there is something to grasp.
        friction: of pads and box [-].
        grip: a key of ``GRIPS``.
        mass: of the box [kg].
        contact: see ``gripper.add_gripper``.
        linger: how long to go on after Done or Fault [s].
        replay: write a film of the run to this HTML file; it needs nothing but a browser.

    Returns:
        ``phases``: list of (name, time [s], reason); ``outcome``: numbers by name, with units in the names; None where there is none.
    """
    from pydrake.geometry import Meshcat

    from dexlab_course.engines.drake.grasp import GraspLoop, GraspOptions
    from dexlab_course.engines.drake.start import quiet
    from dexlab_course.task import Phase, Thresholds

    fingers = GRIPS[grip]
    options = GraspOptions(
        box=box,
        friction=friction,
        box_mass=mass,
        contact=contact,
        finger_gains=(fingers.stiffness, fingers.damping),
        finger_effort=fingers.effort,
        thresholds=Thresholds(closed_width=fingers.closed_width),
    )
    meshcat = None
    if replay is not None:
        quiet()  # Drake announces the address of the viewer, which nobody needs here
        meshcat = Meshcat()
        meshcat.SetCameraPose(camera_in_world=[0.45, 0.2, 0.2], target_in_world=[0.0, 0.0, 0.07])
        for path in ("/Grid", "/Axes"):
            meshcat.SetProperty(path, "visible", False)
        meshcat.StartRecording(set_visualizations_while_recording=False)
    run = GraspLoop(options, meshcat=meshcat).run(linger=linger)
    if replay is not None and meshcat is not None:
        meshcat.PublishRecording()
        replay.write_text(meshcat.StaticHtml(), encoding="utf-8")
    held, force = run.during(Phase.HOLD), run.observation["normal_force"]

    def in_hold(values: Any, what: Any) -> float | None:
        return float(what(values[held])) if box and held.any() else None

    outcome = {
        "lifted by [mm]": float(np.max(run.box_height) - run.box_height[0]) * 1e3 if box else None,
        "wanted [mm]": options.lift_height * 1e3,
        "largest pressing force [N]": float(force.max()),
        "median pressing force in HOLD [N]": in_hold(force, np.median),
        "largest slip in HOLD, palm frame [mm/s]": in_hold(run.observation["slip_speed"] * 1e3, np.max),
        "largest speed in HOLD, world [mm/s]": in_hold(run.box_speed * 1e3, np.max),
        "finger drive at the end [N]": float(run.drive["left"][-1]),
    }
    return {"phases": [(entry.phase.name, entry.time, entry.reason.name) for entry in run.transitions], "outcome": outcome}


@click.command(context_settings={"show_default": True})
@click.option("--no-box", is_flag=True, help="Nothing to grasp: Close waits for a force that never comes.")
@click.option(
    "--friction", type=click.FloatRange(0.0), default=0.8, help="Of pads and box [-]. At 0.06 the box slips away, at 0.1 half way."
)
@click.option(
    "--grip",
    type=click.Choice(list(GRIPS)),
    default="normal",
    help="normal presses with 6 N; strong with 30 N, above the limit of 20 N; weak never reaches the 2 N that Close wants.",
)
@click.option("--mass", type=click.FloatRange(0.0, min_open=True), default=0.1, help="Of the box [kg].")
@click.option(
    "--contact",
    type=click.Choice(["spheres", "pads", "hydroelastic"]),
    default="spheres",
    help="How a pad touches: four points, one point, or a compliant body.",
)
@click.option(
    "--replay", type=click.Path(dir_okay=False, writable=True, path_type=pathlib.Path), help="Write a film of the run to this HTML file."
)
def main(no_box: bool, friction: float, grip: str, mass: float, contact: "Contact", replay: pathlib.Path | None) -> None:
    """Let a two-finger gripper grasp a box, and print the phases of the task and what really happened."""
    for option, value in (("--friction", friction), ("--mass", mass)):
        if not math.isfinite(value):
            raise click.BadParameter(f"{value} is no finite number", param_hint=option)
    if replay is not None and not replay.resolve().parent.is_dir():
        raise click.BadParameter(f"there is no folder {replay.parent}", param_hint="--replay")
    try:
        require("drake")
    except MissingEngineError as error:
        raise click.ClickException(str(error)) from error
    result = measure(box=not no_box, friction=friction, grip=grip, mass=mass, contact=contact, replay=replay)
    click.echo(f"{'phase':<10} {'at [s]':>6}  reason")
    for phase, time, reason in result["phases"]:
        click.echo(f"{phase:<10} {time:6.2f}  {reason}")
    click.echo("")
    for what, value in result["outcome"].items():
        click.echo(f"{what:<42} {'-' if value is None else f'{value:z.3f}':>8}")


if __name__ == "__main__":
    main()
