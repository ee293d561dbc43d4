"""How a piece of evidence looks: one quiet line when it agrees, a loud one when it does not."""

import html
import os
from collections.abc import Callable
from typing import Any

from dexlab_course.claims.catalogue import Claim
from dexlab_course.claims.evidence import Evidence
from dexlab_course.claims.expectation import show_expectation, show_measured, show_value

# Labels are the only words here; a Chinese edition needs no other change.
_LABELS = {
    "en": {"engine": "engine", "derived": "derived", "expected": "expected", "text": "reading notes", "rows": "measurements", "row": "measurement", "agree": "all as the catalogue says",
           "disagree": "NOT as the catalogue says", "holds": "holds", "nuance": "nuance", "contradicted": "contradicted", "extra": "found on the way",
           "not checkable": "not checkable", "claim": "claim", "statement": "statement"},
    "zh": {"engine": "引擎", "derived": "推导", "expected": "预期", "text": "阅读笔记", "rows": "项测量", "row": "项测量", "agree": "均与目录一致",
           "disagree": "与目录不一致", "holds": "成立", "nuance": "需补充", "contradicted": "被推翻", "extra": "额外发现",
           "not checkable": "无法检验", "claim": "编号", "statement": "陈述"},
}  # fmt: skip
_COLOUR = {"holds": "#4d8a57", "extra": "#4d8a57", "nuance": "#b07a1e", "contradicted": "#8a4f9e", "red": "#c0392b"}


def language() -> str:
    """Language of the words in outputs: ``en``, or ``zh`` when DEXLAB_LANGUAGE says so."""
    chosen = os.environ.get("DEXLAB_LANGUAGE", "en")
    return chosen if chosen in _LABELS else "en"


def label(key: str) -> str:
    """A word of the output in the language of the page."""
    return _LABELS[language()][key]


def words(claim: Claim) -> str:
    """What the row says: its finding where the engine does otherwise, else its statement."""
    return (claim.finding or claim.statement)[language()]


def numbers(row: Evidence) -> list[tuple[str, str]]:
    """Pairs (what, value) in reading order; values carry the unit."""
    claim = row.claim
    engine = label("engine") + (f" ({row.note})" if row.note else "")
    pairs = [(engine, show_measured(row.measured, claim.expect, claim.tolerance))]
    if row.derived is not None:
        pairs.append((label("derived"), show_measured(row.derived, claim.expect, claim.tolerance)))
    if claim.has_text:
        pairs.append((label("text"), show_expectation(claim.text, claim.tolerance)))
    if not row.green:
        pairs.append((label("expected"), show_expectation(claim.expect, claim.tolerance)))
    return [(what, with_unit(value, claim.unit)) for what, value in pairs]


def with_unit(value: str, unit: str) -> str:
    """``value`` with its unit, where there is a number to carry it: an exception has no unit.

    >>> with_unit("2", "N"), with_unit("RuntimeError", "N")
    ('2 N', 'RuntimeError')
    """
    return f"{value} {unit}" if unit and any(character.isdigit() for character in value) else value


def as_text(row: Evidence) -> str:
    """One line of plain text, for terminals and for the comparison of stored outputs."""
    mark = row.claim.verdict if row.green else "RED"
    line = f"{mark:<12} {row.claim.id:<9} " + " | ".join(f"{what} {value}" for what, value in numbers(row))
    return line if row.green else f"{line}\n             {row.problem}"


def line_html(row: Evidence) -> str:
    """One line: verdict, id, what it says, and the numbers. Many named parts become a small table."""
    colour = _COLOUR["red"] if not row.green else _COLOUR[row.claim.verdict]
    weight = "600" if not row.green else "400"
    verdict = label("disagree") if not row.green else label(row.claim.verdict)
    values = " · ".join(f"{html.escape(what)} <b>{html.escape(value)}</b>" for what, value in numbers(row))
    if isinstance(row.measured, dict) and len(values) > 240 and row.measured.keys() == row.claim.expect.keys():
        values = _parts_html(row)
    problem = "" if row.green else f'<div style="color:{colour}">{html.escape(row.problem)}</div>'
    return (f'<div style="border-left:4px solid {colour};padding:2px 0 2px 10px;margin:3px 0;font-weight:{weight}">'
            f'<span style="color:{colour}">{html.escape(verdict)}</span> <code style="white-space:nowrap">{row.claim.id}</code> {html.escape(words(row.claim))}'
            f'<div style="opacity:.85">{values}</div>{problem}</div>')  # fmt: skip


