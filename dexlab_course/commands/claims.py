"""`dexlab claims`: one precise answer with its evidence."""

import json

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dexlab_course.claims import ledger
from dexlab_course.claims.catalogue import Claim, catalogue
from dexlab_course.claims.expectation import show_expectation, show_measured
from dexlab_course.claims.render import language
from dexlab_course.errors import unknown_name
from dexlab_course.paths import BUILD


@click.command()
@click.option("--engine", default=None, help="drake, genesis or superdex.")
@click.option("--chapter", default=None, help="For example 03.")
@click.option("--search", "words", multiple=True, help="A word of the statement, the finding or the id; may be repeated, all must occur.")
@click.option("--json", "as_json", is_flag=True, help="Print the entries as JSON.")
def claims(engine: str | None, chapter: str | None, words: tuple[str, ...], as_json: bool) -> None:
    """List the claims about the engines, what was measured, and where."""
    rows = catalogue()
    chapter = chapter and chapter.zfill(2)  # 3 means 03
    _known("engine", engine, {claim.engine for claim in rows.values()})
    _known("chapter", chapter, {claim.chapter for claim in rows.values()})
    path = BUILD / "ledger.json"
    try:
        entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else ledger.fold({}, reasons={})
        missing = set(rows) - {entry["id"] for entry in entries if entry.keys() >= {"measured", "status", "notebook", "note"}}
    except (ValueError, TypeError, KeyError, AttributeError):
        missing = set(rows)
    if missing:
        raise click.ClickException(
            f"{path.name} in the build folder is damaged or of another version of the course ({len(missing)} claims are not in it); `make course` writes it again"
        )
    chosen = {
        claim.id for claim in rows.values() if engine in {None, claim.engine} and chapter in {None, claim.chapter} and _has(claim, words)
    }
    found = [entry for entry in entries if entry["id"] in chosen]
    if as_json:
        click.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return
    console = Console()
    if not found:
        console.print(
            "No claim matches. Try fewer or shorter words: they are looked for in the id, the statement and the finding, in English and Chinese."
        )
        return
    table = Table(show_lines=True)
    for column in ("id", "status", "statement and finding", "engine gives", "reading notes say", "measured in"):
        table.add_column(column, overflow="fold")
    for entry in found:
        table.add_row(*(escape(cell) for cell in _cells(rows[entry["id"]], entry)))
    console.print(table)
    if not path.exists():
        console.print("Nothing has been measured here yet: `make course` does that.")


def _known(kind: str, name: str | None, valid: set[str]) -> None:
    if name is not None and name not in valid:
        raise unknown_name(kind, name, sorted(valid))


def _has(claim: Claim, words: tuple[str, ...]) -> bool:
    text = " ".join([claim.id, *claim.statement.values(), *claim.finding.values()]).lower()
    return all(word.lower() in text for word in words)


def _cells(claim: Claim, entry: ledger.Entry) -> list[str]:
    says = claim.statement[language()]
    if claim.finding:
        says += f"\n{claim.verdict}: {claim.finding[language()]}"
    unit = f" {claim.unit}" if claim.unit else ""
    measured = "" if entry["measured"] is None else show_measured(entry["measured"], entry["expect"], entry["tolerance"]) + unit
    text = show_expectation(entry["text"], entry["tolerance"]) + unit if "text" in entry else ""
    where = f"{entry['notebook']}, cell {entry['cell']} ({claim.engine} {entry['version']})" if entry["notebook"] else entry["note"]
    return [claim.id, entry["status"], says, measured, text, where]
