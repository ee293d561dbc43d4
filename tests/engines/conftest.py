"""What several engine tests share. Genesis takes long to import and compile, so it is asked once for everything."""

import pathlib
import shutil
from typing import Any

import numpy as np
import pytest

from dexlab_course.engines import installed
from dexlab_course.engines.child import run_in_child
from dexlab_course.paths import ASSETS

from .ask_drake import ask_drake
from .ask_genesis import ask_genesis
from .ask_superdex import ask_superdex
from .reference import MODELS, random_commands, random_poses

ARM = str(ASSETS / "two_joint_arm.urdf")
POSES = [[0.0, 0.0], [0.3, np.pi / 2], [np.pi / 4, -np.pi / 2], [-1.2, 2.5]]


# Configurations and commands of the models of chapter 1, the same for every engine, and arm poses of the Panda inside its limits.
COUNT = 24
MODEL_POSES = {name: random_poses(name, COUNT) for name in MODELS}
MODEL_COMMANDS = {name: random_commands(name, COUNT) for name in MODELS}
PANDA_POSES = [[0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.785], [1.1, 0.4, -0.7, -1.3, 2.2, 0.9, -1.5], [-2.0, 1.2, 2.5, -0.4, -1.0, 3.1, 0.3]]


def actuator_cases() -> list[dict[str, list[float]]]:
    """Random affine actuators of the two joints, with a state and a target each."""
    rng = np.random.default_rng(4)
    names = {"gain": 200, "b0": 5, "b1": 200, "b2": 20, "x": 2, "v": 3, "x_des": 2, "v_des": 3}
    return [{name: rng.uniform(-size, size, 2).tolist() for name, size in names.items()} for _ in range(100)]


@pytest.fixture(scope="session")
def bad_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Model files that cannot be used."""
    folder: pathlib.Path = tmp_path_factory.mktemp("models")
    shutil.copytree(ASSETS / "meshes", folder / "meshes")
    text = (ASSETS / "two_joint_arm.urdf").read_text(encoding="utf-8")
    (folder / "cut.urdf").write_text(text[: len(text) // 2], encoding="utf-8")
    (folder / "empty.urdf").write_text("", encoding="utf-8")
    return {name: str(folder / f"{name}.urdf") for name in ("missing", "cut", "empty")}


@pytest.fixture(scope="session")
def genesis(bad_files: dict[str, str]) -> dict[str, Any] | None:
    """Everything the tests want to know of Genesis, or None where it is not installed."""
    if not installed("genesis"):
        return None
    models = {"folder": str(ASSETS), "model_poses": MODEL_POSES, "model_commands": MODEL_COMMANDS, "panda_poses": PANDA_POSES}
    ended = run_in_child(ask_genesis, timeout=300, path=ARM, poses=POSES, cases=actuator_cases(), bad=bad_files, **models)
    assert ended.ok, f"{ended.how}\n{ended.stdout[-1500:]}\n{ended.stderr[-1500:]}"
    assert (ended.stdout, ended.stderr) == ("", "")  # a quiet start, and a second one as quiet
    value: dict[str, Any] = ended.value
    return value


def ask_once(engine: str, ask: Any) -> dict[str, Any] | None:
    if not installed(engine):
        return None
    ended = run_in_child(ask, timeout=300, folder=str(ASSETS), poses=MODEL_POSES, commands=MODEL_COMMANDS, panda_poses=PANDA_POSES)
    assert ended.ok, f"{engine}: {ended.how}\n{ended.stdout[-1500:]}\n{ended.stderr[-1500:]}"
    value: dict[str, Any] = ended.value
    return value


@pytest.fixture(scope="session")
def drake() -> dict[str, Any] | None:
    """Everything the tests of models, maps and robots want to know of Drake."""
    return ask_once("drake", ask_drake)


@pytest.fixture(scope="session")
def superdex() -> dict[str, Any] | None:
    """Everything the tests of models, maps and robots want to know of SuperDex."""
    return ask_once("superdex", ask_superdex)


@pytest.fixture(scope="session")
def answers(
    drake: dict[str, Any] | None, genesis: dict[str, Any] | None, superdex: dict[str, Any] | None
) -> dict[str, dict[str, Any] | None]:
    return {"drake": drake, "genesis": genesis, "superdex": superdex}