def _parts_html(row: Evidence) -> str:
    """Named parts as rows, readings as columns."""
    claim = row.claim
    columns: list[tuple[str, Any, Callable[[Any, Any, float], str]]]
    columns = [(label("engine") + (f" ({row.note})" if row.note else ""), row.measured, show_measured)]
    if isinstance(row.derived, dict):
        columns.append((label("derived"), row.derived, show_measured))
    if isinstance(claim.text, dict):
        columns.append((label("text"), claim.text, _show_expected))
    if not row.green:
        columns.append((label("expected"), claim.expect, _show_expected))
    cell = 'style="text-align:left;padding:1px 12px 1px 0"'
    head = "".join(f"<th {cell}>{_escape(what)}</th>" for what, _, _ in columns)
    body = ""
    for part in row.measured:
        shown = [_escape(show(values.get(part), claim.expect[part], claim.tolerance)) for _, values, show in columns]
        body += f"<tr><td {cell}>{_escape(part)}</td>" + "".join(f"<td {cell}><b>{text}</b></td>" for text in shown) + "</tr>"
    unit = f" [{_escape(claim.unit)}]" if claim.unit else ""
    return f'<table style="border-collapse:collapse"><thead><tr><th {cell}>{unit}</th>{head}</tr></thead><tbody>{body}</tbody></table>'


def _show_expected(value: Any, _: Any, tolerance: float) -> str:
    return show_expectation(value, tolerance)


def table_html(rows: list[Evidence]) -> str:
    """A folded table; it is open when a row is red."""
    red = [row for row in rows if not row.green]
    colour = _COLOUR["red"] if red else "inherit"
    state = f'<b style="color:{colour}">{len(red)} {label("disagree")}</b>' if red else label("agree")
    ids = list(dict.fromkeys(row.claim.id for row in rows))
    span = ids[0] if len(ids) == 1 else f"{ids[0]} … {ids[-1]}"
    head = "".join(
        f'<th style="text-align:left;padding:2px 10px">{label(key)}</th>' for key in ("claim", "statement", "engine", "expected")
    )
    body = "".join(_table_row(row) for row in rows)
    return (f'<details{" open" if red else ""}><summary style="cursor:pointer">{len(rows)} {label("rows" if len(rows) > 1 else "row")} · {span} · {state}</summary>'
            f'<table style="border-collapse:collapse;margin:4px 0"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></details>')  # fmt: skip


def _table_row(row: Evidence) -> str:
    claim = row.claim
    colour = _COLOUR["red"] if not row.green else _COLOUR[claim.verdict]
    measured = with_unit(show_measured(row.measured, claim.expect, claim.tolerance), claim.unit)
    if row.note:
        measured = f"{measured} ({row.note})"
    cells = [
        f'<code style="white-space:nowrap">{claim.id}</code>',
        _escape(words(claim)),
        f"<b>{_escape(measured)}</b>",
        _escape(with_unit(_expected(row), claim.unit)),
    ]
    style = "text-align:left;padding:2px 10px;max-width:34em;white-space:normal"
    return (
        "<tr>"
        + "".join(f'<td style="{style}{f";border-left:4px solid {colour}" if not i else ""}">{cell}</td>' for i, cell in enumerate(cells))
        + "</tr>"
    )


def _expected(row: Evidence) -> str:
    parts = [show_expectation(row.claim.expect, row.claim.tolerance)]
    if row.derived is not None:
        parts.append(f"{label('derived')} {show_value(row.derived, row.claim.tolerance)}")
    if row.claim.has_text:
        parts.append(f"{label('text')}: {show_expectation(row.claim.text, row.claim.tolerance)}")
    return "; ".join(parts)


def _escape(value: Any) -> str:
    return html.escape(str(value))
