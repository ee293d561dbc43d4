"""The four pieces of arithmetic that every joint controller of this course is made of.

The formulas take numbers, arrays (broadcast over leading dimensions) and sympy expressions alike, so that a derivation on
paper, the reference in a test and the law in a control loop are one line of code.
"""

from typing import Literal

import numpy as np

from dexlab_course.arrays import Floats, Operand, as_floats, finite, is_symbolic, non_negative


def pd(q: Operand, v: Operand, q_des: Operand, v_des: Operand, kp: Operand, kd: Operand, feedforward: Operand = 0.0) -> Operand:
    """Proportional-derivative law ``kp (q_des - q) + kd (v_des - v) + feedforward``, not limited.

    Args:
        q, v: position [rad or m] and velocity [rad/s or m/s], shape (..., n).
        q_des, v_des: their targets, same units.
        kp: stiffness [N·m/rad or N/m], finite.
        kd: damping [N·m·s/rad or N·s/m], finite. It multiplies a velocity error, never a difference divided by a period.
        feedforward: generalized force that is simply added [N·m or N].

    Returns:
        Generalized force [N·m or N], broadcast shape of the arguments.

    Raises:
        InvalidValueError: a gain is NaN or infinite.

    >>> float(pd(q=1.0, v=0.0, q_des=0.0, v_des=0.0, kp=8.0, kd=0.0, feedforward=10.0))
    2.0
    """
    if is_symbolic(q, v, q_des, v_des, kp, kd, feedforward):
        return kp * (q_des - q) + kd * (v_des - v) + feedforward
    kp, kd = finite("kp", kp), finite("kd", kd)
    q, v, q_des, v_des, feedforward = map(np.asarray, (q, v, q_des, v_des, feedforward))
    return kp * (q_des - q) + kd * (v_des - v) + feedforward


def affine_actuator(
    x: Operand, v: Operand, x_des: Operand, v_des: Operand, gain: Operand, bias: tuple[Operand, Operand, Operand]
) -> Operand:
    """Affine actuator ``gain (x_des - x) + b0 + (gain + b1) x + b2 (v - v_des)``, not limited.

    With ``bias = (0, -gain, -kd)`` it is the PD law with ``kp = gain``. The factored form is kept on purpose: in single precision
    ``gain x_des + b1 x`` subtracts two large numbers and loses digits.

    Args:
        x, v: position [rad or m] and velocity [rad/s or m/s], shape (..., n).
        x_des, v_des: their targets.
        gain: actuator gain g [N·m/rad or N/m].
        bias: (b0 [N·m or N], b1 [N·m/rad or N/m], b2 [N·m·s/rad or N·s/m]).

    Returns:
        Generalized force [N·m or N].

    >>> round(float(affine_actuator(x=0.3, v=0.7, x_des=0.5, v_des=0.2, gain=40.0, bias=(1.5, -30.0, -2.0))), 12)
    11.5
    """
    b0, b1, b2 = bias
    if not is_symbolic(x, v, x_des, v_des, gain, b0, b1, b2):
        gain, b0, b1, b2 = finite("gain", gain), finite("b0", b0), finite("b1", b1), finite("b2", b2)
        x, v, x_des, v_des = map(np.asarray, (x, v, x_des, v_des))
    return gain * (x_des - x) + b0 + (gain + b1) * x + b2 * (v - v_des)


def deadband(e: Operand, width: Operand) -> Floats:
    """Shrink an error by ``width``: ``sign(e) max(0, |e| - width)``; inside the band it is exactly zero.

    Args:
        e: error [rad or m], shape (..., n).
        width: half width of the band [same unit], >= 0.

    Raises:
        InvalidValueError: ``width`` is negative or not finite.

    >>> deadband([0.1, -0.5], 0.2).tolist()
    [0.0, -0.3]
    """
    width = non_negative("deadband width", width)
    e = as_floats("e", e)
    return np.asarray(e - np.clip(e, -width, width))  # the same number as sign(e) max(0, |e| - width), in fewer passes


def saturate(u: Operand, limit: Operand, *, negative: Literal["error", "unlimited"] = "error") -> Floats:
    """Clip every entry of ``u`` to ``[-limit, +limit]``.

    Args:
        u: generalized force [N·m or N], shape (..., n).
        limit: largest magnitude [same unit]; infinity means no limit, zero means no drive.
        negative: what a negative limit means: an ``"error"``, or ``"unlimited"`` as some engines define it.

    Raises:
        InvalidValueError: a limit is NaN, or negative where that is an error.

    >>> saturate(7.0, 3.0).tolist(), saturate(7.0, -1.0, negative="unlimited").tolist()
    (3.0, 7.0)
    """
    limit = as_floats("limit", limit)
    if negative == "unlimited":
        limit = np.where(limit < 0, np.inf, limit)
    limit = non_negative("limit", limit, allow_infinite=True)
    return np.clip(as_floats("u", u), 0.0 - limit, limit)  # 0.0 - limit: no negative zero
