"""The task machine inside Drake: the same as ``advance`` step by step, and everything it remembers in the Context."""

import numpy as np
import pytest

pytest.importorskip("pydrake")

from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import Gain

from dexlab_course.engines.drake.task_system import TaskSystem, observation_vector
from dexlab_course.errors import InvalidValueError, ShapeError
from dexlab_course.task import Phase, TaskState, Thresholds, advance

PERIOD = 0.01


def frames(seed: int, ticks: int) -> np.ndarray:
    """Observations that wander through good, bad and absurd values, shape (ticks, 6)."""
    rng = np.random.default_rng(seed)
    now = np.arange(ticks) * PERIOD
    rows = np.stack(
        [
            rng.choice([0.001, 0.004, 0.2], ticks),
            rng.choice([0.05, 0.08], ticks),
            rng.choice([0.0, 2.5, 5.0], ticks, p=[0.004, 0.496, 0.5]),
            rng.choice([0.0, -0.0009, 0.002], ticks, p=[0.6, 0.396, 0.004]),
            now - rng.choice([0.0, 0.01, 0.02], ticks),
            np.zeros(ticks),
        ],
        axis=1,
    )
    bad = rng.random(ticks) < 0.002
    rows[bad, rng.integers(0, 6, bad.sum())] = rng.choice([np.nan, np.inf, -1.0, 25.0], bad.sum())
    return rows


class Bench:
    """One TaskSystem with a simulator; ``tick(k, row)`` lets it see a row at the k-th tick."""

    def __init__(self, task: TaskSystem | None = None) -> None:
        self.task = task or TaskSystem(period=PERIOD)
        self.simulator = Simulator(self.task)
        self.context = self.simulator.get_mutable_context()
        self.simulator.Initialize()

    def tick(self, k: int, row: np.ndarray) -> TaskState:
        self.task.get_input_port().FixValue(self.context, row)
        self.simulator.AdvanceTo(k * self.task.period)
        self.simulator.AdvancePendingEvents()
        return self.task.task_state(self.context)

    def between_ticks(self, k: int) -> None:
        """Half a period after the k-th tick: ``Initialize`` runs an update that is due exactly at the Context's time again."""
        self.simulator.AdvanceTo((k + 0.5) * self.task.period)


@pytest.mark.parametrize("seed", range(6))
def test_equal_to_advance_at_every_tick(seed: int) -> None:
    bench = Bench()
    expected = TaskState.start()
    for k, row in enumerate(frames(seed, 400)):
        expected = advance(expected, bench.task.observation(row), k * PERIOD)
        assert bench.tick(k, row).equals(expected)
        outputs = [bench.task.GetOutputPort(name).Eval(bench.context)[0] for name in ("phase", "width", "reason")]
        assert outputs == [expected.phase[0], expected.width[0], expected.reason[0]]
    assert expected.phase[0] > Phase.APPROACH


def test_the_frames_reach_every_phase() -> None:
    reached = set()
    for seed in range(6):
        bench = Bench()
        reached |= {int(bench.tick(k, row).phase[0]) for k, row in enumerate(frames(seed, 400))}
    assert reached >= {Phase.CLOSE, Phase.HOLD, Phase.RELEASE, Phase.FAULT}


def test_a_clone_continues_where_the_original_stood_and_both_stay_apart() -> None:
    rows = frames(0, 300)
    bench = Bench()
    for k in range(100):
        bench.tick(k, rows[k])
    bench.between_ticks(99)
    clone = Simulator(bench.task, bench.context.Clone())
    clone.Initialize()
    twin = Bench.__new__(Bench)
    twin.task, twin.simulator, twin.context = bench.task, clone, clone.get_mutable_context()
    for k in range(100, 200):
        assert bench.tick(k, rows[k]).equals(twin.tick(k, rows[k]))
    abort = observation_vector(approach_error=0.1, aperture=0.08, normal_force=0.0, slip_speed=0.0, sample_time=2.0, abort=1.0)
    before = bench.task.task_state(bench.context)
    twin.task.set_task_state(twin.context, TaskState.start(now=2.0))
    assert twin.tick(200, abort).names == ("FAULT",)
    assert bench.task.task_state(bench.context).equals(before)


