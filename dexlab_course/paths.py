"""Where the course keeps its files: the clone that this package was installed from."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
ASSETS = ROOT / "assets"
BUILD = ROOT / "build"


def user_cache() -> pathlib.Path:
    """The folder for files that may be deleted at any time, following the XDG rules."""
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "dexlab-course"
