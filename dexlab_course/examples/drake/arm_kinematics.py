"""Where is the tool of a two-joint arm, and how fast do the joints move it? Drake's answers beside the closed form.

    python -m dexlab_course.examples.drake.arm_kinematics
    python -m dexlab_course.examples.drake.arm_kinematics --elbow 30 --tool 0.7 --near 0 --near 180

The program loads the course's arm, glues a tool frame to the forearm, and prints the pose, the Jacobian row by row, its determinant, and
its singular values near the stretched posture. The exit status is 0 when every number agrees with the closed form, 1 when one does not.
"""

import dataclasses
import json
import sys
from typing import Any

import click
import numpy as np

from dexlab_course.arrays import Floats, finite
from dexlab_course.engines import require
from dexlab_course.errors import InvalidValueError, MissingEngineError, explain
from dexlab_course.kinematics import TwoLinkArm
from dexlab_course.paths import ASSETS

UPPER_ARM = 1.0  # length of the first link of the course's arm [m]
NEAR_STRETCH = (10.0, 1.0, 0.1, 0.0)  # elbow angles of the second table [deg]
TOLERANCE = 1e-9  # how far Drake and the closed form may part [m, rad]


@dataclasses.dataclass(frozen=True)
class Measured:
    """One quantity, from the engine and from the closed form; arrays of one shape."""

    name: str
    unit: str
    drake: Floats
    closed_form: Floats

    @property
    def gap(self) -> float:
        """Largest absolute difference."""
        return float(np.abs(self.drake - self.closed_form).max())

    @property
    def agrees(self) -> bool:
        return self.gap <= TOLERANCE


class DrakeArm:
    """The course's arm in a finalized plant with a tool frame on the forearm's x axis.

    Args:
        tool: distance from the elbow to the tool [m].
    """

    def __init__(self, tool: float) -> None:
        from pydrake.math import RigidTransform
        from pydrake.multibody.plant import MultibodyPlant
        from pydrake.multibody.tree import FixedOffsetFrame

        from dexlab_course.engines.drake import add_urdf

        self.plant = MultibodyPlant(0.0)
        instance = add_urdf(self.plant, ASSETS / "two_joint_arm.urdf", weld="base")
        self.forearm = self.plant.GetFrameByName("forearm", instance)
        self.tool = self.plant.AddFrame(FixedOffsetFrame("tool", self.forearm, RigidTransform([tool, 0.0, 0.0])))
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()

    def positions(self, q: Floats) -> tuple[Floats, Floats]:
        """Origins (3,) [m] of the forearm's frame and of the tool's, in the world."""
        self.plant.SetPositions(self.context, q)
        world = self.plant.world_frame()
        poses = [self.plant.CalcRelativeTransform(self.context, world, frame) for frame in (self.forearm, self.tool)]
        return poses[0].translation(), poses[1].translation()

    def jacobian(self, q: Floats) -> Floats:
        """The tool's Jacobian (6, 2) by v, angular rows first, in the world's axes."""
        from pydrake.multibody.tree import JacobianWrtVariable

        self.plant.SetPositions(self.context, q)
        world = self.plant.world_frame()
        J: Floats = self.plant.CalcJacobianSpatialVelocity(self.context, JacobianWrtVariable.kV, self.tool, [0, 0, 0], world, world)
        return J


def measure(q: Floats, tool: float) -> list[Measured]:
    """Pose, Jacobian and determinant at one posture.

    Args:
        q: (2,) shoulder and elbow [rad].
        tool: distance from the elbow to the tool [m].

    Raises:
        MissingEngineError: Drake is not installed here.
        InvalidValueError: an angle is not finite, or the tool is not at a positive distance.
    """
    arm, closed = _both(q, tool)
    forearm, tip = arm.positions(q)
    J = arm.jacobian(q)
    linear = closed.jacobian(q)
    elbow = UPPER_ARM * np.array([np.cos(q[0]), np.sin(q[0]), 0.0])
    rows = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], linear[0], linear[1], [0.0, 0.0]])  # angular first, as Drake has them
    return [
        Measured("forearm's frame", "m", forearm, elbow),
        Measured("tool", "m", tip, np.array([*closed.fk(q), 0.0])),
        Measured("offset of the tool", "m", np.array([np.linalg.norm(tip - forearm)]), np.array([tool])),
        *(
            Measured(f"Jacobian, {name}", unit, J[k], rows[k])
            for k, (name, unit) in enumerate([*((f"w{axis}", "-") for axis in "xyz"), *((f"v{axis}", "m/rad") for axis in "xyz")])
        ),
        Measured("determinant of vx, vy", "m²", np.array([np.linalg.det(J[3:5])]), np.array([closed.singularity(q)])),
    ]


