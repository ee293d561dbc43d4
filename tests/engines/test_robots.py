"""Robots of others, read from the installed genesis package in all three engines."""

import pathlib
from typing import Any

import numpy as np
import pytest

from dexlab_course.dof import DofMap
from dexlab_course.engines import installed, model_files
from dexlab_course.errors import MissingEngineError, ModelFileError, UnknownNameError
from dexlab_course.kinematics import SerialChain

from .conftest import PANDA_POSES

NEEDS_GENESIS = pytest.mark.skipif(not installed("genesis"), reason="genesis not installed: it brings the robots' files")


@NEEDS_GENESIS
@pytest.mark.parametrize("engine", ["drake", "genesis", "superdex"])
def test_the_pandas_hand_is_where_its_file_says(engine: str, answers: dict[str, dict[str, Any] | None]) -> None:
    """Against the course's own kinematics, read from the same file."""
    answer = answers[engine]
    if answer is None:
        pytest.skip(f"{engine} not installed")
    chain = SerialChain.from_urdf(model_files.robot_file("panda"), "panda_link0", "panda_grasptarget")
    robots = answer["robots"]
    tips = robots["tips"] if engine == "genesis" else robots["panda"]["tips"]
    np.testing.assert_allclose(tips, chain.fk(PANDA_POSES), atol=2e-6 if engine == "genesis" else 1e-9)


@NEEDS_GENESIS
def test_what_each_engine_makes_of_the_panda(answers: dict[str, dict[str, Any] | None]) -> None:
    drake, genesis, superdex = (answers[engine] for engine in ("drake", "genesis", "superdex"))
    effort = [87.0] * 4 + [12.0] * 3 + [20.0] * 2
    if drake is not None:
        assert drake["robots"]["panda"]["nu"] == 9
        assert drake["robots"]["panda"]["effort"] == effort
        assert drake["robots"]["panda"]["constraints"] == 1  # the mimic
        assert drake["robots"]["panda"]["mass"] == pytest.approx(19.96)  # two links of mass 0, base included
        assert drake["robots"]["two pandas"] == [25, 24, 9]  # the first one floats and has no actuators
    if genesis is not None:
        assert genesis["robots"]["equalities"] == ["JOINT"]  # the mimic
        assert genesis["robots"]["effort"] == pytest.approx(effort)
        assert "panda_link8" not in genesis["robots"]["links"]  # merged
        assert "panda_hand" in genesis["robots"]["links"]  # kept
    if superdex is not None:
        assert superdex["robots"]["panda"]["effort"] == effort
        assert superdex["robots"]["panda"]["fingers"] == pytest.approx([0.01, 0.03])  # each on its own: no mimic
    for answer in answers.values():
        if answer is not None:
            (layout,) = (DofMap.from_dict(one) for one in answer["course maps"]["panda"].values())
            assert layout.names == (*(f"panda_joint{k}" for k in range(1, 8)), "panda_finger_joint1", "panda_finger_joint2")
            assert layout["panda_finger_joint2"].unit == "m"
            assert layout["panda_finger_joint2"].u.tolist() == [8]  # a follower keeps its slots everywhere


@NEEDS_GENESIS
def test_the_iiwa_and_the_shadow_hand(answers: dict[str, dict[str, Any] | None]) -> None:
    if (drake := answers["drake"]) is not None:
        assert drake["robots"]["iiwa"]["shapes"] == 16  # OBJ instead of STL, visual and collision
        assert drake["robots"]["iiwa"]["mass"] == pytest.approx(18.5)
        assert drake["robots"]["shadow_hand"] | {"effort": 0} == {
            "nu": 24,
            "constraints": 0,
            "effort": 0,
            "mass": 0.0,
            "shapes": 0,
            "instance": "shadow_hand",
        }
    if (superdex := answers["superdex"]) is not None:
        assert superdex["robots"]["free iiwa"] == [13, 7]
    fingers = {
        engine: [name.split("_")[0] for name in DofMap.from_dict(answer["course maps"]["shadow_hand"][engine]).owners("v")]
        for engine, answer in answers.items()
        if answer is not None
    }
    in_file = ["forearm", "wrist"] + ["thumb"] * 5 + ["index"] * 4 + ["middle"] * 4 + ["ring"] * 4 + ["little"] * 5
    sorted_by_superdex = ["forearm", "wrist"] + ["index"] * 4 + ["little"] * 5 + ["middle"] * 4 + ["ring"] * 4 + ["thumb"] * 5
    for engine, found in fingers.items():
        assert found == (sorted_by_superdex if engine == "superdex" else in_file)


def test_without_genesis_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingEngineError, match=r"make course ENGINES=genesis"):
        model_files.robot_file("panda")


@NEEDS_GENESIS
def test_a_genesis_without_the_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(model_files.ROBOTS, "panda", "urdf/elsewhere.urdf")
    with pytest.raises(MissingEngineError, match=r"without urdf/elsewhere\.urdf"):
        model_files.robot_file("panda")


def test_unknown_robots_and_missing_files(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UnknownNameError, match="shadow_hand"):
        model_files.robot_file("panda2")
    with pytest.raises(ModelFileError, match=r"an existing MJCF"):
        model_files.existing(tmp_path / "arm.xml", "MJCF")
