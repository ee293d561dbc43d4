"""The parts of ``compiled.py`` that work on one number or one pose at a time: checks, random starts, rotation vectors near pi."""

# The types are numba's, from the arguments of the callers.
# mypy: allow-untyped-defs, allow-untyped-calls

import math

import numpy as np

from dexlab_course.ik.starts import CHOICES, HUGE, SQUARE_RADIAN
from dexlab_course.kinematics.jit import helper

# The same numbers as in frames.py and starts.py; a test compares.
_ORTHONORMAL = 1e-5
_GOLDEN, _MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@helper
def rotation_vector(r00, r01, r02, r10, r11, r12, r20, r21, r22):
    """The rotation vector of one matrix, right everywhere from 0 to pi."""
    v0, v1, v2 = 0.5 * (r21 - r12), 0.5 * (r02 - r20), 0.5 * (r10 - r01)
    c = 0.5 * (r00 + r11 + r22 - 1.0)
    s = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
    angle = math.atan2(s, c)
    if c > -0.99:
        f = angle / s if s > 1e-9 else 1.0
        return f * v0, f * v1, f * v2
    # R + R^T = 2 cos 1 + 2 (1 - cos) a a^T: the longest column of a a^T is the axis.
    x, y, w = 0.5 * (r01 + r10), 0.5 * (r02 + r20), 0.5 * (r12 + r21)
    if r00 >= r11 and r00 >= r22:
        a0, a1, a2 = r00 - c, x, y
    elif r11 >= r22:
        a0, a1, a2 = x, r11 - c, w
    else:
        a0, a1, a2 = y, w, r22 - c
    f = angle / math.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
    if a0 * v0 + a1 * v1 + a2 * v2 < 0.0:
        f = -f
    return f * a0, f * a1, f * a2


@helper
def measure(A, slides, q, lane, X, b, mask, room):
    """Position and rotation error of one lane, from the definition: forward kinematics with the library's sine and cosine.

    room: (8, 3), to work in; making arrays would take longer than filling them.
    """
    n = q.shape[0]
    R, p, D, gap = room[:3], room[3], room[4:7], room[7]
    room[:] = 0.0
    R[0, 0], R[1, 1], R[2, 2] = 1.0, 1.0, 1.0
    for i in range(n + 1):
        s, c, d = 0.0, 1.0, 0.0
        if i < n:
            if slides[i] != 0.0:
                d = q[i, lane]
            else:
                s, c = math.sin(q[i, lane]), math.cos(q[i, lane])
        for r in range(3):
            x, y, w = R[r, 0], R[r, 1], R[r, 2]
            c0 = x * A[i, 0, 0] + y * A[i, 1, 0] + w * A[i, 2, 0]
            c1 = x * A[i, 0, 1] + y * A[i, 1, 1] + w * A[i, 2, 1]
            c2 = x * A[i, 0, 2] + y * A[i, 1, 2] + w * A[i, 2, 2]
            p[r] += x * A[i, 0, 3] + y * A[i, 1, 3] + w * A[i, 2, 3] + d * c2
            R[r, 0], R[r, 1], R[r, 2] = c * c0 + s * c1, c * c1 - s * c0, c2
    for r in range(3):  # the tool's rotation and position as seen from the goal
        for k in range(3):
            gap[r] += X[b, k, r] * (p[k] - X[b, k, 3])
            for c in range(3):
                D[r, c] += X[b, k, r] * R[k, c]
    v0, v1, v2 = rotation_vector(D[0, 0], D[0, 1], D[0, 2], D[1, 0], D[1, 1], D[1, 2], D[2, 0], D[2, 1], D[2, 2])
    position = math.sqrt((mask[0] * gap[0]) ** 2 + (mask[1] * gap[1]) ** 2 + (mask[2] * gap[2]) ** 2)
    return position, math.sqrt((mask[3] * v0) ** 2 + (mask[4] * v1) ** 2 + (mask[5] * v2) ** 2)


@helper
def is_pose(X, b):
    """Whether goal ``b`` is a finite rigid transform: last row (0, 0, 0, 1), rotation block orthonormal."""
    for r in range(4):
        for c in range(4):
            if not abs(X[b, r, c]) < HUGE:
                return False
    if X[b, 3, 0] != 0.0 or X[b, 3, 1] != 0.0 or X[b, 3, 2] != 0.0 or X[b, 3, 3] != 1.0:
        return False
    for r in range(3):
        for c in range(3):
            dot = X[b, 0, r] * X[b, 0, c] + X[b, 1, r] * X[b, 1, c] + X[b, 2, r] * X[b, 2, c]
            if not abs(dot - (1.0 if r == c else 0.0)) <= _ORTHONORMAL:
                return False
    minor0 = X[b, 1, 1] * X[b, 2, 2] - X[b, 1, 2] * X[b, 2, 1]
    minor1 = X[b, 1, 0] * X[b, 2, 2] - X[b, 1, 2] * X[b, 2, 0]
    minor2 = X[b, 1, 0] * X[b, 2, 1] - X[b, 1, 1] * X[b, 2, 0]
    return X[b, 0, 0] * minor0 - X[b, 0, 1] * minor1 + X[b, 0, 2] * minor2 > 0.0


@helper
def nearest(poses, X, b, mask):
    """Which of the choices for a first start is nearest to goal b: see ``Choices.nearest`` in starts.py."""
    position, rotation = (mask[0] + mask[1] + mask[2]) / 3.0, SQUARE_RADIAN * (mask[3] + mask[4] + mask[5]) / 3.0
    p0, p1, p2 = position * X[b, 0, 3], position * X[b, 1, 3], position * X[b, 2, 3]
    r00, r01, r02 = rotation * X[b, 0, 0], rotation * X[b, 0, 1], rotation * X[b, 0, 2]
    r10, r11, r12 = rotation * X[b, 1, 0], rotation * X[b, 1, 1], rotation * X[b, 1, 2]
    r20, r21, r22 = rotation * X[b, 2, 0], rotation * X[b, 2, 1], rotation * X[b, 2, 2]
    if (
        not abs(p0) + abs(p1) + abs(p2) + abs(r00) + abs(r01) + abs(r02) + abs(r10) + abs(r11) + abs(r12) + abs(r20) + abs(r21) + abs(r22)
        < HUGE
    ):
        p0, p1, p2, r00, r01, r02, r10, r11, r12, r20, r21, r22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    scores = np.empty(CHOICES)
    for k in range(CHOICES):
        x, y, z = poses[0, k], poses[1, k], poses[2, k]
        score = p0 * x + p1 * y + p2 * z - 0.5 * position * (x * x + y * y + z * z)
        score += r00 * poses[3, k] + r01 * poses[4, k] + r02 * poses[5, k]
        score += r10 * poses[6, k] + r11 * poses[7, k] + r12 * poses[8, k]
        scores[k] = score + r20 * poses[9, k] + r21 * poses[10, k] + r22 * poses[11, k]
    best, highest = 0, scores[0]
    for k in range(1, CHOICES):
        if scores[k] > highest:
            best, highest = k, scores[k]
    return best


@helper
def uniform(seed, counter):
    """Number ``counter`` of the stream that ``seed`` names, in [0, 1): see starts.py."""
    x = seed + np.uint64(counter + 1) * _GOLDEN
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    x = x ^ (x >> np.uint64(31))
    return float(x >> np.uint64(11)) * (1.0 / 9007199254740992.0)
