"""Run an experiment in a process of its own and say how it ended.

Some engine failures end the whole process: a failed demand leaves through ``SystemExit``, others are a segmentation fault. A notebook
that shows such a failure runs it here, so that the page goes on and the reader sees how the child ended.
"""

import ast
import builtins
import concurrent.futures
import dataclasses
import dis
import inspect
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import types
from collections.abc import Callable, Mapping
from typing import Any

from dexlab_course.errors import InvalidValueError, explain

# Arguments and result are files beside the script: a command line is short, and an engine may print anything to stdout and stderr.
_FOOTER = """
import json as _json
with open("arguments.json", encoding="utf-8") as _file:
    _arguments = _json.load(_file)
_value = {name}(**_arguments)
with open("result.json", "w", encoding="utf-8") as _file:
    _json.dump(_value, _file)
"""


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a child process ended.

    Attributes:
        how: ``"exit 0"``, ``"exit 1"``, a signal name such as ``"SIGSEGV"``, or ``"timeout"``.
        value: what the experiment returned, or None when it did not get that far.
        stdout, stderr: what the child printed.
    """

    how: str
    value: Any
    stdout: str
    stderr: str

    @property
    def ok(self) -> bool:
        return self.how == "exit 0"

    @property
    def last_words(self) -> str:
        """The last line on stderr that is not empty, without machine paths."""
        lines = [line for line in self.stderr.splitlines() if line.strip()]
        return " ".join(part.rsplit("/", 1)[-1] if part.startswith("/") else part for part in lines[-1].split()) if lines else ""


def run_in_child(
    experiment: Callable[..., Any], *, timeout: float = 120.0, env: Mapping[str, str] | None = None, **arguments: Any
) -> Ended:
    """Run a function in a fresh Python process.

    Args:
        experiment: a plain function that imports what it needs and returns JSON data. Its source is sent, not its surroundings, so
            that it means the same in a notebook, a script and a test.
        timeout: limit [s]; the child is killed after it.
        env: further environment variables.
        arguments: keyword arguments for the function, JSON data.

    Raises:
        InvalidValueError: the function's source cannot be read, or it uses names from outside itself.
    """
    source = source_of(experiment)
    with tempfile.TemporaryDirectory(prefix="dexlab-child-") as folder:
        script, result = pathlib.Path(folder, "experiment.py"), pathlib.Path(folder, "result.json")
        # Annotations name types of the file the function came from; the child need not know them.
        script.write_text("from __future__ import annotations\n\n" + source + _FOOTER.format(name=experiment.__name__), encoding="utf-8")
        pathlib.Path(folder, "arguments.json").write_text(json.dumps(arguments), encoding="utf-8")
        command = [sys.executable, str(script)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=timeout, cwd=folder, env={**os.environ, **(env or {})}, check=False
            )
        except subprocess.TimeoutExpired as late:
            return Ended("timeout", None, _text(late.stdout), _text(late.stderr))
        value = json.loads(result.read_text(encoding="utf-8")) if result.exists() and done.returncode == 0 else None
        return Ended(_how(done.returncode), value, done.stdout, done.stderr)


def run_in_children(experiment: Callable[..., Any], cases: Mapping[str, Mapping[str, Any]], *, timeout: float = 120.0) -> dict[str, Ended]:
    """Run one experiment with several sets of arguments, each in its own process, a few at a time; results by case name."""
    workers = max(1, min(len(cases), os.cpu_count() or 1))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        futures = {name: pool.submit(run_in_child, experiment, timeout=timeout, **arguments) for name, arguments in cases.items()}
        return {name: future.result() for name, future in futures.items()}


def source_of(experiment: Callable[..., Any]) -> str:
    """The source of a function that stands alone, so that another process can run it.

    Raises:
        InvalidValueError: the source cannot be read, or the function uses names from outside itself.
    """
    try:
        source = textwrap.dedent(inspect.getsource(experiment))
        tree = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError) as error:
        message = explain(
            "the experiment's source cannot be read",
            got=repr(experiment),
            expected="a function written in a cell or a file",
            remedy="define it with def, not with lambda or exec",
        )
        raise InvalidValueError(message) from error
    outside = sorted(_outside_names(experiment.__code__)) if isinstance(tree, ast.FunctionDef) else ["lambda"]
    if outside:
        message = explain(
            "the experiment cannot be sent to a child",
            got=f"{experiment.__name__}, which uses {', '.join(outside)} from outside",
            expected="a plain function that stands alone",
            remedy="pass values as keyword arguments and import inside the function",
        )
        raise InvalidValueError(message)
    return source


def _outside_names(code: types.CodeType) -> set[str]:
    """Names that the code, or a function inside it, takes from its surroundings; built-in ones do not count."""
    names = set(code.co_freevars)
    names |= {
        str(step.argval) for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL" and not hasattr(builtins, str(step.argval))
    }
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _outside_names(constant) - set(code.co_cellvars) - set(code.co_varnames)
    return names


def _how(code: int) -> str:
    if code >= 0:
        # A shell-like wrapper reports a signal as 128 + number; Python's subprocess reports it negative.
        return f"exit {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _text(data: str | bytes | None) -> str:
    return data.decode(errors="replace") if isinstance(data, bytes) else data or ""
