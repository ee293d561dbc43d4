"""`dexlab doctor`: is everything here that the course needs, and if not, what mends it."""

import dataclasses
import importlib.metadata
import importlib.util
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from typing import Literal

import click
from rich.console import Console
from rich.markup import escape

from dexlab_course.engines import ENGINES, version
from dexlab_course.errors import unknown_name
from dexlab_course.paths import ROOT, user_cache
from dexlab_course.show.browser import find_browser

State = Literal["ok", "note", "problem"]
_SIGN = {"ok": "[green]ok[/]     ", "note": "[yellow]note[/]   ", "problem": "[bold red]problem[/]"}
_IMPORTS = {
    "drake": "import pydrake.all",
    "genesis": "from dexlab_course.engines.genesis import start; start()",
    "superdex": "from dexlab_course.engines.superdex import start; start()",
}
# What one more install or a run needs beside the environment itself [GB].
_FREE_DISK = 2.0


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing that was looked at. ``remedy`` is empty when there is nothing to do."""

    state: State
    what: str
    remedy: str = ""


@click.command()
@click.option(
    "--engine", "engines", multiple=True, help="Engines that must work [default: those the environment was made for]; may be repeated."
)
@click.option("--warm", is_flag=True, help="Also fill the kernel caches, so that a class does not wait for the first compilation.")
@click.option("--quick", is_flag=True, help="Read versions only; do not start the engines.")
def doctor(engines: tuple[str, ...], warm: bool, quick: bool) -> None:
    """Check Python, the engines, torch, the kernel, disk, caches, fonts and browser.

    The exit status is 0 when the chosen engines work.
    """
    for engine in engines:
        if engine not in ENGINES:
            raise unknown_name("engine", engine, ENGINES)
    console = Console()
    wanted = engines or chosen_engines()
    problems = 0
    for finding in examine(wanted, start=not quick):
        problems += finding.state == "problem"
        console.print(
            f"{_SIGN[finding.state]} {escape(finding.what)}" + (f"\n        [dim]->[/] {escape(finding.remedy)}" if finding.remedy else ""),
            highlight=False,
        )
    if warm:
        problems += not _warm(console)
    console.print("Everything the chosen engines need is here." if not problems else f"{problems} problem(s): follow the arrows above.")
    sys.exit(1 if problems else 0)


def chosen_engines() -> tuple[str, ...]:
    """The engines this environment was made for: those named at installation, or all that exist for this platform."""
    stamp = ROOT / ".dexlab-engines"
    if stamp.exists():
        return tuple(name for name in stamp.read_text(encoding="utf-8").split() if name in ENGINES)
    return tuple(engine for engine in ENGINES if engine != "drake" or sys.platform == "linux")


def examine(engines: tuple[str, ...], *, start: bool = True) -> Iterator[Finding]:
    """All findings, cheap ones first."""
    yield _python()
    yield _platform()
    for engine in ENGINES:
        yield _engine(engine, engine in engines, start)
    if "genesis" in engines:
        yield _torch()
    yield _kernel()
    yield _disk()
    yield from _caches()
    yield _fonts()
    yield _browser()


def _python() -> Finding:
    found = platform.python_version()
    if sys.version_info[:2] == (3, 12):
        return Finding("ok", f"Python {found}")
    return Finding("problem", f"Python {found}", "the engines have wheels for Python 3.12 only: make course PYTHON=/path/to/python3.12")


def _platform() -> Finding:
    name = f"{platform.system()} {platform.machine()}"
    if platform.system() == "Linux":
        libc = " ".join(platform.libc_ver()).strip()
        if libc.startswith("glibc") and tuple(int(part) for part in libc.split()[1].split(".")[:2]) < (2, 34):
            return Finding("problem", f"{name}, {libc}", "Drake needs glibc 2.34 or newer: use a newer distribution or a container")
        return Finding("ok", f"{name}, {libc}")
    if platform.system() == "Darwin":
        return Finding("note", name, "Drake has no wheel for Python 3.12 on macOS: its claims are 'not run' here")
    return Finding("problem", name, "the engines have no native Windows wheels: run the course inside WSL2")


def _engine(engine: str, wanted: bool, start: bool) -> Finding:
    pinned = _pinned(ENGINES[engine][1])
    found = version(engine)
    if not found:
        if not wanted:
            return Finding("note", f"{engine} is not installed and was not asked for", "")
        return Finding("problem", f"{engine} is not installed", f"make course ENGINES={engine}")
    command = [sys.executable, "-c", _IMPORTS[engine]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False) if start else None
    if done is not None and done.returncode:
        last = (done.stderr.strip().splitlines() or [f"the process ended with {done.returncode}"])[-1]
        return Finding(
            "problem" if wanted else "note",
            f"{engine} {found} does not start: {last}",
            "make repair, which installs the pinned versions again",
        )
    if pinned and found != pinned:
        return Finding(
            "problem" if wanted else "note",
            f"{engine} {found}, the course was measured with {pinned}",
            "make repair, which installs the pinned version",
        )
    return Finding("ok", f"{engine} {found}")


def _torch() -> Finding:
    try:
        found = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return Finding("problem", "torch is not installed, Genesis needs it", "make repair")
    pinned = _pinned("torch")
    if pinned and found.split("+")[0] != pinned:
        return Finding("note", f"torch {found}, the course was measured with {pinned}", "make repair, if numbers differ")
    return Finding("ok", f"torch {found}")


def _pinned(distribution: str) -> str:
    """The version pyproject.toml pins, or an empty string."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for lines in table["project"]["optional-dependencies"].values():
        for line in lines:
            name, _, rest = line.partition("==")
            if name == distribution and rest:
                return str(rest.split(";")[0].strip())
    return ""


