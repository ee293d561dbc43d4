"""What Drake says while it reads a file: its warnings, kept instead of printed."""

from contextlib import AbstractContextManager

from dexlab_course.engines.heard import warnings_of


def heard() -> AbstractContextManager[list[str]]:
    """Collect Drake's warnings of a block in a list, without the place in the file, which differs from machine to machine.

    Messages of Drake's C++ reach Python's logger ``drake`` as soon as pydrake is imported.
    """
    return warnings_of("drake", lambda message: message.partition("warning: ")[2] or message)
