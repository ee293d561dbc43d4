"""`dexlab run`: every page in its own kernel, then the ledger."""

import asyncio
import contextlib
import json
import math
import os
import pathlib
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click
import nbformat
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from dexlab_course.claims import ledger
from dexlab_course.commands.execute import Result, execute
from dexlab_course.commands.pages import Page, pages, read
from dexlab_course.paths import BUILD

_MARK = {"ok": "[green]ok[/]", "skipped": "[yellow]skipped[/]"}


@click.command()
@click.option("--engine", "engines", multiple=True, help="Only pages of this engine (drake, genesis, superdex, or none); may be repeated.")
@click.option("--chapter", "chapters", multiple=True, help="Only this chapter, for example 03; may be repeated.")
@click.option("--jobs", type=click.IntRange(1), default=None, help="Pages at the same time [default: one for each core, at most 4].")
@click.option("--timeout", type=click.FloatRange(1), default=600.0, show_default=True, help="Limit for one cell [s].")
@click.option("--slow", is_flag=True, help="Also run the experiments that need a process of their own for half a minute.")
@click.option(
    "--out",
    type=click.Path(path_type=pathlib.Path, file_okay=False),
    default=BUILD,
    show_default="build/",
    help="Folder for executed pages and the ledger.",
)
def run(engines: tuple[str, ...], chapters: tuple[str, ...], jobs: int | None, timeout: float, slow: bool, out: pathlib.Path) -> None:
    """Run the pages of the course on the real engines and write the ledger of claims.

    Executed copies, ledger.json, ledger.md, ledger.html and summary.json are written to the output folder. The exit status is 0 when
    every cell ran and every claim agreed.
    """
    console = Console(stderr=False)
    chosen = pages(engines, chapters)
    if not chosen:
        there = ", ".join(sorted({page.key for page in pages() if page.engine in engines or page.chapter in chapters}))
        raise click.UsageError(f"no page of {', '.join(engines)} in chapter {', '.join(chapters)}; there are {there}")
    if not math.isfinite(timeout):
        raise click.BadParameter("a number of seconds is needed", param_hint="--timeout")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.BadParameter(f"the folder cannot be made: {error.strerror}", param_hint="--out") from error
    if slow:
        os.environ["DEXLAB_SLOW"] = "1"
    workers = jobs or min(4, os.cpu_count() or 1)
    results = run_pages(chosen, jobs=workers, timeout=timeout, console=console, save=lambda result: save_copy(result, out))
    entries = write_evidence(results, out)
    report(results, entries, console, out)
    failed = any(result.outcome not in {"ok", "skipped"} for result in results)
    if failed or ledger.by_status(entries)[ledger.RED]:
        sys.exit(1)


