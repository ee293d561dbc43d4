"""Small notebooks for the runner."""

import pathlib
from collections.abc import Callable

import nbformat
import pytest

from dexlab_course.commands.pages import Page

MakePage = Callable[..., Page]


@pytest.fixture
def make_page(tmp_path: pathlib.Path) -> MakePage:
    """A function that writes a notebook with the given cells and returns its page."""

    def make(*cells: str, name: str = "page", engine: str = "none", minutes: int = 1) -> Page:
        node = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
        for index, cell in enumerate(node.cells):
            cell["id"] = f"cell-{index}"
        node.metadata["dexlab"] = {"chapter": "99", "engine": engine, "minutes": minutes, "status": "draft"}
        node.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
        path = tmp_path / f"{name}.ipynb"
        nbformat.write(node, path)
        return Page(path, "99", engine, minutes, "draft")

    return make
