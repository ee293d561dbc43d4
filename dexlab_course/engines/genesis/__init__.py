"""Genesis: a quiet start that may be repeated, loading a model as Genesis needs it, and its index map."""

from dexlab_course.engines.genesis.dof_map import dof_map
from dexlab_course.engines.genesis.load import add_mjcf, add_urdf
from dexlab_course.engines.genesis.start import start

__all__ = ["add_mjcf", "add_urdf", "dof_map", "start"]
