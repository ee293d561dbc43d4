"""Inverse kinematics: solve for a pose, follow a twist, drift to a posture, and the single damped step behind them."""

from dexlab_course.ik import nullspace
from dexlab_course.ik.damped import DampedStep, damped_step
from dexlab_course.ik.differential import DiffIkResult, DiffIkStatus, differential_ik
from dexlab_course.ik.result import IkReason, IkResult
from dexlab_course.ik.solve import solve_ik

__all__ = ["DampedStep", "DiffIkResult", "DiffIkStatus", "IkReason", "IkResult", "damped_step", "differential_ik", "nullspace", "solve_ik"]
