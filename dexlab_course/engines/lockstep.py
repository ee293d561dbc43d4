"""A sender in another process that is asked at each control tick, so that a run gives the same however fast the two processes are.

A real sender does not wait for anybody. Here it does, because a page must print the same every time: the receiver says what time it is,
the sender's messages of that time are in the channel before the call returns, and only then does the receiver go on.
"""

import contextlib
import inspect
import multiprocessing
import textwrap
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any, Self

from dexlab_course.errors import InvalidValueError, explain

# The child gets text and plain data, so that it imports neither the notebook nor the course.
_LOOP = """
while (_now := _ticks.recv()) is not None:
    for _message in {name}(_now, **_arguments):
        _channel.send(_message)
    _ticks.send("sent")
"""


class LockstepSender:
    """Runs ``speak(now, **arguments)`` in a fresh Python process whenever ``tick(now)`` is called.

    Args:
        speak: a plain function that imports what it needs and returns a list of messages. Its source is sent, not its surroundings.
        arguments: keyword arguments for it, anything that can be pickled without the course.

    Attributes:
        channel: the end of a pipe in which the messages arrive, for a ``CommandInbox``.

    Raises:
        InvalidValueError: the function's source cannot be read.
    """

    def __init__(self, speak: Callable[..., Sequence[Any]], **arguments: Any) -> None:
        try:
            source = textwrap.dedent(inspect.getsource(speak))
        except (OSError, TypeError) as error:
            message = explain(
                "the sender's source cannot be read",
                got=repr(speak),
                expected="a function written in a cell or a file",
                remedy="define it with def, not with exec",
            )
            raise InvalidValueError(message) from error
        spawn = multiprocessing.get_context("spawn")
        self.channel: Connection
        self.channel, channel = spawn.Pipe(duplex=False)
        self._ticks, ticks = spawn.Pipe()
        given = {"_ticks": ticks, "_channel": channel, "_arguments": arguments}
        self._process = spawn.Process(target=exec, args=(source + _LOOP.format(name=speak.__name__), given), daemon=True)
        self._process.start()
        channel.close()  # our copies of the child's ends; without that its end would go unnoticed
        ticks.close()

    def tick(self, now: float) -> None:
        """Tell the sender the time [s], and wait until what it has to say is in the channel.

        Raises:
            InvalidValueError: the sender has ended.
        """
        try:
            self._ticks.send(now)
            self._ticks.recv()
        except (EOFError, OSError) as error:
            self._process.join(timeout=30)
            message = explain(
                "the sender is gone", got=f"exit code {self._process.exitcode}", expected="an answer", remedy="read what it printed"
            )
            raise InvalidValueError(message) from error

    def end(self) -> int | None:
        """Let the process end, and return its exit code; what it has sent stays in the channel. A second call does nothing."""
        if self._process.is_alive():
            with contextlib.suppress(OSError):  # it may end in between
                self._ticks.send(None)
        self._process.join(timeout=30)
        return self._process.exitcode

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
