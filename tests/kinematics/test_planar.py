"""The two-link arm in closed form, against the numbers of textbooks, sympy, differences and an independent dynamics library."""

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dexlab_course import paths
from dexlab_course.errors import InvalidValueError, ShapeError
from dexlab_course.kinematics import TwoLinkArm, symbolic

ARM = TwoLinkArm()
ODD = TwoLinkArm(l1=0.7, l2=0.4, lc1=0.3, lc2=0.15, m1=2.0, m2=0.8, I1=0.05, I2=0.02, g=9.81)
angle = st.floats(-3.1, 3.1)
HALF = np.pi / 2


def test_textbook_positions_and_jacobian():
    assert ARM.fk([0.3, 0.2]) == pytest.approx([1.8329190510, 0.7749457453], abs=1e-10)
    assert ARM.jacobian([0.3, 0.2]).ravel() == pytest.approx([-0.7749457453, -0.4794255386, 1.8329190510, 0.8775825619], abs=1e-10)


def test_textbook_inverse_on_both_branches():
    assert ARM.ik([-1.0, -0.5]) == pytest.approx([2.6276437119, 1.9551931013], abs=1e-10)
    assert ARM.ik([-1.0, -0.5], elbow=-1) == pytest.approx([-1.7003484939, -1.9551931013], abs=1e-10)


@pytest.mark.parametrize(
    ("q", "gravity", "bias", "mass"),
    [
        ((0, 0), (19.62, 4.905), (0, 0), [[2.5, 0.75], [0.75, 0.25]]),
        ((0, HALF), (14.715, 0), (-1.5, 0.5), [[1.5, 0.25], [0.25, 0.25]]),
        ((HALF, 0), (0, 0), (0, 0), [[2.5, 0.75], [0.75, 0.25]]),
        ((HALF, -HALF), (4.905, 4.905), (1.5, -0.5), [[1.5, 0.25], [0.25, 0.25]]),
    ],
)
def test_textbook_dynamics(q, gravity, bias, mass):
    assert ARM.gravity(q) == pytest.approx(gravity, abs=1e-12)
    assert ARM.bias(q, (1.0, 1.0)) == pytest.approx(bias, abs=1e-12)
    assert ARM.mass_matrix(q).ravel() == pytest.approx(np.ravel(mass), abs=1e-12)


def test_textbook_mass_matrix_of_slender_rods():
    rods = TwoLinkArm(I1=1 / 12, I2=1 / 12)
    assert rods.mass_matrix([0, 0]).ravel() == pytest.approx([2.6667, 0.8333, 0.8333, 0.3333], abs=5e-5)
    assert rods.mass_matrix([0, HALF]).ravel() == pytest.approx([1.6667, 0.3333, 0.3333, 0.3333], abs=5e-5)


@given(angle, angle, st.sampled_from([1, -1]))
def test_the_inverse_undoes_the_forward_map(q1, q2, elbow):
    p = ODD.fk([q1, q2])
    q = ODD.ik(p, elbow=elbow)
    assert ODD.fk(q) == pytest.approx(p, abs=1e-7)  # at the edge of the ring the angle is the root of a rounding error
    assert q[1] * elbow >= 0.0
    assert -np.pi < q[0] <= np.pi


def test_stretched_and_folded_are_reachable_and_singular():
    for q in ([0.4, 0.0], [0.4, np.pi]):
        assert ODD.reachable(ODD.fk(q))
        assert ODD.singularity(q) == pytest.approx(0.0, abs=1e-16)
        assert ODD.fk(ODD.ik(ODD.fk(q))) == pytest.approx(ODD.fk(q), abs=1e-7)


@given(angle, angle)
def test_the_singularity_measure_is_the_determinant(q1, q2):
    assert ODD.singularity([q1, q2]) == pytest.approx(np.linalg.det(ODD.jacobian([q1, q2])), abs=1e-12)


@pytest.mark.parametrize("p", [[1.2, 0.0], [0.2, 0.0], [np.nan, 0.0], [np.inf, 0.0]])
def test_a_point_out_of_reach_says_what_the_reach_is(p):
    assert not ODD.reachable(p)
    with pytest.raises(InvalidValueError, match=r"0\.3 to 1\.1 m"):
        ODD.ik(p)


