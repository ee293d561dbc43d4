"""What must hold for any input: compared with a second, slow reading of the contract, one environment and one line at a time."""

import copy
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dexlab_course.task import Observation, Phase, Reason, TaskState, Thresholds, advance, reset

CHANNELS = ("approach_error", "aperture", "normal_force", "slip_speed", "abort")
ACTIVE = [Phase.APPROACH, Phase.CLOSE, Phase.HOLD, Phase.RELEASE]
LENIENT = Thresholds(keep_force=1.5, keep_slip_speed=0.002)

# Values on, just beside and far from every threshold, and all that is not a number; so that random runs get through all phases.
edges = [
    -math.inf,
    -1.0,
    -1e-6,
    0.0,
    1e-4,
    0.001,
    0.0011,
    0.005,
    0.0051,
    0.05,
    0.07,
    0.08,
    0.1,
    1.0,
    1.7,
    2.0,
    5.0,
    20.0,
    20.1,
    1e308,
    math.inf,
    math.nan,
]
anything = st.sampled_from(edges) | st.floats(width=64)
stamps = st.sampled_from([0.0, 0.0, 0.0, -0.01, -0.02, -0.0201, 0.01, 5e-10]) | st.floats(-0.03, 0.03)
good_channels = {
    "approach_error": st.sampled_from([0.001, 0.005, 0.1]),
    "aperture": st.sampled_from([0.0, 0.05, 0.08]),
    "normal_force": st.sampled_from([0.0, 0.05, 1.7, 2.0, 5.0]),
    "slip_speed": st.sampled_from([0.0, -0.001, 0.0015, 0.1]),
    "abort": st.just(0.0),
}


@st.composite
def frames(draw, size):
    """One tick of a batch: mostly plausible, with a wrong value here and there."""
    frame = {}
    for name in CHANNELS:
        frame[name] = [draw(anything) if draw(st.integers(0, 40)) == 0 else draw(good_channels[name]) for _ in range(size)]
    frame["age"] = [draw(stamps) if draw(st.integers(0, 20)) == 0 else 0.0 for _ in range(size)]
    return frame


@st.composite
def runs(draw):
    """(size, thresholds, list of (step of time, frame, reset mask or None))."""
    size = draw(st.integers(1, 4))
    ticks = draw(
        st.lists(
            st.tuples(
                st.sampled_from([0.01, 0.3, 1.0, 3.1]), frames(size), st.none() | st.lists(st.booleans(), min_size=size, max_size=size)
            ),
            max_size=20,
        )
    )
    return size, draw(st.sampled_from([Thresholds(), LENIENT])), ticks


def observe(frame, now):
    stamps = [now + age for age in frame["age"]]
    return Observation(**{name: frame[name] for name in CHANNELS}, sample_time=stamps)


def play(size, thresholds, ticks, start=None, now=0.0):
    state, states = start or TaskState.start(size), []
    for step, frame, mask in ticks:
        now += step
        if mask is not None and states:
            state = reset(state, now, mask)
        state = advance(state, observe(frame, now), now, thresholds)
        states.append((now, state))
    return states


def slow(member, seen, now, t):
    """The contract for one environment, written down a second time: (phase, entered, since, width, reason) -> the same."""
    phase, entered, since, width, _ = member
    e, a, f, s, abort, stamp = (*(seen[name] for name in CHANNELS), seen["sample_time"])
    if phase in (Phase.DONE, Phase.FAULT):
        return member

    def fault(reason):
        return (Phase.FAULT, now, math.inf, width, reason)

    if abort == 1:
        return fault(Reason.ABORT)
    if not all(map(math.isfinite, (e, a, f, s, abort, stamp))) or abort != 0 or e < 0 or a < 0 or f < 0:
        return fault(Reason.INVALID)
    if stamp > now + 1e-9:
        return fault(Reason.FUTURE)
    if now - stamp > t.sample_age + 1e-9:
        return fault(Reason.STALE)
    if f > t.force_limit:
        return fault(Reason.FORCE)
    if phase == Phase.HOLD:
        enough, slow_enough = t.grip_force, t.slip_speed
        if since < math.inf:
            enough = t.keep_force or enough
            slow_enough = t.keep_slip_speed or slow_enough
        good = f >= enough and abs(s) <= slow_enough
        since = min(since, now) if good else math.inf
        met = now - since >= t.hold_time - 1e-9
    else:
        met = {
            Phase.APPROACH: e <= t.approach_error,
            Phase.CLOSE: f >= t.grip_force and a > t.grip_aperture,
            Phase.RELEASE: a >= t.release_aperture and f <= t.release_force,
        }[phase]
    if met:
        after = Phase(phase + 1)
        return (after, now, math.inf, t.closed_width if after in (Phase.CLOSE, Phase.HOLD) else t.open_width, Reason.GUARD)
    if now - entered > t.phase_time + 1e-9:
        return fault(Reason.TIMEOUT)
    return (phase, entered, since, width, member[4])


def members(state):
    return [tuple(row) for row in state.to_array().tolist()]


