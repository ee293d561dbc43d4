"""The runner: whatever a notebook does to its kernel, the run goes on, says what happened, and leaves nothing behind."""

import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable

import nbformat
import pytest
from click.testing import CliRunner
from rich.console import Console

from dexlab_course.commands import pages as pages_module
from dexlab_course.commands.outputs import _joined, _objection
from dexlab_course.commands.pages import Page
from dexlab_course.commands.run import run, run_pages, save_copy, write_evidence
from dexlab_course.errors import NotebookError, UnknownNameError

MakePage = Callable[..., Page]
VERIFY = "from dexlab_course.claims import verify\nverify('D-2.2-c', {value})"


def execute(*pages: Page, timeout: float = 60.0) -> tuple[list[object], str]:
    console = Console(record=True, width=200, file=io.StringIO())
    results = run_pages(list(pages), jobs=2, timeout=timeout, console=console)
    return results, console.export_text()


def test_good_bad_and_dying_pages_in_one_run(make_page: MakePage, tmp_path: pathlib.Path) -> None:
    good = make_page(VERIFY.format(value=2.0), name="good")
    failing = make_page(VERIFY.format(value=2.0), "1 / 0", "print('never')", name="failing")
    dying = make_page(VERIFY.format(value=2.0), "import os; os._exit(3)", name="dying")
    crashing = make_page("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", name="crashing")
    results, text = execute(good, failing, dying, crashing)
    assert [result.outcome for result in results] == ["ok", "failed", "kernel died", "kernel died"]
    assert [result.cell for result in results] == ["", "cell-1", "cell-1", "cell-0"]
    assert "ZeroDivisionError" in text
    assert str(failing.path) in text
    # What was measured before the end is kept.
    entries = [entry for entry in write_evidence(results, tmp_path / "build") if entry["notebook"]]
    assert {entry["notebook"] for entry in entries} == {"good.ipynb", "failing.ipynb", "dying.ipynb"}
    assert {entry["status"] for entry in entries} == {"green"}
    summary = json.loads((tmp_path / "build" / "summary.json").read_text())
    assert [page["outcome"] for page in summary["pages"]] == ["ok", "failed", "kernel died", "kernel died"]


def test_a_cell_that_never_ends_is_stopped(make_page: MakePage) -> None:
    results, text = execute(make_page("import time; time.sleep(60)", name="endless"), timeout=2.0)
    assert results[0].outcome == "timed out"
    assert "2 s" in text


def test_a_page_whose_engine_is_missing_is_skipped_and_its_claims_are_not_run(
    make_page: MakePage, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages_module, "installed", lambda engine: engine != "drake")
    results, text = execute(make_page("raise SystemExit", name="drake", engine="drake"), make_page("print(1)", name="plain"))
    assert [result.outcome for result in results] == ["skipped", "ok"]
    assert "drake not installed" in text
    entries = write_evidence(results, tmp_path)
    drake = [entry for entry in entries if entry["engine"] == "drake"]
    assert {entry["status"] for entry in drake} == {"not run"}


