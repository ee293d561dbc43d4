"""Reading a chain out of a URDF file, and the sentences for files that cannot be read."""

import math

import numpy as np
import pytest

from dexlab_course import paths
from dexlab_course.errors import ModelFileError, UnknownNameError
from dexlab_course.kinematics import SerialChain, frames

LIMIT = '<limit lower="-1" upper="2" effort="5" velocity="3"/>'


def joint(name, parent, child, kind="revolute", inside=f'<axis xyz="0 0 1"/>{LIMIT}'):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


@pytest.fixture
def chain_of(tmp_path):
    def make(*joints, base="a", tip="b", links="abcd", text=None):
        path = tmp_path / "model.urdf"
        body = "".join(f'<link name="{link}"/>' for link in links) + "".join(joints)
        path.write_text(f'<robot name="r">{body}</robot>' if text is None else text)
        return SerialChain.from_urdf(path, base, tip)

    return make


def test_names_kinds_and_limits(chain_of):
    chain = chain_of(
        joint("turn", "a", "b"),
        joint("slide", "b", "c", "prismatic"),
        joint("wheel", "c", "d", "continuous", '<axis xyz="1 0 0"/>'),
        tip="d",
    )
    assert chain.names == ("turn", "slide", "wheel")
    assert chain.kinds == ("revolute", "prismatic", "continuous")
    assert chain.lower.tolist() == [-1, -1, -math.inf]
    assert chain.upper.tolist() == [2, 2, math.inf]
    assert chain.velocity.tolist() == [3, 3, math.inf]
    assert chain.effort.tolist() == [5, 5, math.inf]
    assert (chain.base, chain.tip) == ("a", "d")


def test_fixed_joints_are_folded_in(chain_of):
    chain = chain_of(
        joint("mount", "a", "b", "fixed", '<origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/>'),
        joint("turn", "b", "c"),
        joint("flange", "c", "d", "fixed", '<origin xyz="0.2 0 0"/>'),
        tip="d",
    )
    assert chain.names == ("turn",)
    assert chain.fk([0.0])[:3, 3] == pytest.approx([0, 0.2, 0.5])
    assert chain.fk([np.pi / 2])[:3, 3] == pytest.approx([-0.2, 0, 0.5])


def test_roll_pitch_yaw_turn_about_the_fixed_axes_in_this_order(chain_of):
    chain = chain_of(joint("mount", "a", "b", "fixed", '<origin rpy="0.1 0.2 0.3"/>'))
    about = [frames.matrix_from_rotvec(angle * axis) for angle, axis in zip((0.1, 0.2, 0.3), np.eye(3), strict=True)]
    assert chain.fk([])[:3, :3] == pytest.approx(about[2] @ about[1] @ about[0])


def test_an_axis_is_x_when_it_is_left_out_and_need_not_have_length_one(chain_of):
    chain = chain_of(joint("j", "a", "b", inside=LIMIT))
    assert chain.jacobian([0.0])[3:, 0] == pytest.approx([1, 0, 0])
    chain = chain_of(joint("j", "a", "b", inside=f'<axis xyz="0 3 4"/>{LIMIT}'))
    assert chain.jacobian([0.0])[3:, 0] == pytest.approx([0, 0.6, 0.8])


def test_the_base_may_be_any_link_above_the_tip(chain_of):
    joints = (joint("one", "a", "b"), joint("two", "b", "c"))
    assert chain_of(*joints, tip="c").names == ("one", "two")
    assert chain_of(*joints, base="b", tip="c").names == ("two",)
    assert chain_of(*joints, base="c", tip="c").names == ()


def test_the_course_s_own_arm_reads_without_its_meshes():
    chain = SerialChain.from_urdf(str(paths.ASSETS / "two_joint_arm.urdf"), "base", "tcp")
    assert chain.fk([0.0, np.pi / 2])[:3, 3] == pytest.approx([1, 1, 0])


