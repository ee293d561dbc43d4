"""The index map without an engine: what goes in comes out, whatever the slots; and every misuse says what is wrong."""

import pathlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dexlab_course.dof import DofMap, Joint, file_bytes
from dexlab_course.errors import ForeignModelError, InvalidValueError, ModelFileError, ShapeError, UnknownNameError

# A ball has more positions than velocities, an actuator is missing, commands are in an order of their own.
ROBOT = DofMap(
    [
        Joint.at("turn", "revolute", q=[4], v=[3], u=[1]),
        Joint.at("wrist", "ball", q=[0, 1, 2, 3], v=[0, 1, 2], unit="quat_wxyz"),
        Joint.at("slide", "prismatic", q=[5], v=[4], u=[0], unit="m"),
    ],
    nq=7,
    nv=5,
    nu=2,
    slotless={"mount": "fixed", "pin": "loop"},
)


@st.composite
def maps(draw: st.DrawFn) -> DofMap:
    """Random joints whose slots are scattered over vectors that are longer than they need."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=6))
    total = sum(sizes) + draw(st.integers(0, 3))
    order = {space: draw(st.permutations(range(total))) for space in "qvu"}
    joints, start = [], 0
    for k, size in enumerate(sizes):
        slots = {space: order[space][start : start + size] for space in "qvu"}
        joints.append(Joint.at(f"joint {k}", "revolute", **slots))
        start += size
    return DofMap(joints, nq=total, nv=total, nu=total)


@given(maps(), st.data())
def test_what_is_scattered_by_name_is_gathered_by_name_and_nothing_else_changes(layout: DofMap, data: st.DataObject) -> None:
    space: Any = data.draw(st.sampled_from("qvu"))
    names = data.draw(st.permutations(layout.names))[: data.draw(st.integers(1, len(layout)))]
    before = np.arange(100.0, 100.0 + layout.size(space))
    slots = layout.indices(names, space)
    values = np.arange(1.0, 1.0 + len(slots))
    after = layout.scatter(before, names, values, space)
    assert layout.gather(after, names, space).tolist() == values.tolist()
    others = np.setdiff1d(np.arange(layout.size(space)), slots)
    assert after[others].tolist() == before[others].tolist()
    assert before[0] == 100.0  # a copy
    owners = layout.owners(space)
    assert [owners[slot] for slot in slots] == [name for name in names for _ in getattr(layout[name], space)]


@given(maps())
def test_a_record_gives_the_same_map(layout: DofMap) -> None:
    again = DofMap.from_dict(layout.to_dict())
    assert again.to_dict() == layout.to_dict()
    assert again.fingerprint() == layout.fingerprint()


def test_batches() -> None:
    x = np.zeros((4, 3, 7))
    assert ROBOT.scatter(x, ["slide", "turn"], np.ones((4, 3, 2))).sum() == 24
    assert ROBOT.scatter(np.zeros(7), "wrist", np.ones((5, 4))).shape == (5, 7)
    assert ROBOT.gather(x, ["wrist"]).shape == (4, 3, 4)


def test_owners_reads_the_map_backwards() -> None:
    assert ROBOT.owners("q") == ("wrist",) * 4 + ("turn", "slide", "")
    assert ROBOT.owners("u") == ("slide", "turn")


def test_an_unknown_name_lists_the_names_and_points_at_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"\[turn, wrist, slide\].*did you mean 'turn'"):
        ROBOT.indices("trun")
    with pytest.raises(UnknownNameError, match="space"):
        ROBOT.indices("turn", "x")  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "kind"), [("mount", "fixed"), ("pin", "loop")])
def test_a_joint_without_slots_says_what_it_is(name: str, kind: str) -> None:
    assert name not in ROBOT
    assert ROBOT.slotless[name] == kind
    for use in (lambda: ROBOT[name], lambda: ROBOT.indices([name]), lambda: ROBOT.scatter(np.zeros(7), name, [])):
        with pytest.raises(UnknownNameError, match=f"{name} owns no slot in any vector: got a {kind} joint"):
            use()


def test_a_joint_without_an_actuator_says_so() -> None:
    with pytest.raises(ShapeError, match=r"wrist has no command slot.*add an actuator"):
        ROBOT.indices("wrist", "u")


def test_the_remedy_fits_the_freedoms_of_the_joint() -> None:
    """A hinge can get a motor; a joint with more freedoms mostly cannot, so the message does not send the reader there first."""
    hinge = Joint.at("hinge", "revolute", q=[0], v=[0])
    ball = Joint.at("ball", "ball", q=[1, 2, 3], v=[1, 2, 3])
    passive = DofMap([hinge, ball], nq=4, nv=4, nu=0)
    with pytest.raises(ShapeError, match="To mend it: leave the joint out, or add an actuator to the model"):
        passive.indices("hinge", "u")
    with pytest.raises(ShapeError, match="To mend it: leave the joint out, or push it with a generalized force, which has its v slots"):
        passive.indices("ball", "u")


@pytest.mark.parametrize(
    ("x", "names", "values", "message"),
    [
        (np.zeros(6), "turn", [1.0], r"q vector has the wrong length.*\(\.\.\., 7\)"),
        (np.zeros(7), "turn", [1.0, 2.0], r"values has the wrong length.*\(\.\.\., 1\)"),
        (np.zeros(7), "wrist", [1.0, 0.0, 0.0], r"values has the wrong length.*\(\.\.\., 4\)"),
        (np.zeros(7), ["turn", "turn"], [1.0, 2.0], "a joint is named twice"),
    ],
)
def test_wrong_lengths(x: np.ndarray, names: Any, values: list[float], message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        ROBOT.scatter(x, names, values)


def test_text_is_no_number() -> None:
    with pytest.raises(InvalidValueError, match="values is not numeric"):
        ROBOT.scatter(np.zeros(7), "turn", ["fast"])  # type: ignore[list-item]


def test_maps_that_cannot_be() -> None:
    one, two = Joint.at("a", "revolute", q=[0], v=[0]), Joint.at("b", "revolute", q=[0], v=[1])
    with pytest.raises(ShapeError, match="share position slot 0: got a and b"):
        DofMap([one, two], nq=2, nv=2, nu=0)
    with pytest.raises(ShapeError, match="outside the vector"):
        DofMap([one], nq=0, nv=1, nu=0)
    with pytest.raises(UnknownNameError, match="one name"):
        DofMap([one, one], nq=1, nv=1, nu=0)
    with pytest.raises(UnknownNameError, match="one name"):
        DofMap([one], nq=1, nv=1, nu=0, slotless={"a": "fixed"})


def test_the_fingerprint_changes_with_everything_that_matters() -> None:
    def robot(
        *,
        order: tuple[int, int] = (0, 1),
        nu: int = 2,
        kind: str = "revolute",
        source: bytes | str = b"",
        options: dict[str, Any] | None = None,
        slotless: dict[str, str] | None = None,
    ) -> DofMap:
        first, second = order
        joints = [Joint.at("a", kind, q=[0], v=[0], u=[first]), Joint.at("b", "revolute", q=[1], v=[1], u=[second])]
        return DofMap(joints, nq=2, nv=2, nu=nu, source=source, options=options, slotless=slotless)

    robots = [
        robot(),
        robot(order=(1, 0)),
        robot(nu=3),
        robot(kind="continuous"),
        robot(source="<robot/>"),
        robot(source="<robot></robot>"),
        robot(options={"armature": 0.1}),
        robot(slotless={"c": "fixed"}),
    ]
    assert len({one.fingerprint() for one in robots}) == len(robots)
    assert robot(source=b"<robot/>").fingerprint() == robot(source="<robot/>").fingerprint()
    robots[0].require(robot().fingerprint())
    with pytest.raises(ForeignModelError, match="rebuild the command from joint names"):
        robots[0].require(robots[1].fingerprint())


def test_tables() -> None:
    frame = ROBOT.to_frame(slotless=True)
    assert frame.columns.tolist() == ["joint", "kind", "unit", "q", "v", "u"]
    assert frame["joint"].tolist() == ["turn", "wrist", "slide", "mount", "pin"]
    assert ROBOT.to_frame()["u"].tolist() == [[1], [], [0]]


def test_file_bytes(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.urdf").write_bytes(b"<robot/>")
    assert file_bytes(tmp_path / "a.urdf") == b"<robot/>"
    with pytest.raises(ModelFileError, match=r"b\.urdf"):
        file_bytes(tmp_path / "b.urdf")
