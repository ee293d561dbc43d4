"""Where model files are: the course's own under assets/, robots of others inside the installed genesis package."""

import importlib.util
import os
import pathlib

from dexlab_course.errors import MissingEngineError, ModelFileError, explain, unknown_name

# Robots that come with genesis-world, by the names that the loaders in engines/<engine>/robots.py have. They are read where they lie.
ROBOTS = {
    "panda": "urdf/panda_bullet/panda.urdf",
    "panda_mjcf": "xml/franka_emika_panda/panda.xml",
    "iiwa": "urdf/kuka_iiwa/model.urdf",
    "shadow_hand": "urdf/shadow_hand/shadow_hand.urdf",
}


def existing(path: str | os.PathLike[str], kind: str = "URDF") -> pathlib.Path:
    """The path, when a file is there.

    Args:
        path: the file.
        kind: what it should be, for the message.

    Raises:
        ModelFileError: there is no such file.
    """
    path = pathlib.Path(path)
    if not path.is_file():
        message = explain(
            "no such model file",
            got=path.name,
            expected=f"an existing {kind}",
            remedy="check the path; the course's own models lie in assets/",
        )
        raise ModelFileError(message)
    return path


def robot_file(name: str) -> pathlib.Path:
    """A robot's file inside the installed genesis package, which is found but not imported.

    Raises:
        UnknownNameError: not one of ``ROBOTS``.
        MissingEngineError: genesis is not installed, or its files are elsewhere.
    """
    if name not in ROBOTS:
        raise unknown_name("robot", name, ROBOTS)
    package = importlib.util.find_spec("genesis")
    for folder in (package.submodule_search_locations or []) if package else []:
        path = pathlib.Path(folder, "assets", ROBOTS[name])
        if path.is_file():
            return path
    where = "is not installed here" if package is None else f"is installed here without {ROBOTS[name]}"
    raise MissingEngineError(
        f"The {name} robot is read from the genesis package, which {where}. `make course ENGINES=genesis` installs genesis-world 1.4.3."
    )