def test_a_restored_context_replays_bit_for_bit() -> None:
    rows = frames(1, 300)
    bench = Bench()
    for k in range(50):
        bench.tick(k, rows[k])
    bench.between_ticks(49)
    saved = bench.context.Clone()
    first = [bench.tick(k, rows[k]) for k in range(50, 300)]
    bench.context.SetTimeStateAndParametersFrom(saved)
    bench.simulator.Initialize()
    again = [bench.tick(k, rows[k]) for k in range(50, 300)]
    assert all(a.equals(b) for a, b in zip(first, again, strict=True))


def test_reset_begins_an_episode_at_the_contexts_time() -> None:
    bench = Bench()
    late = {"approach_error": 0.1, "aperture": 0.08, "normal_force": 0.0, "slip_speed": 0.0}
    bench.tick(500, observation_vector(**late, sample_time=0.0))
    assert bench.task.task_state(bench.context).names == ("FAULT",)
    bench.task.reset(bench.context)
    state = bench.task.task_state(bench.context)
    assert (state.names, state.reasons, state.entered[0], state.width[0]) == (("APPROACH",), ("STARTED",), 5.0, 0.08)
    assert bench.tick(501, observation_vector(**late, sample_time=5.01)).names == ("APPROACH",)


def test_own_thresholds_period_and_offset() -> None:
    thresholds = Thresholds(open_width=0.06, closed_width=0.02, approach_error=0.2)
    bench = Bench(TaskSystem(period=0.02, offset=0.005, thresholds=thresholds))
    assert bench.task.GetOutputPort("width").Eval(bench.context)[0] == 0.06
    row = observation_vector(approach_error=0.1, aperture=0.08, normal_force=0.0, slip_speed=0.0, sample_time=0.005)
    bench.task.get_input_port().FixValue(bench.context, row)
    bench.simulator.AdvanceTo(0.004)
    assert bench.task.task_state(bench.context).names == ("APPROACH",)
    bench.simulator.AdvanceTo(0.006)
    state = bench.task.task_state(bench.context)
    assert (state.names, state.entered[0], state.width[0]) == (("CLOSE",), 0.005, 0.02)


def test_each_sensor_group_is_asked_for_its_age() -> None:
    task = TaskSystem(period=PERIOD, groups=2)
    bench = Bench(task)
    channels = {"approach_error": 0.1, "aperture": 0.08, "normal_force": 0.0, "slip_speed": 0.0}
    assert bench.tick(0, observation_vector(**channels, sample_time=[0.0, -0.02])).names == ("APPROACH",)
    assert bench.tick(1, observation_vector(**channels, sample_time=[0.01, -0.02])).reasons == ("STALE",)


def test_outputs_depend_on_the_state_alone() -> None:
    task = TaskSystem()
    assert not task.HasAnyDirectFeedthrough()
    builder = DiagramBuilder()  # a loop through the outputs is no algebraic loop
    builder.AddSystem(task)
    gain = builder.AddSystem(Gain(1.0, 1))
    builder.Connect(task.GetOutputPort("width"), gain.get_input_port())
    builder.Build()


def test_what_cannot_be_used_is_refused() -> None:
    for options in ({"period": 0.0}, {"period": np.nan}, {"offset": -1.0}, {"groups": 0}):
        with pytest.raises(InvalidValueError):
            TaskSystem(**options)
    task = TaskSystem()
    with pytest.raises(ShapeError):
        task.observation(np.zeros(7))
    with pytest.raises(ShapeError):
        task.set_task_state(task.CreateDefaultContext(), TaskState.start(2))
