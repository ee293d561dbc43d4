"""Differential inverse kinematics: the joint velocity that follows a twist as fast as all limits allow, without leaving its direction.

Clipping joint velocities one by one bends the path of the tool. Here the whole twist is scaled instead:

    maximise   weight * alpha - |P (v - v_posture)|^2
    subject to J v = alpha V,   0 <= alpha <= 1,   lower <= v <= upper,

where the rows of P span J's null space, v_posture = gain (q_posture - q), and the bounds on v collect the velocity, position and
acceleration limits over one period. alpha = 1 is the full speed, alpha = 0 stands still.
"""

import dataclasses
import enum
import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, finite, last_axis
from dexlab_course.errors import InvalidValueError, ShapeError, explain, unknown_name
from dexlab_course.ik.nullspace import eliminate, split
from dexlab_course.ik.quadratic import minimise

Pair = tuple[ArrayLike, ArrayLike]
Basis = Literal["elimination", "orthonormal"]
_BASES = ("elimination", "orthonormal")
# Makes the program strictly convex in alpha. Its weight beside the term that is maximised is a millionth of a millionth.
_CONVEX = 1e-7


class DiffIkStatus(enum.StrEnum):
    """How a step ended."""

    FOUND = "found"
    """v follows the twist, at the speed alpha."""
    STUCK = "stuck"
    """The best alpha is below ``stuck_below``: a limit or a singularity blocks this direction. v is still the best velocity."""
    NONE = "none"
    """No velocity satisfies all limits, not even standing still; v is NaN so that it cannot be used by mistake."""


@dataclasses.dataclass(frozen=True, eq=False)
class DiffIkResult:
    """The answer to one twist, or to a batch of them (then every field has the batch's shape).

    Attributes:
        v: (..., n) joint velocity [rad/s or m/s]; NaN when the status is ``none``.
        alpha: achieved share of the twist, 0 to 1; 0 when the status is ``none``.
        status: a ``DiffIkStatus``, or an object array of them.
    """

    v: Floats
    alpha: Any
    status: Any


def differential_ik(
    J: ArrayLike,
    V: ArrayLike,
    q: ArrayLike,
    *,
    dt: float,
    position_limits: Pair | None,
    velocity_limits: Pair | None,
    acceleration_limits: Pair | None = None,
    v: ArrayLike | None = None,
    q_posture: ArrayLike | None = None,
    posture_gain: float = 0.0,
    weight: float = 100.0,
    basis: Basis = "elimination",
    stuck_below: float = 0.01,
) -> DiffIkResult:
    """The joint velocity for the next period, from the Jacobian and the wanted twist.

    Args:
        J: (..., m, n), the rows of the Jacobian that are to be followed: all six, or for example the three linear ones.
        V: (..., m), the wanted twist, in the rows' frame and order [m/s, rad/s].
        q: (..., n), positions now [rad or m].
        dt: the control period [s]; the next position is q + v dt, so that dt is part of the problem.
        position_limits, velocity_limits, acceleration_limits: pairs (lower, upper) of (n,) or numbers, in [rad or m] and its
            derivatives; None for no limit. They hold for q + v dt, for v, and for (v - now) / dt.
        v: (..., n), velocities now [rad/s or m/s]; needed with acceleration limits.
        q_posture: (..., n), where joints that the twist leaves free should drift [rad or m]; without it they stand still.
        posture_gain: how fast, v_posture = gain (q_posture - q) [1/s].
        weight: what full speed is worth against the posture term.
        basis: which rows P has, see ``nullspace``. Where limits force a choice between speed and posture, or between two free
            directions, the answer depends on it: ``elimination`` agrees with the engine that has this program, ``orthonormal``
            measures the free motion itself, whatever the order of the joints.
        stuck_below: an alpha below this is reported as ``stuck``.

    Returns:
        A ``DiffIkResult``. Impossible limits are the status ``none``, not an exception.

    Raises:
        ShapeError: shapes that do not fit together.
        InvalidValueError: numbers that are not finite, dt or weight not positive, acceleration limits without v.
        UnknownNameError: another basis.

    Source: the quadratic program of constrained differential inverse kinematics, with the direction kept by the scale alpha.
    """
    J, V, q = finite("J", J), np.atleast_1d(finite("V", V)), np.atleast_1d(finite("q", q))
    if J.ndim < 2 or V.shape[-1] != J.shape[-2]:
        message = explain(
            "J and V do not fit",
            got=f"J {J.shape}, V {V.shape}",
            expected="(..., m, n) and (..., m)",
            remedy="take the same rows out of the Jacobian and the twist",
        )
        raise ShapeError(message)
    n = J.shape[-1]
    q = last_axis("q", q, n, of="column of J")
    for name, value in (("dt", dt), ("weight", weight)):
        if not 0.0 < value < math.inf:
            message = explain(
                f"{name} cannot be used", got=value, expected="a positive number", remedy="dt is the control period in seconds"
            )
            raise InvalidValueError(message)
    if basis not in _BASES:
        raise unknown_name("basis", basis, _BASES)
    now = None if v is None else last_axis("v", finite("v", v), n, of="column of J")
    posture: Floats = np.zeros(n)
    if q_posture is not None:
        posture = finite("posture_gain", posture_gain) * (last_axis("q_posture", finite("q_posture", q_posture), n, of="column of J") - q)
    lower, upper = _bounds(q, now, dt, position_limits, velocity_limits, acceleration_limits)

    batch = np.broadcast_shapes(J.shape[:-2], V.shape[:-1], lower.shape[:-1], upper.shape[:-1], posture.shape[:-1])
    size = math.prod(batch)
    J = np.broadcast_to(J, (*batch, *J.shape[-2:])).reshape(size, *J.shape[-2:])
    V = np.broadcast_to(V, (*batch, V.shape[-1])).reshape(size, V.shape[-1])
    lower, upper, posture = (np.broadcast_to(x, (*batch, n)).reshape(size, n) for x in (lower, upper, posture))
    velocities, alphas = np.full((size, n), np.nan), np.zeros(size)
    status = np.full(size, DiffIkStatus.NONE, dtype=object)
    for i in range(size):
        answer = _follow(J[i], V[i], lower[i], upper[i], posture[i], weight, basis)
        if answer is not None:
            velocities[i], alphas[i] = answer
            status[i] = DiffIkStatus.STUCK if alphas[i] < stuck_below else DiffIkStatus.FOUND
    if not batch:
        return DiffIkResult(velocities[0], float(alphas[0]), status[0])
    return DiffIkResult(velocities.reshape(*batch, n), alphas.reshape(batch), status.reshape(batch))


