"""Frames, serial chains and the planar arm. ``kinematics.symbolic`` (sympy) and ``kinematics.urdf`` are imported when needed."""

from dexlab_course.kinematics import frames
from dexlab_course.kinematics.chain import SerialChain
from dexlab_course.kinematics.joints import ChainJoint
from dexlab_course.kinematics.planar import TwoLinkArm

__all__ = ["ChainJoint", "SerialChain", "TwoLinkArm", "frames"]
