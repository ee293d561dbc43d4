"""The catalogue of claims: one reviewed row for each checkable statement about an engine.

A row lives in ``<engine>.toml`` beside this file and holds its words in English and Chinese, its verdict, and what the engine must
give. Notebooks never repeat an expectation: they call ``verify`` with the row's id and what they measured.
"""

import dataclasses
import functools
import pathlib
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args

from dexlab_course.claims.expectation import check_rule
from dexlab_course.errors import CatalogueError, explain, unknown_name

Verdict = Literal["holds", "nuance", "contradicted", "not checkable", "extra"]
_FOLDER = pathlib.Path(__file__).parent
_FIELDS = {"id", "chapter", "section", "statement", "finding", "verdict", "unit", "tolerance", "slow", "expect", "text", "same_as"}
# A "no expectation" that is not None, so that a row could expect a TOML value of any kind.
_MISSING: Any = object()


@dataclasses.dataclass(frozen=True)
class Claim:
    """One row. ``expect`` is what the engine must give, ``text`` what the reading notes predict where the engine does otherwise."""

    id: str
    engine: str
    chapter: str
    section: str
    statement: Mapping[str, str]
    verdict: Verdict
    finding: Mapping[str, str]
    unit: str = ""
    tolerance: float = 0.0
    slow: bool = False
    expect: Any = _MISSING
    text: Any = _MISSING
    same_as: str = ""

    @property
    def is_measured(self) -> bool:
        """Whether the row has an experiment of its own."""
        return self.expect is not _MISSING

    @property
    def has_text(self) -> bool:
        """Whether the reading notes predict something else than the engine gives."""
        return self.text is not _MISSING


class Catalogue(Mapping[str, Claim]):
    """All rows by id, in file order."""

    def __init__(self, rows: dict[str, Claim]) -> None:
        self._rows = rows

    def __getitem__(self, claim_id: str) -> Claim:
        try:
            return self._rows[claim_id]
        except KeyError:
            raise unknown_name("claim", claim_id, self._rows) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, claim_id: object) -> bool:
        return claim_id in self._rows


def engines(folder: pathlib.Path = _FOLDER) -> tuple[str, ...]:
    """Names of the engines that have a catalogue file."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


@functools.cache
def catalogue(folder: pathlib.Path = _FOLDER) -> Catalogue:
    """Read and check every row.

    Raises:
        CatalogueError: a row is incomplete, misspelt, double, or refers to a row that does not exist.
    """
    rows: dict[str, Claim] = {}
    for engine in engines(folder):
        path = folder / f"{engine}.toml"
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise CatalogueError(
                explain(f"{path.name} is not TOML", got=error, expected="[[claim]] tables", remedy="mend the line named")
            ) from error
        for entry in table.get("claim", []):
            claim = _claim(engine, entry)
            if claim.id in rows:
                raise CatalogueError(
                    explain("a claim is listed twice", got=claim.id, expected="one row for each id", remedy="delete one of the two")
                )
            rows[claim.id] = claim
    for claim in rows.values():
        if claim.same_as and (claim.same_as not in rows or not rows[claim.same_as].is_measured):
            message = explain(
                f"{claim.id} is the same as a row that has no experiment",
                got=claim.same_as,
                expected="the id of a measured row",
                remedy="name the row that carries the measurement",
            )
            raise CatalogueError(message)
    return Catalogue(rows)


def _claim(engine: str, entry: dict[str, Any]) -> Claim:
    name = str(entry.get("id", "a row without an id"))

    def demand(condition: bool, what: str, got: object, expected: object) -> None:
        if not condition:
            raise CatalogueError(
                explain(f"{name} ({engine}.toml): {what}", got=got, expected=expected, remedy="see 'Claims' in CONTRIBUTING.md")
            )

    unknown = entry.keys() - _FIELDS
    demand(not unknown, "unknown fields", sorted(unknown), sorted(_FIELDS))
    for field in ("id", "chapter", "section", "verdict"):
        demand(isinstance(entry.get(field), str) and bool(entry[field]), f"{field} is missing", repr(entry.get(field)), "text")
    demand(entry["verdict"] in get_args(Verdict), "unknown verdict", entry["verdict"], get_args(Verdict))
    for field in ("statement", "finding"):
        words = entry.get(field, {} if field == "finding" else None)
        complete = isinstance(words, dict) and (words.keys() == {"en", "zh"} or (field == "finding" and not words)) and all(words.values())
        demand(complete, f"{field} is incomplete", words, "{en = ..., zh = ...}")
    measured = "expect" in entry
    told_apart = entry["verdict"] in {"nuance", "contradicted"}
    demand(
        measured or bool(entry.get("same_as")) or entry["verdict"] == "not checkable",
        "nothing to measure",
        "no expect",
        "expect, same_as, or the verdict 'not checkable'",
    )
    demand(not (measured and entry.get("same_as")), "both expect and same_as", entry.get("same_as"), "one of them")
    demand(
        not measured or ("text" in entry) == told_apart,
        "text does not fit the verdict",
        entry["verdict"],
        "text for nuance and contradicted rows, and only there",
    )
    demand(
        entry["verdict"] == "holds" or bool(entry.get("finding")),
        "a row that does not simply hold needs a finding",
        "none",
        "{en = ..., zh = ...}",
    )
    for field in ("expect", "text"):
        if field in entry:
            check_rule(entry[field], f"{name} {field}")
    tolerance = entry.get("tolerance", 0.0)
    demand(isinstance(tolerance, (int, float)) and tolerance >= 0, "tolerance cannot be used", tolerance, "a number >= 0")
    return Claim(engine=engine, **{**entry, "tolerance": float(tolerance), "finding": entry.get("finding", {})})
