"""`verify`: set what an engine gave beside what the catalogue expects, and leave the evidence in the notebook.

The full numbers ride in the metadata of the cell's output, where every front end keeps them and comparisons of stored outputs ignore
them. The ledger is folded from executed notebooks, so nobody has to say in which notebook and cell a number was measured.
"""

import contextlib
import contextvars
import dataclasses
import functools
import importlib.metadata
import sys
from collections.abc import Iterator
from typing import Any

from dexlab_course.claims.catalogue import Claim, catalogue
from dexlab_course.claims.expectation import agrees, plain
from dexlab_course.errors import InvalidValueError, explain

_DISTRIBUTION = {"superdex": "superdex-physics", "genesis": "genesis-world"}


@dataclasses.dataclass(frozen=True)
class Evidence:
    """One call of ``verify``: the numbers and whether they agree with the row."""

    claim: Claim
    measured: Any
    derived: Any
    note: str
    problem: str

    @property
    def green(self) -> bool:
        return not self.problem

    def metadata(self) -> dict[str, Any]:
        """The entry as JSON data, as it is stored in the output's metadata."""
        return {
            "id": self.claim.id, "engine": self.claim.engine, "version": engine_version(self.claim.engine), "status": "green" if self.green else "red",
            "measured": self.measured, "derived": self.derived, "note": self.note, "problem": self.problem,
        }  # fmt: skip


@functools.cache
def engine_version(engine: str) -> str:
    """Version of the installed engine, or an empty string."""
    try:
        return importlib.metadata.version(_DISTRIBUTION.get(engine, engine))
    except importlib.metadata.PackageNotFoundError:
        return ""


def judge(claim: Claim, measured: Any, derived: Any = None, note: str = "") -> Evidence:
    """Compare without displaying anything.

    A nuance or contradicted row is green while the engine gives ``expect`` *and not* what the reading notes predict, so that a new
    engine version that mends the behaviour turns the row red.
    """
    measured, derived = plain(measured), plain(derived)
    problem = ""
    if not claim.is_measured:
        message = explain(
            f"{claim.id} has no experiment of its own",
            got=f"verdict {claim.verdict}, same_as {claim.same_as or 'nothing'}",
            expected="a row with an expectation",
            remedy="verify the row it refers to",
        )
        raise InvalidValueError(message)
    if not agrees(measured, claim.expect, claim.tolerance):
        problem = "the engine gives something else than the catalogue expects"
    elif claim.has_text and agrees(measured, claim.text, claim.tolerance):
        problem = "the engine now does what the reading notes say: this finding is out of date"
    elif derived is not None and not agrees(derived, claim.expect, claim.tolerance):
        problem = "the derivation gives something else than the engine and the catalogue"
    return Evidence(claim, measured, derived, note, problem)


def verify(claim_id: str, measured: Any, *, derived: Any = None, note: str = "") -> None:
    """Set a measurement beside the catalogue's row and show the result as one line.

    Args:
        claim_id: id of the row.
        measured: what the engine gave: numbers, arrays, text, truth values, ``raised(...)``, or named parts in a dict.
        derived: the same quantity from a derivation that does not use the engine.
        note: how this reading was taken, where one row has several.

    A disagreement does not stop the notebook: the line is loud, and the run ends with a non-zero exit status.

    Raises:
        UnknownNameError: no such row; the message lists near ones.
    """
    evidence = judge(catalogue()[claim_id], measured, derived, note)
    table = _open_table.get()
    if table is None:
        _display([evidence], folded=False)
    else:
        table.append(evidence)


_open_table: contextvars.ContextVar[list[Evidence] | None] = contextvars.ContextVar("dexlab_table", default=None)


@contextlib.contextmanager
def folded_table() -> Iterator[None]:
    """Collect the ``verify`` calls of a block into one folded table; what was measured before an error is shown too."""
    rows: list[Evidence] = []
    token = _open_table.set(rows)
    try:
        yield
    finally:
        _open_table.reset(token)
        if rows:
            _display(rows, folded=True)


def _display(rows: list[Evidence], *, folded: bool) -> None:
    from dexlab_course.claims import render

    plain_text = "\n".join(render.as_text(row) for row in rows)
    html = render.table_html(rows) if folded else render.line_html(rows[0])
    from IPython.core.getipython import get_ipython
    from IPython.display import display

    if get_ipython() is None:
        sys.stdout.write(plain_text + "\n")
        return
    display({"text/plain": plain_text, "text/html": html}, raw=True, metadata={"dexlab": [row.metadata() for row in rows]})
