"""What Drake says while it reads a file: its warnings, kept instead of printed."""

import contextlib
import logging
from collections.abc import Iterator


class _Keep(logging.Handler):
    def __init__(self, kept: list[str]) -> None:
        super().__init__()
        self.kept = kept

    def emit(self, record: logging.LogRecord) -> None:
        # A message begins with the file and the line, which differ from machine to machine.
        self.kept.append(record.getMessage().partition("warning: ")[2] or record.getMessage())


@contextlib.contextmanager
def heard() -> Iterator[list[str]]:
    """Collect Drake's warnings of a block, without the place in the file; nothing is printed.

    Messages of Drake's C++ reach Python's logger ``drake`` as soon as pydrake is imported. Level and handlers are put back afterwards.

    Returns:
        A list that fills while the block runs.
    """
    logger, kept = logging.getLogger("drake"), []  # type: tuple[logging.Logger, list[str]]
    before = logger.level, logger.propagate, logger.handlers[:]
    logger.handlers[:] = [_Keep(kept)]
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    try:
        yield kept
    finally:
        logger.handlers[:] = before[2]
        logger.propagate = before[1]
        logger.setLevel(before[0])
