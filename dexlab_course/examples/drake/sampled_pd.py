"""When does a decision reach the motors, and what is held in between? A PD-controlled arm in Drake with three clocks.

    python -m dexlab_course.examples.drake.sampled_pd
    python -m dexlab_course.examples.drake.sampled_pd --hold reference
    python -m dexlab_course.examples.drake.sampled_pd --control 0.02 --task 0.01 --seconds 1

Every block is one of Drake's own. The task latches a reference every T, a PID and a saturation turn it into torques, and a second hold
works every H: behind the saturation, where it keeps the torque, or before the PID, where it keeps the reference. The plant steps every h.

    reference -> hold T -> PID -> saturation -> hold H -> arm          --hold force
    reference -> hold T -> hold H -> PID -> saturation -> arm          --hold reference

The arm is the course's, lying flat, at rest at zero; the reference moves it to (0.4, -0.6) rad in one second. The exit status is 0 when
every number that ``MultiRate`` can predict came out as predicted, 1 when one did not.
"""

import dataclasses
import json
import sys
from typing import Any, Literal

import click
import numpy as np

from dexlab_course.arrays import Floats
from dexlab_course.control import MultiRate
from dexlab_course.engines import require
from dexlab_course.errors import InvalidValueError, MissingEngineError, explain, unknown_name
from dexlab_course.paths import ASSETS

Held = Literal["force", "reference"]
HOLDS: tuple[Held, Held] = ("force", "reference")
TARGET = (0.4, -0.6)  # shoulder and elbow at the end [rad]
DURATION = 1.0  # of the reference [s]
KP, KD, LIMIT = (200.0, 100.0), (40.0, 20.0), 20.0  # [N·m/rad], [N·m·s/rad], [N·m]
CHANGED = 1e-9  # a torque that moved by less counts as held [N·m]


@dataclasses.dataclass(frozen=True)
class Clocks:
    """Three periods [s]: of the plant, of the control and of the task.

    Raises:
        InvalidValueError: a period is not a positive number.
    """

    h: float = 0.001
    H: float = 0.005
    T: float = 0.010

    def __post_init__(self) -> None:
        for name, period in dataclasses.asdict(self).items():
            if not (np.isfinite(period) and period > 0):
                message = explain(
                    f"{name} is no period", got=f"{period} s", expected="a positive number of seconds", remedy="give seconds, not hertz"
                )
                raise InvalidValueError(message)


@dataclasses.dataclass(frozen=True, eq=False)
class Run:
    """What happened in each of N steps of the plant.

    Attributes:
        begin: begin of each step [s], shape (N,).
        drive: the drive of each step as Drake reports it [N·m], shape (N, 2).
        q: joint angles after each step [rad], shape (N, 2).
        reference: what the task had decided at the end of each step [rad], shape (N, 2).
        updates: how often the engine says that it stepped the plant.
    """

    begin: Floats
    drive: Floats
    q: Floats
    reference: Floats
    updates: int


@dataclasses.dataclass(frozen=True)
class Measured:
    """One number, or None where nothing happened, and what was predicted for it, if anything."""

    name: str
    unit: str
    value: float | None
    predicted: float | None = None

    @property
    def agrees(self) -> bool:
        """Whether it is as predicted, to a millionth; true where nothing was predicted."""
        if self.predicted is None:
            return True
        return self.value is not None and abs(self.value - self.predicted) <= 1e-6 * max(1.0, abs(self.predicted))


def simulate(clocks: Clocks, hold: Held, seconds: float) -> Run:
    """Build the chain, run it, and read what each step did.

    Args:
        clocks: the three periods.
        hold: what the control's hold keeps, ``"force"`` or ``"reference"``.
        seconds: how long; rounded to whole steps of the plant, at least one.

    Raises:
        MissingEngineError: Drake is not installed here.
        InvalidValueError: ``seconds`` is not a positive number.
        UnknownNameError: another hold.
    """
    require("drake")
    if not (np.isfinite(seconds) and seconds > 0):
        message = explain("the duration cannot be used", got=f"{seconds} s", expected="a positive number", remedy="2 is a good choice")
        raise InvalidValueError(message)
    if hold not in HOLDS:
        raise unknown_name("hold", hold, HOLDS)
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.controllers import PidController
    from pydrake.systems.framework import DiagramBuilder
    from pydrake.systems.primitives import LogVectorOutput, Saturation, TrajectorySource, ZeroOrderHold
    from pydrake.trajectories import PiecewisePolynomial

    from dexlab_course.engines.drake import add_actuators, add_urdf
    from dexlab_course.engines.drake.start import quiet

    quiet()
    model = ASSETS / "two_joint_arm.urdf"
    builder = DiagramBuilder()
    arm = builder.AddSystem(MultibodyPlant(clocks.h))
    add_actuators(arm, add_urdf(arm, model, weld="base"), model)
    arm.mutable_gravity_field().set_gravity_vector([0.0, 0.0, 0.0])
    arm.Finalize()

    rest = np.zeros((2, 1))
    path = PiecewisePolynomial.CubicWithContinuousSecondDerivatives([0.0, DURATION], [[0.0, x] for x in TARGET], rest, rest)
    path.shiftRight(-clocks.T)  # the task asks for where the arm should be at its next tick
    blocks: dict[str, Any] = {
        "reference": TrajectorySource(path, output_derivative_order=1),
        "task": ZeroOrderHold(clocks.T, 4),
        "hold": ZeroOrderHold(clocks.H, 2 if hold == "force" else 4),
        "pid": PidController(kp=list(KP), ki=[0.0, 0.0], kd=list(KD)),
        "saturation": Saturation([-LIMIT] * 2, [LIMIT] * 2),
    }
    for block in blocks.values():
        builder.AddSystem(block)
    inputs = {name: block.get_input_port for name, block in blocks.items() if name in {"task", "hold", "saturation"}}
    inputs |= {"pid": blocks["pid"].get_input_port_desired_state, "arm": arm.get_actuation_input_port}
    order = ["task", "pid", "saturation", "hold", "arm"] if hold == "force" else ["task", "hold", "pid", "saturation", "arm"]
    for source, sink in zip(["reference", *order[:-1]], order, strict=True):
        builder.Connect(blocks[source].get_output_port(), inputs[sink]())
    builder.Connect(arm.get_state_output_port(), blocks["pid"].get_input_port_estimated_state())

    ports = {"drive": arm.get_net_actuation_output_port(), "state": arm.get_state_output_port(), "task": blocks["task"].get_output_port()}
    logs = {name: LogVectorOutput(port, builder, clocks.h) for name, port in ports.items()}
    steps = max(1, round(seconds / clocks.h))
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(steps * clocks.h)
    # A log entry at an instant shows what the step before it left.
    data = {name: log.FindLog(simulator.get_context()).data()[:, 1 : steps + 1].T.copy() for name, log in logs.items()}
    updates = simulator.get_num_unrestricted_updates()  # with sampled ports, the default, a step of the plant is one of these
    begin: Floats = clocks.h * np.arange(steps, dtype=float)
    return Run(begin, data["drive"], data["state"][:, :2], data["task"][:, :2], updates)


