"""SuperDex: choosing its precision before import, loading a model as SuperDex needs it, and its index map."""

from dexlab_course.engines.superdex.dof_map import dof_map
from dexlab_course.engines.superdex.load import add_bot_file, add_prefab, add_urdf, read_external_forces, read_pose, read_velocity
from dexlab_course.engines.superdex.start import start

__all__ = ["add_bot_file", "add_prefab", "add_urdf", "dof_map", "read_external_forces", "read_pose", "read_velocity", "start"]
