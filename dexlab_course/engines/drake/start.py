"""A quiet Drake: warnings that are not the lesson stay out of the page."""

import contextlib
import logging
import os
import sys
from collections.abc import Iterator


def quiet() -> None:
    """Show Drake's errors only. Import order and threads need no care: Drake has no global start-up."""
    logging.getLogger("drake").setLevel(logging.ERROR)


@contextlib.contextmanager
def silenced_stdout() -> Iterator[None]:
    """Keep what a solver's native code prints out of the page (it bypasses Python's stdout)."""
    sys.stdout.flush()
    saved = os.dup(1)
    try:
        with open(os.devnull, "wb") as sink:
            os.dup2(sink.fileno(), 1)
        yield
    finally:
        os.dup2(saved, 1)
        os.close(saved)
