"""One set of pins in pyproject.toml, the locks and environment.yml, and a set-up that explains itself."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

from dexlab_course.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = [name for name in PROJECT["optional-dependencies"] if name != "all"]
PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)


def pins(path: pathlib.Path) -> dict[str, str]:
    return dict(PIN.findall(path.read_text(encoding="utf-8")))


LOCK = pins(ROOT / "requirements.lock")


@pytest.mark.parametrize("name", ["base", *EXTRAS])
def test_each_part_has_the_versions_of_the_whole(name: str) -> None:
    part = pins(ROOT / "requirements" / f"{name}.lock")
    assert part
    assert {key: value for key, value in part.items() if LOCK.get(key) != value} == {}


def test_the_whole_is_the_sum_of_the_parts() -> None:
    union = set().union(*(pins(ROOT / "requirements" / f"{name}.lock") for name in ["base", *EXTRAS]))
    assert union == set(LOCK)


def test_pins_of_pyproject_are_in_the_lock() -> None:
    lines = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    wanted = [match for line in lines for match in PIN.findall(line)]
    assert {name for name, _ in wanted} >= {"drake", "genesis-world", "torch", "superdex-physics"}
    for name, version in wanted:
        assert LOCK[name] == version


def test_every_dependency_is_locked() -> None:
    named = [*PROJECT["dependencies"], *(line for extra in EXTRAS for line in PROJECT["optional-dependencies"][extra])]
    names = {re.split(r"[=<>;\[ ]", line)[0].lower().replace("_", "-") for line in named}
    assert names - {key.lower() for key in LOCK} == set()


def test_conda_gets_the_same_versions() -> None:
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    conda = dict(re.findall(r'- "([A-Za-z0-9._-]+)==([^\s;"]+)', text))
    assert {key: value for key, value in conda.items() if LOCK.get(key) != value} == {}
    wanted = {key for name in ("drake", "genesis", "superdex", "fast") for key in pins(ROOT / "requirements" / f"{name}.lock")}
    assert set(conda) == wanted
    assert "python=3.12" in text
    assert os.access(ROOT / "postBuild", os.X_OK)


def test_locks_carry_hashes_and_no_host() -> None:
    for path in [ROOT / "requirements.lock", *(ROOT / "requirements").glob("*.lock")]:
        text = path.read_text(encoding="utf-8")
        assert "://" not in text, path.name
        assert "--index-url" not in text, path.name
        blocks = re.split(r"\n(?=[A-Za-z0-9])", text.strip())
        assert all("--hash=sha256:" in block for block in blocks if "==" in block), path.name


def test_the_same_python_everywhere() -> None:
    assert (ROOT / ".python-version").read_text().strip() == "3.12"
    assert PROJECT["requires-python"] == "==3.12.*"


@pytest.fixture
def bare(tmp_path: pathlib.Path) -> pathlib.Path:
    """What the set-up needs of a clone, without an environment."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    return tmp_path


def set_up(folder: pathlib.Path, *words: str, path: str = "/usr/bin:/bin", **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": path, "HOME": str(folder), **variables}
    return subprocess.run(
        ["bash", "tools/make-venv", *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_without_python_312_one_sentence_says_what_to_install(bare: pathlib.Path) -> None:
    tools = bare / "bin"
    tools.mkdir()
    for name in ("bash", "cat", "cut", "sha256sum", "dirname", "rm", "flock", "readlink"):
        (tools / name).symlink_to(str(shutil.which(name)))
    done = set_up(bare, path=str(tools))
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "PYTHON=" in done.stderr
    assert "uv" in done.stderr


def test_a_python_that_is_not_312_is_refused(bare: pathlib.Path) -> None:
    done = set_up(bare, DEXLAB_PYTHON="/bin/false")
    assert done.returncode == 1
    assert "PYTHON=/bin/false is not a working Python 3.12" in done.stderr


def test_an_unknown_engine_is_refused_before_anything_is_made(bare: pathlib.Path) -> None:
    done = set_up(bare, DEXLAB_ENGINES="drake mujoco")
    assert done.returncode == 1
    assert "'mujoco'" in done.stderr
    assert "drake genesis superdex" in done.stderr
    assert not (bare / ".venv").exists()


def test_a_sound_environment_is_left_alone_and_a_half_made_one_is_not_trusted(bare: pathlib.Path) -> None:
    (bare / ".venv").mkdir()
    for name in ("bin", "lib"):
        (bare / ".venv" / name).symlink_to(pathlib.Path(sys.prefix, name))
    (bare / ".venv" / "pyvenv.cfg").symlink_to(pathlib.Path(sys.prefix, "pyvenv.cfg"))
    (bare / ".dexlab-engines").write_text("drake ")
    script = (bare / "tools" / "make-venv").read_text()
    probe = script.split('if [ "${1:-}" != "--again" ] && sound; then exit 0; fi')[0] + '\nprintf "%s" "$state"\n'
    (bare / "tools" / "state").write_text(probe)
    state = subprocess.run(
        ["bash", "tools/state"], cwd=bare, capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin"}
    ).stdout
    stamp = bare / ".venv" / "dexlab-stamp"
    stamp.write_text(state)
    assert set_up(bare).returncode == 0  # nothing to do: no Python 3.12 was even looked for
    stamp.write_text("half")
    done = set_up(bare, DEXLAB_PYTHON="/bin/false")
    assert done.returncode == 1  # not trusted: it went on to look for an interpreter
