"""Contestants, each in a process and an environment of its own, asked in turns so that a busy machine is unfair to none."""

import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent / "build" / "benchmarks"
PEERS = HERE.parent / "build" / "benchmark-venv" / "bin" / "python"
# One thread each, whatever linear algebra they bring.
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM", "NUMEXPR")}


class AbsentError(Exception):
    """A contestant that cannot take part, with the reason."""


class Peer:
    """A child process that answers ``round`` with the seconds it took.

    Args:
        script: file in this folder, see ``serve``.
        data: the .npz file with the task.
        python: its interpreter; the benchmark's own when omitted.
    """

    def __init__(self, script: str, data: pathlib.Path, python: pathlib.Path | None = None) -> None:
        python = pathlib.Path(sys.executable) if python is None else python
        if not python.exists():
            raise AbsentError(f"{python.parent.parent.name} was not made")
        self._log = (BUILD / f"{pathlib.Path(script).stem}.log").open("w")
        self._process = subprocess.Popen(
            [str(python), "-W", "ignore", str(HERE / script), str(data)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=os.environ | ONE_THREAD,
        )
        self.about = self._answer()

    def ask(self, order: str) -> dict[str, Any]:
        """Send one order and wait for its answer."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(order + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer below says why
        return self._answer()

    def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
        self._log.close()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):  # anything else is chatter of a library
                answer: dict[str, Any] = json.loads(line)
                return answer
        self.close()
        lines = pathlib.Path(self._log.name).read_text().strip().splitlines() or ["it ended without a word"]
        raise AbsentError(lines[-1])


def serve(prepare: Callable[[dict[str, Any]], tuple[dict[str, Any], Callable[[], dict[str, Any]]]]) -> None:
    """The other end of ``Peer``: what a contestant's script runs.

    Args:
        prepare: from the task's arrays to (what to say about itself, one round). A round answers with numbers, times measured inside.
    """
    import numpy as np

    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries that print go to the log
    with np.load(sys.argv[1]) as data:
        task = dict(data)
    answer, play = prepare(task)
    while True:
        out.write(json.dumps(answer) + "\n")
        out.flush()
        if not sys.stdin.readline():  # the other end is closed
            return
        answer = play()


def in_turns(contestants: dict[str, Callable[[], dict[str, Any]]], *, rounds: int) -> dict[str, list[dict[str, Any]]]:
    """Answers of each contestant, one a round."""
    answers: dict[str, list[dict[str, Any]]] = {name: [] for name in contestants}
    for number in range(rounds):
        for name, play in contestants.items():
            begin = time.perf_counter()
            answers[name].append(play())
            print(f"  round {number + 1}/{rounds} {name}: {time.perf_counter() - begin:.1f} s", file=sys.stderr)
    return answers


def best_seconds(function: Callable[[], object], *, repeat: int) -> float:
    """The shortest of several runs [s]."""

    def times() -> Iterator[float]:
        for _ in range(repeat):
            begin = time.perf_counter()
            function()
            yield time.perf_counter() - begin

    return min(times())
