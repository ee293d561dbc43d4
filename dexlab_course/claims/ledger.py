"""Fold executed notebooks into the ledger: every row of the catalogue with its status, its numbers and where they were measured."""

import html
import json
import os
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any

from dexlab_course.claims.catalogue import Claim, catalogue
from dexlab_course.claims.evidence import engine_version
from dexlab_course.claims.expectation import show_expectation, show_measured

Entry = dict[str, Any]
GREEN, RED, NOT_RUN = "green", "red", "not run"
NOT_CHOSEN = "not in this run"


def fold(
    notebooks: Mapping[str, Any], claims: Mapping[str, Claim] | None = None, *, reasons: Mapping[str, str] | None = None
) -> list[Entry]:
    """All entries: one for each measurement, and one for each row of the catalogue that was not measured.

    Args:
        notebooks: executed notebook nodes by their path relative to the project.
        claims: the catalogue; the course's own when omitted.
        reasons: for an engine or a chapter/engine page, why it was not run.
    """
    claims = catalogue() if claims is None else claims
    entries = [entry for path, notebook in notebooks.items() for entry in _measurements(path, notebook, claims)]
    by_id: dict[str, list[Entry]] = {}
    for entry in entries:
        by_id.setdefault(entry["id"], []).append(entry)
    for claim in claims.values():
        if claim.id not in by_id and not claim.same_as:
            note = claim.finding["en"] if claim.verdict == "not checkable" else _why_not(claim, reasons or {})
            entry = _entry(claim, NOT_RUN, note=note)
            by_id[claim.id] = [entry]
            entries.append(entry)
    for claim in claims.values():
        if claim.same_as:
            own = {"id": claim.id, "chapter": claim.chapter, "verdict": claim.verdict, "same_as": claim.same_as}
            entries.extend({**source, **own} for source in by_id[claim.same_as])
    order = {claim_id: index for index, claim_id in enumerate(claims)}
    return sorted(entries, key=lambda entry: order[entry["id"]])


def _why_not(claim: Claim, reasons: Mapping[str, str]) -> str:
    if claim.slow:
        return "slow: run with --slow"
    for key in (f"{claim.chapter}/{claim.engine}", claim.engine):
        if key in reasons:
            return reasons[key]
    return NOT_CHOSEN


def _measurements(path: str, notebook: Any, claims: Mapping[str, Claim]) -> Iterable[Entry]:
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            for evidence in output.get("metadata", {}).get("dexlab", []):
                claim = claims.get(evidence["id"])
                if claim is not None:
                    yield _entry(
                        claim,
                        evidence["status"],
                        version=evidence["version"],
                        measured=evidence["measured"],
                        derived=evidence["derived"],
                        note=evidence["problem"] or evidence["note"],
                        notebook=path,
                        cell=cell.get("id", ""),
                    )


def _entry(claim: Claim, status: str, **found: Any) -> Entry:
    expected = {"expect": claim.expect} if claim.is_measured else {"expect": None}
    if claim.has_text:
        expected["text"] = claim.text
    return {
        "id": claim.id, "engine": claim.engine, "version": engine_version(claim.engine), "chapter": claim.chapter, "section": claim.section,
        "verdict": claim.verdict, "status": status, **expected, "measured": None, "derived": None, "tolerance": claim.tolerance, "unit": claim.unit,
        "notebook": "", "cell": "", "note": "", **found,
    }  # fmt: skip


def with_earlier(entries: Iterable[Entry], folder: pathlib.Path) -> list[Entry]:
    """The entries, and for rows whose page this run did not choose what an earlier run into ``folder`` measured.

    An earlier number counts only for the same expectation and the same version of the engine.
    """
    try:
        earlier = json.loads((folder / "ledger.json").read_text(encoding="utf-8"))
        measured = [entry for entry in earlier if entry["status"] in {GREEN, RED}]
    except (OSError, ValueError, TypeError, KeyError):
        return list(entries)
    merged: list[Entry] = []
    for entry in entries:
        same = entry.keys() - {"status", "measured", "derived", "notebook", "cell", "note"}
        kept = [old for old in measured if old.keys() == entry.keys() and all(old[key] == entry[key] for key in same)]
        merged.extend(kept if entry["note"] == NOT_CHOSEN and kept else [entry])
    return merged


def by_status(entries: Iterable[Entry]) -> dict[str, int]:
    """Number of rows (not measurements) with each status; a row with any red measurement is red."""
    rows: dict[str, str] = {}
    for entry in entries:
        if rows.get(entry["id"]) != RED:
            rows[entry["id"]] = entry["status"] if entry["verdict"] != "not checkable" else entry["verdict"]
    counts = {GREEN: 0, RED: 0, NOT_RUN: 0, "not checkable": 0}
    for status in rows.values():
        counts[status] = counts.get(status, 0) + 1
    return counts


