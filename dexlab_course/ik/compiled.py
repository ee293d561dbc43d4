"""Inverse kinematics compiled with numba: the algorithm of ``solve.py``, laid out for speed. A reader may skip this file.

Sixteen starts go side by side ("lanes"), each on its own goal. All lanes take their step together, in vector instructions; then each
lane decides alone whether its start has arrived, has failed and begins anew, or leaves its place to the next goal. A lane sees
nothing of its neighbours, so the answer to a goal does not depend on what else is in the batch. One goal a call uses the same code
with one lane.

The base pose is expressed in the goal's frame G before the first step. Then the tool has to reach the identity, and neither the
error nor the Jacobian needs another rotation.
"""

# The types are numba's, in the signature at the end.
# mypy: allow-untyped-defs, allow-untyped-calls

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dexlab_course.ik import compiled_scalar, starts
from dexlab_course.ik.compiled_scalar import is_pose, measure, nearest, rotation_vector, uniform
from dexlab_course.ik.starts import CHOICES
from dexlab_course.kinematics import compiled as kinematics
from dexlab_course.kinematics import jit
from dexlab_course.kinematics.compiled import walk
from dexlab_course.kinematics.jit import inlined

# Polynomial in z = t^2 for (atan t / t - 1) / z on |t| <= tan(pi/8), fitted with mpmath's Chebyshev fit; error of atan t / t below 2e-16.
_A1, _A2, _A3, _A4, _A5 = -0.3333333333333324, 0.1999999999989756, -0.1428571426595293, 0.11111109627206857, -0.09090852255728335
_A6, _A7, _A8, _A9, _A10 = 0.0769104971487617, -0.06649556219483789, 0.057359799104905136, -0.04482174587127949, 0.022734660289432312
# Below this value of (1 + cos angle) / 2 the sine is too small to give the axis; it is taken from the symmetric part instead.
_NEAR_PI = 1e-3

# The same numbers as in solve.py and step.py; a test compares.
_HALVING, _FLOOR, _PATIENCE, _MORE_PATIENCE_EVERY, _LAST_PATIENCE = 0.5, 1e-14, 3, 10, 10
_SOLVED, _STALLED, _MAX_ITERATIONS, _OUT_OF_REACH, _INVALID_GOAL = 0.0, 1.0, 2.0, 3.0, 4.0


@inlined
def _residual(S, mask, e, E, lanes):
    """e (6, lanes): how to move the tool onto the goal, in G; E (3, lanes): squared position and rotation error, (1 + cos angle)/2."""
    m0, m1, m2, m3, m4, m5 = mask[0], mask[1], mask[2], mask[3], mask[4], mask[5]
    for lane in range(lanes):
        v0, v1, v2 = 0.5 * (S[7, lane] - S[5, lane]), 0.5 * (S[2, lane] - S[6, lane]), 0.5 * (S[3, lane] - S[1, lane])
        half = 0.25 * (1.0 + S[0, lane] + S[4, lane] + S[8, lane])
        E[2, lane] = half
        # |v| = sin angle. The angle comes from tan(angle/8), by halving tan(angle/2) = sin / (1 + cos) twice; v times angle/sin
        # is formed without dividing by the sine.
        g0 = 0.5 / max(half, _NEAR_PI)
        t = (v0 * v0 + v1 * v1 + v2 * v2) * g0 * g0
        g1 = 1.0 / (1.0 + math.sqrt(1.0 + t))
        t *= g1 * g1
        g2 = 1.0 / (1.0 + math.sqrt(1.0 + t))
        z = t * g2 * g2
        high = _A6 + z * (_A7 + z * (_A8 + z * (_A9 + z * _A10)))
        f = 8.0 * g0 * g1 * g2 * (1.0 + z * (_A1 + z * (_A2 + z * (_A3 + z * (_A4 + z * (_A5 + z * high))))))
        e0, e1, e2 = -m0 * S[9, lane], -m1 * S[10, lane], -m2 * S[11, lane]
        e3, e4, e5 = m3 * f * v0, m4 * f * v1, m5 * f * v2
        e[0, lane], e[1, lane], e[2, lane], e[3, lane], e[4, lane], e[5, lane] = e0, e1, e2, e3, e4, e5
        E[0, lane] = e0 * e0 + e1 * e1 + e2 * e2
        E[1, lane] = e3 * e3 + e4 * e4 + e5 * e5


