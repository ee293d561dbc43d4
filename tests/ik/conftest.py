"""Arms to solve for: published models where they are installed, and small arms made by hand."""

import functools
import importlib.metadata
import importlib.util
import pathlib
from collections.abc import Callable

import numpy as np
import pytest

from dexlab_course.kinematics import ChainJoint, SerialChain, frames

ROBOTS = {
    "panda": ("panda.urdf", "panda_link0", "panda_link8"),
    "ur5": ("ur5_robot.urdf", "base_link", "tool0"),
    "allegro_finger": ("allegro_right_hand.urdf", "palm_link", "link_3.0_tip"),
    "kinova": ("kinova.urdf", "j2s6s200_link_base", "j2s6s200_end_effector"),
    "tiago": ("tiago.urdf", "base_link", "arm_tool_link"),
    "iiwa": ("kuka_iiwa/model.urdf", "lbr_iiwa_link_0", "lbr_iiwa_link_7"),
}


@functools.cache
def load(name: str) -> SerialChain:
    file, base, tip = ROBOTS[name]
    path = None
    if file.startswith("kuka_iiwa"):
        spec = importlib.util.find_spec("genesis")  # finds the package without importing it
        path = pathlib.Path(spec.origin).parent / "assets" / "urdf" / file if spec and spec.origin else None
    else:
        try:
            files = importlib.metadata.files("example-robot-data") or []
        except importlib.metadata.PackageNotFoundError:
            files = []
        path = next((pathlib.Path(str(f.locate())) for f in files if f.name == file), None)
    if path is None or not path.is_file():
        pytest.skip(f"no package with {file} is installed")
    return SerialChain.from_urdf(path, base, tip)


@pytest.fixture
def arm() -> Callable[[str], SerialChain]:
    """A published arm by its name."""
    return load


@pytest.fixture
def panda() -> SerialChain:
    return load("panda")


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
