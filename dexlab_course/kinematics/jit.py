"""Compile with numba, and keep the machine code on disk where a user may delete it."""

import functools
import hashlib
import os
import pathlib
from collections.abc import Callable
from typing import Any

from numba import config, njit

from dexlab_course import paths

# Fused multiply-add and the sign of zero may differ from the readable form in the last bit; NaN and infinity keep their meaning.
FLAGS = {"contract", "nsz"}

# Pasted into its caller before compilation, so that ``lanes`` is a constant there and loops over it become vector instructions.
inlined: Callable[[Callable[..., Any]], Callable[..., Any]] = njit(inline="always", fastmath=FLAGS, error_model="numpy")

# An ordinary compiled function, for what is called rarely or for one number at a time.
helper: Callable[[Callable[..., Any]], Callable[..., Any]] = njit(fastmath=FLAGS, error_model="numpy")


def compiled(signature: str, *sources: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: compile now for this signature, or load what an earlier process compiled.

    Args:
        signature: numba's types of all arguments. One fixed signature means that no call ever compiles a second version.
        sources: files whose text the machine code depends on. numba itself only watches the file of the function, and would run
            stale code after a change in a function that was pasted in from elsewhere.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        options: dict[str, Any] = {"fastmath": FLAGS, "error_model": "numpy", "nogil": True}
        folder = _cache_folder(sources)
        if folder is None:
            return njit(signature, **options)(function)  # type: ignore[no-any-return]
        # numba reads the folder while it decorates; a user's own functions keep the folder they had.
        before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
        try:
            return njit(signature, cache=True, **options)(function)  # type: ignore[no-any-return]
        finally:
            config.CACHE_DIR = before

    return decorate


@functools.cache
def _cache_folder(sources: tuple[str, ...]) -> pathlib.Path | None:
    """A folder for exactly this source text, or None where nothing can be written (then each process compiles anew)."""
    digest = hashlib.sha256()
    for source in sorted((__file__, *sources)):
        digest.update(pathlib.Path(source).read_bytes())
    folder = paths.user_cache() / "numba" / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None
