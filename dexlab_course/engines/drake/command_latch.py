"""Commands from outside in a Drake diagram: an inbox is asked at each control tick, and what it gives is held in the Context."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import BasicVector, Context, DiagramBuilder, DiscreteValues, LeafSystem

from dexlab_course.control import CommandInbox, Latched
from dexlab_course.dof import DofMap
from dexlab_course.engines.drake.dof_map import dof_map
from dexlab_course.engines.drake.load import add_urdf
from dexlab_course.paths import ASSETS

EFFORT_LIMIT = 20.0  # of each joint of the arm [N·m]


class CommandLatch(LeafSystem):  # type: ignore[misc]  # pydrake's types are not checked
    """Holds efforts from one control tick to the next.

    The values are discrete state. The inbox, with the last command and the channel, is not: a channel cannot be copied. Contexts of one
    latch therefore share one inbox, and an inbox refuses a time that lies before its last one.

    Output port: ``u``, the commanded efforts in the order of the map's u slots [N·m], zero for joints that the inbox does not command.

    Args:
        inbox: asked once at each tick, by simulation time.
        dofs: the map that says which slot belongs to which name.
        period: of the ticks [s].

    Attributes:
        diary: what the inbox gave at each tick, with its time [s]; for the reader: nothing is computed from it.
    """

    def __init__(self, inbox: CommandInbox, dofs: DofMap, *, period: float = 0.01) -> None:
        super().__init__()
        self.set_name("command_latch")
        self.inbox, self.dofs = inbox, dofs
        self.diary: list[tuple[float, Latched]] = []
        self.DeclareDiscreteState(dofs.nu)
        self.DeclarePeriodicDiscreteUpdateEvent(period, 0.0, self._tick)
        self.DeclareVectorOutputPort("u", dofs.nu, self._give, prerequisites_of_calc={self.all_state_ticket()})

    def _tick(self, context: Context, discrete_state: DiscreteValues) -> None:
        latched = self.inbox.latch(context.get_time())  # judge everything that has come, by simulation time
        u = self.dofs.scatter(np.zeros(self.dofs.nu), self.inbox.names, latched.values, "u")  # each value into the slot of its name
        discrete_state.set_value(u)
        self.diary.append((context.get_time(), latched))

    @staticmethod
    def _give(context: Context, output: BasicVector) -> None:
        output.SetFromVector(context.get_discrete_state_vector().value())


def arm_with_inbox(
    channel: Any, *, when_lost: ArrayLike = (0.0, 0.0), max_age: float = 0.05, **options: Any
) -> tuple[Simulator, MultibodyPlant, CommandLatch]:
    """The two-joint arm, commanded by efforts of ``shoulder`` and ``elbow``: simulator, plant, latch.

    The actuators are added in the order elbow, shoulder, so that u is *not* in the order of the names.

    Args:
        channel, when_lost, max_age, options: see ``CommandInbox``.
    """
    builder = DiagramBuilder()
    plant = builder.AddSystem(MultibodyPlant(1e-3))
    add_urdf(plant, ASSETS / "two_joint_arm.urdf", weld="base")
    for name in ("elbow", "shoulder"):
        plant.AddJointActuator(name, plant.GetJointByName(name), EFFORT_LIMIT)
    plant.Finalize()
    dofs = dof_map(plant)
    limits: dict[str, Any] = {"lower": -EFFORT_LIMIT, "upper": EFFORT_LIMIT} | options
    inbox = CommandInbox(
        dofs, channel, names=["shoulder", "elbow"], quantity="effort", start=[0.0, 0.0], when_lost=when_lost, max_age=max_age, **limits
    )
    latch = builder.AddSystem(CommandLatch(inbox, dofs))
    builder.Connect(latch.get_output_port(), plant.get_actuation_input_port())
    return Simulator(builder.Build()), plant, latch
