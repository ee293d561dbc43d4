"""One damped least-squares step with everything on the table: what each singular direction wants, gets and costs."""

import dataclasses

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, finite, last_axis, non_negative
from dexlab_course.errors import ShapeError, explain


@dataclasses.dataclass(frozen=True, eq=False)
class DampedStep:
    """The step ``dq = J^T (J J^T + lambda² 1)^-1 e``, which minimises ``|J dq - e|² + lambda² |dq|²``, and how it came about.

    With J = U S V^T the step is a sum over singular directions i: the error's share u_i · e is answered by moving the joints along
    v_i, by ``gains[i]`` = s_i / (s_i² + lambda²) times that share. Without damping the gain is 1 / s_i and explodes at a
    singularity; with damping it never exceeds 1 / (2 lambda).

    Attributes:
        J: (m, n). e: (m,), the error that the step is to remove. damping: lambda.
        normal: (m, m), J J^T + lambda² 1.
        U, s, Vt: the singular value decomposition of J, r = min(m, n) directions: (m, r), (r,), (r, n).
        shares: (r,), the error along each u_i.
        gains: (r,), s_i / (s_i² + lambda²).
        dq: (n,), the step.
        predicted: (m,), the error that is left if the linear model were true, e - J dq.
        condition: largest over smallest singular value, infinite at a singularity.
    """

    J: Floats
    e: Floats
    damping: float
    normal: Floats
    U: Floats
    s: Floats
    Vt: Floats
    shares: Floats
    gains: Floats
    dq: Floats
    predicted: Floats
    condition: float


def damped_step(J: ArrayLike, e: ArrayLike, *, damping: float = 0.1) -> DampedStep:
    """The damped step for a Jacobian and an error, with its intermediates.

    Args:
        J: (m, n), for example ``chain.jacobian(q)`` or some of its rows.
        e: (m,), in the same rows, for example ``frames.pose_error(chain.fk(q), X_WT)`` [m, rad].
        damping: lambda, in the unit of the singular values; 0 is the pseudoinverse step, directions with s = 0 left out.

    Raises:
        ShapeError: shapes that do not fit. InvalidValueError: numbers that are not finite, a negative damping.

    >>> step = damped_step([[2.0, 0.0], [0.0, 0.0]], [1.0, 1.0], damping=1.0)
    >>> step.dq.round(12).tolist(), step.predicted.round(12).tolist()  # nothing moves the second row
    ([0.4, 0.0], [0.2, 1.0])

    Source: Wampler, Manipulator inverse kinematic solutions based on vector formulations and damped least-squares methods (1986).
    """
    J, e = finite("J", J), finite("e", e)
    if J.ndim != 2 or e.ndim != 1:
        message = explain(
            "one step is for one problem", got=f"J {J.shape}, e {e.shape}", expected="(m, n) and (m,)", remedy="loop over a batch"
        )
        raise ShapeError(message)
    e = last_axis("e", e, J.shape[0], of="row of J")
    damping = float(non_negative("damping", damping))
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    counts = s > 1e-12 * s.max(initial=0.0)
    gains = np.divide(s, s * s + damping**2, out=np.zeros_like(s), where=counts | (damping > 0.0))
    shares = U.T @ e
    dq = Vt.T @ (gains * shares)
    return DampedStep(
        J=J,
        e=e,
        damping=damping,
        normal=J @ J.T + damping**2 * np.eye(len(e)),
        U=U,
        s=s,
        Vt=Vt,
        shares=shares,
        gains=gains,
        dq=dq,
        predicted=e - J @ dq,
        condition=float(s[0] / s[-1]) if s.size and counts[-1] else float("inf"),
    )