def test_a_mimic_joint_is_named_only_when_it_is_on_the_way(chain_of):
    joints = (joint("lead", "a", "b"), joint("follow", "b", "c", inside=f'<mimic joint="lead"/>{LIMIT}'))
    assert chain_of(*joints, tip="b").names == ("lead",)
    with pytest.raises(ModelFileError, match=r"follow is a mimic joint.*follows lead"):
        chain_of(*joints, tip="c")


def test_an_unknown_link_lists_the_links(chain_of):
    with pytest.raises(UnknownNameError, match=r"a, b, c, d.*To mend it") as caught:
        chain_of(joint("j", "a", "b"), tip="bb")
    assert "'bb'" in str(caught.value)


def test_two_branches_name_a_link_that_both_share(chain_of):
    with pytest.raises(ModelFileError, match=r"c does not hang below b.*two branches.*'a'"):
        chain_of(joint("left", "a", "b"), joint("right", "a", "c"), base="b", tip="c")


def test_base_and_tip_the_wrong_way_round_are_recognised(chain_of):
    with pytest.raises(ModelFileError, match=r"swap them: base='a', tip='b'"):
        chain_of(joint("j", "a", "b"), base="b", tip="a")


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_joints_that_one_number_cannot_move(chain_of, kind):
    with pytest.raises(ModelFileError, match=f"type {kind}"):
        chain_of(joint("j", "a", "b", kind))


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ('<axis xyz="0 0 0"/>' + LIMIT, "no usable axis"),
        ('<axis xyz="0 nan 1"/>' + LIMIT, "no usable axis"),
        ('<axis xyz="0 0 1"/>', "no limits"),
        ('<limit effort="1" velocity="1"/>', "no limits"),
        ('<limit lower="2" upper="1" effort="1" velocity="1"/>', "unusable limits"),
        ('<limit lower="nan" upper="1" effort="1" velocity="1"/>', "unusable limits"),
        ('<origin xyz="nan 0 0"/>' + LIMIT, "no usable origin"),
        ('<axis xyz="a b c"/>' + LIMIT, "cannot be read as URDF"),
        ('<origin xyz="1 2"/>' + LIMIT, "."),
    ],
)
def test_joints_that_are_written_wrongly(chain_of, inside, words):
    with pytest.raises(ModelFileError, match=words) as caught:
        chain_of(joint("j", "a", "b", inside=inside))
    assert "To mend it" in str(caught.value)


def test_a_link_with_two_parents(chain_of):
    with pytest.raises(ModelFileError, match="c has two parents"):
        chain_of(joint("one", "a", "c"), joint("two", "b", "c"), tip="c")


def test_joints_in_a_circle(chain_of):
    with pytest.raises(ModelFileError, match="circle"):
        chain_of(joint("one", "a", "b"), joint("two", "b", "a"), base="c", tip="b")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<robot><link", "not well-formed"),
        ("", "not well-formed"),
        ("\x00\x01", "not well-formed"),
        ("<sdf version='1.9'/>", "is not a URDF"),
        ("<robot><xacro:macro name='x'/></robot>", "xacro model.urdf.xacro"),
        ("<robot xmlns:xacro='http://ros.org/wiki/xacro' name='r'><xacro:include filename='x'/></robot>", "xacro model.urdf.xacro"),
        ("<robot name='r'><joint name='j' type='fixed'/></robot>", "cannot be read as URDF"),
        ("<robot name='r'><link/></robot>", "cannot be read as URDF"),
    ],
)
def test_files_that_are_no_urdf(chain_of, text, words):
    with pytest.raises(ModelFileError, match=words):
        chain_of(text=text)


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(ModelFileError, match="No such file"):
        SerialChain.from_urdf(tmp_path / "absent.urdf", "a", "b")
    with pytest.raises(ModelFileError, match="cannot read"):
        SerialChain.from_urdf(tmp_path, "a", "b")
