"""The benchmarks can be found and have what the frame expects; their figures are never tested."""

import ast
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "benchmarks"
MODULES = sorted(path for path in FOLDER.glob("*_*.py") if not path.stem.startswith("peer_"))


def test_the_frame_lists_every_benchmark():
    listed = subprocess.run([sys.executable, str(FOLDER / "run.py"), "--list"], capture_output=True, text=True, check=True).stdout.split()
    assert listed == [path.stem for path in MODULES]
    assert {"ik_panda", "ik_scaling", "kinematics_fk_jacobian"} <= set(listed)


def test_an_unknown_benchmark_lists_the_known_ones():
    unknown = subprocess.run([sys.executable, str(FOLDER / "run.py"), "speed"], capture_output=True, text=True, check=False)
    assert unknown.returncode == 2
    assert "ik_panda" in unknown.stdout


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_benchmark_has_targets_and_figures(path):
    tree = ast.parse(path.read_text())
    assigned = {target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets if isinstance(target, ast.Name)}
    assert "TARGETS" in assigned
    assert "measure" in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_peers_are_pinned_and_name_no_host():
    pins = [line for line in (FOLDER / "peers.txt").read_text().splitlines() if line and not line.startswith("#")]
    assert pins
    assert all(line.count("==") == 1 and "://" not in line and "@" not in line for line in pins)
