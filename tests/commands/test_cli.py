"""The command line as a user meets it: help, wrong words, searching claims, the doctor."""

import json
import subprocess
import sys

import pytest

from dexlab_course.commands import doctor


def dexlab(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dexlab_course.commands.cli", *words], capture_output=True, text=True, timeout=120, check=False
    )


def test_help_names_every_verb() -> None:
    done = dexlab("--help")
    assert done.returncode == 0
    for verb in ("run", "claims", "doctor", "outputs"):
        assert verb in done.stdout
        assert dexlab(verb, "--help").returncode == 0


@pytest.mark.parametrize(
    "words", [("fly",), ("run", "--engine", "darke"), ("run", "--chapter", "3"), ("claims", "--engine", "x"), ("doctor", "--engine", "x")]
)
def test_wrong_words_are_a_sentence_not_a_traceback(words: tuple[str, ...]) -> None:
    done = dexlab(*words)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_claims_are_found_by_word_in_both_languages_and_by_id() -> None:
    for words in (("--search", "feedforward", "--search", "limit"), ("--search", "前馈"), ("--search", "D-2.2-c")):
        found = json.loads(dexlab("claims", *words, "--json").stdout)
        assert any(entry["id"] == "D-2.2-c" for entry in found), words
    assert "No claim matches" in dexlab("claims", "--search", "xylophone").stdout


def test_the_doctor_finds_what_is_wrong_and_names_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "version", lambda engine: "" if engine == "drake" else "0.0.1")
    missing = doctor._engine("drake", True, start=False)
    assert (missing.state, missing.remedy) == ("problem", "make course ENGINES=drake")
    assert doctor._engine("drake", False, start=False).state == "note"
    other = doctor._engine("superdex", True, start=False)
    assert other.state == "problem"
    assert "1.0.0" in other.what
    assert other.remedy


def test_the_doctor_reports_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1e6})())
    assert doctor._disk().state == "problem"


def test_the_quick_doctor_looks_at_everything() -> None:
    done = dexlab("doctor", "--quick")
    for word in ("Python", "drake", "genesis", "superdex", "kernel", "disk", "cache", "font", "hromium"):
        assert word in done.stdout, word
