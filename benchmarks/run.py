"""Run the benchmarks: ``make benchmark``, or ``python benchmarks/run.py [names …] [--readme]``.

Each ``<area>_<what>.py`` here is a benchmark: it has ``TARGETS`` (key to sentence) and ``measure()``, which returns figures for JSON, and
run as a script it prints them. This file runs each in a process of its own, puts versions, machine and commit beside the figures, writes
``build/benchmarks/<name>.json`` and prints figures and targets side by side. A missed target is printed, never a failure; a benchmark that
raises is one.

What the course is compared with is installed into ``build/benchmark-venv`` from ``peers.txt``. Where that is impossible (no network), the
benchmarks run without, and say so.
"""

import argparse
import hashlib
import importlib.metadata
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time
from typing import Any

from contest import BUILD, HERE, ONE_THREAD, PEERS

ROOT = HERE.parent
PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "drake", "genesis-world", "superdex-physics", "pin", "pandas", "torch")
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


def benchmarks() -> list[str]:
    """Names of all benchmarks, in the order they run."""
    return sorted(path.stem for path in HERE.glob("*_*.py") if not path.stem.startswith("peer_"))


def make_peers() -> str | None:
    """Make the environment of the peers; None when it is there, else the reason why not."""
    wanted = hashlib.sha256((HERE / "peers.txt").read_bytes() + platform.python_version().encode()).hexdigest()
    folder = PEERS.parent.parent
    stamp = folder / "stamp"
    if stamp.is_file() and stamp.read_text() == wanted:
        return None
    print("making build/benchmark-venv from benchmarks/peers.txt", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    uv = shutil.which("uv") or shutil.which("uv", path=str(pathlib.Path(sys.executable).parent))
    requirements = str(HERE / "peers.txt")
    if uv:
        steps = [[uv, "venv", "--quiet", "--python", sys.executable, str(folder)]]
        steps.append([uv, "pip", "install", "--quiet", "--python", str(PEERS), "-r", requirements])
    else:
        steps = [[sys.executable, "-m", "venv", str(folder)], [str(PEERS), "-m", "pip", "install", "--quiet", "-r", requirements]]
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            return (done.stderr.strip() or done.stdout.strip() or "installing failed").splitlines()[-1]
    stamp.write_text(wanted)
    return None


def machine() -> dict[str, Any]:
    """What the figures were measured on; no host name."""
    info: dict[str, Any] = {
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }
    try:
        cpu = pathlib.Path("/proc/cpuinfo").read_text()
        info["processor"] = re.findall(r"model name\s*:\s*(.*)", cpu)[0]
        flags = re.findall(r"flags\s*:\s*(.*)", cpu)[0].split()
        info["vectors"] = "AVX-512" if "avx512f" in flags else "AVX2" if "avx2" in flags else "none of AVX2, AVX-512"
        info["memory_gib"] = round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
        info["load"] = [round(value, 1) for value in os.getloadavg()]
    except (OSError, IndexError, ValueError):
        info["processor"] = platform.processor() or platform.machine()
    return info


def versions() -> dict[str, str]:
    """Installed versions that a figure may depend on."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def commit() -> str:
    """The commit, with a word when the checkout differs from it."""
    try:
        head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
        dirty = subprocess.run(
            ["git", "status", "--porcelain", "-uno"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head + (" and changes" if dirty else "")


def lines_of(figures: dict[str, Any], targets: dict[str, str]) -> list[list[str]]:
    """Rows of [what, figure, target]; a benchmark may bring its own as ``table``."""
    if "table" in figures:
        return figures["table"]
    rows = []
    for name, row in figures.get("rows", {}).items():
        figure = f"{row['us']:.2f} us" + (f", {row['ratio']:.2f} times the copies" if "ratio" in row else "")
        target = next(
            (sentence for key, sentence in targets.items() if key == "rows" or key.replace("_", "") in name.replace("_", "").lower()), ""
        )
        rows.append([name, figure, target])
    return rows


def run(name: str) -> dict[str, Any]:
    """One benchmark in its own process; raises when it fails."""
    print(f"{name} …", file=sys.stderr)
    begin = time.perf_counter()
    command = [sys.executable, "-W", "ignore", str(HERE / f"{name}.py")]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | ONE_THREAD, stdout=subprocess.PIPE, text=True, check=True)
    figures = json.loads(done.stdout[done.stdout.index("{") :])
    sys.path.insert(0, str(HERE))
    targets = __import__(name).TARGETS
    document = {
        "benchmark": name,
        "measured": time.strftime("%Y-%m-%d"),
        "commit": commit(),
        "machine": machine(),
        "versions": versions() | figures.pop("versions", {}),
        "seconds": round(time.perf_counter() - begin, 1),
        "targets": targets,
        "table": lines_of(figures, targets),
        "figures": {key: value for key, value in figures.items() if key != "table"},
    }
    BUILD.mkdir(parents=True, exist_ok=True)
    (BUILD / f"{name}.json").write_text(json.dumps(document, indent=2) + "\n")
    return document


def show(document: dict[str, Any]) -> None:
    """Print figures and targets side by side."""
    rows = document["table"]
    widths = [max(len(row[i]) for row in rows) for i in (0, 1)] if rows else [0, 0]
    print(f"\n{document['benchmark']} ({document['seconds']} s)")
    for what, figure, target in rows:
        print(f"  {what:<{widths[0]}}  {figure:<{widths[1]}}  {'target: ' + target if target else ''}".rstrip())
    for name, reason in document["figures"].get("not_run", {}).items():
        print(f"  {name}: not run ({reason})")


def write_readme() -> None:
    """Put the tables of all measured benchmarks between the marks in README.md."""
    documents = [json.loads((BUILD / f"{name}.json").read_text()) for name in benchmarks() if (BUILD / f"{name}.json").is_file()]
    if not documents:
        return
    on = documents[0]["machine"]
    installed = {name: version for document in documents for name, version in document["versions"].items()}
    parts = [
        f"{on['processor']}, {on['cores']} cores ({on.get('vectors', '')}), {on.get('memory_gib', '?')} GiB, {on['system']}, Python {on['python']}; "
        + ", ".join(f"{name} {version}" for name, version in installed.items())
        + "."
    ]
    for document in documents:
        parts.append(f"**{document['benchmark']}** (measured {document['measured']}, commit {document['commit']})")
        rows = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in document["table"])
        parts.append("| what | figure | target |\n|---|---|---|\n" + rows)
        absent = [f"{name}: not run ({reason})" for name, reason in document["figures"].get("not_run", {}).items()]
        parts.extend(absent)
    path = HERE / "README.md"
    text = path.read_text()
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    path.write_text(head + BEGIN + "\n\n" + "\n\n".join(parts) + "\n\n" + END + tail)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the benchmarks and write build/benchmarks/<name>.json.")
    parser.add_argument("names", nargs="*", help="which ones, or the beginnings of their names; all when omitted")
    parser.add_argument("--list", action="store_true", help="only say which there are")
    parser.add_argument("--readme", action="store_true", help="also put the tables into benchmarks/README.md")
    arguments = parser.parse_args()
    names = [name for name in benchmarks() if not arguments.names or any(name.startswith(start) for start in arguments.names)]
    if arguments.list or not names:
        print("\n".join(names or benchmarks()))
        return 0 if names else 2
    reason = make_peers()
    if reason:
        print(f"without the peers of peers.txt: {reason}", file=sys.stderr)
    failed = []
    for name in names:
        try:
            show(run(name))
        except (subprocess.CalledProcessError, ValueError) as error:
            failed.append(name)
            print(f"\n{name} failed: {error}", file=sys.stderr)
    if arguments.readme:
        write_readme()
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
