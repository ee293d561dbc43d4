"""Find a Chromium for the tests that need a real page."""

import os
import shutil

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_browser() -> str | None:
    """Path of a Chromium or Chrome, or None. DEXLAB_BROWSER names one that is elsewhere."""
    named = os.environ.get("DEXLAB_BROWSER")
    if named:
        return shutil.which(named)
    return next((path for name in _NAMES if (path := shutil.which(name))), None)
