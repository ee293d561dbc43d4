"""The latch asks its inbox at each tick, puts each value into the slot of its name, and shares the inbox among Contexts."""

import queue

import numpy as np
import pytest

pytest.importorskip("pydrake")

from pydrake.systems.analysis import Simulator

from dexlab_course.control import Command
from dexlab_course.engines.drake.command_latch import EFFORT_LIMIT, arm_with_inbox
from dexlab_course.errors import InvalidValueError


def command(number: int, shoulder: float, elbow: float, **changes: float) -> Command:
    what = {"stamp": 0.01 * number, "valid_for": 0.05} | changes
    return Command(
        names=("shoulder", "elbow"), values=(shoulder, elbow), quantity="effort", units="N·m", frame="joint", sequence=number, **what
    )


def test_values_go_to_the_actuators_of_their_names_and_expire() -> None:
    channel: queue.SimpleQueue[Command] = queue.SimpleQueue()
    simulator, plant, latch = arm_with_inbox(channel)
    channel.put(command(0, 1.0, -0.2))
    net = plant.get_net_actuation_output_port()
    for until, expected in ((0.055, [-0.2, 1.0]), (0.075, [0.0, 0.0])):
        simulator.AdvanceTo(until)
        np.testing.assert_allclose(net.Eval(plant.GetMyContextFromRoot(simulator.get_context())), expected)
    assert [plant.get_joint_actuator(index).name() for index in plant.GetJointActuatorIndices()] == ["elbow", "shoulder"]
    assert [round(now, 3) for now, _ in latch.diary] == [0.01 * k for k in range(8)]


def test_a_value_above_the_limit_is_refused_unless_an_option_allows_it() -> None:
    for options, expected in (({}, 0.0), ({"upper": 100.0}, EFFORT_LIMIT)):
        channel: queue.SimpleQueue[Command] = queue.SimpleQueue()
        simulator, plant, _ = arm_with_inbox(channel, **options)
        channel.put(command(0, 25.0, 0.0))
        simulator.AdvanceTo(0.005)
        net = plant.get_net_actuation_output_port().Eval(plant.GetMyContextFromRoot(simulator.get_context()))
        assert net[1] == expected  # the actuator clips what the inbox lets through


def test_contexts_share_the_inbox() -> None:
    simulator, _, _ = arm_with_inbox(queue.SimpleQueue())
    simulator.AdvanceTo(0.015)
    clone = simulator.get_context().Clone()
    simulator.AdvanceTo(0.035)
    with pytest.raises(InvalidValueError, match="went back"):
        Simulator(simulator.get_system(), clone).AdvanceTo(0.035)
