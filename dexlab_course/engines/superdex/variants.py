"""Variants of a .superdex_bot file: change its data and load it, without touching the file."""

import json
import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dexlab_course.engines.model_files import existing

if TYPE_CHECKING:
    from superdex.robotics import BotPrefab


def edited_bot_file(path: str | os.PathLike[str], edit: Callable[[dict[str, Any]], None]) -> "BotPrefab":
    """The prefab of a .superdex_bot file, which is JSON, after a change of its data; the file itself stays as it is.

    Args:
        path: the file. Its meshes lie in ``meshes`` beside it, as those of the course do; the format takes no absolute paths.
        edit: changes the parsed data in place: ``{"name": ..., "joints": [...], "links": [...]}``.

    Raises:
        ModelFileError: the file is missing.
        superdex.physics.Error: the loader refuses the changed file; why stands in its log (``engine_log``).
    """
    import superdex.robotics as robotics

    path = existing(path, ".superdex_bot file")
    meshes = path.resolve().parent / "meshes"
    model = json.loads(path.read_text(encoding="utf-8"))
    edit(model)
    with tempfile.TemporaryDirectory(prefix="dexlab-bot-") as folder:
        shutil.copytree(meshes, pathlib.Path(folder, "meshes"))
        variant = pathlib.Path(folder, path.name)
        variant.write_text(json.dumps(model), encoding="utf-8")
        prefab = robotics.load_bot_prefab_from_file(str(variant))
    for index in range(len(prefab.links)):
        shape = str(prefab.links[index].shape_file)
        if shape:
            prefab.links[index].shape_file = str(meshes / pathlib.Path(shape).name)  # the copy is gone
    return prefab
