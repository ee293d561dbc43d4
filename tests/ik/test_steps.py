"""The damped step, null-space motions, and the pieces of one solver step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dexlab_course.errors import InvalidValueError, ShapeError
from dexlab_course.ik import damped_step, nullspace, step
from dexlab_course.kinematics import TwoLinkArm, frames

ARM = TwoLinkArm()
seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.sampled_from([1e-3, 0.1, 1.0]))
def test_the_damped_step_minimises_error_and_motion(seed, damping):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 7, size=2)
    J, e = rng.normal(size=(m, n)), rng.normal(size=m)
    taken = damped_step(J, e, damping=damping)
    stacked = np.linalg.lstsq(np.concatenate([J, damping * np.eye(n)]), np.concatenate([e, np.zeros(n)]), rcond=None)[0]
    assert taken.dq == pytest.approx(stacked, rel=1e-9, abs=1e-8)
    # Squaring the matrix squares its condition: this form loses digits where a singular value is small.
    assert taken.dq == pytest.approx(J.T @ np.linalg.solve(taken.normal, e), rel=1e-6, abs=1e-6)
    assert taken.U @ np.diag(taken.s) @ taken.Vt == pytest.approx(J)
    assert taken.gains.max() <= 1 / (2 * damping) + 1e-12
    assert taken.predicted == pytest.approx(e - J @ taken.dq)


def test_without_damping_the_step_is_the_pseudoinverse():
    J = ARM.jacobian([0.3, 1.0])
    assert damped_step(J, [0.1, 0.2], damping=0.0).dq == pytest.approx(np.linalg.solve(J, [0.1, 0.2]))
    singular = damped_step(ARM.jacobian([0.3, 0.0]), [0.1, 0.2], damping=0.0)
    assert singular.dq == pytest.approx(np.linalg.pinv(ARM.jacobian([0.3, 0.0]), rcond=1e-12) @ [0.1, 0.2])
    assert singular.condition == np.inf


def test_damping_tames_the_singularity():
    # Along the stretched arm nothing moves; a hundredth of a radian beside it, the undamped step is enormous.
    J, e = ARM.jacobian([0.0, 0.01]), np.array([0.1, 0.0])
    assert np.abs(damped_step(J, e, damping=0.0).dq).max() > 10.0
    assert np.abs(damped_step(J, e, damping=0.1).dq).max() < 1.0


def test_newton_steps_converge_to_a_textbook_solution(planar):
    # Lynch and Park, Modern Robotics, example 6.1: from (0, 30) degrees to (30, 90) degrees.
    q, goal = np.radians([0.0, 30.0]), planar.fk(np.radians([30.0, 90.0]))
    assert goal[:2, 3] == pytest.approx([0.366, 1.366], abs=1e-3)
    rows, distances = [0, 1, 5], []
    for _ in range(6):
        e = frames.pose_error(planar.fk(q), goal)[rows]
        distances.append(np.linalg.norm(e))
        q = q + damped_step(planar.jacobian(q)[rows], e, damping=0.0).dq
    assert np.degrees(q) == pytest.approx([30.0, 90.0])
    assert distances[4] < distances[3] ** 2  # the last steps are quadratic


@pytest.mark.parametrize(("J", "e"), [(np.eye(2), np.zeros(3)), (np.zeros((2, 2, 2)), np.zeros(2)), (np.eye(2), 1.0)])
def test_a_step_needs_one_matrix_and_one_error(J, e):
    with pytest.raises(ShapeError):
        damped_step(J, e)


def test_negative_damping_is_refused():
    with pytest.raises(InvalidValueError, match="damping"):
        damped_step(np.eye(2), np.zeros(2), damping=-0.1)


# --- null space -------------------------------------------------------------------------------------------------------------------


@given(seeds)
def test_bases_span_what_the_tool_does_not_notice(seed):
    rng = np.random.default_rng(seed)
    m, n = (int(x) for x in rng.integers(1, 8, size=2))
    J = rng.normal(size=(m, n))
    if rng.random() < 0.3:
        J[-1] = J[0]  # not of full rank
    orthonormal, elimination = nullspace.orthonormal_basis(J), nullspace.elimination_basis(J)
    k = n - np.linalg.matrix_rank(J)
    assert orthonormal.shape == elimination.shape == (k, n)
    assert J @ orthonormal.T == pytest.approx(np.zeros((m, k)), abs=1e-12)
    assert J @ elimination.T == pytest.approx(np.zeros((m, k)), abs=1e-9 * (1 + np.abs(elimination).max(initial=0)))
    assert orthonormal @ orthonormal.T == pytest.approx(np.eye(k))
    assert np.linalg.matrix_rank(elimination) == k if k else True
    P = nullspace.projector(J)
    assert P == pytest.approx(orthonormal.T @ orthonormal, abs=1e-10)
    assert P @ P == pytest.approx(P, abs=1e-10)


@given(seeds)
def test_a_posture_bias_leaves_the_tool_alone(seed):
    rng = np.random.default_rng(seed)
    J, V, q, rest = rng.normal(size=(3, 7)), rng.normal(size=3), rng.normal(size=7), rng.normal(size=7)
    v = nullspace.posture_velocity(J, V, q, rest, gain=2.0)
    assert J @ v == pytest.approx(V, abs=1e-9)
    assert v - np.linalg.pinv(J) @ V == pytest.approx(nullspace.projector(J) @ (2.0 * (rest - q)), abs=1e-9)
    # It goes the right way: the distance to the posture shrinks, or the tool allows no motion.
    assert (nullspace.posture_velocity(J, np.zeros(3), q, rest, gain=1.0) @ (rest - q)) >= -1e-12


def test_a_posture_is_approached_while_the_tool_stays(panda):
    q, rest = panda.random(np.random.default_rng(0)) * 0.5, 0.5 * (panda.lower + panda.upper)
    X = panda.fk(q)
    before = np.linalg.norm(rest - q)
    for _ in range(300):
        drift = frames.pose_error(panda.fk(q), X)
        q = q + 0.01 * nullspace.posture_velocity(panda.jacobian(q), 10.0 * drift, q, rest, gain=2.0)
    assert np.linalg.norm(frames.pose_error(panda.fk(q), X)) < 1e-3
    assert np.linalg.norm(rest - q) < before


def test_damped_projectors_and_batches():
    rng = np.random.default_rng(0)
    J = rng.normal(size=(5, 3, 7))
    P = nullspace.projector(J)
    assert P.shape == (5, 7, 7)
    assert P[2] == pytest.approx(nullspace.projector(J[2]))
    leaks = [np.abs(J @ nullspace.projector(J, damping=damping)).max() for damping in (1e-3, 1e-2, 1e-1)]
    assert leaks == sorted(leaks)
    assert nullspace.posture_velocity(J, np.zeros((5, 3)), np.zeros(7), np.ones(7), gain=1.0).shape == (5, 7)
    with pytest.raises(ShapeError, match="loop over a batch"):
        nullspace.orthonormal_basis(J)


# --- the pieces of the solver -----------------------------------------------------------------------------------------------------


def lanes(chain, q, X_WG):
    """What ``step`` takes: joints and the base seen from the goals, lanes last."""
    X_GW = frames.inverse(X_WG)
    return q.T.copy(), np.moveaxis(X_GW[:, :3, :], 0, -1).swapaxes(0, 1)


def test_the_residual_is_the_pose_error_in_the_goal_s_frame(panda):
    rng = np.random.default_rng(1)
    q, X_WG = panda.random(rng, 5), panda.fk(panda.random(rng, 5))
    e, J = step.residual(panda, *lanes(panda, q, X_WG), np.ones(6))
    for b in range(5):
        R_GW = X_WG[b, :3, :3].T
        expected = frames.pose_error(panda.fk(q[b]), X_WG[b])
        assert e[:3, b] == pytest.approx(R_GW @ expected[:3])
        assert e[3:, b] == pytest.approx(R_GW @ expected[3:], abs=1e-9)
        assert J[:, :3, b].T == pytest.approx(R_GW @ panda.jacobian(q[b])[:3])
        assert J[:, 3:, b].T == pytest.approx(R_GW @ panda.jacobian(q[b])[3:])


def test_the_solver_s_step_is_the_damped_step(panda):
    rng = np.random.default_rng(2)
    q, X_WG = panda.random(rng, 3), panda.fk(panda.random(rng, 3))
    e, J = step.residual(panda, *lanes(panda, q, X_WG), np.ones(6))
    damping = np.array([0.01, 0.1, 1.0])
    taken = step.damped_least_squares(J, e, damping)
    for b in range(3):
        assert taken[:, b] == pytest.approx(damped_step(J[..., b].T, e[:, b], damping=np.sqrt(damping[b])).dq, rel=1e-6)


def test_a_joint_at_its_limit_is_left_out_when_the_error_pushes_it_further():
    q, lower, upper = np.array([[1.0], [1.0]]), np.array([-1.0, -1.0]), np.array([1.0, 2.0])
    J = np.zeros((2, 6, 1))
    J[0, 0], J[1, 0] = 1.0, 1.0
    for sign, expected in ((1.0, [True, False]), (-1.0, [False, False])):
        e = np.zeros((6, 1))
        e[0] = sign
        assert step.blocked(q, e, J, lower, upper)[:, 0].tolist() == expected
    pushed = step.limited_step(q, np.eye(6, 1), J, np.array([0.5]), damping=0.1, lower=lower, upper=upper)
    assert pushed[0, 0] == 1.0
    assert pushed[1, 0] == pytest.approx(1.0 + 1.0 / 1.05)  # the other joint does the whole work


@given(seeds)
def test_no_step_is_longer_than_the_damping_allows(seed):
    rng = np.random.default_rng(seed)
    J, e = rng.normal(size=(7, 6, 4)) * rng.choice([1e-6, 1.0, 1e3]), rng.normal(size=(6, 4)) * rng.choice([1e-3, 1.0, 1e3])
    cost = 0.5 * (e * e).sum(axis=0)
    taken = step.damped_least_squares(J, e, 0.1 * cost)
    assert np.linalg.norm(taken, axis=0).max() <= 1 / np.sqrt(0.2) * (1 + 1e-9)