def test_a_red_claim_fails_the_command(make_page: MakePage, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = make_page(VERIFY.format(value=2.02), name="red")
    monkeypatch.setattr("dexlab_course.commands.run.pages", lambda *_: [page])
    done = CliRunner().invoke(run, ["--out", str(tmp_path / "build")])
    assert done.exit_code == 1
    assert "red D-2.2-c" in done.output
    copy = nbformat.read(tmp_path / "build" / "red.ipynb", as_version=4)
    assert copy.cells[0].outputs[0].metadata["dexlab"][0]["status"] == "red"


def test_a_run_of_other_pages_keeps_what_was_measured(make_page: MakePage, tmp_path: pathlib.Path) -> None:
    def statuses() -> dict[str, str]:
        return {entry["id"]: entry["status"] for entry in json.loads((tmp_path / "ledger.json").read_text(encoding="utf-8"))}

    results, _ = execute(make_page(VERIFY.format(value=2.0)))
    write_evidence(results, tmp_path)
    before = statuses()
    assert before["D-2.2-c"] == "green"
    entries = write_evidence([], tmp_path)
    assert {entry["status"] for entry in entries} <= {"not run"}  # this run measured nothing
    assert statuses() == before
    ledger_file = tmp_path / "ledger.json"
    changed = json.loads(ledger_file.read_text(encoding="utf-8"))
    for entry in changed:
        entry["version"] = "0.1"
    ledger_file.write_text(json.dumps(changed), encoding="utf-8")
    write_evidence([], tmp_path)
    assert statuses()["D-2.2-c"] == "not run"  # measured on another version of the engine
    ledger_file.write_text("xx", encoding="utf-8")
    write_evidence([], tmp_path)
    assert statuses()["D-2.2-c"] == "not run"


def test_outputs_are_not_stored_when_a_claim_is_red_or_its_number_changed(make_page: MakePage) -> None:
    (red,), _ = execute(make_page(VERIFY.format(value=2.02), name="red"))
    assert "red claims: D-2.2-c" in _objection(red, accept=True)
    page = make_page(VERIFY.format(value=2.0) + "\nverify('D-2.2-c2', 5.0)", name="changed")
    (first,), _ = execute(page)
    assert _objection(first, accept=False) == ""
    stored = first.node.cells[0].outputs[0].metadata["dexlab"][0]
    stored["measured"] = 1.9
    nbformat.write(first.node, page.path)
    (again,), _ = execute(page)
    assert "D-2.2-c 1.9 -> 2" in _objection(again, accept=False)
    assert _objection(again, accept=True) == ""


def test_a_stream_cut_in_pieces_is_stored_as_one() -> None:
    stream = nbformat.v4.new_output
    pieces = [stream("stream", name=name, text=text) for name, text in [("stdout", "a\n"), ("stdout", "b\n"), ("stderr", "c\n")]]
    shown = nbformat.v4.new_output("display_data", {"text/plain": "d"})
    joined = _joined([*pieces, shown, stream("stream", name="stdout", text="e\n")])
    assert [output.get("text") for output in joined] == ["a\nb\n", "c\n", None, "e\n"]


def test_an_executed_copy_leaves_the_source_alone(make_page: MakePage, tmp_path: pathlib.Path) -> None:
    page = make_page("print('hello')", name="hello")
    before = page.path.read_bytes()
    (result,), _ = execute(page)
    save_copy(result, tmp_path / "build")
    assert page.path.read_bytes() == before
    assert "hello" in (tmp_path / "build" / "hello.ipynb").read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_no_kernel_behind(make_page: MakePage, tmp_path: pathlib.Path, number: signal.Signals) -> None:
    mark = tmp_path / "kernel.pid"
    page = make_page(f"import os, pathlib, time\npathlib.Path({str(mark)!r}).write_text(str(os.getpid()))\ntime.sleep(120)", name="long")
    script = textwrap.dedent(f"""
        import pathlib
        from rich.console import Console
        from dexlab_course.commands.pages import Page
        from dexlab_course.commands.run import run_pages
        run_pages([Page(pathlib.Path({str(page.path)!r}), "99", "none", 1, "draft")], jobs=1, timeout=300, console=Console())
    """)
    runner = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: mark.exists() and mark.read_text() != "", 60)
    kernel = int(mark.read_text())
    runner.send_signal(number)
    out, _ = runner.communicate(timeout=30)
    assert runner.returncode == 130
    assert "stopped" in out
    wait_until(lambda: not alive(kernel), 10)


def wait_until(condition: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def test_a_file_that_is_no_notebook_is_named(tmp_path: pathlib.Path) -> None:
    (tmp_path / "broken.ipynb").write_text("{", encoding="utf-8")
    with pytest.raises(NotebookError, match=r"broken\.ipynb"):
        pages_module.pages(folder=tmp_path)


def test_a_page_without_metadata_is_named(make_page: MakePage, tmp_path: pathlib.Path) -> None:
    page = make_page("1")
    node = nbformat.read(page.path, as_version=4)
    node.metadata["dexlab"]["engine"] = "bullet"
    nbformat.write(node, page.path)
    with pytest.raises(NotebookError, match="metadata"):
        pages_module.pages(folder=tmp_path)


def test_unknown_engines_and_chapters_list_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="drake"):
        pages_module.pages(engines=("darke",))
    with pytest.raises(UnknownNameError, match="03"):
        pages_module.pages(chapters=("33",))
    assert pages_module.pages(chapters=("3",)) == pages_module.pages(chapters=("03",))


def test_a_choice_without_pages_and_an_impossible_folder_are_refused_before_anything_runs(tmp_path: pathlib.Path) -> None:
    nothing = CliRunner().invoke(run, ["--engine", "none", "--chapter", "07", "--out", str(tmp_path)])
    assert (nothing.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert "07/drake" in nothing.output
    file = tmp_path / "file"
    file.write_text("mine")
    for options in (["--out", str(file / "below")], ["--timeout", "nan"]):
        assert CliRunner().invoke(run, ["--chapter", "00", *options]).exit_code == 2
    assert file.read_text() == "mine"
