"""The task contract: phases with guards, timers, freshness and faults; one implementation for any engine, batched and pure."""

from dexlab_course.task.contract import Observation, Phase, Reason, Thresholds
from dexlab_course.task.log import Replay, TaskLog
from dexlab_course.task.machine import advance, reset
from dexlab_course.task.state import TaskState

__all__ = ["Observation", "Phase", "Reason", "Replay", "TaskLog", "TaskState", "Thresholds", "advance", "reset"]
