"""Experiments in a process of their own: every way to end has a name."""

import pytest

from dexlab_course.engines.child import run_in_child, run_in_children
from dexlab_course.errors import InvalidValueError


def returns(x: float = 1.0) -> dict[str, float]:
    return {"twice": 2 * x}


def exits(code: int = 3) -> None:
    import sys

    print("Failure at /somewhere/deep/file.h:1: condition 'x' failed.", file=sys.stderr)
    sys.exit(code)


def crashes() -> None:
    import os
    import signal

    os.kill(os.getpid(), signal.SIGSEGV)


def helper() -> int:
    return 1


def uses_helper() -> int:
    return helper()


def sleeps() -> None:
    import time

    time.sleep(60)


def test_a_value_comes_back() -> None:
    ended = run_in_child(returns, x=4.0)
    assert ended.ok
    assert ended.value == {"twice": 8.0}


def test_an_exit_code_and_the_last_words_without_a_path() -> None:
    ended = run_in_child(exits, code=3)
    assert (ended.how, ended.value, ended.ok) == ("exit 3", None, False)
    assert ended.last_words == "Failure at file.h:1: condition 'x' failed."


def test_a_signal_has_its_name() -> None:
    assert run_in_child(crashes).how == "SIGSEGV"


def test_a_timeout_kills_the_child() -> None:
    assert run_in_child(sleeps, timeout=0.5).how == "timeout"


def test_several_cases_each_in_its_own_process() -> None:
    ended = run_in_children(returns, {"a": {"x": 1.0}, "b": {"x": 2.0}, "c": {"wrong": 1}})
    assert [child.how for child in ended.values()] == ["exit 0", "exit 0", "exit 1"]
    assert ended["b"].value == {"twice": 4.0}
    assert "TypeError" in ended["c"].last_words


def test_what_cannot_be_sent_is_refused() -> None:
    outside = 3

    def uses_outside() -> int:
        return outside

    with pytest.raises(InvalidValueError, match="outside from outside"):
        run_in_child(uses_outside)
    with pytest.raises(InvalidValueError, match="helper from outside"):
        run_in_child(uses_helper)
    with pytest.raises(InvalidValueError, match="lambda"):
        run_in_child(eval("lambda: 1"))
