"""The log: side by side, written whole or not at all, and replayed to the same phases."""

import subprocess
import sys

import numpy as np
import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dexlab_course.errors import InvalidValueError, ShapeError, UnknownNameError
from dexlab_course.task import Observation, TaskLog, TaskState, Thresholds, advance, reset

THRESHOLDS = Thresholds(hold_time=0.05, phase_time=0.3)


def played(size=3, ticks=60, *, seed=0, groups=1, with_resets=True, thresholds=THRESHOLDS):
    """A run with everything in it: all phases, faults, NaN, resets of some members, odd times."""
    rng = np.random.default_rng(seed)
    state = TaskState.start(size, thresholds=thresholds)
    log = TaskLog(state, thresholds=thresholds)
    for k in range(ticks):
        now = 0.1 + k * 0.01
        if with_resets and k % 17 == 16:
            mask = rng.random(size) < 0.5
            state = reset(state, now - 0.003, mask)
            log.note_reset(now - 0.003, mask)
        stamps = now - rng.choice([0.0, 0.01, 0.5], size=(groups, size), p=[0.6, 0.38, 0.02])
        seen = Observation(
            approach_error=rng.choice([0.1, 0.001], size),
            aperture=rng.choice([0.05, 0.08], size),
            normal_force=rng.choice([0.0, 1.0 / 3.0 + 2, 25.0, np.nan], size, p=[0.2, 0.77, 0.02, 0.01]),
            slip_speed=rng.normal(0, 2e-4, size),
            sample_time=stamps if groups > 1 else stamps[0],
        )
        state = advance(state, seen, now, thresholds)
        log.record(
            now,
            state,
            seen,
            request={"width": state.width},
            command={"left": rng.normal(size=size), "right": 0.5},
            net_actuation={"left": rng.normal(size=size)},
            times={"net_actuation": now - 0.001},
        )
    return log


def test_the_table_has_all_four_side_by_side_with_time_phase_and_reason():
    frame = played(size=2, ticks=5).to_frame()
    assert len(frame) == 2 * 6
    assert list(frame.columns) == [
        *("tick", "member", "time", "phase", "reason", "width", "entered", "stable_since", "reset"),
        *(f"observation.{name}" for name in ("approach_error", "aperture", "normal_force", "slip_speed", "sample_time", "abort")),
        *("request.time", "request.width", "command.time", "command.left", "command.right", "net_actuation.time", "net_actuation.left"),
    ]
    last = frame[frame.tick == 5]
    np.testing.assert_allclose(last["command.time"] - last["net_actuation.time"], 0.001)
    assert set(frame.phase) <= {"APPROACH", "CLOSE", "HOLD", "RELEASE", "DONE", "FAULT"}


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
@pytest.mark.parametrize("groups", [1, 2])
def test_a_run_is_read_back_bit_for_bit_and_replayed_to_the_same_states(tmp_path, suffix, groups):
    log = played(30, groups=groups)
    assert {"DONE", "FAULT", "HOLD"} <= set(log.to_frame().phase)  # the run is worth the test
    path = log.write(tmp_path / f"run{suffix}")
    again = TaskLog.read(path)
    pandas.testing.assert_frame_equal(again.to_frame(), log.to_frame(), check_exact=True, check_dtype=True)
    assert again.thresholds == THRESHOLDS
    assert len(again) == 60
    replay = again.replay()
    assert replay.same
    assert [state.names for state in replay.states] == [state.names for state in log.states]


def test_a_replay_says_at_which_tick_it_parts_from_the_record():
    log = played(with_resets=False)
    frame = log.to_frame()
    closing = frame[(frame.phase == "CLOSE") & (frame.tick > 0)].iloc[0]
    frame.loc[frame.tick == closing.tick, "observation.approach_error"] = 0.1
    replay = TaskLog.from_frame(frame, thresholds=THRESHOLDS).replay()
    assert not replay.same
    assert replay.first_difference == closing.tick


def test_a_replay_with_other_thresholds_is_not_the_same():
    frame = played().to_frame()
    assert not TaskLog.from_frame(frame, thresholds=Thresholds()).replay().same


def test_a_forgotten_reset_shows_in_the_replay():
    state = TaskState.start(now=0.0)
    log = TaskLog(state)
    state = reset(state, 5.0)
    seen = Observation(approach_error=0.1, aperture=0.08, normal_force=0.0, slip_speed=0.0, sample_time=5.0)
    state = advance(state, seen, 5.0)
    log.record(5.0, state, seen)
    assert log.replay().first_difference == 1
    told = TaskLog(TaskState.start(now=0.0))
    told.note_reset(5.0)
    told.record(5.0, state, seen)
    assert told.replay().same


