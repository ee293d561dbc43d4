"""Motions that the tool does not notice: bases of J's null space, the projector onto it, and a posture bias that lives in it."""

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, finite, last_axis
from dexlab_course.errors import ShapeError, explain

# Singular values below this share of the largest count as zero.
RANK_TOLERANCE = 1e-12


def rank(J: Floats) -> int:
    """Number of singular values of J (m, n) that count: above 1e-12 of the largest."""
    return _count(np.linalg.svd(J, compute_uv=False))


def split(J: Floats, V: Floats) -> tuple[Floats, Floats, int]:
    """The shortest joint velocity for a twist, J# V (n,); an orthonormal basis of the null space (n - rank, n); and the rank."""
    U, s, Vt = np.linalg.svd(J)
    r = _count(s)
    return Vt[:r].T @ ((U[:, :r].T @ V) / s[:r]), Vt[r:], r


def _count(s: Floats) -> int:
    return int((s > RANK_TOLERANCE * s.max(initial=0.0)).sum())


def orthonormal_basis(J: ArrayLike) -> Floats:
    """Rows (n - rank, n) of length 1, perpendicular to each other and to every row of J (m, n).

    >>> orthonormal_basis([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).round(12).tolist()
    [[0.0, 0.0, 1.0]]
    """
    J = _matrix(J)
    return np.linalg.svd(J)[2][rank(J) :]


def elimination_basis(J: ArrayLike) -> Floats:
    """Rows (n - rank, n) that span J's null space, from Gaussian elimination with full pivoting; neither unit nor perpendicular.

    Each row moves one of the joints that elimination left free by 1, and the others as they must follow. As linear algebra libraries
    return it; a cost |P v|² with these rows weighs directions otherwise than with an orthonormal basis.

    >>> elimination_basis([[2.0, 1.0]]).tolist()
    [[-0.5, 1.0]]
    """
    J = _matrix(J)
    return eliminate(J, rank(J))


def eliminate(J: Floats, r: int) -> Floats:
    """``elimination_basis`` of a matrix whose rank is known."""
    n = J.shape[1]
    U, order = J.copy(), np.arange(n)
    for i in range(r):
        row, column = divmod(int(np.argmax(np.abs(U[i:, i:]))), n - i)
        U[[i, i + row]] = U[[i + row, i]]
        U[:, [i, i + column]] = U[:, [i + column, i]]
        order[[i, i + column]] = order[[i + column, i]]
        U[i + 1 :] -= np.outer(U[i + 1 :, i] / U[i, i], U[i])
    basis = np.zeros((n - r, n))
    basis[:, order[:r]] = -np.linalg.solve(U[:r, :r], U[:r, r:]).T
    basis[:, order[r:]] = np.eye(n - r)
    return basis


def projector(J: ArrayLike, *, damping: float = 0.0) -> Floats:
    """``N = 1 - J# J``, shape (..., n, n): what is left of a joint velocity when everything that moves the tool is taken out.

    Args:
        J: (..., m, n).
        damping: lambda in ``J# = J^T (J J^T + lambda² 1)^-1``. Zero gives the pseudoinverse, and J N = 0 exactly; with damping the
            tool moves a little, less the smaller lambda is beside J's singular values.

    >>> projector([[1.0, 0.0]]).tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    J = finite("J", J)
    return np.eye(J.shape[-1]) - _inverse(J, damping) @ J


def posture_velocity(J: ArrayLike, V: ArrayLike, q: ArrayLike, q_posture: ArrayLike, *, gain: float, damping: float = 0.0) -> Floats:
    """Joint velocity that follows the twist and lets the rest drift to a posture: ``v = J# V + N gain (q_posture - q)``, (..., n).

    Args:
        J, V: (..., m, n) and (..., m), the same rows of both [m/s, rad/s].
        q, q_posture: (..., n) [rad or m].
        gain: [1/s], how fast the posture is approached where the tool does not mind.
        damping: see ``projector``. Away from singularities 0 is best; near them the pseudoinverse grows without bound.

    Source: Siciliano et al., Robotics (2009), section 3.5.1. No limits: ``differential_ik`` keeps them.
    """
    J, V = finite("J", J), finite("V", V)
    n = J.shape[-1]
    V = last_axis("V", V, J.shape[-2], of="row of J")
    error = last_axis("q_posture", finite("q_posture", q_posture), n, of="joint") - last_axis("q", finite("q", q), n, of="joint")
    inverse = _inverse(J, damping)
    wanted = gain * error
    return np.asarray(wanted + (inverse @ (V - (J @ wanted[..., None])[..., 0])[..., None])[..., 0])


def _inverse(J: Floats, damping: float) -> Floats:
    if damping == 0.0:
        return np.linalg.pinv(J, rcond=RANK_TOLERANCE)
    J_T = np.swapaxes(J, -1, -2)
    return J_T @ np.linalg.inv(J @ J_T + damping**2 * np.eye(J.shape[-2]))


def _matrix(J: ArrayLike) -> Floats:
    J = finite("J", J)
    if J.ndim != 2:
        message = explain("a basis needs one matrix", got=f"shape {J.shape}", expected="(m, n)", remedy="loop over a batch")
        raise ShapeError(message)
    return J