@inlined
def _jacobian(slides, lower, upper, mask, q, S, z, o, e, J, lanes):
    """J (n, 6, lanes); the columns of blocked joints are zero, see ``step.blocked``."""
    m0, m1, m2, m3, m4, m5 = mask[0], mask[1], mask[2], mask[3], mask[4], mask[5]
    for i in range(q.shape[0]):
        low, high = lower[i], upper[i]
        turn = 1.0 - slides[i]
        slide = 1.0 - turn
        for lane in range(lanes):
            z0, z1, z2 = z[i, 0, lane], z[i, 1, lane], z[i, 2, lane]
            x, y, w = S[9, lane] - o[i, 0, lane], S[10, lane] - o[i, 1, lane], S[11, lane] - o[i, 2, lane]
            a = m0 * (turn * (z1 * w - z2 * y) + slide * z0)
            b = m1 * (turn * (z2 * x - z0 * w) + slide * z1)
            c = m2 * (turn * (z0 * y - z1 * x) + slide * z2)
            d, f, g = m3 * turn * z0, m4 * turn * z1, m5 * turn * z2
            push = a * e[0, lane] + b * e[1, lane] + c * e[2, lane] + d * e[3, lane] + f * e[4, lane] + g * e[5, lane]
            free = 1.0
            if q[i, lane] <= low and push < 0.0:
                free = 0.0
            if q[i, lane] >= high and push > 0.0:
                free = 0.0
            J[i, 0, lane], J[i, 1, lane], J[i, 2, lane] = free * a, free * b, free * c
            J[i, 3, lane], J[i, 4, lane], J[i, 5, lane] = free * d, free * f, free * g


@inlined
def _normal_equations(damping, J, E, H, lanes):
    """The lower triangle of J J^T + lambda 1, row by row, in H (21, lanes). Four joints at a time, so that H is not read and written
    for each; J has zero columns after the last joint."""
    for k in range(21):
        for lane in range(lanes):
            H[k, lane] = 0.0
    for i in range(0, J.shape[0], 4):
        for lane in range(lanes):
            a0, a1, a2, a3 = J[i, 0, lane], J[i + 1, 0, lane], J[i + 2, 0, lane], J[i + 3, 0, lane]
            b0, b1, b2, b3 = J[i, 1, lane], J[i + 1, 1, lane], J[i + 2, 1, lane], J[i + 3, 1, lane]
            c0, c1, c2, c3 = J[i, 2, lane], J[i + 1, 2, lane], J[i + 2, 2, lane], J[i + 3, 2, lane]
            d0, d1, d2, d3 = J[i, 3, lane], J[i + 1, 3, lane], J[i + 2, 3, lane], J[i + 3, 3, lane]
            f0, f1, f2, f3 = J[i, 4, lane], J[i + 1, 4, lane], J[i + 2, 4, lane], J[i + 3, 4, lane]
            g0, g1, g2, g3 = J[i, 5, lane], J[i + 1, 5, lane], J[i + 2, 5, lane], J[i + 3, 5, lane]
            H[0, lane] += a0 * a0 + a1 * a1 + a2 * a2 + a3 * a3
            H[1, lane] += b0 * a0 + b1 * a1 + b2 * a2 + b3 * a3
            H[2, lane] += b0 * b0 + b1 * b1 + b2 * b2 + b3 * b3
            H[3, lane] += c0 * a0 + c1 * a1 + c2 * a2 + c3 * a3
            H[4, lane] += c0 * b0 + c1 * b1 + c2 * b2 + c3 * b3
            H[5, lane] += c0 * c0 + c1 * c1 + c2 * c2 + c3 * c3
            H[6, lane] += d0 * a0 + d1 * a1 + d2 * a2 + d3 * a3
            H[7, lane] += d0 * b0 + d1 * b1 + d2 * b2 + d3 * b3
            H[8, lane] += d0 * c0 + d1 * c1 + d2 * c2 + d3 * c3
            H[9, lane] += d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
            H[10, lane] += f0 * a0 + f1 * a1 + f2 * a2 + f3 * a3
            H[11, lane] += f0 * b0 + f1 * b1 + f2 * b2 + f3 * b3
            H[12, lane] += f0 * c0 + f1 * c1 + f2 * c2 + f3 * c3
            H[13, lane] += f0 * d0 + f1 * d1 + f2 * d2 + f3 * d3
            H[14, lane] += f0 * f0 + f1 * f1 + f2 * f2 + f3 * f3
            H[15, lane] += g0 * a0 + g1 * a1 + g2 * a2 + g3 * a3
            H[16, lane] += g0 * b0 + g1 * b1 + g2 * b2 + g3 * b3
            H[17, lane] += g0 * c0 + g1 * c1 + g2 * c2 + g3 * c3
            H[18, lane] += g0 * d0 + g1 * d1 + g2 * d2 + g3 * d3
            H[19, lane] += g0 * f0 + g1 * f1 + g2 * f2 + g3 * f3
            H[20, lane] += g0 * g0 + g1 * g1 + g2 * g2 + g3 * g3
    for lane in range(lanes):
        trace = H[0, lane] + H[2, lane] + H[5, lane] + H[9, lane] + H[14, lane] + H[20, lane]
        shift = damping * 0.5 * (E[0, lane] + E[1, lane]) + _FLOOR * trace
        H[0, lane] += shift
        H[2, lane] += shift
        H[5, lane] += shift
        H[9, lane] += shift
        H[14, lane] += shift
        H[20, lane] += shift