def test_nothing_is_half_written(tmp_path, monkeypatch):
    path = tmp_path / "run.csv"
    log = played(ticks=3)
    log.write(path)
    before = path.read_bytes()
    monkeypatch.setattr(
        pandas.DataFrame, "to_csv", lambda self, file, **_: (file.write("half a li"), (_ for _ in ()).throw(OSError("disk full")))[0]
    )
    with pytest.raises(InvalidValueError, match="disk full"):
        log.write(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["run.csv"]
    with pytest.raises(InvalidValueError, match="folder"):
        log.write(tmp_path / "nowhere" / "run.parquet")


def test_files_that_are_no_logs_are_refused(tmp_path):
    log = played(ticks=2)
    with pytest.raises(UnknownNameError, match="parquet"):
        log.write(tmp_path / "run.xlsx")
    with pytest.raises(InvalidValueError, match="cannot be read"):
        TaskLog.read(tmp_path / "absent.csv")
    for name, content in (
        ("a.csv", "x,y\n1,2\n"),
        ("b.csv", "# [1]\n"),
        ("c.csv", '# {"format": "other"}\nx\n1\n'),
        ("d.csv", ""),
        ("e.parquet", "no"),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(InvalidValueError, match=name):
            TaskLog.read(tmp_path / name)
    whole = log.write(tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InvalidValueError, match="cannot be read"):
        TaskLog.read(tmp_path / "cut.parquet")


def test_tables_with_missing_rows_or_columns_are_refused():
    frame = played(ticks=4).to_frame()
    with pytest.raises(InvalidValueError, match="whole log"):
        TaskLog.from_frame(frame[frame.phase != "APPROACH"])
    with pytest.raises(InvalidValueError, match="whole log"):
        TaskLog.from_frame(frame.iloc[:-1])
    with pytest.raises(InvalidValueError, match="stable_since"):
        TaskLog.from_frame(frame.drop(columns="stable_since"))
    with pytest.raises(InvalidValueError, match="normal_force"):
        TaskLog.from_frame(frame.drop(columns="observation.normal_force"))
    with pytest.raises(UnknownNameError, match="HOLD"):
        TaskLog.from_frame(frame.replace({"phase": {"APPROACH": "HOLDING"}}))


def test_a_wrong_tick_adds_nothing():
    log = played(size=2, ticks=2)
    seen = Observation(approach_error=0.1, aperture=0.08, normal_force=0.0, slip_speed=0.0, sample_time=0.0)
    state = log.states[-1]
    full = {"request": {"width": 0.0}, "command": {"left": 0.0, "right": 0.0}, "net_actuation": {"left": 0.0}}
    with pytest.raises(UnknownNameError, match="right"):
        log.record(0.2, state, seen, **full | {"command": {"left": 0.0}})
    with pytest.raises(ShapeError, match="left"):
        log.record(0.2, state, seen, **full | {"command": {"left": [0.0, 0.0, 0.0], "right": 0.0}})
    with pytest.raises(ShapeError, match="state"):
        log.record(0.2, TaskState.start(3), seen, **full)
    with pytest.raises(UnknownNameError, match="reqest"):
        log.record(0.2, state, seen, **full, times={"reqest": 0.0})
    with pytest.raises(ShapeError, match="mask"):
        log.note_reset(0.2, [1, 0])
    assert len(log) == 2


def test_the_log_keeps_what_it_was_given_not_what_the_buffer_becomes():
    force = np.array([1.0])
    log = TaskLog(TaskState.start())
    seen = Observation(approach_error=0.1, aperture=0.08, normal_force=force, slip_speed=0.0, sample_time=0.0)
    log.record(0.0, advance(TaskState.start(), seen, 0.0), seen, command={"finger": force})
    force[:] = 9.0
    assert log.to_frame()[["observation.normal_force", "command.finger"]].iloc[-1].tolist() == [1.0, 1.0]


@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 3), ticks=st.integers(0, 25), suffix=st.sampled_from([".parquet", ".csv"]))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_run_survives_the_file(tmp_path, seed, size, ticks, suffix):
    log = played(size, ticks, seed=seed)
    again = TaskLog.read(log.write(tmp_path / f"any{suffix}"))
    assert again.replay().same
    assert all(old.equals(new) for old, new in zip(log.states, again.states, strict=True))


def test_importing_the_task_brings_no_table_library():
    code = "import sys, dexlab_course.task, dexlab_course.trajectory, dexlab_course.control; print(sorted({'pandas', 'pyarrow', 'scipy'} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
