"""The three adapters where a guess goes wrong: instances, actuator order, compact and scene-wide vectors, bot space, fingerprints."""

from typing import Any

import numpy as np
import pytest

from dexlab_course.dof import DofMap, file_bytes
from dexlab_course.errors import ForeignModelError, ModelFileError, ShapeError, UnknownNameError
from dexlab_course.paths import ASSETS

LEFT, RIGHT = "two_joint_arm", "two_joint_arm_1"


@pytest.fixture(scope="session")
def several(drake: dict[str, Any] | None) -> dict[str, Any]:
    """Drake: one arm twice and a cart, actuators in the order cart, right elbow, left shoulder, left elbow, right shoulder."""
    if drake is None:
        pytest.skip("drake not installed")
    found: dict[str, Any] = drake["several"]
    return found


def test_a_name_that_repeats_gets_its_instance(several: dict[str, Any]) -> None:
    whole = DofMap.from_dict(several["maps"]["whole"])
    assert whole.names == ("cart", f"{LEFT}::shoulder", f"{LEFT}::elbow", f"{RIGHT}::shoulder", f"{RIGHT}::elbow")
    assert whole.slotless[f"{RIGHT}::flange"] == "fixed"
    assert "::elbow" in several["refusals"]["ambiguous"]  # the message lists what there is
    assert DofMap.from_dict(several["maps"]["right"]).names == ("shoulder", "elbow")
    assert DofMap.from_dict(several["maps"]["arms"]).names == whole.names[1:]


def test_commands_stand_in_the_order_of_the_actuators(several: dict[str, Any]) -> None:
    whole = DofMap.from_dict(several["maps"]["whole"])
    assert whole.owners("u") == ("cart", f"{RIGHT}::elbow", f"{LEFT}::shoulder", f"{LEFT}::elbow", f"{RIGHT}::shoulder")
    assert whole.owners("v") == whole.names


def test_commands_by_name_reach_the_named_joint_of_the_named_instance(several: dict[str, Any]) -> None:
    for case in several["reached"]:
        for name, (asked, arrived) in case["there"].items():
            assert arrived == pytest.approx(asked, abs=1e-12), name
        assert case["elsewhere"] == pytest.approx(0.0, abs=1e-12)


def test_compact_indices_are_those_of_the_instances_own_vectors(several: dict[str, Any]) -> None:
    compact, right = DofMap.from_dict(several["maps"]["compact"]), DofMap.from_dict(several["maps"]["right"])
    assert (compact.nq, compact.nv, compact.nu) == (2, 2, 2)
    whole = np.arange(10.0, 15.0)
    cut = np.array(several["q of right"])  # the plant's own GetPositionsFromArray
    for name in compact.names:
        assert compact.gather(cut, name) == right.gather(whole, name)
    # the plant's own SetActuationInArray spread the compact command
    assert right.gather(several["u"], ["shoulder", "elbow"], "u").tolist() == [7.0, 8.0]
    assert compact.owners("u") == ("elbow", "shoulder")


def test_drakes_refusals(several: dict[str, Any]) -> None:
    refusals = several["refusals"]
    assert "the whole plant" in refusals["compact plant"]
    assert "2 of them" in refusals["compact two"]
    assert "missing.urdf" in refusals["no source"]


def test_fingerprints_tell_maps_apart(several: dict[str, Any], genesis: dict[str, Any] | None, superdex: dict[str, Any] | None) -> None:
    marks = list(several["fingerprints"].values())
    assert several["again"] == several["fingerprints"]["whole"]
    marks += genesis["fingerprints"] if genesis else []
    marks += superdex["fingerprints"] if superdex else []
    assert len(set(marks)) == len(marks)


def test_genesis_counts_within_the_entity_or_over_the_scene(genesis: dict[str, Any] | None) -> None:
    if genesis is None:
        pytest.skip("genesis not installed")
    local = DofMap.from_dict(genesis["models"]["mixed_joints"]["map"])
    wide = DofMap.from_dict(genesis["scene-wide"]["map"])
    q_start, v_start = genesis["scene-wide"]["start"]
    assert (wide.nq, wide.nv) == (34, 31)  # 14 + 14 + 3 + 3 and 13 + 12 + 3 + 3
    for name in local.names:
        assert (wide[name].q - q_start).tolist() == local[name].q.tolist()
        assert (wide[name].u - v_start).tolist() == local[name].u.tolist()
    assert set(wide.owners("q")[:q_start]) == {""}  # other entities


def test_superdex_bot_space_leaves_the_root_out(superdex: dict[str, Any] | None) -> None:
    if superdex is None:
        pytest.skip("superdex not installed")
    for name, sizes in (("floating_seven", (13, 7)), ("mixed_joints", (12, 6))):
        actor, bot = DofMap.from_dict(superdex["models"][name]["map"]), DofMap.from_dict(superdex["bot maps"][name])
        assert (actor.nv, bot.nv) == sizes
        for joint in bot:
            assert (actor[joint.name].q - 6).tolist() == joint.q.tolist()
        (root,) = set(actor.names) - set(bot.names)
        assert bot.slotless[root] == "free"
    pose = superdex["bot pose"]  # build_articulated_pose_from_bot_pose of 1, 2, ... 6
    bot, actor = DofMap.from_dict(superdex["bot maps"]["mixed_joints"]), DofMap.from_dict(superdex["models"]["mixed_joints"]["map"])
    assert pose["length"] == bot.nq
    assert actor.gather(pose["in actor space"], bot.names).tolist() == bot.gather(np.arange(1.0, 7.0), bot.names).tolist()


def test_superdex_puts_children_into_alphabetical_order(superdex: dict[str, Any] | None) -> None:
    """The file has turn before look."""
    if superdex is None:
        pytest.skip("superdex not installed")
    assert DofMap.from_dict(superdex["models"]["mixed_joints"]["map"]).names == ("base_joint", "look", "turn", "extend", "wrist")


def test_superdexs_refusals(superdex: dict[str, Any] | None) -> None:
    if superdex is None:
        pytest.skip("superdex not installed")
    refusals = superdex["refusals"]
    assert "[actor, bot]" in refusals["space"]
    assert "a fixed joint" in refusals["fixed"]
    assert "a free joint" in refusals["root in bot space"]
    assert "mixed_joints.urdf" in refusals["urdf of Drake"]
    assert "missing.superdex_bot" in refusals["missing"]


def test_a_command_for_another_model_is_refused(superdex: dict[str, Any] | None, genesis: dict[str, Any] | None) -> None:
    """The same robot in two engines: the slots differ, so the fingerprint does."""
    if superdex is None or genesis is None:
        pytest.skip("superdex or genesis not installed")
    ours, theirs = (DofMap.from_dict(one["models"]["mixed_joints"]["map"]) for one in (superdex, genesis))
    ours.require(ours.fingerprint())
    with pytest.raises(ForeignModelError, match="another model"):
        ours.require(theirs.fingerprint())
    with pytest.raises(ShapeError, match="wrong length"):
        ours.scatter(np.zeros(theirs.nq), "turn", [0.1])
    with pytest.raises(UnknownNameError, match="base_joint, look, turn, extend, wrist"):
        ours.indices("elbow")


def test_the_bytes_of_a_model_file() -> None:
    assert file_bytes(ASSETS / "four_bar.urdf").startswith(b"<?xml")
    with pytest.raises(ModelFileError, match=r"missing\.urdf"):
        file_bytes(ASSETS / "missing.urdf")
