"""Whatever the order of the actuators: a command built by name pushes the named joints and nothing else.

``test_models.py`` shows it for the models as their files order them; here the order is drawn too, with two robots in one plant, and the
effort that arrived is read back as mass matrix times acceleration.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dexlab_course.engines import installed
from dexlab_course.paths import ASSETS

pytestmark = pytest.mark.skipif(not installed("drake"), reason="drake not installed")

SEVEN = [f"joint_{k}" for k in range(1, 8)]
MOTORS = [*SEVEN, "shoulder", "elbow"]


def build(order: list[str], rpy: bool) -> Any:
    """floating_seven and the arm in one plant, without gravity, with actuators in this order."""
    from pydrake.multibody.plant import BaseBodyJointType, MultibodyPlant

    from dexlab_course.engines.drake import add_urdf

    plant = MultibodyPlant(0.0)
    robots = {"seven": add_urdf(plant, ASSETS / "floating_seven.urdf"), "arm": add_urdf(plant, ASSETS / "two_joint_arm.urdf", weld="base")}
    if rpy:
        plant.SetBaseBodyJointType(BaseBodyJointType.kRpyFloatingJoint, robots["seven"])
    for name in order:
        plant.AddJointActuator(f"{name}_motor", plant.GetJointByName(name))
    plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, 0.0])
    plant.Finalize()
    return plant, robots


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    order=st.permutations(MOTORS),
    rpy=st.booleans(),
    command=st.dictionaries(st.sampled_from(MOTORS), st.floats(-20.0, 20.0), min_size=1),
    angles=st.lists(st.floats(-1.5, 1.5), min_size=9, max_size=9),
)
def test_exactly_the_named_joints_are_pushed(order: list[str], rpy: bool, command: dict[str, float], angles: list[float]) -> None:
    from dexlab_course.engines.drake import dof_map

    plant, robots = build(order, rpy)
    layout, context = dof_map(plant), plant.CreateDefaultContext()
    assert layout.owners("u") == tuple(order)
    plant.SetPositions(context, layout.scatter(plant.GetPositions(context), MOTORS, angles))
    u = layout.scatter(np.zeros(layout.nu), list(command), list(command.values()), "u")
    plant.get_actuation_input_port().FixValue(context, u)
    arrived = plant.CalcMassMatrix(context) @ plant.get_generalized_acceleration_output_port().Eval(context)
    wanted = np.zeros(layout.nv)
    for name, value in command.items():
        wanted[plant.GetJointByName(name).velocity_start()] = value  # found without the map
    np.testing.assert_allclose(arrived, wanted, atol=1e-9)
    # The same command, cut for each robot and put together again by Drake itself.
    spread = np.zeros(layout.nu)
    for instance in robots.values():
        own = dof_map(plant, instance, compact=True)
        part = {name: value for name, value in command.items() if name in own}
        plant.SetActuationInArray(instance, own.scatter(np.zeros(own.nu), list(part), list(part.values()), "u"), spread)
    np.testing.assert_array_equal(spread, u)
