"""The sender in another process speaks when it is asked, and only then."""

import pytest

from dexlab_course.engines.lockstep import LockstepSender
from dexlab_course.errors import InvalidValueError


def twice(now: float, what: str = "tick") -> list[tuple[str, float]]:
    return [(what, now), (what, 2 * now)]


def fails(now: float) -> list[float]:
    return [1.0 / now]


def received(sender: LockstepSender) -> list[object]:
    messages = []
    while sender.channel.poll(0):
        messages.append(sender.channel.recv())
    return messages


def test_what_is_said_at_a_tick_is_there_when_tick_returns() -> None:
    with LockstepSender(twice, what="now") as sender:
        assert received(sender) == []
        for now in (0.0, 1.5):
            sender.tick(now)
            assert received(sender) == [("now", now), ("now", 2 * now)]
    assert sender.end() == 0  # a second end does nothing


def test_what_was_sent_survives_the_sender() -> None:
    sender = LockstepSender(twice)
    sender.tick(1.0)
    assert sender.end() == 0
    assert sender.channel.recv() == ("tick", 1.0)


def test_a_sender_that_fails_is_reported_and_not_waited_for(capfd: pytest.CaptureFixture[str]) -> None:
    sender = LockstepSender(fails)
    with pytest.raises(InvalidValueError, match="exit code 1"):
        sender.tick(0.0)
    assert sender.end() == 1
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_a_function_without_source_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="source"):
        LockstepSender(eval("lambda now: []"))
