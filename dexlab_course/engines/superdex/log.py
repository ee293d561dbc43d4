"""What SuperDex prints besides raising errors: read it as lines instead of letting it run through a page."""

import contextlib
import ctypes
import os
import re
import sys
import tempfile
from collections.abc import Iterator


@contextlib.contextmanager
def engine_log() -> Iterator[list[str]]:
    """Collect what the engine's native code prints within the block; nothing of it appears elsewhere.

    The reason of many refusals stands only there: the exception says "see log warnings for details". Some failures, such as a matrix
    that cannot be inverted, are no exception at all but a printed line.

    Yields:
        A list that is filled when the block ends: one line each, ``WARNING: ...`` or ``ERROR: ...``, without places in the source.
    """
    lines: list[str] = []
    sys.stdout.flush()
    saved = os.dup(1)
    with tempfile.TemporaryFile() as sink:
        os.dup2(sink.fileno(), 1)
        try:
            yield lines
        finally:
            ctypes.CDLL(None).fflush(None)  # the engine's own buffer
            os.dup2(saved, 1)
            os.close(saved)
            sink.seek(0)
            lines += _readable(sink.read().decode(errors="replace"))


def _readable(text: str) -> list[str]:
    """
    >>> _readable("/a/b.cpp(683): [Mochi] [WARNING] Validate: bot has no name\\n")
    ['WARNING: Validate: bot has no name']
    """
    entries = re.split(r"^\S+\(\d+\): \[Mochi\] \[(\w+)\] ", text, flags=re.MULTILINE)[1:]
    return [f"{level}: {' '.join(words.split())}" for level, words in zip(entries[::2], entries[1::2], strict=True)]