@given(runs())
@settings(max_examples=300, deadline=None)
def test_the_batch_is_the_slow_reading_member_by_member(case):
    size, thresholds, ticks = case
    expected = members(TaskState.start(size))
    for index, ((now, state), (_, frame, mask)) in enumerate(zip(play(*case), ticks, strict=True)):
        if mask is not None and index:
            expected = [
                (Phase.APPROACH, now, math.inf, 0.08, Reason.STARTED) if again else m for m, again in zip(expected, mask, strict=True)
            ]
        seen = [{name: frame[name][i] for name in CHANNELS} | {"sample_time": now + frame["age"][i]} for i in range(size)]
        expected = [slow(member, sample, now, thresholds) for member, sample in zip(expected, seen, strict=True)]
        assert members(state) == [tuple(map(float, member)) for member in expected]


@given(runs())
@settings(max_examples=100, deadline=None)
def test_a_batch_is_its_members_run_alone(case):
    size, thresholds, ticks = case
    whole = play(*case)
    for i in range(size):
        own = [(step, {name: [values[i]] for name, values in frame.items()}, mask and [mask[i]]) for step, frame, mask in ticks]
        for (_, state), (_, alone) in zip(whole, play(1, thresholds, own), strict=True):
            assert state[i].equals(alone)


@given(runs())
@settings(max_examples=100, deadline=None)
def test_at_most_one_phase_a_tick_and_fault_and_done_are_final_until_reset(case):
    before = np.zeros(case[0], dtype=int)
    for index, ((_, state), (_, _, mask)) in enumerate(zip(play(*case), case[2], strict=True)):
        if mask is not None and index:
            before = np.where(mask, 0, before)
        after = state.phase.astype(int)
        final = before >= Phase.DONE
        assert (after[final] == before[final]).all()
        moved = after != before
        assert ((after == before + 1) | (after == Phase.FAULT))[moved].all()
        before = after


@given(runs(), st.integers(0, 20))
@settings(max_examples=100, deadline=None)
def test_copy_and_replay_is_identical(case, cut):
    _, thresholds, ticks = case
    states = play(*case)
    if not states:
        return
    cut = min(cut, len(states) - 1)
    now, middle = states[cut]
    for restored in (copy.deepcopy(middle), TaskState.from_array(middle.to_array()), middle[:]):
        state, time = restored, now
        for (_, expected), (step, frame, mask) in zip(states[cut + 1 :], ticks[cut + 1 :], strict=True):
            time += step
            state = reset(state, time, mask) if mask is not None else state
            state = advance(state, observe(frame, time), time, thresholds)
            assert state.equals(expected)


wrong = st.sampled_from(["nan", "inf", "negative", "future", "stale", "abort"])


@given(
    st.sampled_from(ACTIVE),
    wrong,
    st.sampled_from(["approach_error", "aperture", "normal_force"]),
    st.floats(1e-8, 1e6),
    st.sampled_from([0.0, 5.0, 1e4]),
)
def test_no_wrong_sample_ever_advances_a_phase(phase, kind, channel, size, now):
    # Everything else is such that every guard is met, and Hold has been good for long.
    seen = {"approach_error": 0.0, "aperture": 0.08, "normal_force": 0.0 if phase == Phase.RELEASE else 5.0, "slip_speed": 0.0}
    state = TaskState([phase], [now - 2.0], [now - 2.0 if phase == Phase.HOLD else math.inf], [0.03], [Reason.GUARD])
    assert advance(state, Observation(**seen, sample_time=now), now).phase[0] == phase + 1
    stamp, abort = now, 0.0
    if kind in ("nan", "inf", "negative"):
        seen[channel] = {"nan": math.nan, "inf": math.inf, "negative": -size}[kind]
    elif kind in ("future", "stale"):
        stamp = now + size if kind == "future" else now - 0.02 - size
    else:
        abort = 1.0
    after = advance(state, Observation(**seen, sample_time=stamp, abort=abort), now)
    assert after.names == ("FAULT",)


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.sampled_from([0.05, 0.1, 0.2]))
def test_hold_is_left_exactly_after_one_unbroken_second(goods, step):
    """Any pattern of good and bad samples: the longest run of good ones decides, never their sum."""
    state = TaskState([Phase.HOLD], [0.0], [math.inf], [0.03], [Reason.GUARD])
    expanded = [good for good in goods for _ in range(4)]
    begun = None
    for k, good in enumerate(expanded, start=1):
        now = k * step
        if now > 3:
            break
        state = advance(
            state, Observation(approach_error=0.0, aperture=0.05, normal_force=5.0 if good else 1.0, slip_speed=0.0, sample_time=now), now
        )
        begun = (k if begun is None else begun) if good else None
        should_leave = begun is not None and (k - begun) * step > 1 - 1e-6
        assert (state.names == ("RELEASE",)) == should_leave
        if should_leave:
            break


numbers = st.floats(width=64)


@given(
    st.lists(st.tuples(numbers, numbers, numbers, numbers, numbers, numbers, numbers), max_size=6),
    st.sampled_from(list(Phase)),
)
@settings(max_examples=300, deadline=None)
def test_no_sequence_of_numbers_raises_warns_or_breaks_the_state(rows, phase):
    state = TaskState([phase], [0.0], [math.inf], [0.08], [Reason.STARTED])
    for error, aperture, force, slip, stamp, abort, now in rows:
        seen = Observation(approach_error=error, aperture=aperture, normal_force=force, slip_speed=slip, sample_time=stamp, abort=abort)
        state = advance(state, seen, now)
        assert TaskState.from_array(state.to_array()).equals(state)  # the constructor checks everything
