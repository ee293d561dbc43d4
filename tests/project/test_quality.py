"""The gates that look at the code itself: lint, format, types, layers, and a few house rules."""

import ast
import importlib
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest

import dexlab_course
from dexlab_course.paths import ROOT

from ..forbidden import HOST, MACHINE_PATH, without_pictures

PACKAGE = ROOT / "dexlab_course"
BIN = pathlib.Path(sys.prefix, "bin")
MODULES = sorted(PACKAGE.rglob("*.py"))
BELOW_ENGINES = ["errors.py", "arrays.py", "dof.py", "trajectory.py", "control", "kinematics", "ik", "task"]


def tool(*words: str) -> None:
    done = subprocess.run([str(BIN / words[0]), *words[1:]], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_lint() -> None:
    tool("ruff", "check", ".")


def test_format() -> None:
    tool("ruff", "format", "--check", ".")


def test_types() -> None:
    tool("mypy")


def test_layers() -> None:
    tool("lint-imports")


def tracked() -> list[pathlib.Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).exists()]


def test_no_registry_host_and_no_machine_path_is_committed() -> None:
    found = []
    for file in tracked():
        if file.suffix not in {".png", ".obj"}:
            text = without_pictures(file.read_text(encoding="utf-8"))
            found += [(file.relative_to(ROOT).as_posix(), match.group()) for match in (*HOST.finditer(text), *MACHINE_PATH.finditer(text))]
    assert found == []


@pytest.mark.parametrize("words", [("py", "pi.org"), ("/ro", "ot/x"), ("/ho", "me/someone"), ("see /t", "mp/x"), ("lib/site-", "packages")])
def test_what_is_forbidden_is_recognised(words: tuple[str, ...]) -> None:
    text = "".join(words)
    assert HOST.search(text) or MACHINE_PATH.search(text)


def test_every_asset_is_listed() -> None:
    listed = (ROOT / "assets" / "README.md").read_text(encoding="utf-8")
    files = [path for path in (ROOT / "assets").rglob("*") if path.is_file() and path.name != "README.md"]
    assert [path.name for path in files if path.relative_to(ROOT / "assets").as_posix() not in listed] == []


def test_importing_the_package_is_light() -> None:
    code = (
        "import dexlab_course, sys; print([m for m in ('numpy', 'pandas', 'pydrake', 'genesis', 'superdex', 'torch') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_importing_the_arithmetic_brings_no_engine_and_no_pandas() -> None:
    code = "import dexlab_course.control, dexlab_course.dof, sys; print([m for m in ('pandas', 'pydrake', 'genesis', 'superdex', 'torch') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_no_engine_is_named_below_engines() -> None:
    lower = [path for name in BELOW_ENGINES for path in ([PACKAGE / name] if name.endswith(".py") else (PACKAGE / name).rglob("*.py"))]
    naming = re.compile("drake|genesis|superdex", re.IGNORECASE)
    assert [path.name for path in lower if path.exists() and naming.search(path.read_text(encoding="utf-8"))] == []


def test_names_a_package_promises_exist() -> None:
    for info in pkgutil.walk_packages(dexlab_course.__path__, "dexlab_course."):
        source = pathlib.Path(PACKAGE, *info.name.split(".")[1:])
        file = source / "__init__.py" if info.ispkg else source.with_suffix(".py")
        if "__all__" in file.read_text(encoding="utf-8"):
            module = importlib.import_module(info.name)
            assert [name for name in module.__all__ if not hasattr(module, name)] == [], info.name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_has_one_idea_and_says_it(path: pathlib.Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), "no docstring"
    assert len(text.splitlines()) <= 350


def public_functions() -> list[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    nodes = [(path.relative_to(PACKAGE).as_posix(), node) for path in MODULES for node in ast.parse(path.read_text(encoding="utf-8")).body]
    kinds = (ast.FunctionDef, ast.ClassDef)
    return [(f"{name}:{node.name}", node) for name, node in nodes if isinstance(node, kinds) and not node.name.startswith("_")]


def test_public_names_are_documented() -> None:
    assert [name for name, node in public_functions() if not ast.get_docstring(node)] == []