def measure(clocks: Clocks, hold: Held, seconds: float) -> list[Measured]:
    """Run the chain and say what came out, beside what ``MultiRate`` predicts where h divides the other periods.

    Arguments and errors as for ``simulate``.
    """
    run = simulate(clocks, hold, seconds)
    driven = np.flatnonzero(np.abs(run.drive).max(axis=1) > CHANGED)
    changes = np.flatnonzero(np.abs(np.diff(run.drive, axis=0)).max(axis=1) > CHANGED)
    first, apart = predict(clocks, hold, len(run.begin))
    return [
        Measured("first step that is driven", "ms", 1e3 * float(run.begin[driven[0]]) if driven.size else None, first),
        Measured("shortest time a drive is kept", "ms", 1e3 * clocks.h * int(np.diff(changes).min()) if changes.size > 1 else None, apart),
        Measured("steps of the plant", "-", run.updates, len(run.begin)),
        Measured("changes of the drive", "-", changes.size),
        Measured("largest drive", "N·m", float(np.abs(run.drive).max())),
        Measured("largest distance from the reference", "rad", float(np.abs(run.q - run.reference).max())),
        Measured("distance from the target at the end", "rad", float(np.abs(run.q[-1] - TARGET).max())),
    ]


def predict(clocks: Clocks, hold: Held, steps: int) -> tuple[float | None, float | None]:
    """The first driven step and the shortest time a drive is kept [ms]; None where counting cannot say.

    It can where h divides H and T, and where at least three decisions arrive within the run.
    """
    try:
        timeline = MultiRate(clocks.h, clocks.H, clocks.T).timeline(steps)
    except InvalidValueError:  # a period that is no multiple of h: the engine runs all the same
        return None, None
    first = np.flatnonzero(timeline.task_update >= 0)
    if not first.size:
        return None, None
    latched = np.unique(timeline.control_update[first])
    kept = clocks.H if hold == "force" else clocks.h
    return 1e3 * float(timeline.time[first[0]]), 1e3 * kept if latched.size > 2 else None


def _line(row: Measured) -> str:
    value, predicted = ("-" if number is None else f"{number:.6g}" for number in (row.value, row.predicted))
    mark = "" if row.predicted is None else ("ok" if row.agrees else "differs")
    return f"{row.name:38s}{value:>12s} {predicted:>12s} {row.unit:4s} {mark}".rstrip()


_SECONDS = click.FloatRange(0.0, min_open=True)


@click.command(context_settings={"show_default": True})
@click.option("--step", "h", type=_SECONDS, default=Clocks.h, help="Period h of the plant [s].")
@click.option("--control", "H", type=_SECONDS, default=Clocks.H, help="Period H of the control's hold [s].")
@click.option("--task", "T", type=_SECONDS, default=Clocks.T, help="Period T of the task [s].")
@click.option("--hold", type=click.Choice(HOLDS), default="force", help="What the control's hold keeps.")
@click.option("--seconds", type=_SECONDS, default=2.0, help="Simulated time [s].")
@click.option("--json", "as_json", is_flag=True, help="Print the full numbers as JSON.")
def main(h: float, H: float, T: float, hold: Held, seconds: float, as_json: bool) -> None:
    """Run a PD-controlled arm with three clocks and print what was measured.

    The exit status is 1 when a number differs from its prediction.
    """
    try:
        rows = measure(Clocks(h, H, T), hold, seconds)
    except InvalidValueError as error:
        raise click.UsageError(str(error)) from error
    except MissingEngineError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps([{**dataclasses.asdict(row), "agrees": row.agrees} for row in rows], indent=1))
    else:
        click.echo(f"plant h = {1e3 * h:g} ms, control H = {1e3 * H:g} ms, task T = {1e3 * T:g} ms, the hold keeps the {hold}\n")
        click.echo(f"{'':38s}{'measured':>12s} {'predicted':>12s}")
        for row in rows:
            click.echo(_line(row))
    sys.exit(0 if all(row.agrees for row in rows) else 1)


if __name__ == "__main__":
    main()
