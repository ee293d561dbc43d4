"""Control arithmetic without an engine."""

from dexlab_course.control import laws
from dexlab_course.control.command import Command, Refused
from dexlab_course.control.command_inbox import CommandInbox, Latched, Refusal, Standing
from dexlab_course.control.inverse_dynamics import ArmModel, InverseDynamicsPd, commanded_acceleration, inverse_dynamics
from dexlab_course.control.joint_space import JointSpacePd
from dexlab_course.control.limits import EffortLimits, compose_effort
from dexlab_course.control.multirate import MultiRate, Timeline, ZeroOrderHold
from dexlab_course.control.operational_space import OperationalSpacePd
from dexlab_course.control.pid import Pid

__all__ = [
    "ArmModel",
    "Command",
    "CommandInbox",
    "EffortLimits",
    "InverseDynamicsPd",
    "JointSpacePd",
    "Latched",
    "MultiRate",
    "OperationalSpacePd",
    "Pid",
    "Refusal",
    "Refused",
    "Standing",
    "Timeline",
    "ZeroOrderHold",
    "commanded_acceleration",
    "compose_effort",
    "inverse_dynamics",
    "laws",
]
