"""Start Genesis without a word on the page, and let a cell that starts it run twice."""

import importlib
import inspect
import os
import sys
import types
import warnings
from typing import Any
from unittest import mock

from dexlab_course.errors import MissingEngineError
from dexlab_course.paths import user_cache

# What Genesis runs with now; None before the first start. Genesis itself keeps one global state and refuses a second init.
_running: tuple[Any, ...] | None = None


def kernel_cache() -> str:
    """Folder of the compiled kernels; set DEXLAB_GENESIS_CACHE to share one between the people of a class."""
    return os.environ.get("DEXLAB_GENESIS_CACHE") or str(user_cache() / "genesis-kernels")


# Modules full of kernels that Genesis would import later, with the first scene and the first build.
_LATE = ("genesis.engine.sensors", "quadrants.lang.matrix_ops")
_search_all_modules = inspect.getmodule


def _module_of(thing: Any, _filename: str | None = None) -> types.ModuleType | None:
    """``inspect.getmodule`` that finds the module of a stack frame by its name.

    The compiler asks for the source line of each of 1300 kernels while Genesis is imported, and each time the original searches through
    all loaded modules: a third of the time of the import.
    """
    if isinstance(thing, types.FrameType):
        return sys.modules.get(thing.f_globals.get("__name__", ""))
    return _search_all_modules(thing, _filename)


def start(*, precision: str = "32", seed: int = 0, backend: str = "cpu", performance_mode: bool = False) -> Any:
    """Import and initialise Genesis; nothing is printed. Returns the module.

    Calling it again with the same settings does nothing; with other settings Genesis is destroyed and started anew, and scenes made
    before are gone.

    Args:
        precision: ``"32"`` or ``"64"``.
        seed: of Genesis' random numbers.
        backend: ``"cpu"`` or ``"gpu"``.
        performance_mode: slower to compile (nothing is cached), faster to run.

    Raises:
        MissingEngineError: Genesis or torch is not installed.
    """
    global _running
    # The compiler reads these variables when it is imported: where its kernel cache is, and not to announce in notebooks that it wraps
    # stdout and then print after every kernel.
    os.environ.setdefault("QD_OFFLINE_CACHE_FILE_PATH", kernel_cache())
    os.environ.setdefault("QD_ENABLE_PYBUF", "0")
    os.environ.setdefault("QD_LOG_LEVEL", "error")
    # torch announces future changes that a reader cannot act on, at import and again while scenes are built.
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"torch\..*")
    warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"(torch|genesis|quadrants)\..*")
    # The planner's kernels make the compiler remark on its own cache.
    warnings.filterwarnings("ignore", message="cannot create weak reference", category=UserWarning)
    try:
        with mock.patch.object(inspect, "getmodule", _module_of):
            import genesis
    except ImportError as error:
        raise MissingEngineError(
            f"Genesis cannot be imported ({error}). `make course ENGINES=genesis` installs it together with torch."
        ) from error
    wanted = (precision, seed, backend, performance_mode)
    if _running == wanted:
        return genesis
    if _running is not None or getattr(genesis, "_initialized", False):
        genesis.destroy()
    genesis.init(
        backend=getattr(genesis, backend), precision=precision, logging_level="error", seed=seed, performance_mode=performance_mode
    )
    with mock.patch.object(inspect, "getmodule", _module_of):
        for late in _LATE:
            importlib.import_module(late)
    _running = wanted
    return genesis
