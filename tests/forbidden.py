"""What no committed file may contain: hosts of package registries, paths of one machine. The words are put together here, so that this
file contains none of them either."""

import re

_DOT = r"\."
_HOSTS = (("pypi", _DOT, "org"), ("python", "hosted"), ("registry", _DOT, "npm", "js"), ("deb", _DOT, "debian"))
_FOLDERS = ("work", "root", "home", "tmp", "Users")
_INSTALLED = (("site", "-", "packages"), (_DOT, "pyenv", "/", "versions"))

HOST = re.compile("|".join("".join(parts) for parts in _HOSTS))
# A folder at the root of the file system, or one into which packages are installed.
MACHINE_PATH = re.compile("|".join([f"(?<![\\w.~])/(?:{'|'.join(_FOLDERS)})/", *("".join(parts) for parts in _INSTALLED)]))
ADDRESS = re.compile(r"\w@[0-9a-f]{8,}\b| at 0x[0-9a-f]+")


def without_pictures(text: str) -> str:
    """The text without what is stored in base64, in which any letters may follow each other."""
    return re.sub(r"base64,[A-Za-z0-9+/=]+", "", text)
