"""Tests of the whole course: pages are run once, under nbval, and the ledger is built from that run.

nbval compares what a page prints with what is stored in it. This file adds four things: a page whose engine is not installed is skipped
with a reason, a cell whose robot files are not installed is run but not compared, the evidence of all pages becomes build/ledger.json, and
a red claim fails the run even where nothing was printed.
"""

import os
import pathlib
from collections.abc import Iterator
from typing import Any

import hypothesis
import nbval.plugin
import pytest
from nbval.kernel import RunningKernel

ROOT = pathlib.Path(__file__).parent
os.environ.setdefault("DEXLAB_HEADLESS", "1")
# Widget tests and pages talk to a kernel on this machine; nothing may reach further.
os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")

# No example has a deadline: a busy machine, or the first import of a library, is no failure. The examples are the same in every run, so
# that a clone that passed passes again; `pytest --hypothesis-profile=search tests/ik` looks for new ones, and more of them.
hypothesis.settings.register_profile("unhurried", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("unhurried")

_executed = pytest.StashKey[dict[str, list[dict[str, Any]]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run what needs a process of its own for half a minute")


def pytest_ignore_collect(collection_path: pathlib.Path) -> bool | None:
    """Doctests of an engine's modules need the engine: where it is not installed, they are not collected."""
    from dexlab_course.engines import ENGINES, installed

    parts = collection_path.relative_to(ROOT).parts if collection_path.is_relative_to(ROOT) else ()
    own = parts[2] if parts[:2] in {("dexlab_course", "engines"), ("dexlab_course", "examples")} and len(parts) > 2 else ""
    return True if own in ENGINES and not installed(own) else None


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_executed] = {}
    if config.getoption("--slow"):
        os.environ["DEXLAB_SLOW"] = "1"


class _GentleKernel(RunningKernel):
    """nbval's kernel, but asked to go instead of killed: Genesis writes what it compiled when its process exits."""

    def stop(self) -> None:
        self.kc.stop_channels()
        self.km.shutdown_wait_time = 20.0
        self.km.shutdown_kernel(now=False)
        del self.km


nbval.plugin.RunningKernel = _GentleKernel


def _is_cell(item: pytest.Item) -> bool:
    return type(item).__name__ == "IPyNbCell"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    from dexlab_course.commands.pages import page, robots_missing

    reasons: dict[pathlib.Path, str] = {}
    for item in items:
        if _is_cell(item):
            if item.path not in reasons:
                missing = page(item.path).missing() if item.path.is_relative_to(ROOT / "notebooks") else ()
                reasons[item.path] = f"{', '.join(missing)} not installed" if missing else ""
            if reasons[item.path]:
                item.add_marker(pytest.mark.skip(reason=reasons[item.path]))
            if robots_missing(item.cell):
                item.options["check"] = False  # it runs, but there is nothing to compare its output with
        elif item.get_closest_marker("slow") and not config.getoption("--slow"):
            item.add_marker(pytest.mark.skip(reason="slow: run with --slow"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    outputs = getattr(item, "test_outputs", None)
    if call.when == "call" and _is_cell(item) and outputs is not None and item.path.is_relative_to(ROOT / "notebooks"):
        cells = item.config.stash[_executed].setdefault(item.path.relative_to(ROOT).as_posix(), [])
        cells.append({"id": item.cell.get("id", ""), "outputs": outputs})  # type: ignore[attr-defined]
    return report


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    executed = session.config.stash[_executed]
    if not executed:
        return
    from dexlab_course.claims import ledger

    entries = ledger.fold({path: {"cells": cells} for path, cells in executed.items()})
    ledger.write(entries, ROOT / "build")
    red = sorted({entry["id"] for entry in entries if entry["status"] == ledger.RED})
    if red:
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.write_line(f"red claims: {', '.join(red)}", red=True)
        if exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