def _kernel() -> Finding:
    """The widgets of a page work only when kernel and server are one environment."""
    kernel = pathlib.Path(sys.prefix, "share", "jupyter", "kernels", "python3", "kernel.json")
    if not kernel.exists():
        return Finding("problem", "this environment has no Jupyter kernel", "make repair")
    server = shutil.which("jupyter-lab")
    here = pathlib.Path(sys.prefix, "bin").resolve()
    if server and pathlib.Path(server).resolve().parent != here and os.environ.get("VIRTUAL_ENV"):
        return Finding(
            "note",
            "another jupyter-lab comes first on PATH",
            "open the course with `make lab`, so that server and kernel are one environment",
        )
    return Finding("ok", f"kernel and server: {pathlib.Path(sys.prefix).name}, ipywidgets {importlib.metadata.version('ipywidgets')}")


def _disk() -> Finding:
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < _FREE_DISK:
        return Finding(
            "problem",
            f"{free:.1f} GB of disk free",
            f"make room for at least {_FREE_DISK:g} GB: Genesis writes its kernel cache, pages write under build/",
        )
    return Finding("ok", f"{free:.0f} GB of disk free")


def _caches() -> Iterator[Finding]:
    from dexlab_course.engines.genesis.start import kernel_cache

    for what, folder in (("course cache", user_cache()), ("Genesis kernels", pathlib.Path(kernel_cache()))):
        nearest = next(path for path in (folder, *folder.parents) if path.exists())
        if not os.access(nearest, os.W_OK):
            yield Finding(
                "problem", f"{what}: {folder} cannot be written", "set XDG_CACHE_HOME (or DEXLAB_GENESIS_CACHE) to a folder you own"
            )
        else:
            size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6 if folder.exists() else 0.0
            yield Finding("ok", f"{what}: {folder} ({size:.0f} MB)")


def _fonts() -> Finding:
    from matplotlib import font_manager

    names = {entry.name for entry in font_manager.fontManager.ttflist}
    if any("CJK" in name or name in {"Noto Sans SC", "WenQuanYi Micro Hei", "PingFang SC", "Microsoft YaHei"} for name in names):
        return Finding("ok", "fonts for English and Chinese figures")
    return Finding("note", "no Chinese font", "only Chinese figures need one: install Noto Sans CJK (Debian: fonts-noto-cjk)")


def _browser() -> Finding:
    browser = find_browser()
    if browser:
        return Finding("ok", f"browser for the widget tests: {browser}")
    return Finding(
        "note", "no Chromium found", "only `make test` uses it, for the widgets; without it those tests are skipped (Debian: chromium)"
    )


def _warm(console: Console) -> bool:
    """Run every Genesis page once, and compile the fast inverse kinematics; the kernels of both stay in the cache."""
    from dexlab_course.commands.pages import pages
    from dexlab_course.commands.run import run_pages

    if importlib.util.find_spec("numba") is not None:
        from dexlab_course.ik import compiled

        console.print("compiling the inverse kinematics")
        compiled.warm_up()
    if not version("genesis"):
        console.print("Genesis is not installed: nothing else to warm.")
        return True
    results = run_pages([page for page in pages() if "genesis" in page.needs], jobs=1, timeout=1200.0, console=console)
    return all(result.outcome in {"ok", "skipped"} for result in results)
