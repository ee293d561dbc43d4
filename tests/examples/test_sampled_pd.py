"""The example program with three clocks: its delays, both holds, that it notices a wrong number, and its command line."""

import json
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("pydrake")

from dexlab_course.errors import InvalidValueError, UnknownNameError
from dexlab_course.examples.drake import sampled_pd
from dexlab_course.examples.drake.sampled_pd import HOLDS, Clocks, measure, simulate


def values(clocks: Clocks, hold: sampled_pd.Held, seconds: float) -> dict[str, float | None]:
    return {row.name: row.value for row in measure(clocks, hold, seconds)}


@pytest.mark.parametrize("hold", HOLDS)
@pytest.mark.parametrize(
    ("clocks", "first"),
    [
        (Clocks(), 6.0),
        (Clocks(H=0.002), 3.0),
        (Clocks(H=0.020), 21.0),
        (Clocks(0.002, 0.002, 0.002), 4.0),
        (Clocks(0.0025, 0.01, 0.02), 12.5),
    ],
)
def test_a_decision_needs_one_control_period_and_one_step(clocks: Clocks, first: float, hold: sampled_pd.Held) -> None:
    rows = measure(clocks, hold, 0.3)
    assert rows[0].value == pytest.approx(first)
    assert rows[0].predicted == pytest.approx(first)
    assert [row.name for row in rows if not row.agrees] == []


def test_the_two_holds_are_two_controllers() -> None:
    force, reference = (values(Clocks(), hold, 2.0) for hold in HOLDS)
    name = "shortest time a drive is kept"
    assert (force[name], reference[name]) == (pytest.approx(5.0), pytest.approx(1.0))
    assert force["changes of the drive"] == 399  # 400 latches, the first of which takes over a zero
    assert reference["changes of the drive"] == 1994  # every step from the sixth on
    for found in (force, reference):
        assert found["distance from the target at the end"] < 1e-4  # type: ignore[operator]
    assert np.abs(simulate(Clocks(), "force", 0.3).drive - simulate(Clocks(), "reference", 0.3).drive).max() > 0.1


def test_a_held_force_that_is_held_too_long_is_unstable_and_a_held_reference_is_not() -> None:
    force, reference = (values(Clocks(H=0.05), hold, 3.0) for hold in HOLDS)
    assert force["largest drive"] == pytest.approx(sampled_pd.LIMIT)
    assert force["distance from the target at the end"] > 0.1  # type: ignore[operator]
    assert reference["distance from the target at the end"] < 1e-3  # type: ignore[operator]


def test_periods_that_do_not_divide_run_without_a_prediction() -> None:
    rows = measure(Clocks(H=0.0033), "force", 0.2)
    assert [row.predicted for row in rows[:2]] == [None, None]
    assert rows[0].value == pytest.approx(4.0)  # latched at 3.3 ms, used by the step that begins at 4 ms


def test_a_run_too_short_for_any_decision_says_so() -> None:
    rows = measure(Clocks(), "force", 0.004)
    assert [row.value for row in rows[:2]] == [None, None]
    assert all(row.agrees for row in rows)


def test_a_wrong_delay_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = sampled_pd.simulate

    def late(*arguments: object) -> sampled_pd.Run:
        run = right(*arguments)  # type: ignore[arg-type]
        return sampled_pd.Run(run.begin, np.roll(run.drive, 1, axis=0), run.q, run.reference, run.updates + 1)

    monkeypatch.setattr(sampled_pd, "simulate", late)
    wrong = {row.name for row in measure(Clocks(), "force", 0.1) if not row.agrees}
    assert {"first step that is driven", "steps of the plant"} <= wrong
    done = CliRunner().invoke(sampled_pd.main, ["--seconds", "0.1"])
    assert done.exit_code == 1
    assert "differs" in done.output


@pytest.mark.parametrize("period", [0.0, -0.001, np.nan, np.inf])
def test_what_is_no_period_is_refused(period: float) -> None:
    with pytest.raises(InvalidValueError, match="no period"):
        Clocks(H=period)
    with pytest.raises(InvalidValueError):
        simulate(Clocks(), "force", period)


def test_another_hold_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="reference"):
        simulate(Clocks(), "refrence", 0.1)  # type: ignore[arg-type]


def test_the_command_line() -> None:
    done = CliRunner().invoke(sampled_pd.main, ["--hold", "reference", "--seconds", "0.1"])
    assert done.exit_code == 0
    assert done.output.startswith("plant h = 1 ms, control H = 5 ms, task T = 10 ms, the hold keeps the reference\n")
    assert "differs" not in done.output
    as_json = CliRunner().invoke(sampled_pd.main, ["--control", "0.02", "--seconds", "0.1", "--json"])
    rows = {row["name"]: row for row in json.loads(as_json.output)}
    assert rows["first step that is driven"]["value"] == pytest.approx(21.0)
    assert all(row["agrees"] for row in rows.values())
    for wrong in (["--control", "0"], ["--control", "nan"], ["--hold", "torque"], ["--seconds", "-1"]):
        assert CliRunner().invoke(sampled_pd.main, wrong).exit_code == 2


def test_it_runs_from_the_shell() -> None:
    command = [sys.executable, "-m", "dexlab_course.examples.drake.sampled_pd"]
    done = subprocess.run([*command, "--seconds", "0.05"], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "first step that is driven" in done.stdout
    help_text = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=120, check=False)
    assert help_text.returncode == 0
    assert "--hold" in help_text.stdout
