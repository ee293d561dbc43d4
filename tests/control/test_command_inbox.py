"""The command inbox: every reason to refuse, what happens without commands, and a second process that does everything wrong."""

import dataclasses
import math
import multiprocessing
import pathlib
import pickle
import queue
import runpy
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dexlab_course.control import Command, CommandInbox, Refused, Standing
from dexlab_course.dof import DofMap, Joint
from dexlab_course.errors import InvalidValueError, ShapeError, UnknownNameError

ARM = DofMap(
    [
        Joint.at("base", "free", q=range(7), v=range(6), unit="m, quat_wxyz"),
        Joint.at("elbow", "revolute", q=[8], v=[7], u=[1]),
        Joint.at("shoulder", "revolute", q=[7], v=[6], u=[0]),
        Joint.at("lift", "prismatic", q=[9], v=[8], u=[2], unit="m"),
        Joint.at("passive", "revolute", q=[10], v=[9]),
    ],
    nq=11,
    nv=10,
    nu=3,
    source="arm",
)
COMMAND = Command(
    names=("shoulder", "lift"),
    values=(0.5, 0.1),
    quantity="position",
    units=("rad", "m"),
    frame="joint",
    stamp=1.0,
    sequence=0,
    valid_for=0.05,
)
SENDER = pathlib.Path(__file__).with_name("sender_process.py")


def command(**changes):
    return dataclasses.replace(COMMAND, **changes)


def inbox(channel=None, **options):
    settings = {
        "names": ["lift", "shoulder"],
        "quantity": "position",
        "start": [0.0, 0.0],
        "when_lost": "hold",
        "max_age": 1.0,
        "lower": -1.0,
        "upper": 1.0,
    }
    return CommandInbox(ARM, queue.SimpleQueue() if channel is None else channel, **settings | options)


def judged(message, now=1.0, **options):
    """The reason for which a single message is refused at ``now``, or None."""
    box = inbox(**options)
    box._channel.put(message)
    refused = box.latch(now).refused
    return refused[0].reason if refused else None


def test_a_valid_command_is_latched_by_name_and_held_until_the_next():
    box = inbox()
    assert box.latch(1.0).standing == Standing.START
    box._channel.put(COMMAND)
    latched = box.latch(1.01)
    assert latched.values.tolist() == [0.1, 0.5]  # the order of the inbox, not of the message
    assert (latched.standing, latched.fresh, latched.sequence) == (Standing.COMMAND, True, 0)
    assert latched.age == pytest.approx(0.01)
    assert not box.latch(1.02).fresh
    full = ARM.scatter(np.zeros(ARM.nq), box.names, latched.values, box.space)
    assert full[[9, 7]].tolist() == [0.1, 0.5]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"episode": 1}, Refused.OTHER_EPISODE),
        ({"sender": "intruder"}, Refused.OTHER_SENDER),
        ({"model": "0123456789abcdef"}, Refused.OTHER_MODEL),
        ({"model": ARM.fingerprint()}, None),
        ({"names": ("shoulder", "lfit")}, Refused.UNKNOWN_JOINT),
        ({"names": ("shoulder", "elbow"), "units": ("rad", "rad")}, Refused.UNKNOWN_JOINT),
        ({"names": ("shoulder",), "values": (0.5,), "units": ("rad",)}, Refused.MISSING_JOINT),
        ({"quantity": "velocity"}, Refused.WRONG_QUANTITY),
        ({"units": "rad"}, Refused.WRONG_UNIT),
        ({"units": ("deg", "m")}, Refused.WRONG_UNIT),
        ({"frame": "motor"}, Refused.WRONG_FRAME),
        ({"stamp": 1.1}, Refused.FUTURE),
        ({"stamp": 1.0 + 5e-10}, None),
        ({"stamp": 0.95}, None),
        ({"stamp": 0.9499}, Refused.STALE),
        ({"stamp": -0.5, "valid_for": 60.0}, Refused.STALE),
        ({"values": (1.01, 0.1)}, Refused.OVER_LIMIT),
        ({"values": (0.5, -1.0)}, None),
    ],
)
def test_one_wrong_thing_refuses_a_command_and_its_reason_is_named(changes, reason):
    assert judged(command(**changes), sender="") == reason