def run_pages(
    chosen: Sequence[Page], *, jobs: int, timeout: float, console: Console, save: Callable[[Result], None] = lambda _: None
) -> list[Result]:
    """Execute pages, several at a time, with a progress display; results in the order of ``chosen``.

    Two Genesis pages never run at once: each compiles kernels on all cores and takes gigabytes while it does.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
        TextColumn("{task.fields[cell]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        total = progress.add_task("pages", total=len(chosen), cell="")
        tasks: dict[str, Any] = {}

        def watch(page: Page, index: int, count: int) -> None:
            progress.update(tasks[page.name], completed=index, total=count, cell=f"cell {read_id(page, index)}")

        async def one(page: Page, slots: asyncio.Semaphore, genesis: asyncio.Lock) -> Result:
            if page.missing():
                result = Result(page, "skipped", read(page.path), problem=f"{', '.join(page.missing())} not installed")
            else:
                async with slots, genesis if "genesis" in page.needs else contextlib.nullcontext():
                    tasks[page.name] = progress.add_task(page.key, total=None, cell="starting")
                    result = await execute(page, timeout=timeout, watch=watch)
                    progress.remove_task(tasks.pop(page.name))
                save(result)
            progress.advance(total)
            progress.console.print(_line(result))
            return result

        async def everything() -> list[Result]:
            loop = asyncio.get_running_loop()
            me = asyncio.current_task()
            if me is not None:
                # A closed terminal or a supervisor must not leave kernels behind either.
                for number in (signal.SIGTERM, signal.SIGHUP):
                    loop.add_signal_handler(number, me.cancel)
            slots, genesis = asyncio.Semaphore(jobs), asyncio.Lock()
            # Longest pages first, so that none is left alone at the end.
            order = sorted(chosen, key=lambda page: (page.engine != "genesis", -page.minutes))
            running = {page.name: asyncio.ensure_future(one(page, slots, genesis)) for page in order}
            try:
                await asyncio.gather(*running.values())
            except BaseException:
                for task in running.values():
                    task.cancel()
                await asyncio.gather(*running.values(), return_exceptions=True)
                raise
            return [running[page.name].result() for page in chosen]

        try:
            return asyncio.run(everything())
        except (KeyboardInterrupt, asyncio.CancelledError):
            console.print("[yellow]stopped; all kernels are shut down[/]")
            sys.exit(130)


def read_id(page: Page, index: int) -> str:
    """The id of a cell, which says more to a reader than its number."""
    cells = _CELL_IDS.setdefault(page.name, [cell.get("id", "") for cell in read(page.path).cells])
    return cells[index] if index < len(cells) else str(index)


_CELL_IDS: dict[str, list[str]] = {}


def _line(result: Result) -> str:
    mark = _MARK.get(result.outcome, f"[bold red]{result.outcome}[/]")
    text = f"{mark} {escape(result.page.name)} [dim]{result.seconds:.1f} s[/]"
    if result.outcome == "skipped":
        return f"{text} {escape(result.problem)}"
    if result.outcome != "ok":
        return f"{text}\n  in cell [bold]{escape(result.cell)}[/] of {escape(str(result.page.path))}\n{escape(result.problem)}"
    return text


def save_copy(result: Result, out: pathlib.Path) -> None:
    """Write the executed copy of a page, as soon as it is done, so that nothing measured is lost to what comes later."""
    target = out / result.page.name
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(result.node, target)


def write_evidence(results: Sequence[Result], out: pathlib.Path) -> list[ledger.Entry]:
    """Fold the ledger from the executed pages and write it with the summary; returns this run's entries.

    In the files, what earlier runs into the same folder measured on other pages stays.
    """
    executed = {result.page.name: result.node for result in results if result.outcome != "skipped"}
    reasons: dict[str, str] = {}
    for result in results:
        if result.outcome == "skipped":
            reasons[result.page.key] = result.problem
        elif result.outcome != "ok":
            reasons[result.page.key] = f"{result.page.name} {result.outcome} in cell {result.cell}"
    entries = ledger.fold(executed, reasons=reasons)
    ledger.write(ledger.with_earlier(entries, out), out)
    summary = {
        "pages": [
            {"notebook": r.page.name, "outcome": r.outcome, "seconds": round(r.seconds, 1), "cell": r.cell, "problem": r.problem}
            for r in results
        ],
        "claims": ledger.by_status(entries),
    }
    (out / "summary.json").write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return entries


def report(results: Sequence[Result], entries: list[ledger.Entry], console: Console, out: pathlib.Path) -> None:
    """The end of a run: one table, the red claims, and where to read on."""
    table = Table(title="Claims", title_justify="left")
    for column in ("engine", "green", "red", "not run", "not checkable"):
        table.add_column(column, justify="left" if column == "engine" else "right")
    for engine in dict.fromkeys(entry["engine"] for entry in entries):
        counts = ledger.by_status(entry for entry in entries if entry["engine"] == engine)
        red = f"[bold red]{counts['red']}[/]" if counts["red"] else "0"
        table.add_row(engine, str(counts["green"]), red, str(counts["not run"]), str(counts["not checkable"]))
    console.print(table)
    for entry in entries:
        if entry["status"] == ledger.RED:
            console.print(
                f"[bold red]red[/] {entry['id']} in {escape(entry['notebook'])}, cell {escape(entry['cell'])}: {escape(entry['note'])}"
            )
    unfinished = [result for result in results if result.outcome not in {"ok", "skipped"}]
    if unfinished:
        console.print(
            f"[bold red]{len(unfinished)} page(s) did not finish:[/] " + ", ".join(escape(result.page.name) for result in unfinished)
        )
    console.print(f"Ledger: {escape(str(out / 'ledger.html'))}")
