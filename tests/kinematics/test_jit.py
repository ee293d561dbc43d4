"""Where machine code is kept, and what importing costs."""

import importlib
import pathlib
import subprocess
import sys

import pytest

from dexlab_course import kinematics, paths

pytest.importorskip("numba", reason="numba is not installed")
SOURCE = pathlib.Path(kinematics.__file__).parent / "jit.py"


def test_machine_code_lives_in_the_user_s_cache_and_not_in_the_package(tmp_path, monkeypatch):
    from numba import config

    from dexlab_course.kinematics import jit

    monkeypatch.setattr(paths, "user_cache", lambda: tmp_path)
    jit._cache_folder.cache_clear()
    before = config.CACHE_DIR
    double = jit.compiled("f8(f8)")(lambda x: 2.0 * x)
    jit._cache_folder.cache_clear()
    assert double(3.0) == 6.0
    assert list(tmp_path.rglob("*.nbi"))
    assert config.CACHE_DIR == before
    assert not list(pathlib.Path(kinematics.__file__).parents[1].rglob("*.nbi"))


def test_code_that_was_pasted_in_from_another_file_is_part_of_the_key(tmp_path, monkeypatch):
    from dexlab_course.kinematics import jit

    monkeypatch.setattr(paths, "user_cache", lambda: tmp_path)
    source = tmp_path / "source.py"
    folders = set()
    for text in ("a", "b"):
        source.write_text(text)
        jit._cache_folder.cache_clear()
        folders.add(jit._cache_folder((str(source),)))
    jit._cache_folder.cache_clear()
    assert len(folders) == 2


def test_without_a_writable_folder_it_still_compiles(tmp_path, monkeypatch):
    from dexlab_course.kinematics import jit

    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setattr(paths, "user_cache", lambda: tmp_path / "file")
    jit._cache_folder.cache_clear()
    assert jit._cache_folder(()) is None
    assert jit.compiled("f8(f8)")(lambda x: x + 1.0)(1.0) == 2.0
    jit._cache_folder.cache_clear()


@pytest.mark.parametrize("module", ["dexlab_course.kinematics", "dexlab_course.ik"])
def test_importing_brings_nothing_heavy(module):
    heavy = "('numba', 'scipy', 'sympy', 'yourdfpy', 'pandas', 'matplotlib')"
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


@pytest.mark.parametrize("module", ["dexlab_course.kinematics", "dexlab_course.ik"])
def test_public_names_resolve(module):
    folder = importlib.import_module(module)
    assert folder.__all__ == sorted(folder.__all__)
    assert all(hasattr(folder, name) for name in folder.__all__)
