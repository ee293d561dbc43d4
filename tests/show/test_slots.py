"""The pure functions behind the slots explorer."""

import pytest

from dexlab_course.errors import UnknownNameError
from dexlab_course.show.explorers.recorded import VARIANTS, recorded_maps
from dexlab_course.show.explorers.slots import as_html, find, joints_of, slots, slots_explorer

ROBOTS = list(recorded_maps())


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_joint_of_every_map_is_listed_once(robot: str) -> None:
    names = joints_of(robot)
    assert len(set(names)) == len(names)
    for layout in recorded_maps()[robot].values():
        for joint in layout:
            assert joint.name in names or joint.kind == "free"
    assert sum(find(robot, name).kind == "free" for name in names) <= 1  # type: ignore[union-attr]


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_slots_of_all_joints_fill_each_vector_once(robot: str) -> None:
    for variant, layout in recorded_maps()[robot].items():
        for space in ("q", "v"):
            owned = [index for name in joints_of(robot) for index in slots(robot, name)[variant][space]]
            assert sorted(owned) == list(range(layout.size(space)))


def test_a_ball_and_a_free_base_differ_between_engines() -> None:
    wrist = {variant: len(spaces["q"]) for variant, spaces in slots("mixed_joints", "wrist").items()}
    assert wrist == {"drake": 3, "drake_rpy": 3, "genesis": 4, "superdex": 3, "superdex_bot": 3}
    base = {variant: len(spaces["q"]) for variant, spaces in slots("floating_seven", "base").items()}
    assert base == {"drake": 7, "drake_rpy": 6, "genesis": 7, "superdex": 6, "superdex_bot": 0}


def test_a_free_base_that_owns_no_slot_in_bot_space_is_not_called_absent() -> None:
    for robot in ("floating_seven", "mixed_joints"):
        shown = as_html(robot, "base")
        assert "here a free joint: it owns no slot" in shown
        assert "does not exist here" not in shown


def test_the_drawing_can_be_read_aloud() -> None:
    shown = as_html("two_joint_arm", "elbow")
    assert 'aria-label="positions: slot 1 of 2"' in shown
    assert all(name in shown for variant, name in VARIANTS.items() if variant in recorded_maps()["two_joint_arm"])


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="elbow"):
        slots("two_joint_arm", "elbo")


def test_choosing_another_robot_changes_the_list_and_the_drawing() -> None:
    lists, view = slots_explorer().children
    robot, joint = lists.children
    before = view.value
    robot.value = "panda"
    assert joint.options[0] == "panda_joint1"
    assert view.value != before
    joint.value = "panda_joint4"
    assert 'data-slots="3"' in view.value