def near_stretch(shoulder: float, elbows: Floats, tool: float) -> list[Measured]:
    """Singular values [m/rad] of the tool's planar Jacobian at each elbow angle [rad]; arguments and errors as for ``measure``.

    In closed form their product is |det J| and the sum of their squares is the sum of the squares of J's entries.
    """
    arm, closed = _both(np.array([shoulder, *elbows]), tool)
    found = []
    for elbow in elbows:
        q = np.array([shoulder, elbow])
        total = float(np.square(closed.jacobian(q)).sum())
        area = abs(float(closed.singularity(q)))
        # sigma1 ± sigma2 are the roots of total ± 2 area: exact near stretch, where a quadratic formula would cancel.
        plus, minus = np.sqrt(total + 2 * area), np.sqrt(max(total - 2 * area, 0.0))
        larger = (plus + minus) / 2
        values = np.linalg.svd(arm.jacobian(q)[3:5], compute_uv=False)
        found.append(Measured(f"singular values, elbow {np.degrees(elbow):g}°", "m/rad", values, np.array([larger, area / larger])))
    return found


def _both(angles: Floats, tool: float) -> tuple[DrakeArm, TwoLinkArm]:
    require("drake")
    finite("angles", angles, unit="rad")
    if not (np.isfinite(tool) and tool > 0):
        message = explain(
            "the tool must lie beyond the elbow", got=f"{tool} m", expected="a distance above 0 m", remedy="1 is the end of the forearm"
        )
        raise InvalidValueError(message)
    from dexlab_course.engines.drake.start import quiet

    quiet()
    return DrakeArm(tool), TwoLinkArm(l1=UPPER_ARM, l2=tool)


def _line(row: Measured) -> str:
    def shown(values: Floats) -> str:
        return " ".join(f"{value + 0.0:10.6f}" for value in np.round(values, 6))

    mark = "ok" if row.agrees else f"differs by {row.gap:.2g}"
    return f"{row.name:32s} {shown(row.drake):32s} | {shown(row.closed_form):32s} {row.unit:6s} {mark}"


def _as_json(row: Measured) -> dict[str, Any]:
    return {
        "name": row.name,
        "unit": row.unit,
        "drake": row.drake.tolist(),
        "closed_form": row.closed_form.tolist(),
        "agrees": row.agrees,
    }


@click.command(context_settings={"show_default": True})
@click.option("--shoulder", type=float, default=45.0, help="Angle of the first link from the x axis [deg].")
@click.option("--elbow", type=float, default=-90.0, help="Angle of the second link from the first [deg].")
@click.option(
    "--tool",
    type=click.FloatRange(0.0, min_open=True),
    default=1.0,
    help="Distance from the elbow to the tool [m]; 1 is the end of the forearm.",
)
@click.option("--near", type=float, multiple=True, default=NEAR_STRETCH, help="Elbow angle for the singular values [deg]; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print the full numbers as JSON.")
def main(shoulder: float, elbow: float, tool: float, near: tuple[float, ...], as_json: bool) -> None:
    """Measure the two-joint arm in Drake and compare with the closed form.

    The exit status is 1 when a number differs by more than 1e-9.
    """
    try:
        rows = measure(np.radians([shoulder, elbow]), tool)
        rows += near_stretch(float(np.radians(shoulder)), np.radians(near), tool)
    except InvalidValueError as error:
        raise click.UsageError(str(error)) from error
    except MissingEngineError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps([_as_json(row) for row in rows], indent=1))
    else:
        click.echo(f"shoulder {shoulder:g}°, elbow {elbow:g}°, tool {tool:g} m beyond the elbow\n")
        click.echo(f"{'':32s} {'Drake':32s} | {'closed form':32s}")
        for row in rows:
            click.echo(_line(row))
    sys.exit(0 if all(row.agrees for row in rows) else 1)


if __name__ == "__main__":
    main()
