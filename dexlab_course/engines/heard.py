"""What an engine says through Python's logging: its warnings, kept in a list instead of printed."""

import contextlib
import logging
from collections.abc import Callable, Iterator


class _Keep(logging.Handler):
    def __init__(self, kept: list[str], shorten: Callable[[str], str]) -> None:
        super().__init__()
        self.kept, self.shorten = kept, shorten

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append(self.shorten(record.getMessage()))


@contextlib.contextmanager
def warnings_of(logger: str, shorten: Callable[[str], str] = str) -> Iterator[list[str]]:
    """Collect warnings and errors of a block, in order; nothing of them is printed, whatever level the engine was set to before.

    Args:
        logger: name of the engine's logger; level, handlers and propagation are put back afterwards.
        shorten: what to keep of a message.

    Returns:
        A list that fills while the block runs.

    >>> with warnings_of("motor", str.upper) as kept:
    ...     logging.getLogger("motor").warning("no motor")
    >>> kept
    ['NO MOTOR']
    """
    source, kept = logging.getLogger(logger), []  # type: tuple[logging.Logger, list[str]]
    before = source.level, source.propagate, source.handlers[:]
    source.handlers[:] = [_Keep(kept, shorten)]
    source.propagate = False
    source.setLevel(logging.WARNING)
    try:
        yield kept
    finally:
        source.handlers[:] = before[2]
        source.propagate = before[1]
        source.setLevel(before[0])
