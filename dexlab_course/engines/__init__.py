"""What is tedious about each engine and not the lesson: quiet start, loading a model its way, reading its index maps.

There is no common engine interface: a notebook about an engine calls that engine.
"""

import importlib.metadata
import importlib.util

from dexlab_course.errors import MissingEngineError, unknown_name

# engine -> (importable module, installed distribution)
ENGINES = {
    "drake": ("pydrake", "drake"),
    "genesis": ("genesis", "genesis-world"),
    "superdex": ("superdex.physics", "superdex-physics"),
}


def installed(engine: str) -> bool:
    """Whether the engine can be imported here, without importing it."""
    module, distribution = _known(engine)
    try:
        importlib.metadata.version(distribution)
        return importlib.util.find_spec(module) is not None
    except (importlib.metadata.PackageNotFoundError, ModuleNotFoundError):
        return False


def version(engine: str) -> str:
    """Version of the installed engine, or an empty string."""
    try:
        return importlib.metadata.version(_known(engine)[1])
    except importlib.metadata.PackageNotFoundError:
        return ""


def require(engine: str) -> None:
    """First line of an engine's notebook: go on when the engine is there, else stop with one sentence.

    Raises:
        MissingEngineError: shown by Jupyter without a traceback.
    """
    if not installed(engine):
        raise MissingEngineError(
            f"This page needs {engine}, which is not installed here. `make course ENGINES={engine}` installs it; the other pages run without it."
        )


def _known(engine: str) -> tuple[str, str]:
    if engine not in ENGINES:
        raise unknown_name("engine", engine, ENGINES)
    return ENGINES[engine]