def test_the_message_says_what_was_given_what_was_expected_and_how_to_mend_it():
    box = inbox()
    box._channel.put(command(values=(0.5, 2.0), sequence=7))
    refusal = box.latch(1.0).refused[0]
    assert refusal.sequence == 7
    for word in ("command 7", "2 m for lift", "[-1, 1] m", "To mend it"):
        assert word in refusal.message


def test_duplicates_and_older_commands_are_refused_after_a_newer_one():
    box = inbox()
    for message in (command(sequence=5), command(sequence=5), command(sequence=4), command(sequence=6, stamp=0.99), command(sequence=7)):
        box._channel.put(message)
    latched = box.latch(1.0)
    assert [refusal.reason for refusal in latched.refused] == [Refused.DUPLICATE, Refused.OUT_OF_ORDER, Refused.OUT_OF_ORDER]
    assert latched.sequence == 7
    assert box.counts == {"accepted": 2, "duplicate": 1, "out of order": 2}


def test_a_refused_number_may_come_again():
    box = inbox()
    box._channel.put(command(sequence=3, stamp=1.2))
    assert box.latch(1.0).refused[0].reason == Refused.FUTURE
    box._channel.put(command(sequence=3, stamp=1.2))
    assert box.latch(1.2).sequence == 3


@pytest.mark.parametrize(("when_lost", "values"), [("hold", [0.1, 0.5]), ([0.0, -0.5], [0.0, -0.5])])
def test_without_commands_the_last_one_expires_and_what_then_drives_is_said(when_lost, values):
    box = inbox(when_lost=when_lost)
    box._channel.put(COMMAND)
    assert box.latch(1.0).standing == Standing.COMMAND
    assert box.latch(1.05).standing == Standing.COMMAND
    lost = box.latch(1.051)
    assert (lost.standing, lost.values.tolist(), lost.sequence) == (Standing.LOST, values, 0)
    assert box.latch(9.0).standing == Standing.LOST
    box._channel.put(command(sequence=1, stamp=9.0))
    assert box.latch(9.01).standing == Standing.COMMAND


def test_the_receiver_caps_what_the_sender_promises():
    box = inbox(max_age=0.02)
    box._channel.put(command(valid_for=1e6))
    assert box.latch(1.02).standing == Standing.COMMAND
    assert box.latch(1.021).standing == Standing.LOST


def test_a_clock_offset_is_mapped_and_without_it_everything_is_refused():
    remote = command(stamp=101.0)
    assert judged(remote, 1.0) == Refused.FUTURE
    assert judged(remote, 1.0, clock_offset=100.0) is None
    assert judged(command(stamp=-99.0), 1.0) == Refused.STALE
    assert judged(command(stamp=-99.0), 1.0, clock_offset=-100.0) is None


def test_reset_begins_an_episode_with_new_numbers_and_refuses_what_is_under_way():
    box = inbox()
    box._channel.put(command(sequence=9))
    box.latch(1.0)
    with pytest.raises(InvalidValueError, match="went back"):
        box.latch(0.0)
    box.reset(episode=1)
    box._channel.put(command(sequence=10, stamp=0.0))
    latched = box.latch(0.0)
    assert latched.refused[0].reason == Refused.OTHER_EPISODE
    assert (latched.standing, latched.values.tolist()) == (Standing.START, [0.0, 0.0])
    box._channel.put(command(sequence=0, stamp=0.0, episode=1))
    assert box.latch(0.01).sequence == 0


