"""One step of damped least squares inside joint limits: residual, blocked joints, step. Each is a function that a test can call.

Arrays carry their lanes (independent problems) last: q (n, B), e (6, B), J (n, 6, B), so that one line of NumPy serves all of them.
Everything is expressed in the goal's frame G. The tool then has to reach the identity, and ``mask`` speaks of the goal's own axes.
"""

import numpy as np
from numpy.typing import NDArray

from dexlab_course.arrays import Floats
from dexlab_course.kinematics import SerialChain, frames

# Keeps the 6 x 6 system positive definite in floating point when damping has shrunk with the error; relative to trace(J J^T).
FLOOR = 1e-14
# With a cosine below this the sine is too small to give the axis.
_NEAR_PI = -1.0 + 1e-6


def residual(chain: SerialChain, q: Floats, base: Floats, mask: Floats) -> tuple[Floats, Floats]:
    """How to move the tool onto the goal, and how the joints move it: e (6, B) [m, rad] and J (n, 6, B), rows outside ``mask`` zero.

    With X_GT the tool seen from the goal, e = (-p_GT, -rotvec(R_GT)): to first order, the twist that takes T to G in one second.

    Args:
        q: (n, B) [rad or m].
        base: (4, 3, B), the base seen from each goal, column by column: see ``SerialChain.walk``.
        mask: (6,) of 0 and 1, linear first.
    """
    S, z, o = chain.walk(q, base)
    e, J = np.empty((6, q.shape[1])), np.empty((chain.n, 6, q.shape[1]))
    e[:3], e[3:] = -S[3], -rotation_vectors(S[:3])
    J[:, :3], J[:, 3:] = chain.columns(z, o, S[3])
    return (e, J) if mask.all() else (e * mask[:, None], J * mask[:, None])


def rotation_vectors(R: Floats) -> Floats:
    """Rotation vectors (3, B) [rad] of rotations given by columns, R (3, 3, B) with R[c] the image of axis c.

    Vectorised where the sine of the angle says enough, ``frames.rotvec_from_matrix`` for the few that are near pi.
    """
    v = 0.5 * np.stack([R[1, 2] - R[2, 1], R[2, 0] - R[0, 2], R[0, 1] - R[1, 0]])  # sin(angle) times the axis
    cosine = 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    sine = np.sqrt((v * v).sum(axis=0))
    angle = np.arctan2(sine, cosine)
    rotvec = v * np.divide(angle, sine, out=np.ones_like(sine), where=sine > 1e-9)
    near_pi = np.flatnonzero(cosine < _NEAR_PI)
    if near_pi.size:
        rotvec[:, near_pi] = frames.rotvec_from_matrix(R[..., near_pi].transpose(2, 1, 0)).T
    return np.asarray(rotvec)


def blocked(q: Floats, e: Floats, J: Floats, lower: Floats, upper: Floats) -> NDArray[np.bool_]:
    """Joints at a limit that the error pushes further out, (n, B).

    The push is the gradient J^T e of half the squared error: leaving those joints out is the projected gradient's choice, so a step
    never wastes itself on a motion that clipping would undo.
    """
    push = np.einsum("nrb,rb->nb", J, e)
    return np.asarray(((q <= lower[:, None]) & (push < 0.0)) | ((q >= upper[:, None]) & (push > 0.0)))


def damped_least_squares(J: Floats, e: Floats, damping: Floats) -> Floats:
    """The step J^T (J J^T + lambda 1)^-1 e, (n, B), for lambda (B,): a 6 x 6 system whatever the number of joints.

    lambda gets a floor of 1e-14 trace(J J^T), far below what any step notices.
    """
    H = np.empty((6, 6, e.shape[-1]))
    for r in range(6):  # the lower triangle of J J^T
        np.einsum("nb,ncb->cb", J[:, r], J[:, : r + 1], out=H[r, : r + 1])
    diagonal = np.arange(6)
    H[diagonal, diagonal] += damping + FLOOR * H[diagonal, diagonal].sum(axis=0)
    return np.asarray(np.einsum("nrb,rb->nb", J, solve_symmetric(H, e)))


def solve_symmetric(H: Floats, e: Floats) -> Floats:
    """x with H x = e for a symmetric positive definite H (k, k, B), of which the lower triangle is read, and e (k, B).

    Textbook L D L^T (Golub and Van Loan, section 4.1.2), each entry a row over all lanes: three times as fast as a library that
    factors one small matrix after the other.
    """
    k = len(e)
    scaled: dict[tuple[int, int], Floats] = {}  # L D
    L: dict[tuple[int, int], Floats] = {}
    inverse: dict[int, Floats] = {}  # of D
    x: dict[int, Floats] = {}
    for r in range(k):
        for c in range(r):
            scaled[r, c] = H[r, c] - sum(scaled[r, i] * L[c, i] for i in range(c))
        for c in range(r):
            L[r, c] = scaled[r, c] * inverse[c]
        inverse[r] = 1.0 / (H[r, r] - sum(scaled[r, i] * L[r, i] for i in range(r)))
        x[r] = e[r] - sum(L[r, i] * x[i] for i in range(r))
    for r in reversed(range(k)):
        x[r] = x[r] * inverse[r] - sum(L[i, r] * x[i] for i in range(r + 1, k))
    return np.stack([x[r] for r in range(k)])


def limited_step(q: Floats, e: Floats, J: Floats, cost: Floats, *, damping: float, lower: Floats, upper: Floats) -> Floats:
    """q after one Levenberg-Marquardt step that stays inside the limits, (n, B).

    Chan's damping is lambda = damping * E with E = e^T e / 2: large where the goal is far and the linear model wrong, vanishing near
    the solution, where the step becomes Newton's. It also bounds every step by 1 / sqrt(2 damping).
    Source: Chan and Lawrence, General inverse kinematics with the error damped pseudoinverse (1988).
    """
    J = np.where(blocked(q, e, J, lower, upper)[:, None], 0.0, J)
    step = damped_least_squares(J, e, damping * cost)
    return np.clip(q + step, lower[:, None], upper[:, None])
