"""Differential IK: against the engine that has the same program, and against what its three promises mean."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dexlab_course.errors import InvalidValueError, ShapeError, UnknownNameError
from dexlab_course.ik import DiffIkStatus, differential_ik
from dexlab_course.ik.quadratic import minimise
from dexlab_course.kinematics import TwoLinkArm

ARM = TwoLinkArm()
FREE = {"position_limits": None, "velocity_limits": None}


def random_problem(seed):
    """J, V, q, v, and limits that leave standing still allowed."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 9)), int(rng.integers(1, 7))
    one = np.ones(n)
    return {
        "J": rng.normal(size=(m, n)),
        "V": rng.normal(size=m) * rng.choice([0.1, 1.0, 5.0]),
        "q": rng.uniform(-1, 1, n),
        "v": rng.uniform(-0.3, 0.3, n),
        "dt": float(rng.choice([0.01, 0.1])),
        "position_limits": (-one, one) if rng.random() < 0.7 else None,
        "velocity_limits": (-rng.choice([0.5, 2.0]) * one, one) if rng.random() < 0.8 else None,
        "acceleration_limits": (-50 * one, 50 * one) if rng.random() < 0.4 else None,
        "q_posture": rng.uniform(-1, 1, n),
        "posture_gain": float(rng.choice([0.0, 0.5, 2.0])),
    }


def test_an_engine_with_the_same_program_agrees():
    drake = pytest.importorskip("pydrake.multibody.inverse_kinematics", reason="Drake is not installed")
    gaps, alphas = [], []
    for seed in range(250):
        p = random_problem(seed)
        n = len(p["q"])
        parameters = drake.DifferentialInverseKinematicsParameters(n, n)
        parameters.set_time_step(p["dt"])
        for name in ("position", "velocity", "acceleration"):
            if p[f"{name}_limits"] is not None:
                getattr(parameters, f"set_joint_{name}_limits")(p[f"{name}_limits"])
        parameters.set_nominal_joint_position(p["q_posture"])
        parameters.set_joint_centering_gain(p["posture_gain"] * np.eye(n))
        theirs = drake.DoDifferentialInverseKinematics(p["q"], p["v"], p["V"], p["J"], parameters)
        mine = differential_ik(**p)
        names = {"kSolutionFound": DiffIkStatus.FOUND, "kStuck": DiffIkStatus.STUCK, "kNoSolutionFound": DiffIkStatus.NONE}
        assert mine.status == names[theirs.status.name]
        gaps.append(np.abs(mine.v - theirs.joint_velocities).max())
        alphas.append(abs(mine.alpha - p["J"][0] @ theirs.joint_velocities / p["V"][0]))
    # The engine's solver stops at 1e-5 of its own scale; where it stops early, as it does now and then, ours is the exact one.
    assert np.quantile(gaps, 0.97) < 1e-4
    assert np.median(gaps) < 1e-6
    assert np.quantile(alphas, 0.97) < 1e-4
    assert max(gaps) < 0.05


@given(st.integers(0, 2**32 - 1))
def test_direction_is_kept_and_every_limit_holds(seed):
    p = random_problem(seed)
    result = differential_ik(**p)
    assert result.status in (DiffIkStatus.FOUND, DiffIkStatus.STUCK)
    v = result.v
    scale = 1.0 + np.abs(p["J"]).max() * np.abs(v).max()
    assert p["J"] @ v == pytest.approx(result.alpha * p["V"], abs=1e-8 * scale)
    assert 0.0 <= result.alpha <= 1.0
    for limits, value in (
        (p["position_limits"], p["q"] + v * p["dt"]),
        (p["velocity_limits"], v),
        (p["acceleration_limits"], (v - p["v"]) / p["dt"]),
    ):
        if limits is not None:
            assert (limits[0] - 1e-9 <= value).all()
            assert (value <= limits[1] + 1e-9).all()