def test_the_first_accepted_sender_is_the_only_one():
    box = inbox()
    for message in (command(sender="planner", values=(5.0, 0.0)), command(sender="pendant"), command(sender="planner", sequence=1)):
        box._channel.put(message)
    assert [refusal.reason for refusal in box.latch(1.0).refused] == [Refused.OVER_LIMIT, Refused.OTHER_SENDER]
    box.reset(episode=0)
    box._channel.put(command(sender="planner", sequence=1))
    assert (
        box.latch(
            2.0,
        )
        .refused[0]
        .reason
        == Refused.STALE
    )
    box._channel.put(command(sender="planner", sequence=1, stamp=2.0))
    assert box.latch(2.0).fresh


def test_latching_again_at_the_same_time_changes_nothing_and_messages_are_no_time():
    box = inbox()
    box._channel.put(COMMAND)
    first = box.latch(1.0)
    for _ in range(1000):
        assert box.latch(1.0).standing == Standing.COMMAND
    for sequence in range(1, 500):
        box._channel.put(command(sequence=sequence))
    flooded = box.latch(1.0)
    assert flooded.age == first.age == 0.0
    assert flooded.sequence == 499


def test_a_flood_is_read_in_parts():
    box = inbox(max_messages=10)
    for sequence in range(25):
        box._channel.put(command(sequence=sequence))
    assert [box.latch(1.0).sequence for _ in range(4)] == [9, 19, 24, 24]


class Bomb:
    def __reduce__(self):
        return (int, ("no number",))


rubbish = [
    None,
    7,
    "move",
    b"\x00",
    [],
    {},
    {"names": ["lift"]},
    COMMAND.to_message() | {"values": [math.nan, 0.0]},
    COMMAND.to_message() | {"extra": 1},
]
rubbish += [COMMAND.to_message() | {field: None} for field in COMMAND.to_message() if field != "model"]
rubbish += [
    COMMAND.to_message() | change
    for change in ({"values": ["0.1", "0.5"]}, {"sequence": True}, {"sequence": -1}, {"valid_for": 0.0}, {"stamp": 10**400})
]


@pytest.mark.parametrize("message", rubbish, ids=lambda message: f"{message!r:.40}")
def test_what_is_no_command_is_refused_and_never_raises(message):
    assert judged(message) == Refused.MALFORMED


@pytest.mark.parametrize("field", ["sequence", "episode"])
def test_a_counter_of_absurd_length_is_refused_and_the_next_command_still_heard(field):
    channel = queue.Queue()
    receiver = inbox(channel)
    channel.put(COMMAND.to_message() | {field: 10**5000})
    channel.put(COMMAND.to_message())
    latched = receiver.latch(COMMAND.stamp)
    assert [refusal.reason for refusal in latched.refused] == [Refused.MALFORMED]
    assert latched.fresh


def test_a_command_that_skipped_its_own_checks_is_checked_again():
    forged = pickle.loads(pickle.dumps(COMMAND))
    object.__setattr__(forged, "values", (math.nan, math.inf))
    assert judged(forged) == Refused.MALFORMED


def test_what_cannot_be_unpacked_is_refused_and_the_rest_still_read():
    ours, theirs = multiprocessing.Pipe(duplex=False)
    theirs.send(Bomb())
    theirs.send(COMMAND)
    latched = inbox(ours).latch(1.0)
    assert [refusal.reason for refusal in latched.refused] == [Refused.MALFORMED]
    assert latched.fresh
    theirs.close()
    box = inbox(ours)
    assert box.latch(1.0).standing == Standing.START  # a sender that is gone is a sender that says nothing


def test_plain_messages_are_commands_too():
    assert judged(COMMAND.to_message()) is None
    assert Command.from_message(COMMAND.to_message()) == COMMAND


