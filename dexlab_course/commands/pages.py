"""The pages of the course: which notebooks there are, and what their metadata says."""

import dataclasses
import pathlib
from collections.abc import Sequence
from typing import Any

import nbformat

from dexlab_course.engines import ENGINES, installed
from dexlab_course.errors import NotebookError, explain, unknown_name
from dexlab_course.paths import NOTEBOOKS, ROOT

STATUSES = ("draft", "complete")
# Tag of a cell that reads robots out of the installed genesis package. Without the package it runs, measures less and prints less.
ROBOT_FILES = "robot-files"


@dataclasses.dataclass(frozen=True)
class Page:
    """One notebook. ``engine`` is ``"none"`` for a page that needs no engine, ``"all"`` for one that needs all of them."""

    path: pathlib.Path
    chapter: str
    engine: str
    minutes: int
    status: str

    @property
    def name(self) -> str:
        """Path relative to the project, with forward slashes."""
        try:
            return self.path.relative_to(ROOT).as_posix()
        except ValueError:
            return self.path.name

    @property
    def key(self) -> str:
        """``chapter/engine``."""
        return f"{self.chapter}/{self.engine}"

    @property
    def needs(self) -> tuple[str, ...]:
        """Engines that must be installed."""
        return tuple(ENGINES) if self.engine == "all" else () if self.engine == "none" else (self.engine,)

    def missing(self) -> tuple[str, ...]:
        """Needed engines that are not installed."""
        return tuple(engine for engine in self.needs if not installed(engine))


def robots_missing(cell: Any) -> bool:
    """Whether what this cell prints depends on robot files that are not installed here."""
    return ROBOT_FILES in cell.metadata.get("tags", []) and not installed("genesis")


def read(path: pathlib.Path) -> Any:
    """The notebook as a node.

    Raises:
        NotebookError: the file cannot be read as a notebook.
    """
    try:
        return nbformat.read(path, as_version=4)
    except Exception as error:  # OSError, JSON errors and nbformat's own
        message = explain(
            f"{path.name} is not a notebook",
            got=f"{type(error).__name__}: {error}".splitlines()[0],
            expected="a Jupyter notebook of format 4",
            remedy="restore it with git",
        )
        raise NotebookError(message) from error


def page(path: pathlib.Path) -> Page:
    """A page from its notebook's metadata.

    Raises:
        NotebookError: the ``dexlab`` metadata is missing or wrong.
    """
    data = read(path).metadata.get("dexlab", {})
    wanted = {"chapter": str, "engine": str, "minutes": int, "status": str}
    engines = {"none", "all", *ENGINES}
    if (
        not all(isinstance(data.get(key), kind) for key, kind in wanted.items())
        or data["engine"] not in engines
        or data["status"] not in STATUSES
    ):
        message = explain(
            f"{path.name} has no usable dexlab metadata",
            got=dict(data),
            expected=f"chapter, engine ({', '.join(sorted(engines))}), minutes, status {STATUSES}",
            remedy="add it to the notebook's metadata",
        )
        raise NotebookError(message)
    return Page(path, data["chapter"], data["engine"], data["minutes"], data["status"])


def pages(engines: Sequence[str] = (), chapters: Sequence[str] = (), folder: pathlib.Path = NOTEBOOKS) -> list[Page]:
    """Pages in reading order, cut down to the engines and chapters named (all when none is).

    Raises:
        UnknownNameError: an engine or chapter that no page has.
    """
    found = [
        page(path) for path in sorted(folder.rglob("*.ipynb")) if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    order = {engine: index for index, engine in enumerate(("none", *ENGINES, "all"))}
    found.sort(key=lambda item: (item.chapter, order[item.engine], item.name))
    chapters = [chapter.zfill(2) for chapter in chapters]  # 3 means 03
    for kind, wanted, valid in (
        ("engine", engines, {item.engine for item in found}),
        ("chapter", chapters, {item.chapter for item in found}),
    ):
        for name in wanted:
            if name not in valid:
                raise unknown_name(kind, name, sorted(valid))
    return [item for item in found if (not engines or item.engine in engines) and (not chapters or item.chapter in chapters)]
