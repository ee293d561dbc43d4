"""The command line as a user meets it: help, wrong words, searching claims, the doctor."""

import dataclasses
import json
import pathlib
import subprocess
import sys
from collections.abc import Callable

import pytest

from dexlab_course.commands import doctor
from dexlab_course.commands.cli import main


@dataclasses.dataclass
class Done:
    """What a command line printed, and its exit status."""

    status: int
    out: str
    err: str


Dexlab = Callable[..., Done]


@pytest.fixture
def dexlab(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Dexlab:
    """Run a command line in this process, which is quick; one test below starts the real program."""

    def call(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["dexlab", *words])
        status = 0
        try:
            main()
        except SystemExit as end:
            status = int(end.code or 0)
        printed = capfd.readouterr()
        return Done(status, printed.out, printed.err)

    return call


def test_the_program_is_installed_and_answers() -> None:
    program = pathlib.Path(sys.prefix, "bin", "dexlab")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=True)
    assert "dexlab" in done.stdout


def test_help_names_every_verb(dexlab: Dexlab) -> None:
    shown = dexlab("--help")
    for verb in ("run", "claims", "doctor", "outputs"):
        assert verb in shown.out
        assert dexlab(verb, "--help").status == 0


@pytest.mark.parametrize(
    "words", [("fly",), ("run", "--engine", "darke"), ("run", "--chapter", "33"), ("claims", "--engine", "x"), ("doctor", "--engine", "x")]
)
def test_wrong_words_are_a_sentence_not_a_traceback(dexlab: Dexlab, words: tuple[str, ...]) -> None:
    done = dexlab(*words)
    assert done.status == 2
    assert "Traceback" not in done.err
    assert done.err.strip()


def test_claims_are_found_by_word_in_both_languages_and_by_id(dexlab: Dexlab) -> None:
    for words in (("--search", "feedforward", "--search", "limit"), ("--search", "前馈"), ("--search", "D-2.2-c")):
        found = json.loads(dexlab("claims", *words, "--json").out)
        assert any(entry["id"] == "D-2.2-c" for entry in found), words
    assert "No claim matches" in dexlab("claims", "--search", "xylophone").out


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


def test_the_quick_doctor_looks_at_everything(dexlab: Dexlab) -> None:
    done = dexlab("doctor", "--quick")
    for word in ("Python", "drake", "genesis", "superdex", "kernel", "disk", "cache", "font", "hromium"):
        assert word in done.out, word