messages = st.fixed_dictionaries(
    {
        "sequence": st.integers(0, 6),
        "stamp": st.sampled_from([0.9, 0.95, 1.0, 1.01, 1.02, 2.0]),
        "values": st.tuples(st.sampled_from([0.0, 0.5, 2.0]), st.floats(-1, 1)),
        "valid_for": st.sampled_from([0.01, 0.05, 5.0]),
        "episode": st.sampled_from([0, 0, 0, 1]),
    }
)


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.01, 0.03]), st.lists(messages, max_size=4)), max_size=8))
@settings(deadline=None)
def test_whatever_comes_only_valid_ordered_commands_within_limits_ever_drive(ticks):
    box, now, last = inbox(when_lost=[0.0, 0.0]), 1.0, -1
    for step, batch in ticks:
        now += step
        for message in batch:
            box._channel.put(command(**message))
        latched = box.latch(now)
        assert (np.abs(latched.values) <= 1.0).all()
        assert latched.age >= -1e-9
        if latched.standing == Standing.COMMAND:
            assert latched.age <= 1.0 + 1e-9
        else:
            assert latched.values.tolist() == [0.0, 0.0]
        if latched.sequence is not None:
            assert latched.sequence >= last
            assert latched.fresh == (latched.sequence > last)
            last = latched.sequence
        assert len(latched.refused) <= len(batch)
    assert sum(box.counts.values()) == sum(len(batch) for _, batch in ticks)


@pytest.mark.parametrize(
    ("options", "error", "word"),
    [
        ({"names": ["lfit", "shoulder"]}, UnknownNameError, "lift"),
        ({"names": ["base"], "start": [0.0]}, ShapeError, "several entries"),
        ({"names": ["passive"], "quantity": "effort", "start": [0.0]}, ShapeError, "actuator"),
        ({"quantity": "torque"}, UnknownNameError, "effort"),
        ({"start": [0.0]}, ShapeError, "start"),
        ({"start": [0.0, 5.0]}, InvalidValueError, "range"),
        ({"when_lost": [0.0, 5.0]}, InvalidValueError, "range"),
        ({"when_lost": "stop"}, InvalidValueError, "when_lost"),
        ({"upper": math.nan}, InvalidValueError, "upper"),
        ({"max_age": -1.0}, InvalidValueError, "max_age"),
        ({"clock_offset": math.inf}, InvalidValueError, "clock_offset"),
    ],
)
def test_an_inbox_that_could_not_work_is_refused(options, error, word):
    with pytest.raises(error, match=word):
        inbox(**options)


@pytest.mark.parametrize(
    "bad",
    [{"names": ()}, {"names": ("lift", "lift")}, {"values": (1.0,)}, {"stamp": math.nan}, {"units": ("rad",)}, {"quantity": "torque"}],
)
def test_a_sender_cannot_build_a_wrong_command(bad):
    with pytest.raises(InvalidValueError, match=next(iter(bad))):
        command(**bad)


def test_a_thread_may_write_while_the_control_loop_latches():
    channel = queue.SimpleQueue()
    box = inbox(channel)

    def send():
        for sequence in range(2000):
            channel.put(command(sequence=sequence, values=(sequence / 4000, sequence / 4000)))

    thread = threading.Thread(target=send)
    thread.start()
    seen = []
    while thread.is_alive() or not channel.empty():
        latched = box.latch(1.0)
        assert latched.values[0] == latched.values[1]  # never half of one command and half of another
        seen.append(latched.sequence or 0)
    thread.join()
    assert seen == sorted(seen)
    assert box.latch(1.0).sequence == 1999


OFFSET = 100.0  # the sender's clock runs ahead by this much [s]


def plain(sequence, stamp, value=0.5, **changes):
    return COMMAND.to_message() | {"sequence": sequence, "stamp": stamp + OFFSET, "values": [value, value / 2], "valid_for": 0.03} | changes


