"""Arms to solve for: small ones made by hand, and both implementations of the solver."""

import numpy as np
import pytest

from dexlab_course.kinematics import ChainJoint, SerialChain, frames


@pytest.fixture(params=[True, False], ids=["compiled", "readable"])
def compiled(request: pytest.FixtureRequest) -> bool:
    """Each test with this argument runs with both implementations."""
    if request.param:
        pytest.importorskip("numba", reason="numba is not installed")
    return bool(request.param)


@pytest.fixture
def planar() -> SerialChain:
    """Two links of 1 m in the xy plane, limits ±3 rad."""
    shoulder = ChainJoint("shoulder", "revolute", lower=-3, upper=3)
    elbow = ChainJoint("elbow", "revolute", frames.pose(p=[1, 0, 0]), lower=-3, upper=3)
    return SerialChain([shoulder, elbow], frames.pose(p=[1, 0, 0]))


@pytest.fixture
def gantry() -> SerialChain:
    """Three slides along x, y, z and three turns about z, y, z."""
    kinds = [("x", "prismatic"), ("y", "prismatic"), ("z", "prismatic"), ("yaw", "revolute"), ("pitch", "revolute"), ("roll", "revolute")]
    axes = np.eye(3)[[0, 1, 2, 2, 1, 2]]
    return SerialChain([ChainJoint(name, kind, axis=axis, lower=-2.5, upper=2.5) for (name, kind), axis in zip(kinds, axes, strict=True)])
