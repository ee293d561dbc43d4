"""What other code may rely on is importable from its folder."""

import importlib

import pytest


@pytest.mark.parametrize("folder", ["control", "task"])
def test_every_public_name_exists_and_is_documented(folder):
    module = importlib.import_module(f"dexlab_course.{folder}")
    for name in module.__all__:
        assert getattr(module, name).__doc__, name


def test_the_names_of_the_design_are_there():
    from dexlab_course.control import CommandInbox, EffortLimits, JointSpacePd, MultiRate, OperationalSpacePd, Pid, compose_effort, laws  # noqa: F401
    from dexlab_course.task import Observation, Phase, Reason, TaskState, Thresholds, advance, reset  # noqa: F401
    from dexlab_course.trajectory import Trajectory  # noqa: F401