@given(st.integers(0, 2**32 - 1))
def test_without_free_joints_alpha_is_the_largest_that_fits(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    J, V, q = rng.normal(size=(n, n)), rng.normal(size=n), np.zeros(n)
    limit = rng.uniform(0.1, 1.0, n)
    full = np.linalg.solve(J, V)
    alpha = min(1.0, np.min(limit / np.abs(full)))
    result = differential_ik(J, V, q, dt=0.01, position_limits=None, velocity_limits=(-limit, limit))
    assert result.alpha == pytest.approx(alpha, rel=1e-6, abs=1e-9)
    assert result.v == pytest.approx(alpha * full, rel=1e-5, abs=1e-8)


def test_a_quarter_of_the_speed_where_a_joint_allows_a_quarter():
    q = [0.3, 1.0]
    free = differential_ik(ARM.jacobian(q), [0.5, -0.2], q, dt=0.01, **FREE)
    assert free.alpha == pytest.approx(1.0)
    assert free.v == pytest.approx(np.linalg.solve(ARM.jacobian(q), [0.5, -0.2]))
    limit = np.abs(free.v).max() / 4
    slow = differential_ik(ARM.jacobian(q), [0.5, -0.2], q, dt=0.01, position_limits=None, velocity_limits=(-limit, limit))
    assert slow.alpha == pytest.approx(0.25)
    assert slow.v == pytest.approx(free.v / 4)


@pytest.mark.parametrize(("dt", "speed"), [(0.001, 4.0), (0.01, 2.0), (0.1, 0.2)])
def test_the_period_is_part_of_the_problem(dt, speed):
    # The elbow is 0.02 rad before its limit and the twist asks for 4 rad/s.
    q = [0.3, 1.0]
    V = ARM.jacobian(q) @ [0.0, 4.0]
    result = differential_ik(ARM.jacobian(q), V, q, dt=dt, position_limits=([-3, -3], [3, 1.02]), velocity_limits=None)
    assert result.v == pytest.approx([0.0, speed], abs=1e-9)


def test_acceleration_limits_hold_from_the_velocity_now():
    q = [0.3, 1.0]
    V = ARM.jacobian(q) @ [0.0, 4.0]
    options = {"dt": 0.01, **FREE, "acceleration_limits": (-10.0, 10.0)}
    assert differential_ik(ARM.jacobian(q), V, q, v=[0, 0], **options).v == pytest.approx([0.0, 0.1])
    assert differential_ik(ARM.jacobian(q), V, q, v=[0, 1], **options).v == pytest.approx([0.0, 1.1])
    with pytest.raises(InvalidValueError, match="need the velocity now"):
        differential_ik(ARM.jacobian(q), V, q, **options)


def test_a_singular_direction_is_stuck():
    q = [0.3, 0.0]
    inwards = [-0.3 * np.cos(0.3), -0.3 * np.sin(0.3)]
    result = differential_ik(ARM.jacobian(q), inwards, q, dt=0.01, **FREE)
    assert result.status == DiffIkStatus.STUCK
    assert result.alpha == 0.0
    assert result.v == pytest.approx([0, 0], abs=1e-9)


def test_a_limit_that_blocks_the_way_is_stuck_and_the_threshold_can_be_chosen():
    q = [0.3, 1.0]
    full = np.linalg.solve(ARM.jacobian(q), [0.5, -0.2])
    limit = np.abs(full).max() / 500
    options = {"dt": 0.01, "position_limits": None, "velocity_limits": (-limit, limit)}
    assert differential_ik(ARM.jacobian(q), [0.5, -0.2], q, **options).status == DiffIkStatus.STUCK
    assert differential_ik(ARM.jacobian(q), [0.5, -0.2], q, stuck_below=1e-4, **options).status == DiffIkStatus.FOUND


def test_no_velocity_at_all_is_an_answer_that_cannot_be_used_by_mistake():
    # Outside the limits, and too slow to come back in one period.
    q = [0.3, 1.5]
    result = differential_ik(ARM.jacobian(q), [0.1, 0.0], q, dt=0.01, position_limits=([-3, -3], [3, 1.02]), velocity_limits=(-1, 1))
    assert result.status == DiffIkStatus.NONE
    assert np.isnan(result.v).all()
    assert result.alpha == 0.0


def test_limits_that_only_a_motion_satisfies_need_not_allow_standing_still():
    # Just outside its limit, the elbow has to come back, and the twist gives way.
    q = [0.3, 1.025]
    result = differential_ik(ARM.jacobian(q), [0.0, 0.0], q, dt=0.01, position_limits=([-3, -3], [3, 1.02]), velocity_limits=(-1, 1))
    assert result.status == DiffIkStatus.NONE  # J v = 0 has no other solution than standing still
    redundant = differential_ik([[1.0, 1.0]], [0.0], q, dt=0.01, position_limits=([-3, -3], [3, 1.02]), velocity_limits=(-1, 1))
    assert redundant.status == DiffIkStatus.FOUND
    assert redundant.v == pytest.approx([0.5, -0.5])


def test_free_joints_drift_to_the_posture():
    J, q, posture = np.array([[1.0, 1.0, 1.0]]), np.zeros(3), np.array([0.3, -0.1, 0.4])
    result = differential_ik(J, [0.0], q, dt=0.01, **FREE, q_posture=posture, posture_gain=2.0)
    # What is left of the wish after the tool's share is taken out.
    assert result.v == pytest.approx(2.0 * (posture - posture.mean()))
    still = differential_ik(J, [0.6], q, dt=0.01, **FREE)
    assert still.v == pytest.approx([0.2, 0.2, 0.2])


def test_the_basis_matters_only_where_limits_force_a_choice():
    J, q = np.array([[1.0, 2.0, 0.5]]), np.zeros(3)
    free = [differential_ik(J, [1.0], q, dt=0.01, **FREE, basis=basis).v for basis in ("elimination", "orthonormal")]
    assert free[0] == pytest.approx(free[1])
    tight = {"dt": 0.01, "position_limits": None, "velocity_limits": ([-0.05, -9, -9], [0.05, 9, 9])}
    bound = [differential_ik(J, [1.0], q, **tight, basis=basis).v for basis in ("elimination", "orthonormal")]
    assert np.abs(bound[0] - bound[1]).max() > 0.01
    # The orthonormal one is the shortest velocity that does it.
    assert np.linalg.norm(bound[1]) < np.linalg.norm(bound[0])
    with pytest.raises(UnknownNameError, match="elimination, orthonormal"):
        differential_ik(J, [1.0], q, dt=0.01, **FREE, basis="lu")


def test_a_twist_of_zero_is_followed_at_full_speed():
    result = differential_ik(ARM.jacobian([0.3, 1.0]), [0.0, 0.0], [0.3, 1.0], dt=0.01, **FREE)
    assert (result.status, result.alpha) == (DiffIkStatus.FOUND, 1.0)
    assert result.v == pytest.approx([0.0, 0.0])


@pytest.mark.parametrize("batch", [(4,), (2, 3), (0,)])
def test_a_batch_is_its_members(batch):
    rng = np.random.default_rng(0)
    J, V, q = rng.normal(size=(*batch, 3, 4)), rng.normal(size=(*batch, 3)), rng.normal(size=(*batch, 4))
    options = {
        "dt": 0.1,
        "position_limits": (-2, 2),
        "velocity_limits": (-np.ones(4), np.ones(4)),
        "q_posture": np.zeros(4),
        "posture_gain": 1.0,
    }
    result = differential_ik(J, V, q, **options)
    assert result.v.shape == (*batch, 4)
    assert result.alpha.shape == result.status.shape == batch
    for index in np.ndindex(*batch):
        single = differential_ik(J[index], V[index], q[index], **options)
        assert single.v == pytest.approx(result.v[index], nan_ok=True)
        assert single.status == result.status[index]


@pytest.mark.parametrize(
    ("error", "words", "change"),
    [
        (ShapeError, "same rows", {"V": np.zeros(3)}),
        (ShapeError, "column of J", {"q": np.zeros(3)}),
        (ShapeError, r"\(lower, upper\)", {"velocity_limits": 2.0}),
        (ShapeError, "one entry a joint", {"velocity_limits": (np.zeros(3), np.ones(3))}),
        (InvalidValueError, "lower <= upper", {"velocity_limits": (1.0, -1.0)}),
        (InvalidValueError, "no NaN", {"position_limits": (np.nan, 1.0)}),
        (InvalidValueError, "dt", {"dt": 0.0}),
        (InvalidValueError, "V", {"V": [np.nan, 0.0]}),
    ],
)
def test_arguments_that_cannot_be_used(error, words, change):
    arguments = {"J": np.eye(2), "V": np.zeros(2), "q": np.zeros(2), "dt": 0.01, **FREE, **change}
    with pytest.raises(error, match=words):
        differential_ik(**arguments)


# --- the quadratic program underneath ---------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1))
def test_the_minimum_satisfies_the_conditions_of_optimality(seed):
    rng = np.random.default_rng(seed)
    k, m = int(rng.integers(1, 6)), int(rng.integers(0, 15))
    root = rng.normal(size=(k, k))
    H, c, G = root @ root.T + 0.1 * np.eye(k), rng.normal(size=k), rng.normal(size=(m, k))
    h = G @ rng.normal(size=k) + rng.uniform(0.0, 1.0, m)  # some point satisfies them all
    x = minimise(H, c, G, h)
    assert x is not None
    assert (G @ x <= h + 1e-8).all()
    # The gradient is a non-negative combination of the constraints that are met with equality.
    active = G[np.abs(G @ x - h) < 1e-7]
    gradient = H @ x + c
    if len(active):
        import scipy.optimize

        _, rest = scipy.optimize.nnls(active.T, -gradient)
        assert rest < 1e-6
    else:
        assert gradient == pytest.approx(np.zeros(k), abs=1e-8)


def test_contradicting_constraints_have_no_minimum():
    assert minimise(np.eye(1), np.zeros(1), np.array([[1.0], [-1.0]]), np.array([-1.0, -1.0])) is None
    corner = np.array([[1.0, 0], [0, 1], [-1, -1]])
    assert minimise(np.eye(2), np.zeros(2), corner, np.array([-1.0, -1.0, 1.0])) is None
    assert minimise(np.eye(2), np.zeros(2), corner, np.array([-1.0, -1.0, 2.0])) == pytest.approx([-1, -1])


def test_repeated_constraints_are_harmless():
    G = np.array([[1.0, 0.0]] * 3 + [[1.0, 1e-14]])
    assert minimise(np.eye(2), np.array([-2.0, -3.0]), G, np.ones(4)) == pytest.approx([1.0, 3.0])


@pytest.mark.parametrize(("rows", "locked"), [(6, 1), (6, 2), (3, 4), (3, 5)])
def test_locked_joints_leave_an_answer(rows, locked):
    # Standing still is always allowed here, so "none" would be wrong.
    for seed in range(60):
        rng = np.random.default_rng(seed)
        J, V, limit = rng.normal(size=(rows, 7)), 0.2 * rng.normal(size=rows), np.ones(7)
        limit[rng.choice(7, locked, replace=False)] = 0.0
        result = differential_ik(J, V, np.zeros(7), dt=0.01, position_limits=None, velocity_limits=(-limit, limit))
        assert result.status != DiffIkStatus.NONE
        assert J @ result.v == pytest.approx(result.alpha * V, abs=1e-6)
        assert (np.abs(result.v) <= limit).all()


def test_a_twist_far_beyond_the_limits_stands_still_instead_of_going_elsewhere():
    for seed, limit in enumerate([1e-6, 1e-8, 1e-9, 1e-10] * 10):
        rng = np.random.default_rng(seed)
        J, V = rng.normal(size=(6, 7)), rng.normal(size=6)
        result = differential_ik(J, V, np.zeros(7), dt=0.01, position_limits=None, velocity_limits=(-limit, limit))
        assert result.status == DiffIkStatus.STUCK
        assert J @ result.v == pytest.approx(result.alpha * V, rel=1e-3, abs=1e-3 * result.alpha)
    far = differential_ik(np.eye(2), [1e100, 0.0], np.zeros(2), dt=0.01, position_limits=None, velocity_limits=(-1, 1))
    assert far.v == pytest.approx([1.0, 0.0])


def test_limits_without_a_number_between_them_and_a_gain_that_is_none_are_refused():
    for limits in ((np.inf, np.inf), (-np.inf, -np.inf)):
        with pytest.raises(InvalidValueError, match="numbers between"):
            differential_ik(np.eye(2), [1, 0], np.zeros(2), dt=0.01, position_limits=None, velocity_limits=limits)
    with pytest.raises(InvalidValueError, match="posture_gain"):
        differential_ik(
            np.eye(2), [1, 0], np.zeros(2), dt=0.01, position_limits=None, velocity_limits=(-1, 1), q_posture=[0, 0], posture_gain=np.nan
        )