@inlined
def _solve_6x6(H, e, y, lanes):
    """y = H^-1 e by L D L^T, written out: l are the entries of L D, m those of L, d the inverse of D."""
    for lane in range(lanes):
        d0 = 1.0 / H[0, lane]
        l10, l20, l30, l40, l50 = H[1, lane], H[3, lane], H[6, lane], H[10, lane], H[15, lane]
        m10, m20, m30, m40, m50 = l10 * d0, l20 * d0, l30 * d0, l40 * d0, l50 * d0
        d1 = 1.0 / (H[2, lane] - m10 * l10)
        l21, l31 = H[4, lane] - m20 * l10, H[7, lane] - m30 * l10
        l41, l51 = H[11, lane] - m40 * l10, H[16, lane] - m50 * l10
        m21, m31, m41, m51 = l21 * d1, l31 * d1, l41 * d1, l51 * d1
        d2 = 1.0 / (H[5, lane] - m20 * l20 - m21 * l21)
        l32 = H[8, lane] - m30 * l20 - m31 * l21
        l42 = H[12, lane] - m40 * l20 - m41 * l21
        l52 = H[17, lane] - m50 * l20 - m51 * l21
        m32, m42, m52 = l32 * d2, l42 * d2, l52 * d2
        d3 = 1.0 / (H[9, lane] - m30 * l30 - m31 * l31 - m32 * l32)
        l43 = H[13, lane] - m40 * l30 - m41 * l31 - m42 * l32
        l53 = H[18, lane] - m50 * l30 - m51 * l31 - m52 * l32
        m43, m53 = l43 * d3, l53 * d3
        d4 = 1.0 / (H[14, lane] - m40 * l40 - m41 * l41 - m42 * l42 - m43 * l43)
        l54 = H[19, lane] - m50 * l40 - m51 * l41 - m52 * l42 - m53 * l43
        m54 = l54 * d4
        d5 = 1.0 / (H[20, lane] - m50 * l50 - m51 * l51 - m52 * l52 - m53 * l53 - m54 * l54)
        b0 = e[0, lane]
        b1 = e[1, lane] - m10 * b0
        b2 = e[2, lane] - m20 * b0 - m21 * b1
        b3 = e[3, lane] - m30 * b0 - m31 * b1 - m32 * b2
        b4 = e[4, lane] - m40 * b0 - m41 * b1 - m42 * b2 - m43 * b3
        b5 = e[5, lane] - m50 * b0 - m51 * b1 - m52 * b2 - m53 * b3 - m54 * b4
        y5 = b5 * d5
        y4 = b4 * d4 - m54 * y5
        y3 = b3 * d3 - m43 * y4 - m53 * y5
        y2 = b2 * d2 - m32 * y3 - m42 * y4 - m52 * y5
        y1 = b1 * d1 - m21 * y2 - m31 * y3 - m41 * y4 - m51 * y5
        y0 = b0 * d0 - m10 * y1 - m20 * y2 - m30 * y3 - m40 * y4 - m50 * y5
        y[0, lane], y[1, lane], y[2, lane], y[3, lane], y[4, lane], y[5, lane] = y0, y1, y2, y3, y4, y5


