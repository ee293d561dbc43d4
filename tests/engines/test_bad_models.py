"""A model file that cannot be used gives one clear error in every engine's loader."""

import pathlib
import shutil

import pytest

from dexlab_course.engines import installed, require
from dexlab_course.engines.child import run_in_child
from dexlab_course.errors import MissingEngineError, UnknownNameError
from dexlab_course.paths import ASSETS


@pytest.fixture
def files(tmp_path: pathlib.Path) -> dict[str, str]:
    shutil.copytree(ASSETS / "meshes", tmp_path / "meshes")
    text = (ASSETS / "two_joint_arm.urdf").read_text(encoding="utf-8")
    (tmp_path / "cut.urdf").write_text(text[: len(text) // 2], encoding="utf-8")
    (tmp_path / "empty.urdf").write_text("", encoding="utf-8")
    return {"missing": str(tmp_path / "missing.urdf"), "cut": str(tmp_path / "cut.urdf"), "empty": str(tmp_path / "empty.urdf")}


def load_with_drake(paths: dict[str, str]) -> dict[str, str]:
    from pydrake.multibody.plant import MultibodyPlant

    from dexlab_course.engines.drake import add_urdf
    from dexlab_course.errors import ModelFileError

    found = {}
    for name, path in paths.items():
        try:
            add_urdf(MultibodyPlant(1e-3), path, weld="base")
            found[name] = "loaded"
        except ModelFileError as error:
            found[name] = str(error)
    return found


def load_with_superdex(paths: dict[str, str]) -> dict[str, str]:
    from dexlab_course.engines.superdex import add_urdf, start
    from dexlab_course.errors import ModelFileError

    physics, robotics = start()
    scene, context, found = physics.create_scene("s"), robotics.create_context(), {}
    for name, path in paths.items():
        try:
            add_urdf(scene, context, path)
            found[name] = "loaded"
        except ModelFileError as error:
            found[name] = str(error)
    return found


def load_with_genesis(paths: dict[str, str]) -> dict[str, str]:
    from dexlab_course.engines.genesis import add_urdf, start
    from dexlab_course.errors import ModelFileError

    gs, found = start(), {}
    for name, path in paths.items():
        try:
            add_urdf(gs.Scene(show_viewer=False), path)
            found[name] = "loaded"
        except ModelFileError as error:
            found[name] = str(error)
    return found


@pytest.mark.parametrize(("engine", "load"), [("drake", load_with_drake), ("genesis", load_with_genesis), ("superdex", load_with_superdex)])
def test_the_error_names_the_file_and_a_remedy(engine: str, load: object, files: dict[str, str]) -> None:
    if not installed(engine):
        pytest.skip(f"{engine} not installed")
    ended = run_in_child(load, paths=files)  # type: ignore[arg-type]
    assert ended.ok, ended.stderr[-1500:]
    for name, message in ended.value.items():
        assert f"{name}.urdf" in message, message
        assert "To mend it" in message, message


def test_require_names_the_command_that_installs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dexlab_course.engines.installed", lambda _: False)
    with pytest.raises(MissingEngineError, match=r"make course ENGINES=drake") as caught:
        require("drake")
    assert caught.value._render_traceback_() == [str(caught.value)]  # one sentence, no traceback


def test_an_unknown_engine_is_named() -> None:
    with pytest.raises(UnknownNameError, match="superdex"):
        require("superdx")
