"""The derivations behind the numeric code, in sympy: what a page shows, and what the tests compare with.

Small arms are derived in full and simplified. A seven-joint arm is not: its products, expanded, have thousands of terms, and
simplifying them takes minutes. There the derivation stays a straight-line program, one new symbol for each entry of each product, which is
short to derive, quick to evaluate, and just as exact.
"""

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy
from sympy.simplify.fu import TR8

from dexlab_course.arrays import Floats
from dexlab_course.errors import InvalidValueError, explain
from dexlab_course.kinematics.chain import SerialChain

Expression = Any  # sympy has no useful static types
Matrix = Any


@dataclasses.dataclass(frozen=True)
class PlanarArm:
    """Equations of a planar arm with n links, derived from its geometry and energies, simplified.

    Symbols: q1 … qn (angle of each link from the one before) [rad], v1 … vn [rad/s], and for link i its length li [m], the distance
    lci [m] of the centre of mass from its joint, mass mi [kg], inertia Ii about the centre of mass [kg·m²]; gravity g along -y.

    Attributes:
        q, v: the symbols. parameters: the others, in the order l, lc, m, I, g.
        fk: (2, 1) position of the tip. jacobian: (2, n) its derivative.
        mass_matrix: (n, n). bias: (n, 1), Coriolis and centrifugal. gravity: (n, 1), the gradient of the potential energy.
    """

    q: tuple[Expression, ...]
    v: tuple[Expression, ...]
    parameters: tuple[Expression, ...]
    fk: Matrix
    jacobian: Matrix
    mass_matrix: Matrix
    bias: Matrix
    gravity: Matrix

    def function(self, name: str) -> Callable[..., Floats]:
        """The named equation as a NumPy function of (q, v, parameters), each a sequence of numbers.

        >>> arm = planar_arm(1)
        >>> arm.function("fk")([0.0], [0.0], [2.0, 1.0, 1.0, 0.0, 9.81]).ravel().tolist()
        [2.0, 0.0]
        """
        return _lambdify((self.q, self.v, self.parameters), getattr(self, name))


@functools.cache
def planar_arm(links: int) -> PlanarArm:
    """Derive the equations of a planar arm of one to three links: positions, velocities, energies, then Lagrange's equations.

    The kinetic energy is v^T M v / 2 with M = sum of m J_c^T J_c + I w^T w over the links. The Coriolis torque follows from M alone by
    Christoffel symbols: c_i = sum over j, k of (dM_ij/dq_k - dM_jk/dq_i / 2) v_j v_k.

    Raises:
        InvalidValueError: fewer than one or more than three links.
    """
    if links not in (1, 2, 3):
        message = explain(
            "links out of range",
            got=links,
            expected="1, 2 or 3",
            remedy="use serial_program for longer chains: simplifying would take minutes",
        )
        raise InvalidValueError(message)
    count = range(links)
    q, v, length, lc, m, inertia = (
        tuple(sympy.Symbol(f"{name}{i + 1}", real=True) for i in count) for name in ("q", "v", "l", "lc", "m", "I")
    )
    g = sympy.Symbol("g", real=True)
    angle = [sum(q[: i + 1]) for i in count]
    joint = [sympy.zeros(2, 1)]
    centre = []
    for i in count:
        along = sympy.Matrix([sympy.cos(angle[i]), sympy.sin(angle[i])])
        centre.append(joint[-1] + lc[i] * along)
        joint.append(joint[-1] + length[i] * along)

    mass_matrix = sympy.zeros(links, links)
    for i in count:
        J_c = centre[i].jacobian(q)
        turning = sympy.Matrix([[1 if j <= i else 0 for j in count]])
        mass_matrix += m[i] * J_c.T * J_c + inertia[i] * turning.T * turning
    mass_matrix = mass_matrix.applyfunc(_tidy)
    bias = sympy.zeros(links, 1)
    for i in count:
        for j in count:
            for k in count:
                bias[i] += (mass_matrix[i, j].diff(q[k]) - mass_matrix[j, k].diff(q[i]) / 2) * v[j] * v[k]
    potential = sum(m[i] * g * centre[i][1] for i in count)
    return PlanarArm(
        q=q,
        v=v,
        parameters=(*length, *lc, *m, *inertia, g),
        fk=joint[-1],
        jacobian=joint[-1].jacobian(q),
        mass_matrix=mass_matrix,
        bias=bias.applyfunc(_tidy),
        gravity=sympy.Matrix([potential]).jacobian(q).T,
    )


def _tidy(expression: Expression) -> Expression:
    """Products of sines and cosines become sums over differences of angles, and like terms are collected.

    In a planar arm only angles between links matter, so this is the whole simplification. The general ``simplify`` finds the same
    form, but tries everything else too and takes many times as long.
    """
    return sympy.factor_terms(sympy.expand(TR8(sympy.expand(expression))))


# --- chains -----------------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class SerialProgram:
    """Forward kinematics and Jacobian of a chain as a straight-line program in sympy.

    Attributes:
        q: the joint symbols.
        steps: pairs (symbol, expression); each expression uses only q and earlier symbols, and multiplies nothing out.
        X: (4, 4), pose X_WT. J: (6, n), linear first, of T's origin in W. Both in terms of ``steps``.
    """

    q: tuple[Expression, ...]
    steps: tuple[tuple[Expression, Expression], ...]
    X: Matrix
    J: Matrix

    @functools.cached_property
    def fk_jacobian(self) -> Callable[[Sequence[float]], tuple[Floats, Floats]]:
        """A NumPy function: q (n,) in, X (4, 4) and J (6, n) out."""
        evaluate = sympy.lambdify(
            [self.q], [list(self.X), list(self.J)], modules="numpy", cse=lambda expressions: (self.steps, expressions)
        )
        n = len(self.q)

        def fk_jacobian(q: Sequence[float]) -> tuple[Floats, Floats]:
            X, J = evaluate(tuple(q))
            return np.array(X, dtype=float).reshape(4, 4), np.array(J, dtype=float).reshape(6, n)

        return fk_jacobian

    def expanded(self, matrix: Matrix) -> Matrix:
        """``matrix`` with all steps put back in, as one expression of q. For chains of two or three joints."""
        for symbol, expression in reversed(self.steps):
            matrix = matrix.xreplace({symbol: expression})
        return matrix