def test_a_batch_with_one_unreachable_point_is_refused_as_a_whole():
    with pytest.raises(InvalidValueError):
        ODD.ik([[0.5, 0.0], [5.0, 0.0]])
    assert ODD.reachable([[0.5, 0.0], [5.0, 0.0]]).tolist() == [True, False]


def test_elbow_is_a_sign():
    with pytest.raises(InvalidValueError, match=r"\+1"):
        ODD.ik([0.5, 0.0], elbow=0)


def test_three_angles_are_refused():
    with pytest.raises(ShapeError, match="2"):
        ODD.fk([0.1, 0.2, 0.3])


def test_everything_is_vectorised():
    q = np.random.default_rng(0).uniform(-3, 3, (4, 3, 2))
    v, a = np.random.default_rng(1).normal(size=(2, 4, 3, 2))
    assert ODD.fk(q).shape == (4, 3, 2)
    assert ODD.jacobian(q).shape == (4, 3, 2, 2)
    torque = ODD.inverse_dynamics(q, v, a)
    assert torque[2, 1] == pytest.approx(ODD.inverse_dynamics(q[2, 1], v[2, 1], a[2, 1]))
    assert ODD.forward_dynamics(q, v, torque) == pytest.approx(a)


@given(angle, angle, angle, angle)
def test_energy_is_conserved_without_torque(q1, q2, v1, v2):
    # The power of inertia and bias forces is the rate of the kinetic energy, that of gravity the rate of the potential energy.
    q, v = np.array([q1, q2]), np.array([v1, v2])

    def energy(q, v):
        height1 = ODD.lc1 * np.sin(q[0])
        height2 = ODD.l1 * np.sin(q[0]) + ODD.lc2 * np.sin(q[0] + q[1])
        return 0.5 * v @ ODD.mass_matrix(q) @ v + ODD.g * (ODD.m1 * height1 + ODD.m2 * height2)

    a = ODD.forward_dynamics(q, v, np.zeros(2))
    h = 1e-6
    rate = (energy(q + h * v, v + h * a) - energy(q - h * v, v - h * a)) / (2 * h)
    assert rate == pytest.approx(0.0, abs=1e-5 * (1 + abs(energy(q, v))))


def test_the_closed_forms_are_the_ones_that_were_derived():
    derived = symbolic.planar_arm(2)
    l1, l2, lc1, lc2, m1, m2, i1, i2, g = derived.parameters
    arm = TwoLinkArm(l1=l1, l2=l2, lc1=lc1, lc2=lc2, m1=m1, m2=m2, I1=i1, I2=i2, g=g)
    pairs = [
        (arm.fk(derived.q), derived.fk),
        (arm.jacobian(derived.q), derived.jacobian),
        (arm.mass_matrix(derived.q), derived.mass_matrix),
        (arm.bias(derived.q, derived.v), derived.bias),
        (arm.gravity(derived.q), derived.gravity),
        ([arm.singularity(derived.q)], [derived.jacobian.det()]),
    ]
    for closed, expected in pairs:
        difference = sympy.Matrix(np.ravel(np.asarray(closed, dtype=object))) - sympy.Matrix(list(expected))
        assert difference.applyfunc(sympy.simplify).is_zero_matrix


def test_an_independent_library_agrees_on_the_course_s_arm():
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    model = pin.buildModelFromUrdf(str(paths.ASSETS / "two_joint_arm.urdf"))
    model.gravity.linear = np.array([0.0, -9.81, 0.0])
    data = model.createData()
    arm = TwoLinkArm(I1=1 / 12, I2=1 / 12)
    rng = np.random.default_rng(5)
    for _ in range(5):
        q, v, a = rng.normal(size=(3, 2))
        assert arm.inverse_dynamics(q, v, a) == pytest.approx(pin.rnea(model, data, q, v, a))
        M = pin.crba(model, data, q)
        assert arm.mass_matrix(q) == pytest.approx(np.triu(M) + np.triu(M, 1).T)
