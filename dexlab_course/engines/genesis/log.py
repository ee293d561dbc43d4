"""What Genesis says while it imports a model, as a list instead of coloured lines on the page."""

from contextlib import AbstractContextManager

from dexlab_course.engines.heard import warnings_of


def warnings_of_genesis() -> AbstractContextManager[list[str]]:
    """Collect Genesis' warnings and errors of a block in a list, without time and colour. ``start`` must have been called before.

    The course starts Genesis so quiet that its warnings are dropped; inside the block they are heard.
    """
    return warnings_of("genesis")
