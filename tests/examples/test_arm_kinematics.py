"""The example program: its numbers, that it notices a wrong one, and its command line."""

import json
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("pydrake")

from dexlab_course.errors import InvalidValueError
from dexlab_course.examples.drake import arm_kinematics

QUARTER = np.radians([45.0, -90.0])


def by_name(rows: list[arm_kinematics.Measured]) -> dict[str, list[float]]:
    return {row.name: row.drake.tolist() for row in rows}


def test_the_known_posture() -> None:
    """Shoulder 45°, elbow -90°: the tool is at (√2, 0, 0), the elbow one link before it."""
    rows = arm_kinematics.measure(QUARTER, 1.0)
    found = by_name(rows)
    assert found["tool"] == pytest.approx([np.sqrt(2), 0.0, 0.0])
    assert found["forearm's frame"] == pytest.approx([np.sqrt(0.5), np.sqrt(0.5), 0.0])
    assert found["Jacobian, wz"] == [1.0, 1.0]
    assert found["Jacobian, vy"] == pytest.approx([np.sqrt(2), np.sqrt(0.5)])
    assert found["determinant of vx, vy"] == pytest.approx([-1.0])
    assert [row.name for row in rows if not row.agrees] == []


@pytest.mark.parametrize("tool", [0.1, 0.7, 1.0, 2.5])
def test_drake_and_the_closed_form_agree_everywhere(tool: float) -> None:
    rng = np.random.default_rng(1)
    for q in rng.uniform(-3, 3, (20, 2)):
        rows = arm_kinematics.measure(q, tool) + arm_kinematics.near_stretch(q[0], np.array([q[1], 0.0, 1e-4, np.pi]), tool)
        assert [row.name for row in rows if not row.agrees] == []


def test_singular_values_near_stretch() -> None:
    stretched, almost = arm_kinematics.near_stretch(0.3, np.array([0.0, 1e-3]), 1.0)
    assert stretched.drake == pytest.approx([np.sqrt(5), 0.0], abs=1e-12)
    assert almost.drake[1] == pytest.approx(1e-3 / np.sqrt(5), rel=1e-5)
    assert stretched.gap < 1e-12
    assert almost.gap < 1e-12


def test_a_wrong_number_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = arm_kinematics.DrakeArm.jacobian
    monkeypatch.setattr(arm_kinematics.DrakeArm, "jacobian", lambda self, q: 1.01 * right(self, q))
    wrong = {row.name for row in arm_kinematics.measure(QUARTER, 1.0) if not row.agrees}
    assert {"Jacobian, wz", "Jacobian, vx", "Jacobian, vy", "determinant of vx, vy"} == wrong
    done = CliRunner().invoke(arm_kinematics.main)
    assert done.exit_code == 1
    assert "differs by 0.014" in done.output


@pytest.mark.parametrize(("q", "tool"), [([np.nan, 0.0], 1.0), ([0.0, 0.0], 0.0), ([0.0, 0.0], np.inf)])
def test_numbers_that_are_none_are_refused(q: list[float], tool: float) -> None:
    with pytest.raises(InvalidValueError):
        arm_kinematics.measure(np.array(q), tool)


def test_the_command_line() -> None:
    done = CliRunner().invoke(arm_kinematics.main, ["--near", "0"])
    assert done.exit_code == 0
    assert done.output.startswith("shoulder 45°, elbow -90°, tool 1 m beyond the elbow\n")
    assert "singular values, elbow 0°" in done.output
    assert "differs" not in done.output
    assert "-0.000000" not in done.output
    as_json = CliRunner().invoke(arm_kinematics.main, ["--elbow", "30", "--tool", "0.5", "--json"])
    rows = {row["name"]: row for row in json.loads(as_json.output)}
    assert rows["determinant of vx, vy"]["drake"] == pytest.approx([0.25])
    assert all(row["agrees"] for row in rows.values())
    for wrong in (["--tool", "-1"], ["--elbow", "nan"], ["--near", "wide"]):
        assert CliRunner().invoke(arm_kinematics.main, wrong).exit_code == 2


def test_it_runs_from_the_shell() -> None:
    command = [sys.executable, "-m", "dexlab_course.examples.drake.arm_kinematics"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 17