# One entry a control tick, every 10 ms: what the second process sends before it.
STAGES = [
    [],
    [plain(0, 0.01, 0.1)],
    [],  # lost
    [plain(3, 0.03, 0.3), plain(2, 0.02, 0.2), plain(3, 0.03, 0.3)],  # swapped, then doubled
    [plain(4, 0.04, 7.0)],  # over limit
    [plain(5, 0.55, 0.4)],  # its clock ran ahead
    [],
    [],  # number 3 has expired
    [plain(6, 0.045, 0.4)],  # late
    [plain(7, 0.09, 0.7) | {"values": None}],
    [plain(sequence, 0.10, sequence / 1000) for sequence in range(8, 108)],  # a burst
    [plain(400, -0.01 - OFFSET, 0.9)],  # stamped by the sender's own start
]
EXPECTED = [
    ("start", False, [], 0.0),
    ("command", True, [], 0.1),
    ("command", False, [], 0.1),
    ("command", True, ["out of order", "duplicate"], 0.3),
    ("command", False, ["over limit"], 0.3),
    ("command", False, ["future"], 0.3),
    ("command", False, [], 0.3),
    ("lost", False, [], 0.0),
    ("lost", False, ["stale"], 0.0),
    ("lost", False, ["malformed"], 0.0),
    ("command", True, [], 0.107),
    ("command", False, ["out of order"], 0.107),
]


def in_second_process(task, **arguments):
    # The target is a function of the standard library and the code a file, so that the child need not import this test.
    context = multiprocessing.get_context("spawn")
    options = {"init_globals": {"task": task, "arguments": arguments}, "run_name": "sender"}
    process = context.Process(target=runpy.run_path, args=(str(SENDER),), kwargs=options, daemon=True)
    process.start()
    return process


@pytest.mark.parametrize(("pause", "nap"), [(0.0, 0.0), (2e-4, 0.01)])
def test_a_second_process_that_does_everything_wrong_is_judged_by_simulation_time_alone(pause, nap):
    """The same verdicts at any pace of sender and receiver: neither sleeping nor the number of messages acts as time."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    go, done = ([context.Event() for _ in STAGES] for _ in range(2))
    process = in_second_process("by_stages", channel=theirs, go=go, done=done, stages=STAGES, pause=pause)
    theirs.close()
    box = inbox(ours, clock_offset=OFFSET, when_lost=[0.0, 0.0])
    seen = []
    for step, (start, finished) in enumerate(zip(go, done, strict=True)):
        start.set()
        assert finished.wait(timeout=30)
        time.sleep(nap)
        latched = box.latch(step * 0.01)
        seen.append((latched.standing.value, latched.fresh, [refusal.reason.value for refusal in latched.refused], latched.values[1]))
    process.join(timeout=30)
    assert process.exitcode == 0
    assert seen == EXPECTED
    assert box.latch(0.12).standing == Standing.COMMAND  # the sender is gone, and its last command is still good
    assert box.latch(0.14).standing == Standing.LOST


def test_a_chaotic_second_process_never_gets_anything_wrong_through():
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    observed, observations = context.Pipe()
    template = COMMAND.to_message() | {"valid_for": 0.03}
    process = in_second_process("chaotic", channel=theirs, observations=observed, template=template, offset=OFFSET, seed=1)
    theirs.close()
    box = inbox(ours, clock_offset=OFFSET, when_lost=[0.0, 0.0])
    last = -1
    for step in range(400):
        now = step * 0.01
        observations.send(now)
        if step >= 2:  # let the sender lag behind by two ticks, but not without end
            observations.recv()
        if step % 3 == 0:
            time.sleep(0.002)  # the receiver is slow too
        latched = box.latch(now)
        assert (np.abs(latched.values) <= 1.0).all()
        assert latched.values[0] == -latched.values[1]
        if latched.standing == Standing.COMMAND:
            assert -1e-9 <= latched.age <= 0.03 + 1e-9
        if latched.sequence is not None:
            assert latched.sequence >= last
            last = latched.sequence
    observations.send(None)
    process.join(timeout=30)
    assert process.exitcode == 0
    box.latch(now)
    counts = box.counts
    assert counts["accepted"] > 20
    for reason in (Refused.MALFORMED, Refused.OVER_LIMIT, Refused.FUTURE, Refused.DUPLICATE, Refused.OUT_OF_ORDER):
        assert counts[reason.value] > 0, counts
