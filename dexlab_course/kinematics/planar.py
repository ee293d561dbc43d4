"""The planar two-link arm in closed form: positions, both elbow branches, Jacobian, and its equations of motion.

Joint angles q = (q1, q2) [rad]: q1 from the x axis to the first link, q2 from the first link to the second. Gravity, where there is
any, points along -y. All functions are vectorised over leading dimensions and also take sympy symbols, so that the formula in a
derivation and the number in a test come from one line.
"""

import dataclasses
from typing import Any

import numpy as np

from dexlab_course.arrays import Floats, Operand, as_floats, is_symbolic, last_axis
from dexlab_course.errors import InvalidValueError, explain

# How far outside the ring of reachable points a goal may lie before it counts as unreachable, relative to the reach: rounding only.
_EDGE = 1e-12


@dataclasses.dataclass(frozen=True)
class TwoLinkArm:
    """Two links in a plane, each with a point where its mass sits and a moment of inertia about that point.

    Attributes:
        l1, l2: link lengths [m].
        lc1, lc2: distance of each centre of mass from its own joint, along the link [m].
        m1, m2: masses [kg].
        I1, I2: moments of inertia about the centres of mass [kg·m²]; zero is a point mass, m l²/12 a slender rod.
        g: gravity along -y [m/s²]; zero for an arm that lies flat.

    The defaults are the arm of the textbook numbers: 1 m links of 1 kg, masses in the middle.
    """

    l1: Operand = 1.0
    l2: Operand = 1.0
    lc1: Operand = 0.5
    lc2: Operand = 0.5
    m1: Operand = 1.0
    m2: Operand = 1.0
    I1: Operand = 0.0
    I2: Operand = 0.0
    g: Operand = 9.81

    # --- geometry -----------------------------------------------------------------------------------------------------------------

    def fk(self, q: Operand) -> Operand:
        """Position of the tip p_WT [m], shape (..., 2), for angles (..., 2) [rad].

        >>> TwoLinkArm().fk([0.3, 0.2]).round(10).tolist()
        [1.832919051, 0.7749457453]
        """
        q1, q2 = _pair("q", q)
        (s1, c1), (s12, c12) = _sin_cos(q1), _sin_cos(q1 + q2)
        return _stack([self.l1 * c1 + self.l2 * c12, self.l1 * s1 + self.l2 * s12])

    def jacobian(self, q: Operand) -> Operand:
        """``J`` with ``pdot = J qdot`` [m/rad], shape (..., 2, 2), the derivative of ``fk``."""
        q1, q2 = _pair("q", q)
        (s1, c1), (s12, c12) = _sin_cos(q1), _sin_cos(q1 + q2)
        second = [-self.l2 * s12, self.l2 * c12]
        return _matrix([[second[0] - self.l1 * s1, second[0]], [second[1] + self.l1 * c1, second[1]]])

    def singularity(self, q: Operand) -> Operand:
        """``det J = l1 l2 sin q2`` [m²], shape (...). Zero where the arm is stretched or folded and cannot move along itself.

        >>> float(TwoLinkArm().singularity([0.4, 0.0]))
        0.0
        """
        _, q2 = _pair("q", q)
        return self.l1 * self.l2 * _sin_cos(q2)[0]

    def reachable(self, p: Operand) -> Any:
        """True where a point (..., 2) [m] lies in the ring between |l1 - l2| and l1 + l2."""
        x, y = _pair("p", p)
        distance = np.hypot(x, y)
        slack = _EDGE * (self.l1 + self.l2)
        return (distance <= self.l1 + self.l2 + slack) & (distance >= abs(self.l1 - self.l2) - slack)

    def ik(self, p: Operand, *, elbow: int = 1) -> Floats:
        """Angles (..., 2) [rad] that put the tip at p (..., 2) [m], in (-pi, pi].

        By the law of cosines, cos q2 = (x² + y² - l1² - l2²) / (2 l1 l2); the sign of q2 is the choice of the elbow, and
        q1 = atan2(y, x) - atan2(l2 sin q2, l1 + l2 cos q2).

        Args:
            elbow: +1 for the branch with q2 >= 0, -1 for the branch with q2 <= 0.

        Raises:
            InvalidValueError: a point out of reach (see ``reachable``), not finite, or ``elbow`` is neither +1 nor -1.

        >>> TwoLinkArm().ik([-1.0, -0.5], elbow=-1).round(6).tolist()
        [-1.700348, -1.955193]
        """
        if elbow not in (1, -1):
            message = explain("elbow is a sign", got=elbow, expected="+1 or -1", remedy="+1 is the branch with q2 >= 0")
            raise InvalidValueError(message)
        x, y = _pair("p", as_floats("p", p))
        outside = ~np.asarray(self.reachable(p))  # NaN is outside too
        if outside.any():
            got = f"distance {np.hypot(x, y)[outside].flat[0]:.6g} m"
            message = explain(
                "the point is out of reach",
                got=got,
                expected=f"{abs(self.l1 - self.l2):g} to {self.l1 + self.l2:g} m from the shoulder",
                remedy="move the goal into the ring, or test it with reachable() first",
            )
            raise InvalidValueError(message)
        cosine = np.clip((x * x + y * y - self.l1**2 - self.l2**2) / (2 * self.l1 * self.l2), -1.0, 1.0)
        q2 = elbow * np.arccos(cosine)
        q1 = np.arctan2(y, x) - np.arctan2(self.l2 * np.sin(q2), self.l1 + self.l2 * cosine)
        return np.stack([np.pi - (np.pi - q1) % (2 * np.pi), q2], axis=-1)

    # --- motion -------------------------------------------------------------------------------------------------------------------

    def mass_matrix(self, q: Operand) -> Operand:
        """Joint-space mass matrix M(q) [kg·m²], shape (..., 2, 2): from the kinetic energy 1/2 qdot^T M qdot. Only q2 matters."""
        _, q2 = _pair("q", q)
        h = self.m2 * self.l1 * self.lc2 * _sin_cos(q2)[1]
        outer = self.I2 + self.m2 * self.lc2**2 + 0 * q2
        inner = self.I1 + self.m1 * self.lc1**2 + self.m2 * self.l1**2 + outer + 2 * h
        return _matrix([[inner, outer + h], [outer + h, outer]])

    def bias(self, q: Operand, v: Operand) -> Operand:
        """Coriolis and centrifugal torque C(q, v) v [N·m], shape (..., 2): what the motors need to keep a constant v, without gravity.

        >>> TwoLinkArm().bias([0.0, np.pi / 2], [1.0, 1.0]).tolist()
        [-1.5, 0.5]
        """
        _, q2 = _pair("q", q)
        v1, v2 = _pair("v", v)
        h = self.m2 * self.l1 * self.lc2 * _sin_cos(q2)[0]
        return _stack([-h * v2 * (2 * v1 + v2), h * v1 * v1])

    def gravity(self, q: Operand) -> Operand:
        """Torque that holds the arm against gravity [N·m], shape (..., 2): the gradient of the potential energy.

        >>> TwoLinkArm().gravity([0.0, 0.0]).round(6).tolist()
        [19.62, 4.905]
        """
        q1, q2 = _pair("q", q)
        c1, c12 = _sin_cos(q1)[1], _sin_cos(q1 + q2)[1]
        second = self.m2 * self.g * self.lc2 * c12
        return _stack([(self.m1 * self.lc1 + self.m2 * self.l1) * self.g * c1 + second, second])

    def inverse_dynamics(self, q: Operand, v: Operand, a: Operand) -> Operand:
        """Torque M(q) a + C(q, v) v + g(q) [N·m], shape (..., 2), that produces the acceleration a [rad/s²]."""
        a1, a2 = _pair("a", a)
        M = self.mass_matrix(q)
        inertial = _stack([M[..., 0, 0] * a1 + M[..., 0, 1] * a2, M[..., 1, 0] * a1 + M[..., 1, 1] * a2])
        return inertial + self.bias(q, v) + self.gravity(q)

    def forward_dynamics(self, q: Operand, v: Operand, torque: Operand) -> Floats:
        """Acceleration [rad/s²], shape (..., 2), under a joint torque (..., 2) [N·m]: solves ``inverse_dynamics`` for a."""
        rest = as_floats("torque", torque) - self.bias(q, v) - self.gravity(q)
        M = np.broadcast_to(self.mass_matrix(q), (*rest.shape, 2))
        return np.linalg.solve(M, rest[..., None])[..., 0]


def _pair(name: str, value: Operand) -> tuple[Operand, Operand]:
    """The two entries along the last axis, as floats or as sympy expressions."""
    array = np.asarray(value)
    if is_symbolic(array) or is_symbolic(*array.flat[:2]):
        return array[..., 0], array[..., 1]
    floats = last_axis(name, as_floats(name, value), 2, of="joint")
    return floats[..., 0], floats[..., 1]


def _sin_cos(angle: Operand) -> tuple[Operand, Operand]:
    if is_symbolic(angle):
        import sympy

        if isinstance(angle, np.ndarray):
            return np.vectorize(sympy.sin, otypes=[object])(angle), np.vectorize(sympy.cos, otypes=[object])(angle)
        return sympy.sin(angle), sympy.cos(angle)
    return np.sin(angle), np.cos(angle)


def _stack(entries: list[Operand]) -> Operand:
    return np.stack(np.broadcast_arrays(*entries), axis=-1)


def _matrix(rows: list[list[Operand]]) -> Operand:
    return _stack([_stack(list(column)) for column in zip(*rows, strict=True)])
