"""Arms to test with: published models of real robots where they are installed, and arms made of random joints."""

import pathlib
from collections.abc import Callable

import numpy as np
import pytest

from dexlab_course.kinematics import ChainJoint, SerialChain, frames

from ..conftest import ROBOTS, load, model_file


@pytest.fixture(params=ROBOTS)
def robot(request: pytest.FixtureRequest) -> tuple[SerialChain, pathlib.Path]:
    """Each arm with its file."""
    return load(request.param), model_file(ROBOTS[request.param][0])


@pytest.fixture
def panda_file() -> pathlib.Path:
    path = model_file("panda.urdf")
    if path is None:
        pytest.skip("example-robot-data is not installed")
    return path


def make_random_chain(n: int, seed: int = 0, slides: bool = True) -> SerialChain:
    """n joints with random places and axes, some of them sliding."""
    rng = np.random.default_rng(seed)
    joints = []
    for i in range(n):
        kind = "prismatic" if slides and rng.random() < 0.3 else "revolute"
        X = frames.pose(frames.matrix_from_rotvec(rng.normal(size=3)), rng.normal(size=3) * 0.3)
        joints.append(ChainJoint(f"j{i}", kind, X, rng.normal(size=3), -1.5, 2.0))
    X_end = frames.pose(frames.matrix_from_rotvec(rng.normal(size=3)), rng.normal(size=3) * 0.3)
    return SerialChain(joints, X_end)


@pytest.fixture
def random_chain() -> Callable[..., SerialChain]:
    return make_random_chain
