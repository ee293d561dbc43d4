"""Control arithmetic without an engine."""

from dexlab_course.control import laws
from dexlab_course.control.joint_space import JointSpacePd
from dexlab_course.control.limits import EffortLimits, compose_effort

__all__ = ["EffortLimits", "JointSpacePd", "compose_effort", "laws"]
