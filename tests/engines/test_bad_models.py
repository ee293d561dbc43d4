"""A model file that cannot be used gives one clear error in every engine's loader."""

from typing import Any

import pytest

from dexlab_course.engines import installed, require
from dexlab_course.engines.child import run_in_child
from dexlab_course.errors import MissingEngineError, UnknownNameError


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


@pytest.mark.parametrize("engine", ["drake", "genesis", "superdex"])
def test_the_error_names_the_file_and_a_remedy(engine: str, bad_files: dict[str, str], genesis: dict[str, Any] | None) -> None:
    if not installed(engine):
        pytest.skip(f"{engine} not installed")
    if engine == "genesis":
        assert genesis is not None
        messages = genesis["refusals"]
    else:
        ended = run_in_child({"drake": load_with_drake, "superdex": load_with_superdex}[engine], paths=bad_files)
        assert ended.ok, ended.stderr[-1500:]
        messages = ended.value
    assert messages.keys() == bad_files.keys()
    for name, message in messages.items():
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
