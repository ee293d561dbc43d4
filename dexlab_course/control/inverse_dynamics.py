"""Terms that use a model of the arm: cancel gravity, or cancel all of its dynamics and command an acceleration."""

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, Operand, as_floats, finite, frozen, is_symbolic, last_axis
from dexlab_course.errors import ShapeError, explain


def inverse_dynamics(M: Operand, bias: Operand, gravity: Operand, acceleration: Operand) -> Operand:
    """Generalized force that gives an arm the acceleration a: ``M a + bias + gravity``.

    The equation of motion is M(q) v̇ + bias(q, v) + gravity(q) = u, so ``bias`` are the Coriolis and centrifugal terms and ``gravity``
    is the effort that *holds* the arm (the gradient of its potential energy), not the force that pulls at it. Anything else the
    model does to itself, a spring or a viscous joint, is a further term with its own sign.

    Args:
        M: mass matrix, shape (..., n, n) [kg·m² for revolute joints, kg for prismatic].
        bias: shape (..., n) [N·m or N].
        gravity: shape (..., n) [N·m or N].
        acceleration: shape (..., n) [rad/s² or m/s²].

    Returns:
        Shape (..., n) [N·m or N], not limited: a model term is no proof that the actuator can give it.

    Raises:
        ShapeError: the four do not belong together.
        InvalidValueError: something is not finite.

    >>> inverse_dynamics([[2.5, 0.75], [0.75, 0.25]], bias=[0.0, 0.0], gravity=[19.62, 4.905], acceleration=[0.0, 0.0]).tolist()
    [19.62, 4.905]
    """
    if is_symbolic(M, bias, gravity, acceleration):
        return M @ acceleration + bias + gravity
    M, a = finite("M", M), finite("acceleration", acceleration)
    bias, gravity = finite("bias", bias), finite("gravity", gravity)
    try:
        return np.asarray((M @ a[..., None])[..., 0] + bias + gravity)
    except (ValueError, IndexError) as error:
        message = explain(
            "the terms do not belong to one arm",
            got=f"M {M.shape}, bias {bias.shape}, gravity {gravity.shape}, acceleration {a.shape}",
            expected="(..., n, n) and three times (..., n)",
            remedy="evaluate all of them at the same q and v",
        )
        raise ShapeError(message) from error


def commanded_acceleration(
    q: ArrayLike, v: ArrayLike, q_des: ArrayLike, v_des: ArrayLike, a_des: ArrayLike, *, kp: ArrayLike, kd: ArrayLike
) -> Floats:
    """``a_des + kp (q_des - q) + kd (v_des - v)``: what to feed into ``inverse_dynamics``, shape (..., n) [rad/s² or m/s²].

    With a right model the error then obeys ë + kd ė + kp e = 0 in every configuration, so ``kp`` is the square of a frequency and
    ``kd = 2 sqrt(kp)`` is critical damping. These are not the gains of a PD on forces.

    Args:
        q, v: measured position [rad or m] and velocity [rad/s or m/s], shape (..., n).
        q_des, v_des, a_des: wanted position, velocity and acceleration, likewise.
        kp: [1/s²], a number or shape (n,).
        kd: [1/s], likewise.

    Raises:
        ShapeError: lengths differ.
        InvalidValueError: something is not finite.

    >>> commanded_acceleration([0.0], [0.0], [0.1], [0.0], [0.0], kp=100.0, kd=20.0).tolist()
    [10.0]
    """
    given = {"q": q, "v": v, "q_des": q_des, "v_des": v_des, "a_des": a_des}
    n = as_floats("q", q).shape[-1:] or (1,)
    q, v, q_des, v_des, a_des = (last_axis(name, finite(name, value), n[0], of="joint") for name, value in given.items())
    return np.asarray(a_des + finite("kp", kp) * (q_des - q) + finite("kd", kd) * (v_des - v))


class ArmModel(Protocol):
    """What a controller must know of an arm; ``kinematics.TwoLinkArm`` knows it in closed form."""

    def mass_matrix(self, q: Operand) -> Operand:
        """M(q), shape (..., n, n)."""

    def bias(self, q: Operand, v: Operand) -> Operand:
        """Coriolis and centrifugal terms, shape (..., n)."""

    def gravity(self, q: Operand) -> Operand:
        """The effort that holds the arm, shape (..., n)."""


class InverseDynamicsPd:
    """``u = M(q) (a_des + kp (q_des - q) + kd (v_des - v)) + bias(q, v) + gravity(q)``.

    Args:
        model: of the arm; where it is wrong, what it should have cancelled stays.
        kp: [1/s²], a number or shape (n,).
        kd: [1/s], likewise.

    Raises:
        InvalidValueError: a gain is not finite.
    """

    def __init__(self, model: ArmModel, *, kp: ArrayLike, kd: ArrayLike) -> None:
        self.model, self.kp, self.kd = model, frozen(finite("kp", kp)), frozen(finite("kd", kd))

    def compute(self, q: ArrayLike, v: ArrayLike, q_des: ArrayLike, v_des: ArrayLike, a_des: ArrayLike) -> Floats:
        """The generalized force, shape (..., n) [N·m or N], not limited; arguments as for ``commanded_acceleration``."""
        a = commanded_acceleration(q, v, q_des, v_des, a_des, kp=self.kp, kd=self.kd)
        model = self.model
        return np.asarray(inverse_dynamics(model.mass_matrix(q), model.bias(q, v), model.gravity(q), a))
