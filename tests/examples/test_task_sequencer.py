"""The example program: its phases, its failure cases, and its command line."""

import base64
import pathlib
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

pytest.importorskip("pydrake")

from dexlab_course.examples.drake import task_sequencer


def names(result: dict) -> list[str]:
    return [name for name, _, _ in result["phases"]]


def test_it_lifts_the_box_and_says_when_and_why() -> None:
    result = task_sequencer.measure()
    assert names(result) == ["APPROACH", "CLOSE", "HOLD", "RELEASE", "DONE"]
    times = [time for _, time, _ in result["phases"]]
    assert times == sorted(times)
    assert times[3] - times[2] == pytest.approx(1.01)  # one tick to the first good sample, then one second
    outcome = result["outcome"]
    assert outcome["lifted by [mm]"] == pytest.approx(50.0, abs=0.5)
    assert outcome["median pressing force in HOLD [N]"] == pytest.approx(6.0, abs=0.01)
    assert outcome["largest slip in HOLD, palm frame [mm/s]"] < 0.1
    assert outcome["largest speed in HOLD, world [mm/s]"] > 90


@pytest.mark.parametrize(
    ("options", "ended", "reason"),
    [
        ({"box": False}, "FAULT", "TIMEOUT"),
        ({"friction": 0.06}, "FAULT", "TIMEOUT"),
        ({"grip": "strong"}, "FAULT", "FORCE"),
        ({"grip": "weak"}, "FAULT", "TIMEOUT"),
    ],
)
def test_failure_cases(options: dict, ended: str, reason: str) -> None:
    assert task_sequencer.measure(**options)["phases"][-1][::2] == (ended, reason)


def test_done_is_no_score() -> None:
    result = task_sequencer.measure(friction=0.1)
    assert names(result)[-1] == "DONE"
    assert result["outcome"]["lifted by [mm]"] < 35


def test_a_fault_goes_on_pushing() -> None:
    assert task_sequencer.measure(grip="strong")["outcome"]["finger drive at the end [N]"] < -29


def test_the_command_line_prints_phases_and_outcome() -> None:
    result = CliRunner().invoke(task_sequencer.main, ["--no-box"])
    assert result.exit_code == 0
    assert "CLOSE        0.56  GUARD" in result.output
    assert "FAULT        3.57  TIMEOUT" in result.output
    assert CliRunner().invoke(task_sequencer.main, ["--grip", "gentle"]).exit_code == 2


def test_a_film_of_the_run_is_one_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "grasp.html"
    result = CliRunner().invoke(task_sequencer.main, ["--grip", "strong", "--replay", str(path)])
    assert result.exit_code == 0, result.output
    text = path.read_text(encoding="utf-8")
    scene = b"".join(base64.b64decode(blob) for blob in re.findall(r"base64,([A-Za-z0-9+/=]+)", text))
    assert b"left_finger" in scene


def test_it_runs_from_the_shell() -> None:
    command = [sys.executable, "-m", "dexlab_course.examples.drake.task_sequencer", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert "--friction" in done.stdout


def test_without_drake_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dexlab_course.engines.installed", lambda engine: False)
    result = CliRunner().invoke(task_sequencer.main, [])
    assert result.exit_code == 1
    assert "needs drake" in result.output
