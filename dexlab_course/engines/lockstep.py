"""A sender in another process that is asked at each control tick, so that a run gives the same however fast the two processes are.

A real sender does not wait for anybody. Here it does, because a page must print the same every time: the receiver says what time it is,
the sender's messages of that time are in the channel before the call returns, and only then does the receiver go on.
"""

import contextlib
import multiprocessing
import subprocess
import sys
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any, Self

from dexlab_course.engines.child import source_of
from dexlab_course.errors import InvalidValueError, explain

# The child gets text and plain data, so that it imports neither the notebook nor the course. It is not a multiprocessing.Process: that
# starts a helper process besides, which a notebook's kernel waits for when it is told to go.
_CHILD = """
import sys
from multiprocessing.connection import Connection
_ticks, _channel = (Connection(int(number)) for number in sys.argv[1:])
_source, _name, _arguments = _ticks.recv()
exec(_source)
_speak = globals()[_name]
while (_now := _ticks.recv()) is not None:
    for _message in _speak(_now, **_arguments):
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
        InvalidValueError: the function's source cannot be read, or it uses names from outside itself.
    """

    def __init__(self, speak: Callable[..., Sequence[Any]], **arguments: Any) -> None:
        source = source_of(speak)
        self.channel: Connection
        self.channel, channel = multiprocessing.Pipe(duplex=False)
        self._ticks, ticks = multiprocessing.Pipe()
        ends = ticks.fileno(), channel.fileno()
        self._process = subprocess.Popen([sys.executable, "-c", _CHILD, *map(str, ends)], pass_fds=ends)
        channel.close()  # our copies of the child's ends; without that its end would go unnoticed
        ticks.close()
        self._ticks.send((source, speak.__name__, arguments))

    def tick(self, now: float) -> None:
        """Tell the sender the time [s], and wait until what it has to say is in the channel.

        Raises:
            InvalidValueError: the sender has ended.
        """
        try:
            self._ticks.send(now)
            self._ticks.recv()
        except (EOFError, OSError) as error:
            message = explain(
                "the sender is gone", got=f"exit code {self._process.wait(timeout=30)}", expected="an answer", remedy="read what it printed"
            )
            raise InvalidValueError(message) from error

    def end(self) -> int:
        """Let the process end, and return its exit code; what it has sent stays in the channel. A second call does nothing.

        One that does not end within half a minute is killed.
        """
        if self._process.poll() is None:
            with contextlib.suppress(OSError):  # it may end in between
                self._ticks.send(None)
        try:
            return self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