def serial_program(chain: SerialChain) -> SerialProgram:
    """Derive a chain's pose and geometric Jacobian without expanding a product.

    Column i of the Jacobian is (z x (p_T - o), z) for a turning and (z, 0) for a sliding joint, with z and o the third and fourth
    column of the pose that the joint moves, as in ``chain.py``.
    """
    q = tuple(sympy.Symbol(f"q{i + 1}", real=True) for i in range(chain.n))
    steps: list[tuple[Expression, Expression]] = []

    def named(expression: Expression) -> Expression:
        """A symbol for the expression, unless it is one already or a number."""
        if expression.is_Atom or (-expression).is_Atom:
            return expression
        symbol = sympy.Symbol(f"t{len(steps)}")
        steps.append((symbol, expression))
        return symbol

    X = sympy.eye(4)
    axes, origins = [], []
    for i in range(chain.n):
        X = (X * _exact(chain.poses[i])).applyfunc(named)
        if chain.slides[i]:
            X = (X * sympy.Matrix([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, q[i]], [0, 0, 0, 1]])).applyfunc(named)
        else:
            s, c = named(sympy.sin(q[i])), named(sympy.cos(q[i]))
            X = (X * sympy.Matrix([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])).applyfunc(named)
        axes.append(X[:3, 2])
        origins.append(X[:3, 3])
    X = (X * _exact(chain.poses[chain.n])).applyfunc(named)
    columns = []
    for i in range(chain.n):
        if chain.slides[i]:
            columns.append(sympy.Matrix.vstack(axes[i], sympy.zeros(3, 1)))
        else:
            arm = (X[:3, 3] - origins[i]).applyfunc(named)
            columns.append(sympy.Matrix.vstack(axes[i].cross(arm), axes[i]))
    J = sympy.Matrix.hstack(*columns).applyfunc(named) if columns else sympy.zeros(6, 0)
    return SerialProgram(q=q, steps=tuple(steps), X=X, J=J)


def _exact(X: Floats) -> Matrix:
    """A fixed pose with its zeros and ones exact: a cosine of 6e-17 from a file's pi/2 would keep whole products alive."""
    rounded = np.round(X)
    return sympy.Matrix(
        4, 4, lambda r, c: sympy.Integer(int(rounded[r, c])) if abs(X[r, c] - rounded[r, c]) < 1e-11 else sympy.Float(X[r, c])
    )


# --- rotations --------------------------------------------------------------------------------------------------------------------


def rodrigues() -> tuple[Matrix, Expression, Matrix]:
    """The rotation about a unit axis a = (ax, ay, az) by an angle: ``1 + sin [a]x + (1 - cos) [a]x²``.

    Returns:
        The axis (3, 1), the angle, and the matrix (3, 3). It is the exponential of angle [a]x, because [a]x³ = -[a]x for a unit axis
        folds the series into a sine and a cosine.
    """
    axis, angle = sympy.Matrix(sympy.symbols("ax ay az", real=True)), sympy.Symbol("theta", real=True)
    K = cross_matrix(axis)
    return axis, angle, sympy.eye(3) + sympy.sin(angle) * K + (1 - sympy.cos(angle)) * K * K


def cross_matrix(v: Matrix) -> Matrix:
    """``[v]x`` (3, 3) with ``[v]x w = v x w``."""
    return sympy.Matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def quaternion_rate(*, angular_velocity: str = "world") -> tuple[Matrix, Matrix]:
    """The map from angular velocity to the rate of a unit quaternion, derived from the product of quaternions.

    Args:
        angular_velocity: ``world``, qdot = 1/2 (0, w) q, or ``body``, qdot = 1/2 q (0, w).

    Returns:
        The quaternion (w, x, y, z) as a column, and the matrix (4, 3): the upper left block of ``frames.floating_base_map``.
    """
    quat, omega = sympy.symbols("qw qx qy qz", real=True), sympy.symbols("wx wy wz", real=True)
    pure = (sympy.Integer(0), *omega)
    product = _quaternion_product(pure, quat) if angular_velocity == "world" else _quaternion_product(quat, pure)
    return sympy.Matrix(quat), (sympy.Matrix(product) / 2).jacobian(omega)


def _quaternion_product(a: Sequence[Expression], b: Sequence[Expression]) -> list[Expression]:
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]


def shifted_jacobian() -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """Where ``J_v(P) = J_v(O) - [p_OP]x J_w`` comes from: v_P = v_O + w x p_OP, and a x b = -b x a.

    Returns:
        One column of J_v(O), the same column of J_w, p_OP, and the column of J_v(P), all (3, 1).
    """
    v, w, p = (sympy.Matrix(sympy.symbols(f"{name}x {name}y {name}z", real=True)) for name in ("v", "w", "p"))
    return v, w, p, v + w.cross(p)


def _lambdify(arguments: Sequence[Any], matrix: Matrix) -> Callable[..., Floats]:
    evaluate = sympy.lambdify(arguments, matrix, modules="numpy", cse=True)

    def function(*values: Sequence[float]) -> Floats:
        return np.asarray(evaluate(*values), dtype=float)

    return function