def _follow(
    J: Floats, V: Floats, lower: Floats, upper: Floats, posture: Floats, weight: float, basis: Basis
) -> tuple[Floats, float] | None:
    """v and alpha for one twist, or None when nothing satisfies the bounds.

    J v = alpha V leaves v = alpha along + free^T w, with ``along`` the shortest velocity for V and the rows of ``free`` a basis of the
    null space, so the program has only alpha and w as variables.
    """
    if (lower > upper).any():
        return None
    along, free, rank = split(J, V)
    size = max(1e-300, float(np.abs(V).max(initial=0.0)))
    followable = float(np.abs((J @ along - V) / size).max(initial=0.0)) <= 1e-9
    P = eliminate(J, rank) if basis == "elimination" else free
    k = 1 + len(free)
    cost = P @ free.T
    H = np.zeros((k, k))
    H[0, 0] = 2.0 * _CONVEX * weight
    H[1:, 1:] = 2.0 * cost.T @ cost
    c = np.concatenate([[-weight], -2.0 * (cost.T @ (P @ posture))])
    v_of = np.concatenate([along[:, None], free.T], axis=1)  # v = v_of (alpha, w)
    alpha_of = np.eye(1, k)
    G = np.concatenate([v_of, -v_of, alpha_of, -alpha_of])
    h = np.concatenate([upper, -lower, [1.0 if followable else 0.0], [0.0]])
    x = minimise(H, c, G, h)
    if x is not None:
        v, alpha = np.clip(v_of @ x, lower, upper), min(max(float(x[0]), 0.0), 1.0)
        # Where the limits lie many orders of magnitude below the twist, alpha is of the size of rounding and the direction is lost.
        astray = float(np.abs(J @ v - alpha * V).max(initial=0.0))
        if not followable or astray <= 1e-4 * alpha * size or (size <= 1e-3 and astray <= 1e-8):
            return v, alpha
    # Standing still keeps any direction.
    return (np.zeros(len(lower)), 0.0) if (lower <= 0.0).all() and (upper >= 0.0).all() else None


def _bounds(
    q: Floats, now: Floats | None, dt: float, position: Pair | None, velocity: Pair | None, acceleration: Pair | None
) -> tuple[Floats, Floats]:
    """The bounds on v that all limits together leave, (..., n) both; crossed where they contradict each other."""
    n = q.shape[-1]
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    if velocity is not None:
        lower, upper = _pair("velocity_limits", velocity, n)
    if position is not None:
        low, high = _pair("position_limits", position, n)
        lower, upper = np.maximum(lower, (low - q) / dt), np.minimum(upper, (high - q) / dt)
    if acceleration is not None:
        if now is None:
            message = explain(
                "acceleration limits need the velocity now", got="v=None", expected="v of shape (..., n)", remedy="pass the measured v"
            )
            raise InvalidValueError(message)
        low, high = _pair("acceleration_limits", acceleration, n)
        lower, upper = np.maximum(lower, now + low * dt), np.minimum(upper, now + high * dt)
    return lower, upper


def _pair(name: str, limits: Pair, n: int) -> tuple[Floats, Floats]:
    ends = tuple(limits) if isinstance(limits, (tuple, list)) or getattr(limits, "ndim", 0) == 2 else ()
    if len(ends) != 2:
        message = explain(
            f"{name} is not a pair", got=f"{limits!r:.80}", expected="(lower, upper)", remedy="write (-x, x) for a symmetric limit"
        )
        raise ShapeError(message)
    lower, upper = (np.asarray(end, dtype=float) for end in ends)
    if lower.shape not in ((), (n,)) or upper.shape not in ((), (n,)):
        message = explain(
            f"{name} do not fit the chain",
            got=f"{lower.shape} and {upper.shape}",
            expected=f"numbers or ({n},) each",
            remedy="one entry a joint",
        )
        raise ShapeError(message)
    nowhere = (lower > upper) | (lower == np.inf) | (upper == -np.inf)
    if np.isnan(lower).any() or np.isnan(upper).any() or nowhere.any():
        message = explain(
            f"{name} cannot be used",
            got=f"{lower} to {upper}",
            expected="lower <= upper with numbers between them, no NaN",
            remedy="(-infinity, infinity) means no limit",
        )
        raise InvalidValueError(message)
    return np.broadcast_to(lower, (n,)), np.broadcast_to(upper, (n,))
