"""Inverse kinematics: solve for a pose, follow a twist, and the single damped step behind both."""

from dexlab_course.ik.result import IkReason, IkResult
from dexlab_course.ik.solve import solve_ik

__all__ = ["IkReason", "IkResult", "solve_ik"]
