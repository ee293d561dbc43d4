"""Whatever the links are called, which decides the order of the slots: a command built by name pushes the named joints and nothing else.

``test_models.py`` shows it for the models as their files order them. Here the names of the links are drawn too, and the root floats or not.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dexlab_course.engines import installed
from dexlab_course.paths import ASSETS

pytestmark = pytest.mark.skipif(not installed("superdex"), reason="superdex not installed")

SIZES = {"base_joint": 6, "look": 1, "turn": 1, "extend": 1, "wrist": 3}
STEP = 2e-5


def build(names: list[str], free: bool) -> Any:
    """mixed_joints without gravity, its links called so."""
    from dexlab_course.engines.superdex import add_prefab, start
    from dexlab_course.engines.superdex.variants import edited_bot_file

    physics, robotics = start()

    def rename(model: dict[str, Any]) -> None:
        model["joints"][0]["type"] = "Free" if free else "Hard"
        for link, name in zip(model["links"], names, strict=True):
            link["name"] = name

    scene = physics.create_scene("by name")
    scene.set_gravity([0.0, 0.0, 0.0])
    return scene, add_prefab(scene, robotics.create_context(), edited_bot_file(ASSETS / "mixed_joints.superdex_bot", rename), contact=False)


def native_slots(actor: Any) -> dict[str, list[int]]:
    """Slots by joint, from the engine's own table and without the map."""
    info = actor.get_articulated_shape_info()
    sizes = {str(name): (dofs.offset, dofs.trans_size + dofs.rot_size) for name, dofs in zip(info.joint_names, info.dof_info, strict=True)}
    return {name: list(range(start, start + size)) for name, (start, size) in sizes.items() if size}


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    names=st.lists(st.from_regex(r"[a-z][a-z0-9_]{0,6}", fullmatch=True), min_size=7, max_size=7, unique_by=str.lower),
    free=st.booleans(),
    chosen=st.sets(st.sampled_from(list(SIZES)), min_size=1),
    data=st.data(),
)
def test_exactly_the_named_joints_are_pushed(names: list[str], free: bool, chosen: set[str], data: st.DataObject) -> None:
    from dexlab_course.engines.superdex import dof_map, read_external_forces, read_velocity

    scene, bot = build([name + "_link" for name in names], free)
    actor, layout = bot.get_articulated_actor(), dof_map(bot)
    pose = layout.scatter(np.zeros(layout.nq), ["look", "turn", "extend"], data.draw(st.tuples(*[st.floats(0.01, 0.14)] * 3)))
    command, wanted = np.zeros(layout.nu), np.zeros(layout.nu)
    for joint in chosen - (set() if free else {"base_joint"}):
        values = data.draw(st.lists(st.floats(-4.0, 4.0), min_size=SIZES[joint], max_size=SIZES[joint]))
        command = layout.scatter(command, joint, values, "u")
        wanted[native_slots(actor)[joint]] = values

    def pushed(u: Any) -> Any:
        actor.set_articulated_pose_from_joints(pose)
        actor.set_articulated_joint_velocities(np.zeros(layout.nv))
        actor.set_external_forces_on_dofs(range(layout.nu), u)
        scene.step(STEP)
        return read_velocity(actor) / STEP

    found = pushed(command)
    np.testing.assert_array_equal(read_external_forces(actor), wanted)
    inverse = np.array([pushed(unit) for unit in np.eye(layout.nu)]).T  # the engine shows no mass matrix
    np.testing.assert_allclose(np.linalg.solve(inverse, found), wanted, atol=1e-3)


def test_a_variant_leaves_the_file_alone_and_keeps_its_meshes() -> None:
    from dexlab_course.engines.superdex.variants import edited_bot_file
    from dexlab_course.errors import ModelFileError

    path = ASSETS / "four_bar.superdex_bot"
    before = path.read_bytes()
    _, bot = build(["base", "mast", "jib", "rod", "hand", "tcp", "zoom"], False)
    assert native_slots(bot.get_articulated_actor()).keys() == SIZES.keys() - {"base_joint"}
    assert list(native_slots(bot.get_articulated_actor()))[-1] == "look"  # its link is now last in the alphabet
    changed = edited_bot_file(path, lambda model: model.update(name="other"))
    assert changed.name == "other"
    assert [str(link.shape_file).endswith("segment.obj") for link in changed.links] == [False, True, True, True]
    assert path.read_bytes() == before
    with pytest.raises(ModelFileError, match=r"missing\.superdex_bot"):
        edited_bot_file(ASSETS / "missing.superdex_bot", lambda model: None)


def test_the_log_says_what_the_exception_leaves_out(capfd: pytest.CaptureFixture[str]) -> None:
    from dexlab_course.engines.superdex import start
    from dexlab_course.engines.superdex.log import engine_log
    from dexlab_course.engines.superdex.variants import edited_bot_file

    physics, _ = start()

    def nameless(model: dict[str, Any]) -> None:
        model["name"] = ""

    with pytest.raises(physics.Error, match="see log warnings"), engine_log() as lines:
        edited_bot_file(ASSETS / "mixed_joints.superdex_bot", nameless)
    assert lines == ["WARNING: Validate: bot has no name"]
    with engine_log() as lines:
        pass
    assert lines == []
    assert capfd.readouterr().out == ""  # nothing ran past it
