"""The errors of the course: one tree, and one shape of message.

Every message says four things in this order: what is wrong, what was given, what was expected, how to mend it.
"""

from collections.abc import Iterable


class DexlabCourseError(Exception):
    """Root of all errors the course raises on purpose."""

    def __str__(self) -> str:  # KeyError would print the message in quotes
        return str(self.args[0]) if self.args else ""


class UnknownNameError(DexlabCourseError, KeyError):
    """A joint, claim, chapter or other name that does not exist. The message lists the names that do."""


class ShapeError(DexlabCourseError, ValueError):
    """An array whose shape does not fit the model or the other arguments."""


class InvalidValueError(DexlabCourseError, ValueError):
    """A number that cannot be used: not finite, of the wrong sign, or outside its range."""


class ModelFileError(DexlabCourseError, ValueError):
    """A model file that is missing, unreadable or says something the reader cannot express."""


class ForeignModelError(DexlabCourseError, ValueError):
    """A command or map that was built for another model (its fingerprint differs)."""


class MissingEngineError(DexlabCourseError, ImportError):
    """An engine that is not installed in this environment."""

    def _render_traceback_(self) -> list[str]:
        """What IPython prints instead of a traceback: for a reader this is a fact, not a bug."""
        return [str(self)]


class CatalogueError(DexlabCourseError, ValueError):
    """A row of the claims catalogue that cannot be used as written."""


class NotebookError(DexlabCourseError, RuntimeError):
    """A notebook that cannot be read or run."""


def explain(what: str, *, got: object, expected: object, remedy: str) -> str:
    """One message in the shape of the course: what, got, expected, remedy.

    >>> explain("kp must be finite", got="nan", expected="a number >= 0", remedy="check how kp was computed")
    'kp must be finite: got nan, expected a number >= 0. To mend it: check how kp was computed.'
    """
    ending = "" if remedy.endswith("?") else "."
    return f"{what}: got {got}, expected {expected}. To mend it: {remedy.rstrip('.')}{ending}"


def unknown_name(kind: str, name: object, valid: Iterable[str]) -> UnknownNameError:
    """The error for a name that is not among ``valid``; it lists them and points at the nearest ones."""
    import difflib

    names = list(valid)
    near = difflib.get_close_matches(str(name), names, n=3)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"use one of the {kind} names listed"
    shown = ", ".join(names[:30]) + (f", … ({len(names)} in all)" if len(names) > 30 else "")
    return UnknownNameError(explain(f"unknown {kind}", got=repr(name), expected=f"one of [{shown}]", remedy=hint))
