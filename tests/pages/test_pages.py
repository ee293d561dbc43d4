"""What holds for every page: its metadata, its cells, its stored outputs, and the claims it covers."""

import ast
import json
import re
from typing import Any

import nbformat
import pytest

from dexlab_course.claims import catalogue
from dexlab_course.commands.pages import ROBOT_FILES, Page, pages, read, robots_missing
from dexlab_course.paths import ROOT

from ..forbidden import ADDRESS, MACHINE_PATH, without_pictures

PAGES = pages()
ENGINE_PAGES = [page for page in PAGES if page.engine not in {"none", "all"}]


def by_name(page: Page) -> str:
    return page.name


def code_cells(page: Page) -> list[Any]:
    return [cell for cell in read(page.path).cells if cell.cell_type == "code"]


def ids_in(page: Page) -> set[str]:
    """Ids that a page's code names as text."""
    found = set()
    for cell in code_cells(page):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in catalogue():
                found.add(node.value)
    return found


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_cell_ids_are_words_and_unique(page: Page) -> None:
    ids = [cell["id"] for cell in read(page.path).cells]
    assert len(set(ids)) == len(ids)
    assert [name for name in ids if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9.]+)*", name) or re.fullmatch(r"[0-9a-f]{8}", name)] == []


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_stored_outputs_are_complete_and_without_errors(page: Page) -> None:
    ignored = {"nbval-ignore-output"}
    cells = [cell for cell in code_cells(page) if not ignored & set(cell.metadata.get("tags", []))]
    counts = [cell.execution_count for cell in cells]
    assert None not in counts
    assert counts == sorted(counts), "cells were not run once from top to bottom"
    assert [out for cell in code_cells(page) for out in cell.outputs if out.output_type == "error"] == []


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_nothing_of_this_machine_is_stored(page: Page) -> None:
    stored = without_pictures(page.path.read_text(encoding="utf-8"))
    assert MACHINE_PATH.findall(stored) == []
    assert ADDRESS.findall(stored) == []
    assert "widgets" not in read(page.path).metadata


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_every_figure_has_an_alternative_text(page: Page) -> None:
    for cell in code_cells(page):
        for out in cell.outputs:
            html = out.get("data", {}).get("text/html", "")
            assert "image/png" not in out.get("data", {}), f"{cell['id']}: show figures through plots.show"
            for image in re.findall(r"<img[^>]*", html):
                assert re.search(r'alt="[^"]{20,}"', image), cell["id"]


@pytest.mark.parametrize("page", [page for page in ENGINE_PAGES if page.engine != "genesis"], ids=by_name)
def test_cells_that_read_robots_of_the_genesis_package_say_so(page: Page) -> None:
    reads = re.compile(r"\brobot_file\(|\brobots\.\w+\(|\.robots import|installed\(\"genesis\"\)")
    cells = [cell for cell in code_cells(page) if reads.search(cell.source)]
    assert [cell["id"] for cell in cells if ROBOT_FILES not in cell.metadata.get("tags", [])] == []


def test_a_cell_without_its_robots_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    tagged = nbformat.v4.new_code_cell(metadata={"tags": [ROBOT_FILES]})
    for there in (True, False):
        monkeypatch.setattr("dexlab_course.commands.pages.installed", lambda engine, there=there: there)
        assert robots_missing(tagged) is not there
        assert not robots_missing(nbformat.v4.new_code_cell())


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_code_fits_the_page(page: Page) -> None:
    long = [(cell["id"], len(line)) for cell in code_cells(page) for line in cell.source.splitlines() if len(line) > 116]
    assert long == []


@pytest.mark.parametrize("page", ENGINE_PAGES, ids=by_name)
def test_two_registers(page: Page) -> None:
    """Five to eight told findings in under 25 code cells, then folded measurements."""
    cells = read(page.path).cells
    first = next(index for index, cell in enumerate(cells) if cell["id"].startswith("measured"))
    assert sum(cell.cell_type == "code" for cell in cells[:first]) < 25
    findings = [cell for cell in cells[:first] if re.match(r"## \d+ · ", cell.source)]
    assert 5 <= len(findings) <= 8
    headings = [cell for cell in cells[first:] if cell["id"].startswith("measured") and cell.source.startswith("#")]
    assert headings
    assert all(cell.metadata.get("jp-MarkdownHeadingCollapsed") for cell in headings)
    assert f'require("{page.engine}")' in next(cell for cell in cells if cell.cell_type == "code").source


@pytest.mark.parametrize("page", ENGINE_PAGES, ids=by_name)
def test_a_finding_that_differs_from_the_notes_is_told(page: Page) -> None:
    """A nuance or a contradiction is a surprise: it belongs into the told part, not into a folded table."""
    cells = read(page.path).cells
    first = next(index for index, cell in enumerate(cells) if cell["id"].startswith("measured"))
    folded = "\n".join(cell.source for cell in cells[first:] if cell.cell_type == "code")
    surprises = [claim.id for claim in catalogue().values() if claim.verdict in {"nuance", "contradicted"} and claim.id in ids_in(page)]
    told = "\n".join(cell.source for cell in cells[:first] if cell.cell_type == "code")
    assert [claim_id for claim_id in surprises if f'"{claim_id}"' in folded and f'"{claim_id}"' not in told] == []


def test_every_row_of_a_complete_page_is_covered() -> None:
    covered = {page.key: ids_in(page) for page in PAGES if page.status == "complete"}
    missing = [
        claim.id
        for claim in catalogue().values()
        if claim.is_measured and f"{claim.chapter}/{claim.engine}" in covered and claim.id not in covered[f"{claim.chapter}/{claim.engine}"]
    ]
    assert missing == []


def test_no_page_names_a_row_that_does_not_exist() -> None:
    unknown = []
    for page in PAGES:
        for cell in code_cells(page):
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "verify":
                    first = node.args[0]
                    if isinstance(first, ast.Constant) and first.value not in catalogue():
                        unknown.append((page.name, cell["id"], first.value))
    assert unknown == []


def test_links_between_pages_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        for cell in read(page.path).cells:
            if cell.cell_type == "markdown":
                targets = re.findall(r"\]\(([^)#]+?\.(?:ipynb|md))\)", cell.source)
                broken += [(page.name, cell["id"], target) for target in targets if not (page.path.parent / target).exists()]
    assert broken == []


def test_numbers_stored_in_pages_are_those_of_the_catalogue() -> None:
    """Stored evidence is green: nobody committed a page with a red claim."""
    red = []
    for page in PAGES:
        for cell in json.loads(page.path.read_text(encoding="utf-8"))["cells"]:
            for out in cell.get("outputs", []):
                red += [(page.name, e["id"]) for e in out.get("metadata", {}).get("dexlab", []) if e["status"] != "green"]
    assert red == []


def test_pages_are_small_enough_to_read_on_a_slow_line() -> None:
    assert [page.name for page in PAGES if page.path.stat().st_size > 900_000] == []
    assert (ROOT / "notebooks" / "00_start_here.ipynb").exists()
