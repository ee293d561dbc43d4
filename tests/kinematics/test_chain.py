"""Serial chains: against an independent library, against differences, and the readable form against the compiled one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dexlab_course.errors import InvalidValueError, ShapeError, UnknownNameError
from dexlab_course.kinematics import ChainJoint, SerialChain, TwoLinkArm, frames

ORDERS = ("linear_first", "angular_first")


# --- an independent referee -------------------------------------------------------------------------------------------------------


@pytest.fixture
def referee(robot):
    """The chain, and a function from q to pose and Jacobian (linear first, at a point of the tip) by pinocchio."""
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    chain, path = robot
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    base, tip = model.getFrameId(chain.base), model.getFrameId(chain.tip)

    def evaluate(q, p_TP=(0.0, 0.0, 0.0)):
        full = pin.neutral(model)
        columns = []
        for name, value in zip(chain.names, q, strict=True):
            joint = model.joints[model.getJointId(name)]
            full[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else [np.cos(value), np.sin(value)]
            columns.append(joint.idx_v)
        pin.computeJointJacobians(model, data, full)
        pin.updateFramePlacements(model, data)
        X_0W, X_0T = data.oMf[base].homogeneous, data.oMf[tip].homogeneous
        J = pin.getFrameJacobian(model, data, tip, pin.LOCAL_WORLD_ALIGNED)[:, columns]
        R_W0 = X_0W[:3, :3].T
        J = np.concatenate([R_W0 @ J[:3], R_W0 @ J[3:]])
        X_WT = frames.inverse(X_0W) @ X_0T
        p = X_WT[:3, :3] @ np.asarray(p_TP)
        J[:3] -= frames.skew(p) @ J[3:]
        return X_WT, J

    return chain, evaluate


def test_pose_and_jacobian_agree_with_an_independent_library(referee):
    chain, evaluate = referee
    rng = np.random.default_rng(3)
    for q in chain.random(rng, 10):
        point = rng.normal(size=3)
        X, _ = evaluate(q)
        assert chain.fk(q) == pytest.approx(X, abs=1e-12)
        assert chain.jacobian(q) == pytest.approx(evaluate(q)[1], abs=1e-12)
        assert chain.jacobian(q, point) == pytest.approx(evaluate(q, point)[1], abs=1e-12)


def test_limits_agree_with_an_independent_library(robot):
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    chain, path = robot
    model = pin.buildModelFromUrdf(str(path))
    for i, name in enumerate(chain.names):
        joint = model.joints[model.getJointId(name)]
        if joint.nq == 1:
            assert chain.lower[i] == model.lowerPositionLimit[joint.idx_q]
            assert chain.upper[i] == model.upperPositionLimit[joint.idx_q]
        assert chain.velocity[i] == model.velocityLimit[joint.idx_v]
        assert chain.effort[i] == model.effortLimit[joint.idx_v]


# --- by themselves ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_the_jacobian_is_the_derivative_of_the_pose(random_chain, seed):
    chain = random_chain(6, seed)
    rng = np.random.default_rng(seed)
    q, point = rng.normal(size=6), rng.normal(size=3)
    h = 1e-6
    J = chain.jacobian(q, point)
    R = chain.fk(q)[:3, :3]
    for i in range(6):
        ahead, behind = chain.fk(q + h * np.eye(6)[i]), chain.fk(q - h * np.eye(6)[i])
        position = [X[:3, :3] @ point + X[:3, 3] for X in (ahead, behind)]
        assert J[:3, i] == pytest.approx((position[0] - position[1]) / (2 * h), abs=1e-8)
        spin = (ahead[:3, :3] - behind[:3, :3]) / (2 * h) @ R.T
        assert frames.skew(J[3:, i]) == pytest.approx(spin, abs=1e-8)


def test_a_planar_arm_made_by_hand_is_the_closed_form():
    shoulder = ChainJoint("shoulder", "revolute")
    elbow = ChainJoint("elbow", "revolute", frames.pose(p=[0.7, 0, 0]))
    chain = SerialChain([shoulder, elbow], frames.pose(p=[0.4, 0, 0]))
    arm = TwoLinkArm(l1=0.7, l2=0.4)
    q = np.random.default_rng(0).normal(size=(5, 2))
    assert chain.fk(q)[..., :2, 3] == pytest.approx(arm.fk(q))
    assert chain.jacobian(q)[..., :2, :] == pytest.approx(arm.jacobian(q))
    assert chain.manipulability(q, rows=slice(2)) == pytest.approx(np.abs(arm.singularity(q)))


def test_a_textbook_arm():
    # Lynch and Park, Modern Robotics, example 4.5: the UR5 with its second joint at -pi/2 and its fifth at pi/2.
    W1, W2, L1, L2, H1, H2 = 0.109, 0.082, 0.425, 0.392, 0.089, 0.095
    y, minus_z = (0, 1, 0), (0, 0, -1)
    places = [
        ("1", (0, 0, 0), (0, 0, 1)),
        ("2", (0, 0, H1), y),
        ("3", (L1, 0, H1), y),
        ("4", (L1 + L2, 0, H1), y),
        ("5", (L1 + L2, W1, 0), minus_z),
        ("6", (L1 + L2, 0, H1 - H2), y),
    ]
    before = np.zeros(3)
    joints = []
    for name, place, axis in places:
        joints.append(ChainJoint(name, "revolute", frames.pose(p=np.array(place) - before), axis))
        before = np.array(place)
    M = np.array([[-1, 0, 0, L1 + L2], [0, 0, 1, W1 + W2], [0, 1, 0, H1 - H2], [0, 0, 0, 1]])
    chain = SerialChain(joints, frames.pose(p=-before) @ M)
    X = chain.fk([0, -np.pi / 2, 0, 0, np.pi / 2, 0])
    assert X[:3, :3] == pytest.approx(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), abs=1e-12)
    assert X[:3, 3] == pytest.approx([0.095, 0.109, 0.988], abs=1e-12)


def test_row_orders_hold_the_same_rows(panda):
    q = panda.random(np.random.default_rng(0), 4)
    linear, angular = (panda.jacobian(q, [0.1, 0.2, 0.3], order) for order in ORDERS)
    assert frames.reorder_twist(linear) == pytest.approx(angular)
    with pytest.raises(UnknownNameError, match="linear_first, angular_first"):
        panda.jacobian(q, order="rotation_first")


def test_a_point_of_the_tool_can_differ_in_a_batch(panda):
    rng = np.random.default_rng(0)
    q, points = panda.random(rng, 4), rng.normal(size=(4, 3))
    for order in ORDERS:
        expected = np.stack([panda.jacobian(q[i], points[i], order) for i in range(4)])
        assert panda.jacobian(q, points, order) == pytest.approx(expected)


def test_a_tool_is_an_offset_at_the_end(panda, panda_file):
    tool = frames.pose(frames.matrix_from_rotvec([0.1, 0.2, 0.3]), [0.0, 0.05, 0.1])
    q = panda.random(np.random.default_rng(0), 3)
    for chain in (panda.with_tool(tool), SerialChain.from_urdf(panda_file, "panda_link0", "panda_link8", tool=tool)):
        assert chain.fk(q) == pytest.approx(panda.fk(q) @ tool)
        assert chain.jacobian(q) == pytest.approx(panda.jacobian(q, tool[:3, 3]))
    assert panda.with_tool(tool).with_tool(np.eye(4)).fk(q) == pytest.approx(panda.fk(q))


def test_manipulability_vanishes_at_a_singularity(panda):
    q = panda.random(np.random.default_rng(0), 3)
    J = panda.jacobian(q)
    assert panda.manipulability(q) == pytest.approx(np.sqrt(np.linalg.det(J @ J.swapaxes(-1, -2))))
    # With the last three axes in a plane and the elbow stretched the arm loses a direction.
    assert panda.manipulability(np.zeros(7)) == pytest.approx(0.0, abs=1e-12)
    assert panda.manipulability(q, rows=slice(3)).shape == (3,)


@pytest.mark.parametrize("batch", [(), (1,), (0,), (2, 3), (2, 0)])
def test_every_method_is_vectorised(panda, batch):
    q = panda.random(np.random.default_rng(0), batch)
    assert q.shape == (*batch, 7)
    X, J = panda.fk_jacobian(q)
    assert X.shape == (*batch, 4, 4)
    assert J.shape == (*batch, 6, 7)
    assert panda.manipulability(q).shape == batch
    assert panda.skeleton(q).shape == (*batch, 9, 3)
    if q.size:
        index = (-1,) * len(batch)
        assert X[index] == pytest.approx(panda.fk(q[index]))


def test_a_skeleton_runs_from_base_to_tool(panda):
    q = panda.random(np.random.default_rng(0))
    points = panda.skeleton(q)
    assert points[0].tolist() == [0, 0, 0]
    assert points[-1] == pytest.approx(panda.fk(q)[:3, 3])
    assert points[1] == pytest.approx([0, 0, 0.333])


@given(st.integers(0, 2**32 - 1))
def test_the_tool_never_leaves_its_reach(seed):
    chain = _sliding_chain()
    q = chain.random(np.random.default_rng(seed), 50)
    assert ((q >= chain.lower) & (q <= chain.upper)).all()
    assert np.linalg.norm(chain.fk(q)[:, :3, 3], axis=-1).max() <= chain.reach + 1e-12


def _sliding_chain():
    return SerialChain(
        [
            ChainJoint("turn", "revolute", frames.pose(p=[0.1, 0, 0.3]), (0, 1, 0), -1.0, 1.0),
            ChainJoint("slide", "prismatic", frames.pose(p=[0.2, 0, 0]), (1, 0, 0), -0.5, 0.1),
        ],
        frames.pose(p=[0.3, 0, 0]),
    )


def test_a_sliding_joint_moves_along_its_axis():
    chain = _sliding_chain()
    assert chain.fk([0.0, 0.1])[:3, 3] == pytest.approx([0.7, 0, 0.3])
    assert chain.jacobian([0.0, 0.1])[:, 1] == pytest.approx([1, 0, 0, 0, 0, 0], abs=1e-15)


def test_joints_without_limits_are_sampled_over_a_turn():
    chain = SerialChain([ChainJoint("wheel", "continuous", lower=-1, upper=1), ChainJoint("rail", "prismatic")])
    assert np.isinf(chain.lower).all()
    q = chain.random(np.random.default_rng(0), 1000)
    assert np.abs(q[:, 0]).max() == pytest.approx(np.pi, rel=0.01)
    assert np.abs(q[:, 1]).max() == pytest.approx(1.0, rel=0.01)


def test_no_joints_is_a_fixed_pose():
    chain = SerialChain([], frames.pose(p=[1, 2, 3]))
    assert chain.fk([])[:3, 3].tolist() == [1, 2, 3]
    assert chain.jacobian(np.zeros((4, 0))).shape == (4, 6, 0)
    assert chain.reach == pytest.approx(np.sqrt(14))


def test_a_joint_about_any_axis_is_brought_to_the_normal_form():
    for axis in ([0, 0, 1], [0, 0, -1], [1, 0, 0], [0, -1, 0], [1, 2, 3], [0, 0, 5]):
        chain = SerialChain([ChainJoint("j", "revolute", axis=axis)])
        direction = np.array(axis) / np.linalg.norm(axis)
        assert chain.fk([0.7])[:3, :3] == pytest.approx(frames.matrix_from_rotvec(0.7 * direction), abs=1e-14)
        assert chain.jacobian([0.7])[3:, 0] == pytest.approx(direction)


# --- readable and compiled --------------------------------------------------------------------------------------------------------


@pytest.fixture
def both_forms(random_chain):
    pytest.importorskip("numba", reason="numba is not installed")

    def make(n, seed):
        readable, compiled = random_chain(n, seed), random_chain(n, seed)
        readable.compiled_from, compiled.compiled_from = None, 0
        return readable, compiled

    return make


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("n", "batch"), [(0, (3,)), (1, ()), (2, (16,)), (7, (15,)), (7, (17,)), (9, (2, 40)), (5, (0,))])
def test_the_compiled_form_gives_the_same_numbers(both_forms, n, batch, order):
    readable, compiled = both_forms(n, seed=n)
    rng = np.random.default_rng(0)
    q, point = rng.normal(size=(*batch, n)) * 3, rng.normal(size=3)
    for mine, theirs in zip(compiled.fk_jacobian(q, point, order), readable.fk_jacobian(q, point, order), strict=True):
        assert mine == pytest.approx(theirs, abs=1e-13)
    assert compiled.fk(q) == pytest.approx(readable.fk(q), abs=1e-13)


def test_both_forms_agree_on_angles_of_many_turns_and_at_quadrants(both_forms):
    readable, compiled = both_forms(1, seed=0)
    quarter_turns = np.arange(-40, 41) * (np.pi / 4)
    for q in (quarter_turns, np.nextafter(quarter_turns, 9), np.array([0.0, -0.0, 1e-300, 1e4, 9.9e4, 1.1e5, 1e9, -1e15])):
        # The error of the sine of a huge angle is the angle's own rounding.
        tolerance = 1e-14 if np.abs(q).max() < 1e3 else 1e-9
        assert compiled.fk(q[:, None]) == pytest.approx(readable.fk(q[:, None]), abs=tolerance)


def test_both_forms_pass_nan_on(both_forms):
    for chain in both_forms(3, seed=1):
        q = np.zeros((20, 3))
        q[4, 1] = np.nan
        X = chain.fk(q)
        assert np.isnan(X[4]).any()
        assert not np.isnan(np.delete(X, 4, axis=0)).any()


def test_read_only_and_strided_arrays_are_taken(both_forms):
    readable, compiled = both_forms(3, seed=2)
    q = np.random.default_rng(0).normal(size=(40, 6))[:, ::2]
    frozen = q.copy()
    frozen.flags.writeable = False
    assert compiled.fk(q) == pytest.approx(readable.fk(q))
    assert compiled.fk(frozen) == pytest.approx(readable.fk(q))


# --- errors -----------------------------------------------------------------------------------------------------------------------


def test_a_wrong_number_of_joints_lists_them(panda):
    for q in (np.zeros(9), np.zeros((7, 2)), 0.0):
        with pytest.raises(ShapeError, match="panda_joint1, panda_joint2"):
            panda.fk(q)
    with pytest.raises(ShapeError, match="3"):
        panda.jacobian(np.zeros(7), point=[1.0, 2.0])


def test_joints_are_checked_when_they_are_made():
    with pytest.raises(UnknownNameError, match="revolute, continuous, prismatic"):
        ChainJoint("j", "floating")
    with pytest.raises(ShapeError, match="axis"):
        ChainJoint("j", "revolute", axis=(0, 0, 0))
    with pytest.raises(InvalidValueError, match="limits"):
        ChainJoint("j", "revolute", lower=1, upper=-1)
    with pytest.raises(InvalidValueError, match="limits"):
        ChainJoint("j", "revolute", lower=np.nan)
    with pytest.raises(InvalidValueError, match="transposed"):
        ChainJoint("j", "revolute", frames.pose(p=[1, 2, 3]).T)
    with pytest.raises(ShapeError, match="4, 4"):
        ChainJoint("j", "revolute", np.eye(3))


def test_two_joints_of_one_name_are_refused():
    with pytest.raises(UnknownNameError, match="unique"):
        SerialChain([ChainJoint("j", "revolute"), ChainJoint("j", "revolute")])


def test_a_tool_must_be_a_pose(panda):
    with pytest.raises(InvalidValueError, match="tool"):
        panda.with_tool(2 * np.eye(4))


def test_what_a_chain_keeps_cannot_be_changed(panda):
    for array in (panda.lower, panda.upper, panda.velocity, panda.effort, panda.tool):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0
