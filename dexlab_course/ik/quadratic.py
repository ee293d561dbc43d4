"""A small dense quadratic program, solved exactly by a dual active-set method.

Small means a handful of variables and a few dozen constraints, as differential IK has: then each step is one tiny linear system, and
the answer is a vertex or a face, not a point near one.
"""

import numpy as np

from dexlab_course.arrays import Floats

# How far outside a constraint a point may lie and still count as inside, relative to the constraint's size.
_INSIDE = 1e-8


def minimise(H: Floats, c: Floats, G: Floats, h: Floats, *, max_steps: int = 200) -> Floats | None:
    """The x that minimises ``x^T H x / 2 + c^T x`` subject to ``G x <= h``, or None when no x satisfies the constraints.

    The dual method starts at the unconstrained minimum and takes the most violated constraint in, one at a time; multipliers that
    would turn negative on the way put their constraint out again. Nothing has to be feasible at the start, and a violated
    constraint that cannot be taken in proves that there is no solution.

    Args:
        H: (k, k), symmetric positive definite. c: (k,). G: (m, k). h: (m,), infinite where there is no constraint.

    Source: Goldfarb and Idnani, A numerically stable dual method for solving strictly convex quadratic programs (1983).
    """
    H_inverse = np.linalg.inv(H)
    x = -H_inverse @ c
    active: list[int] = []
    multipliers = np.zeros(0)
    if not len(h):
        return x
    size = np.maximum(1.0, np.linalg.norm(G, axis=1)) * _INSIDE
    slack_of = np.where(np.isfinite(h), h, np.inf)
    for _ in range(max_steps):
        violation = G @ x - slack_of - size * np.maximum(1.0, np.abs(x).max(initial=0.0))
        violation[active] = -np.inf
        entering = int(np.argmax(violation))
        if violation[entering] <= 0.0:
            return _polished(H, c, G, h, active, x)
        price = 0.0
        while True:
            normal = G[entering]
            N = G[active]
            # The direction that leaves the active constraints as they are, and what it costs their multipliers.
            through = N @ H_inverse @ N.T
            r = np.linalg.solve(through, N @ H_inverse @ normal) if active else np.zeros(0)
            z = H_inverse @ (normal - N.T @ r)
            curvature = float(z @ normal)
            shrinking = np.flatnonzero(r > 1e-12)
            ratios = multipliers[shrinking] / r[shrinking]
            until_zero = float(ratios.min(initial=np.inf))
            full = float(G[entering] @ x - h[entering]) / curvature if curvature > 1e-13 * float(normal @ H_inverse @ normal) else np.inf
            step = min(until_zero, full)
            if not np.isfinite(step):
                return None
            if np.isfinite(full):
                x = x - step * z
            multipliers = multipliers - step * r
            price += step
            if step == full:
                active.append(entering)
                multipliers = np.append(multipliers, price)
                break
            leaving = int(shrinking[np.argmin(ratios)])
            active.pop(leaving)
            multipliers = np.delete(multipliers, leaving)
    return None


def _polished(H: Floats, c: Floats, G: Floats, h: Floats, active: list[int], x: Floats) -> Floats:
    """The exact minimum on the active constraints, in place of one that was reached in steps."""
    if not active:
        return x
    k, m = len(x), len(active)
    system = np.zeros((k + m, k + m))
    system[:k, :k], system[:k, k:], system[k:, :k] = H, G[active].T, G[active]
    try:
        exact = np.linalg.solve(system, np.concatenate([-c, h[active]]))[:k]
    except np.linalg.LinAlgError:  # two active constraints say the same
        return x
    return exact if np.abs(exact - x).max() < 1e-4 * max(1.0, float(np.abs(x).max())) else x