def write(entries: list[Entry], folder: pathlib.Path) -> None:
    """Write ``ledger.json``, ``ledger.md`` and ``ledger.html``; each file is replaced in one go or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "ledger.json": json.dumps(entries, indent=1, ensure_ascii=False) + "\n",
        "ledger.md": _markdown(entries),
        "ledger.html": _page(entries),
    }
    for name, text in texts.items():
        temporary = folder / f"{name}.{os.getpid()}.part"  # two runs may write into one folder
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(folder / name)


def _cells(entry: Entry) -> list[str]:
    claim = catalogue().get(entry["id"])
    words = "" if claim is None else (claim.finding or claim.statement)["en"]
    unit = f" {entry['unit']}" if entry["unit"] else ""
    measured = "" if entry["measured"] is None else show_measured(entry["measured"], entry["expect"], entry["tolerance"]) + unit
    expected = "" if entry["expect"] is None else show_expectation(entry["expect"], entry["tolerance"]) + unit
    text = show_expectation(entry["text"], entry["tolerance"]) + unit if "text" in entry else ""
    where = f"{entry['notebook']}#{entry['cell']}" if entry["notebook"] else ""
    return [entry["id"], entry["status"], entry["verdict"], words, measured, expected, text, where, entry["note"]]


_HEAD = ["id", "status", "verdict", "statement or finding", "engine gives", "expected", "reading notes", "measured in", "note"]


def _markdown(entries: list[Entry]) -> str:
    lines = ["# Ledger of claims", "", _summary(entries), ""]
    for engine in dict.fromkeys(entry["engine"] for entry in entries):
        rows = [_cells(entry) for entry in entries if entry["engine"] == engine]
        lines += [f"## {engine} {engine_version(engine)}".rstrip(), "", "| " + " | ".join(_HEAD) + " |", "|" + "---|" * len(_HEAD)]
        lines += ["| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |" for row in rows]
        lines.append("")
    return "\n".join(lines)


def _summary(entries: list[Entry]) -> str:
    counts = by_status(entries)
    return ", ".join(f"{number} {status}" for status, number in counts.items() if number)


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>DexLab course: ledger of claims</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body{{font:16px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:100rem;padding:0 1rem;color:#1c2430}}
table{{border-collapse:collapse;width:100%;font-size:14px}} th,td{{text-align:left;vertical-align:top;padding:5px 8px;border-bottom:1px solid #dde2ea}}
th{{position:sticky;top:0;background:#fff}} .red{{background:#fdeceb}} td:nth-child(2){{font-weight:600;white-space:nowrap}}
.green td:nth-child(2){{color:#2e7d4f}} .red td:nth-child(2){{color:#c0392b}} code{{white-space:nowrap}}
input{{font:inherit;padding:6px 10px;width:24rem;max-width:100%}}
</style>
<h1>Ledger of claims</h1><p>{summary}</p>
<p><label>Search: <input id="q" type="search" placeholder="words, an id, or a status" autofocus></label> <span id="n" aria-live="polite"></span></p>
{tables}
<script>
const q=document.getElementById('q'),n=document.getElementById('n'),rows=[...document.querySelectorAll('tbody tr')];
function show(){{const w=q.value.toLowerCase().split(/\\s+/).filter(Boolean);let k=0;
for(const r of rows){{const t=r.textContent.toLowerCase();const on=w.every(x=>t.includes(x));r.hidden=!on;k+=on}}
n.textContent=w.length?k+' of '+rows.length+' rows':''}}
q.addEventListener('input',show);
</script></html>
"""


def _page(entries: list[Entry]) -> str:
    tables = []
    for engine in dict.fromkeys(entry["engine"] for entry in entries):
        head = "".join(f"<th scope='col'>{name}</th>" for name in _HEAD)
        body = []
        for entry in entries:
            if entry["engine"] == engine:
                cells = [html.escape(cell) for cell in _cells(entry)]
                cells[0] = f"<code>{cells[0]}</code>"
                body.append(
                    f"<tr id='{entry['id']}' class='{html.escape(entry['status'])}'>"
                    + "".join(f"<td>{cell}</td>" for cell in cells)
                    + "</tr>"
                )
        tables.append(
            f"<h2>{engine} {html.escape(engine_version(engine))}</h2><table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
        )
    return _PAGE.format(summary=html.escape(_summary(entries)), tables="".join(tables))