@inlined
def _move(lower, upper, J, y, moving, q, lanes):
    """q += J^T y, clipped to the limits; a lane whose ``moving`` is 0 stays."""
    for i in range(q.shape[0]):
        low, high = lower[i], upper[i]
        for lane in range(lanes):
            dq = J[i, 0, lane] * y[0, lane] + J[i, 1, lane] * y[1, lane] + J[i, 2, lane] * y[2, lane]
            dq += J[i, 3, lane] * y[3, lane] + J[i, 4, lane] * y[4, lane] + J[i, 5, lane] * y[5, lane]
            q[i, lane] = min(max(q[i, lane] + moving[lane] * dq, low), high)


def _for_lanes(lanes):
    """The solver as plain Python, with the number of lanes as a constant that numba can see."""

    def solve(model, X, Q0, mask, tolerance_p, tolerance_r, damping, max_iterations, restarts, seed, out):
        """Fill out (B, n + 6): q, then reason, iterations, restarts, position error, rotation error, limit violation.

        model: poses, slides, limits and reach of the chain in one array, see ``_prepared`` in solve.py: one argument costs less than five.
        """
        B, n = X.shape[0], Q0.shape[1]
        A = model[: 16 * (n + 1)].reshape(n + 1, 4, 4)
        slides = model[16 * (n + 1) : 17 * n + 16]
        limits = model[17 * n + 16 : 23 * n + 16].reshape(6, n)
        reach = model[23 * n + 16]
        choices = model[23 * n + 17 : 23 * n + 17 + CHOICES * n].reshape(CHOICES, n)
        choice_poses = model[23 * n + 17 + CHOICES * n :].reshape(12, CHOICES)
        lower, upper = limits[2], limits[3]
        q, best = np.zeros((n, lanes)), np.zeros((n, lanes))
        base, S = np.zeros((12, lanes)), np.zeros((12, lanes))
        z, o, J = np.zeros((n, 3, lanes)), np.zeros((n, 3, lanes)), np.zeros(((n + 3) // 4 * 4, 6, lanes))
        H, e, y, E = np.zeros((21, lanes)), np.zeros((6, lanes)), np.zeros((6, lanes)), np.zeros((3, lanes))
        moving, reference, best_cost = np.zeros(lanes), np.zeros(lanes), np.zeros(lanes)
        room = np.zeros((8, 3))
        counts = np.zeros((6, lanes), np.int64)  # one array: with one lane, making arrays is what takes the time
        goal, start, last, iteration, total, stalled = counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]
        goal[:] = -1
        beyond = np.zeros(lanes, np.bool_)
        position_goals = mask[0] * mask[1] * mask[2] > 0.0
        upcoming = 0
        running = 1
        while running > 0:
            walk(A, slides, q, base, S, z, o, lanes)
            _residual(S, mask, e, E, lanes)
            running = 0
            stepping = False
            for lane in range(lanes):
                b = goal[lane]
                moving[lane] = 0.0
                failed = False
                if b >= 0:
                    if E[2, lane] < _NEAR_PI:
                        v0, v1, v2 = rotation_vector(
                            S[0, lane], S[3, lane], S[6, lane], S[1, lane], S[4, lane], S[7, lane], S[2, lane], S[5, lane], S[8, lane]
                        )
                        e[3, lane], e[4, lane], e[5, lane] = -mask[3] * v0, -mask[4] * v1, -mask[5] * v2
                        E[1, lane] = e[3, lane] ** 2 + e[4, lane] ** 2 + e[5, lane] ** 2
                    solved = E[0, lane] <= tolerance_p * tolerance_p and E[1, lane] <= tolerance_r * tolerance_r
                    position_error, rotation_error = 0.0, 0.0
                    if solved:
                        position_error, rotation_error = measure(A, slides, q, lane, X, b, mask, room)
                        solved = position_error <= tolerance_p and rotation_error <= tolerance_r
                    reason = _SOLVED
                    if not solved:
                        cost = 0.5 * (E[0, lane] + E[1, lane])
                        if cost <= _HALVING * reference[lane]:
                            reference[lane] = cost
                            stalled[lane] = 0
                        else:
                            stalled[lane] += 1
                        patience = _LAST_PATIENCE if start[lane] == last[lane] else _PATIENCE + start[lane] // _MORE_PATIENCE_EVERY
                        reason = _STALLED if stalled[lane] >= patience else _MAX_ITERATIONS
                        failed = stalled[lane] >= patience or iteration[lane] >= max_iterations
                        if failed and cost < best_cost[lane]:
                            best_cost[lane] = cost
                            for i in range(n):
                                best[i, lane] = q[i, lane]
                    if solved or (failed and start[lane] == last[lane]):
                        if not solved:
                            for i in range(n):
                                q[i, lane] = best[i, lane]
                            position_error, rotation_error = measure(A, slides, q, lane, X, b, mask, room)
                            if beyond[lane]:
                                reason = _OUT_OF_REACH
                        violation = 0.0
                        for i in range(n):
                            out[b, i] = q[i, lane]
                            violation = max(violation, max(limits[0, i] - q[i, lane], q[i, lane] - limits[1, i]))
                        out[b, n], out[b, n + 1], out[b, n + 2] = reason, total[lane], start[lane]
                        out[b, n + 3], out[b, n + 4], out[b, n + 5] = position_error, rotation_error, violation
                        goal[lane] = -1
                    elif failed:
                        start[lane] += 1
                        for i in range(n):
                            share = uniform(seed, (b * (restarts + 1) + start[lane]) * n + i)
                            q[i, lane] = limits[4, i] + share * (limits[5, i] - limits[4, i])
                        iteration[lane], stalled[lane], reference[lane] = 0, 0, np.inf
                    else:
                        iteration[lane] += 1
                        total[lane] += 1
                        moving[lane] = 1.0
                        stepping = True
                while goal[lane] < 0 and upcoming < B:  # the lane is free: take the next goal
                    b = upcoming
                    upcoming += 1
                    row = b if Q0.shape[0] > 1 else 0
                    chosen = nearest(choice_poses, X, b, mask) if Q0.shape[0] == 0 else 0
                    for i in range(n):
                        begin = choices[chosen, i] if Q0.shape[0] == 0 else Q0[row, i]
                        q[i, lane] = min(max(begin, lower[i]), upper[i])
                        best[i, lane] = q[i, lane]
                    if not is_pose(X, b):
                        for i in range(n):
                            out[b, i] = q[i, lane]
                        out[b, n], out[b, n + 3], out[b, n + 4] = _INVALID_GOAL, np.nan, np.nan
                        out[b, n + 1], out[b, n + 2], out[b, n + 5] = 0.0, 0.0, 0.0
                        for i in range(n):
                            out[b, n + 5] = max(out[b, n + 5], max(limits[0, i] - q[i, lane], q[i, lane] - limits[1, i]))
                        continue
                    goal[lane] = b
                    for c in range(3):
                        for r in range(3):
                            base[3 * c + r, lane] = X[b, c, r]
                        base[9 + c, lane] = -(X[b, 0, c] * X[b, 0, 3] + X[b, 1, c] * X[b, 1, 3] + X[b, 2, c] * X[b, 2, 3])
                    distance = math.sqrt(X[b, 0, 3] ** 2 + X[b, 1, 3] ** 2 + X[b, 2, 3] ** 2)
                    beyond[lane] = position_goals and distance > reach + tolerance_p
                    last[lane] = 0 if beyond[lane] else restarts
                    start[lane], iteration[lane], total[lane], stalled[lane] = 0, 0, 0, 0
                    reference[lane], best_cost[lane] = np.inf, np.inf
                if goal[lane] >= 0:
                    running += 1
            if stepping:
                _jacobian(slides, lower, upper, mask, q, S, z, o, e, J, lanes)
                _normal_equations(damping, J, E, H, lanes)
                _solve_6x6(H, e, y, lanes)
                _move(lower, upper, J, y, moving, q, lanes)

    return solve


_SIGNATURE = "void(f8[::1], f8[:,:,::1], f8[:,::1], f8[::1], f8, f8, f8, i8, i8, u8, f8[:,::1])"


@functools.cache
def kernel(lanes: int) -> Callable[..., Any]:
    """The machine code for that many lanes (1 for a few goals, 16 for many), compiled or loaded at the first call."""
    return jit.compiled(_SIGNATURE, __file__, compiled_scalar.__file__, starts.__file__, kinematics.__file__)(_for_lanes(lanes))


def warm_up() -> None:
    """Compile all that solving and forward kinematics may need, so that no later call waits for it."""
    for lanes in (1, kinematics.LANES):
        kernel(lanes)
    kinematics.kernel()
