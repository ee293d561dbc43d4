"""A claim is green only while the engine, the catalogue and the derivation agree, and a finding only while it is still one."""

import dataclasses
import pathlib

import pytest

from dexlab_course.claims import catalogue, folded_table, ledger, render, verify
from dexlab_course.claims.catalogue import Claim
from dexlab_course.claims.catalogue import catalogue as read_catalogue
from dexlab_course.claims.evidence import judge
from dexlab_course.errors import CatalogueError, InvalidValueError, UnknownNameError

HOLDS = Claim("T-1", "test", "99", "1", {"en": "two", "zh": "二"}, "holds", {}, unit="N", tolerance=1e-3, expect=2.0)
NUANCE = dataclasses.replace(HOLDS, id="T-2", verdict="nuance", finding={"en": "rather 2", "zh": "其实是 2"}, text=3.0)


def test_a_holding_row_turns_red_when_the_engine_moves() -> None:
    assert judge(HOLDS, 2.0).green
    assert not judge(HOLDS, 2.02).green  # a gain scaled by 1.01


def test_a_derivation_that_disagrees_turns_the_row_red() -> None:
    evidence = judge(HOLDS, 2.0, derived=2.1)
    assert not evidence.green
    assert "derivation" in evidence.problem


def test_a_finding_turns_red_when_the_engine_is_mended() -> None:
    assert judge(NUANCE, 2.0).green
    mended = judge(dataclasses.replace(NUANCE, expect={"differs_from": 2.5}), 3.0)
    assert not mended.green
    assert "reading notes" in mended.problem


def test_a_row_without_an_experiment_cannot_be_verified() -> None:
    unmeasured = Claim("T-3", "test", "99", "1", {"en": "a", "zh": "b"}, "not checkable", {"en": "why", "zh": "为何"})
    with pytest.raises(InvalidValueError, match="T-3"):
        judge(unmeasured, 1.0)


def test_an_unknown_id_lists_near_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"D-2\.2-c"):
        verify("D-2.2-cc", 2.0)


def test_green_is_one_quiet_line_and_red_is_loud() -> None:
    quiet, loud = judge(HOLDS, 2.0), judge(HOLDS, 5.0)
    assert render.as_text(quiet).count("\n") == 0
    assert "RED" in render.as_text(loud)
    assert "font-weight:600" in render.line_html(loud)
    assert "<details>" in render.table_html([quiet])
    assert "<details open>" in render.table_html([quiet, loud])


def test_a_nuance_shows_what_the_notes_predict() -> None:
    assert "reading notes 3 N" in render.as_text(judge(NUANCE, 2.0))


def test_outside_a_notebook_evidence_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with folded_table():
        verify("D-2.2-c", 2.0, derived=2.0)
        verify("D-2.2-c2", 5.0)
    assert capsys.readouterr().out.splitlines()[0].split() == ["holds", "D-2.2-c", "engine", "2", "N", "|", "derived", "2", "N"]


def test_a_folded_table_shows_what_was_measured_before_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    def fails_after_one() -> None:
        with folded_table():
            verify("D-2.2-c", 2.0)
            raise ValueError("the engine broke")

    with pytest.raises(ValueError, match="broke"):
        fails_after_one()
    assert "D-2.2-c" in capsys.readouterr().out


def executed(*evidence: dict[str, object]) -> dict[str, object]:
    return {"cells": [{"id": "cell-a", "outputs": [{"metadata": {"dexlab": list(evidence)}}]}, {"id": "text"}]}


def test_the_ledger_says_where_each_number_was_measured_and_what_was_not() -> None:
    claims = {"T-1": HOLDS, "T-2": NUANCE, "T-4": dataclasses.replace(HOLDS, id="T-4", expect=dataclasses.MISSING, same_as="T-1")}
    claims["T-4"] = Claim("T-4", "test", "98", "1", HOLDS.statement, "holds", {}, same_as="T-1")
    page = executed(judge(HOLDS, 2.0, note="a").metadata(), judge(HOLDS, 9.0, note="b").metadata())
    entries = ledger.fold({"pages/one.ipynb": page}, claims, reasons={"test": "test not installed"})
    by_id = {claim_id: [entry for entry in entries if entry["id"] == claim_id] for claim_id in claims}
    assert [entry["status"] for entry in by_id["T-1"]] == ["green", "red"]
    assert by_id["T-1"][0]["notebook"] == "pages/one.ipynb"
    assert by_id["T-1"][0]["cell"] == "cell-a"
    assert by_id["T-2"][0]["status"] == "not run"
    assert by_id["T-2"][0]["note"] == "test not installed"
    assert [entry["status"] for entry in by_id["T-4"]] == ["green", "red"]
    assert ledger.by_status(entries) == {"green": 0, "red": 2, "not run": 1, "not checkable": 0}


def test_the_ledger_is_written_as_data_text_and_page(tmp_path: pathlib.Path) -> None:
    ledger.write(ledger.fold({}), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"ledger.json", "ledger.md", "ledger.html"}
    assert "D-2.2-c" in (tmp_path / "ledger.html").read_text(encoding="utf-8")


ROW = """[[claim]]
id = "T-1"
chapter = "03"
section = "1"
verdict = "holds"
statement = {en = "a", zh = "b"}
expect = 1.0
"""


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("expect = 1.0", ""), "nothing to measure"),
        (("expect", "expct"), "unknown fields"),
        (('verdict = "holds"', 'verdict = "true"'), "unknown verdict"),
        (('verdict = "holds"', 'verdict = "nuance"'), "text does not fit"),
        (('zh = "b"', ""), "not TOML"),
        ((', zh = "b"', ""), "statement is incomplete"),
        (("expect = 1.0", "expect = 1.0\ntolerance = -1"), "tolerance"),
        (("expect = 1.0", 'same_as = "T-9"'), "T-9"),
        (('id = "T-1"', ""), "id is missing"),
        (("expect = 1.0", "expect = {between = [2, 1]}"), "interval"),
    ],
)
def test_a_faulty_row_is_refused_with_its_name(tmp_path: pathlib.Path, change: tuple[str, str], complaint: str) -> None:
    (tmp_path / "test.toml").write_text(ROW.replace(*change), encoding="utf-8")
    with pytest.raises(CatalogueError, match=complaint):
        read_catalogue(tmp_path)


def test_a_row_listed_twice_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "test.toml").write_text(ROW + ROW, encoding="utf-8")
    with pytest.raises(CatalogueError, match="twice"):
        read_catalogue(tmp_path)


def test_the_course_has_a_catalogue() -> None:
    assert {"drake", "genesis", "superdex"} <= {claim.engine for claim in catalogue().values()}
