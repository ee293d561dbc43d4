"""What Genesis says while it imports a model, as a list instead of coloured lines on the page."""

import contextlib
import logging
from collections.abc import Iterator


class _Collector(logging.Handler):
    def __init__(self, messages: list[str]) -> None:
        super().__init__()
        self.messages = messages

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@contextlib.contextmanager
def warnings_of_genesis() -> Iterator[list[str]]:
    """Collect Genesis' warnings and errors of a block; nothing of them is printed. ``start`` must have been called before.

    The course starts Genesis so quiet that its warnings are dropped. Inside the block they are heard: the list that the block is given
    holds the messages in order, without time and colour. The logger is as it was afterwards.

    >>> import logging
    >>> with warnings_of_genesis() as heard:
    ...     logging.getLogger("genesis").warning("no motor")
    >>> heard
    ['no motor']
    """
    messages: list[str] = []
    logger = logging.getLogger("genesis")
    before = logger.level, logger.handlers[:], logger.propagate
    logger.handlers[:] = [_Collector(messages)]
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    try:
        yield messages
    finally:
        logger.handlers[:] = before[1]
        logger.propagate = before[2]
        logger.setLevel(before[0])
