"""The record that the explorer reads says what the installed engines say."""

import json
import subprocess
import sys
from typing import Any

import pytest

from dexlab_course.dof import DofMap
from dexlab_course.engines import version
from dexlab_course.errors import UnknownNameError
from dexlab_course.paths import ROOT
from dexlab_course.show.explorers.recorded import FILE, VARIANTS, counterpart, recorded, recorded_maps, recorded_versions


@pytest.mark.parametrize("engine", ["drake", "genesis", "superdex"])
def test_the_record_is_what_the_engine_says(engine: str, answers: dict[str, dict[str, Any] | None]) -> None:
    answer = answers[engine]
    if answer is None:
        pytest.skip(f"{engine} not installed")
    assert recorded_versions()[engine] == version(engine)
    found = answer["course maps"]  # without genesis the robots of others are not there
    assert found.keys() >= {"two_joint_arm", "floating_seven", "mixed_joints", "four_bar"}
    for robot, variants in found.items():
        own = {name: one.to_dict() for name, one in recorded_maps()[robot].items() if name.split("_")[0] == engine}
        assert own == variants, f"{robot}: run tools/record_maps.py and look at the difference"


def test_every_robot_has_every_engine() -> None:
    for robot, variants in recorded_maps().items():
        floats = robot in ("floating_seven", "mixed_joints")
        assert list(variants) == (list(VARIANTS) if floats else ["drake", "genesis", "superdex"])


def test_the_file_is_written_as_its_tool_writes_it() -> None:
    text = FILE.read_text(encoding="utf-8")
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import record_maps
    finally:
        sys.path.pop(0)
    written = record_maps.as_text({robot: dict(variants) for robot, variants in recorded_maps().items()})
    assert json.loads(written)["robots"] == json.loads(text)["robots"]
    assert written.split('"robots"')[1] == text.split('"robots"')[1]


def test_the_record_needs_no_engine() -> None:
    code = (
        "import sys\nfrom dexlab_course.show.explorers.recorded import recorded_maps\nrecorded_maps()\n"
        "print([name for name in ('pydrake', 'genesis', 'superdex', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_same_joint_elsewhere() -> None:
    base = recorded("mixed_joints", "drake")["base"]
    names = {variant: getattr(counterpart(base, layout), "name", None) for variant, layout in recorded_maps()["mixed_joints"].items()}
    assert names == {
        "drake": "base",
        "drake_rpy": "base",
        "genesis": "base_joint",
        "superdex": "base_joint",
        "superdex_bot": None,
    }
    wrist = recorded("mixed_joints", "genesis")["wrist"]
    found = counterpart(wrist, recorded("mixed_joints", "drake"))
    assert found is not None
    assert (len(found.q), len(found.u)) == (3, 0)


def test_unknown_robots_and_engines() -> None:
    with pytest.raises(UnknownNameError, match="four_bar"):
        recorded("five_bar", "drake")
    with pytest.raises(UnknownNameError, match=r"\[drake, genesis, superdex\]"):
        recorded("four_bar", "drake_rpy")
    assert isinstance(recorded("panda", "drake"), DofMap)
