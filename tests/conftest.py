"""Published arms that several tests use, where a package with their files is installed."""

import functools
import importlib.metadata
import importlib.util
import pathlib
from collections.abc import Callable

import pytest

from dexlab_course.kinematics import SerialChain

# name: (file, base link, tip link)
ROBOTS = {
    "panda": ("panda.urdf", "panda_link0", "panda_link8"),
    "panda_finger": ("panda.urdf", "panda_link0", "panda_leftfinger"),
    "ur5": ("ur5_robot.urdf", "base_link", "tool0"),
    "allegro_finger": ("allegro_right_hand.urdf", "palm_link", "link_3.0_tip"),
    "kinova": ("kinova.urdf", "j2s6s200_link_base", "j2s6s200_end_effector"),
    "tiago": ("tiago.urdf", "base_link", "arm_tool_link"),
    "iiwa": ("kuka_iiwa/model.urdf", "lbr_iiwa_link_0", "lbr_iiwa_link_7"),
}


@functools.cache
def model_file(name: str) -> pathlib.Path | None:
    """The model file of that name in one of the installed packages, without importing them."""
    if name.startswith("kuka_iiwa"):
        spec = importlib.util.find_spec("genesis")
        path = pathlib.Path(spec.origin).parent / "assets" / "urdf" / name if spec and spec.origin else None
        return path if path is not None and path.is_file() else None
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((pathlib.Path(str(f.locate())) for f in files if f.name == name), None)


@functools.cache
def load(name: str) -> SerialChain:
    file, base, tip = ROBOTS[name]
    path = model_file(file)
    if path is None:
        pytest.skip(f"no package with {file} is installed")
    return SerialChain.from_urdf(path, base, tip)


@pytest.fixture
def arm() -> Callable[[str], SerialChain]:
    """A published arm by its name."""
    return load


@pytest.fixture
def panda() -> SerialChain:
    return load("panda")
