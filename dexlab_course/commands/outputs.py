"""`dexlab outputs`: refresh the stored outputs of the pages, but never silently change a claim's number."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import click
import nbformat
from rich.console import Console

from dexlab_course.claims.catalogue import catalogue
from dexlab_course.claims.expectation import show_measured
from dexlab_course.commands.execute import Result
from dexlab_course.commands.pages import pages, read, robots_missing
from dexlab_course.commands.run import run_pages


@click.command()
@click.option("--engine", "engines", multiple=True, help="Only pages of this engine; may be repeated.")
@click.option("--chapter", "chapters", multiple=True, help="Only this chapter; may be repeated.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Pages at the same time.")
@click.option("--accept", is_flag=True, help="Store changed numbers too; review the difference before you commit it.")
def outputs(engines: tuple[str, ...], chapters: tuple[str, ...], jobs: int, accept: bool) -> None:
    """Run pages and store their outputs in the notebooks themselves.

    A page is left as it was when a cell fails, a claim is red, or the number a claim printed has changed.
    """
    console = Console()
    refused = 0
    for result in run_pages(pages(engines, chapters), jobs=jobs, timeout=600.0, console=console):
        why = _objection(result, accept)
        if why:
            refused += 1
            console.print(f"[bold red]left as it was[/] {result.page.name}: {why}", highlight=False)
        elif result.outcome == "ok":
            _store(result)
    if refused:
        sys.exit(1)


def _objection(result: Result, accept: bool) -> str:
    """Why the outputs must not be stored; empty when they may."""
    if result.outcome not in {"ok", "skipped"}:
        return f"{result.outcome} in cell {result.cell}"
    if result.node is not None and any(robots_missing(cell) for cell in result.node.cells):
        return 'some of its robots lie in the genesis package, which is not installed here; `make setup ENGINES="drake genesis superdex"` installs it'
    red = [evidence["id"] for evidence in _evidence(result.node) if evidence["status"] == "red"]
    if red:
        return f"red claims: {', '.join(red)}"
    before, after = _numbers(read(result.page.path)), _numbers(result.node)
    changed = [f"{key[0]} {before[key]} -> {after[key]}" for key in before if key in after and before[key] != after[key]]
    if changed and not accept:
        return "numbers changed (--accept stores them): " + "; ".join(changed)
    return ""


def _evidence(node: Any) -> Iterator[dict[str, Any]]:
    for cell in node.cells:
        for output in cell.get("outputs", []):
            yield from output.get("metadata", {}).get("dexlab", [])


def _numbers(node: Any) -> dict[tuple[str, int], str]:
    """The printed number of each measurement, by claim id and its position among the measurements of that id."""
    seen: dict[str, int] = {}
    numbers = {}
    for evidence in _evidence(node):
        claim = catalogue().get(evidence["id"])
        index = seen[evidence["id"]] = seen.get(evidence["id"], -1) + 1
        if claim is not None:
            measured = json.loads(json.dumps(evidence["measured"], sort_keys=True))  # a stored notebook has its keys sorted
            numbers[evidence["id"], index] = show_measured(measured, claim.expect, claim.tolerance)
    return numbers


def _store(result: Result) -> None:
    """Write the executed notebook over the source: one JSON layout, no timing, no widget state."""
    node = result.node
    for cell in node.cells:
        # What differs from machine to machine is shown to whoever runs the page, and stored for nobody.
        if "nbval-ignore-output" in cell.metadata.get("tags", []):
            cell.outputs = []
        if cell.cell_type == "code":
            cell.outputs = _joined(cell.outputs)
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)  # names a widget of the kernel that is gone
    node.metadata.pop("widgets", None)
    node.metadata["language_info"] = {"name": "python"}
    node.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    temporary = result.page.path.with_suffix(".part")
    nbformat.write(node, temporary)
    temporary.replace(result.page.path)


def _joined(outputs: list[Any]) -> list[Any]:
    """Pieces of one stream that follow each other as one: how a kernel cuts its text is chance."""
    joined: list[Any] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if output.output_type == "stream" and last is not None and (last.output_type, last.get("name")) == ("stream", output.name):
            last.text += output.text
        else:
            joined.append(output)
    return joined
