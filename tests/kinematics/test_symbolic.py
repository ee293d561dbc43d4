"""The derivations: right against numbers that come from elsewhere, and quick because nothing is expanded."""

import numpy as np
import pytest
import sympy

from dexlab_course.errors import InvalidValueError
from dexlab_course.kinematics import ChainJoint, SerialChain, TwoLinkArm, frames, symbolic

NAMES = ("fk", "jacobian", "mass_matrix", "bias", "gravity")


def test_two_links_as_numbers():
    derived = symbolic.planar_arm(2)
    parameters = [0.7, 0.4, 0.3, 0.15, 2.0, 0.8, 0.05, 0.02, 9.81]
    arm = TwoLinkArm(*parameters)
    q, v = [0.4, -1.1], [0.5, 2.0]
    expected = {
        "fk": arm.fk(q),
        "jacobian": arm.jacobian(q),
        "mass_matrix": arm.mass_matrix(q),
        "bias": arm.bias(q, v),
        "gravity": arm.gravity(q),
    }
    for name in NAMES:
        assert derived.function(name)(q, v, parameters).reshape(expected[name].shape) == pytest.approx(expected[name])


def test_three_links_by_differences():
    derived = symbolic.planar_arm(3)
    parameters = np.array([0.7, 0.5, 0.3, 0.3, 0.2, 0.1, 2.0, 1.0, 0.5, 0.05, 0.02, 0.01, 9.81])
    q, v = np.array([0.4, -1.1, 0.8]), np.array([0.5, 2.0, -1.0])
    values = {name: derived.function(name) for name in NAMES}
    h = 1e-6

    def along(f, i):
        step = h * np.eye(3)[i]
        return (f(q + step) - f(q - step)) / (2 * h)

    tip = lambda q: values["fk"](q, v, parameters).ravel()  # noqa: E731
    mass = lambda q: values["mass_matrix"](q, v, parameters)  # noqa: E731
    J = np.stack([along(tip, i) for i in range(3)], axis=-1)
    assert values["jacobian"](q, v, parameters) == pytest.approx(J, abs=1e-8)
    dM = np.stack([along(mass, i) for i in range(3)], axis=-1)
    christoffel = np.einsum("ijk,j,k->i", dM, v, v) - 0.5 * np.einsum("jki,j,k->i", dM, v, v)
    assert values["bias"](q, v, parameters).ravel() == pytest.approx(christoffel, abs=1e-7)
    assert (np.linalg.eigvalsh(mass(q)) > 0).all()


def test_three_links_reduce_to_two():
    three, two = symbolic.planar_arm(3), symbolic.planar_arm(2)
    gone = {sympy.Symbol(name, real=True): 0 for name in ("l3", "lc3", "m3", "I3", "q3", "v3")}
    for name in ("fk", "mass_matrix", "bias", "gravity"):
        reduced = getattr(three, name).subs(gone)[:2, : (2 if name == "mass_matrix" else 1)]
        assert (reduced - getattr(two, name)).applyfunc(sympy.simplify).is_zero_matrix


def test_the_equations_are_simplified():
    two = symbolic.planar_arm(2)
    assert not two.mass_matrix.has(sympy.Symbol("q1", real=True))  # only angles between links matter
    assert two.mass_matrix.atoms(sympy.sin) == set()
    assert sympy.count_ops(two.bias) < 25


def test_four_links_are_refused():
    with pytest.raises(InvalidValueError, match="serial_program"):
        symbolic.planar_arm(4)


def test_a_seven_joint_arm_as_a_straight_line_program(panda):
    program = symbolic.serial_program(panda)
    rng = np.random.default_rng(0)
    for q in panda.random(rng, 5):
        X, J = program.fk_jacobian(q)
        assert X == pytest.approx(panda.fk(q), abs=1e-12)
        assert J == pytest.approx(panda.jacobian(q), abs=1e-12)
    # Nothing was multiplied out: every step is as short as one entry of one matrix product.
    assert len(program.steps) < 200
    assert max(sympy.count_ops(expression) for _, expression in program.steps) < 12


def test_sliding_joints(random_chain):
    chain = random_chain(5, seed=4)
    assert chain.slides.any()
    assert not chain.slides.all()
    q = np.random.default_rng(1).normal(size=5)
    X, J = symbolic.serial_program(chain).fk_jacobian(q)
    assert X == pytest.approx(chain.fk(q), abs=1e-12)
    assert J == pytest.approx(chain.jacobian(q), abs=1e-12)


def test_a_short_chain_can_be_expanded_and_differentiated():
    lower = ChainJoint("a", "revolute")
    upper = ChainJoint("b", "revolute", frames.pose(p=[1, 0, 0]))
    program = symbolic.serial_program(SerialChain([lower, upper], frames.pose(p=[1, 0, 0])))
    X, J = program.expanded(program.X), program.expanded(program.J)
    q1, q2 = program.q
    assert sympy.simplify(X[0, 3] - sympy.cos(q1) - sympy.cos(q1 + q2)) == 0
    assert (X[:2, 3].jacobian(program.q) - J[:2, :]).applyfunc(sympy.simplify).is_zero_matrix
    assert list(J[3:, 0]) == [0, 0, 1]


def test_a_chain_without_joints():
    X, J = symbolic.serial_program(SerialChain([], frames.pose(p=[1, 2, 3]))).fk_jacobian([])
    assert X[:3, 3].tolist() == [1, 2, 3]
    assert J.shape == (6, 0)


@pytest.mark.parametrize("unit", [(0.6, 0.0, 0.8), (1 / 3, 2 / 3, -2 / 3)])
def test_rodrigues_matrix_is_a_rotation_about_its_axis(unit):
    axis, theta, R = symbolic.rodrigues()
    R = np.array(R.subs({**dict(zip(axis, unit, strict=True)), theta: 0.7}), dtype=float)
    assert R.T @ R == pytest.approx(np.eye(3), abs=1e-14)
    assert R @ unit == pytest.approx(unit)
    assert np.trace(R) == pytest.approx(1 + 2 * np.cos(0.7))
