"""The gates themselves: a changed gain turns a claim red, a changed stored number fails the comparison, two runs are identical."""

import pathlib
import re
import subprocess
import sys

import nbformat
import pytest
from rich.console import Console

from dexlab_course.commands.pages import Page, read
from dexlab_course.commands.run import run_pages
from dexlab_course.engines import installed
from dexlab_course.paths import NOTEBOOKS, ROOT

DRAKE = NOTEBOOKS / "03_pd_and_saturation" / "drake.ipynb"


def excerpt(folder: pathlib.Path, *ids: str, change: tuple[str, str] | None = None) -> Page:
    """The named cells of the Drake page as a page of its own, with one piece of code changed."""
    node = read(DRAKE)
    node.cells = [cell for cell in node.cells if cell["id"] in ids]
    assert [cell["id"] for cell in node.cells] == list(ids)
    if change is not None:
        assert sum(cell.source.count(change[0]) for cell in node.cells) == 1
        for cell in node.cells:
            cell.source = cell.source.replace(*change)
    path = folder / "excerpt.ipynb"
    nbformat.write(node, path)
    return Page(path, "03", "drake", 1, "draft")


def statuses(page: Page) -> dict[str, str]:
    (result,) = run_pages([page], jobs=1, timeout=120, console=Console(quiet=True))
    assert result.outcome == "ok", result.problem
    outputs = [out for cell in result.node.cells for out in cell.get("outputs", [])]
    return {entry["id"]: entry["status"] for out in outputs for entry in out.get("metadata", {}).get("dexlab", [])}


@pytest.mark.parametrize(("cells", "change"), [(("bench-code", "clip-guess", "clip-measure"), ("gains=(8.0, 0.0)", "gains=(8.08, 0.0)"))])
def test_a_gain_scaled_by_one_percent_turns_a_claim_red(tmp_path: pathlib.Path, cells: tuple[str, ...], change: tuple[str, str]) -> None:
    if not installed("drake"):
        pytest.skip("drake not installed")
    assert set(statuses(excerpt(tmp_path, *cells)).values()) == {"green"}
    assert statuses(excerpt(tmp_path, *cells, change=change))["D-2.2-c"] == "red"


def failing(folder: pathlib.Path) -> set[str]:
    """Names of the notebooks in a folder whose stored outputs differ from what they print now."""
    command = [sys.executable, "-m", "pytest", "-q", "-rf", "-p", "no:cacheprovider", "-c", "/dev/null", f"--rootdir={folder}"]
    command += ["--nbval", "--nbval-current-env", f"--nbval-sanitize-with={ROOT / 'tests' / 'nbval.cfg'}", str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode in {0, 1}, done.stdout[-2000:]
    return set(re.findall(r"^FAILED (\w+)\.ipynb", done.stdout, flags=re.MULTILINE))


def test_a_stored_number_changed_by_hand_fails_and_a_changed_pixel_does_not(tmp_path: pathlib.Path) -> None:
    source = "from dexlab_course.claims import verify\nfrom dexlab_course.show import plots\n"
    source += "verify('D-2.2-c', 2.0, derived=2.0)\nprint(f'{9677.143:.3f} N')\n"
    source += "line = plots.line('a', [0, 1], [0, 1], colour='drake')\n"
    source += "plots.curves(line, title='A', x='t [s]', y='q [m]', alt='a straight line that rises')"
    node = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    nbformat.write(node, tmp_path / "source.ipynb")
    (result,) = run_pages([Page(tmp_path / "source.ipynb", "99", "none", 1, "draft")], jobs=1, timeout=60, console=Console(quiet=True))
    text = nbformat.writes(result.node)
    source_part = text.index('"source"')

    folder = tmp_path / "pages"
    folder.mkdir()
    for name, before, after in [
        ("as_stored", "9677.143", "9677.143"),
        ("text", "9677.143", "9677.144"),
        ("claim", "engine 2 N", "engine 2.1 N"),
        ("alternative_text", "straight line", "crooked line"),
        ("pixels", "base64,iVBORw0KGgo", "base64,iVBORw0KGgpAAA"),
    ]:
        assert before in text[:source_part]
        (folder / f"{name}.ipynb").write_text(text[:source_part].replace(before, after) + text[source_part:], encoding="utf-8")
    assert failing(folder) == {"text", "claim", "alternative_text"}
