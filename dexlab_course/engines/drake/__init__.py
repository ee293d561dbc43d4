"""Drake: a quiet start, loading a model as Drake needs it, and its index map."""

from dexlab_course.engines.drake.dof_map import dof_map
from dexlab_course.engines.drake.load import add_actuators, add_urdf

__all__ = ["add_actuators", "add_urdf", "dof_map"]
