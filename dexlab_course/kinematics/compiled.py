"""Forward kinematics and Jacobians of many configurations at once, compiled. The same arithmetic as ``chain.py``, which is the one
to read.

What makes it fast: sixteen configurations go side by side ("lanes"), every quantity is a row of sixteen numbers, and each loop over a
row becomes a few vector instructions. Sine and cosine are polynomials for the same reason: the library's functions take one number.
"""

# The types are numba's, in the signature at the end.
# mypy: allow-untyped-defs, allow-untyped-calls

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dexlab_course.kinematics import jit
from dexlab_course.kinematics.jit import inlined

LANES = 16

# pi/2 in three parts, each short enough that k times it is exact (Cody and Waite); good for angles up to LARGE.
_HALF_PI_1, _HALF_PI_2, _HALF_PI_3 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
_TWO_OVER_PI = 2.0 / math.pi
LARGE = 1e5
# Polynomials in z = x^2 for (sin x / x - 1) / z and (cos x - 1 + z / 2) / z^2 on [-pi/4, pi/4], fitted with mpmath's Chebyshev fit;
# their largest error is 2e-17.
_S3, _S5, _S7 = -0.16666666666666666, 0.008333333333330948, -0.00019841269836756774
_S9, _S11, _S13 = 2.7557316101617874e-06, -2.505113165023518e-08, 1.5918115263265974e-10
_C4, _C6, _C8 = 0.041666666666666664, -0.0013888888888887398, 2.480158729876456e-05
_C10, _C12, _C14 = -2.7557317271145144e-07, 2.087614614655861e-09, -1.1382623647474604e-11


@inlined
def sin_cos(x):
    """Sine and cosine without a branch, to one unit in the last place for |x| <= LARGE."""
    k = np.floor(x * _TWO_OVER_PI + 0.5)
    r = ((x - k * _HALF_PI_1) - k * _HALF_PI_2) - k * _HALF_PI_3
    z = r * r
    s = r + r * z * (_S3 + z * (_S5 + z * (_S7 + z * (_S9 + z * (_S11 + z * _S13)))))
    c = 1.0 - 0.5 * z + z * z * (_C4 + z * (_C6 + z * (_C8 + z * (_C10 + z * (_C12 + z * _C14)))))
    quadrant = k - 4.0 * np.floor(k * 0.25)
    odd = (quadrant == 1.0) or (quadrant == 3.0)
    sine = c if odd else s
    cosine = s if odd else c
    if quadrant >= 2.0:
        sine = -sine
    if (quadrant == 1.0) or (quadrant == 2.0):
        cosine = -cosine
    return sine, cosine


@inlined
def walk(A, slides, q, start, S, z, o, lanes):
    """From base to tool, all lanes at once.

    Args:
        A: (n + 1, 4, 4) fixed poses. slides: (n,) which joints are prismatic. q: (n, lanes).
        start: (12, lanes), the base pose of each lane by columns: x axis, y axis, z axis, origin.
        S: (12, lanes), filled with the tool pose in the same layout. z, o: (n, 3, lanes), filled with joint axes and origins.
    """
    for k in range(12):
        for lane in range(lanes):
            S[k, lane] = start[k, lane]
    n = q.shape[0]
    for i in range(n):
        a = A[i]
        a00, a01, a02, a03 = a[0, 0], a[0, 1], a[0, 2], a[0, 3]
        a10, a11, a12, a13 = a[1, 0], a[1, 1], a[1, 2], a[1, 3]
        a20, a21, a22, a23 = a[2, 0], a[2, 1], a[2, 2], a[2, 3]
        if slides[i] != 0:
            for lane in range(lanes):
                d = q[i, lane]
                for r in range(3):
                    x, y, w = S[r, lane], S[3 + r, lane], S[6 + r, lane]
                    axis = x * a02 + y * a12 + w * a22
                    S[9 + r, lane] += x * a03 + y * a13 + w * a23 + d * axis
                    S[r, lane] = x * a00 + y * a10 + w * a20
                    S[3 + r, lane] = x * a01 + y * a11 + w * a21
                    S[6 + r, lane] = axis
        else:
            for lane in range(lanes):
                sine, cosine = sin_cos(q[i, lane])
                for r in range(3):
                    x, y, w = S[r, lane], S[3 + r, lane], S[6 + r, lane]
                    c0 = x * a00 + y * a10 + w * a20
                    c1 = x * a01 + y * a11 + w * a21
                    S[9 + r, lane] += x * a03 + y * a13 + w * a23
                    S[6 + r, lane] = x * a02 + y * a12 + w * a22
                    S[r, lane] = cosine * c0 + sine * c1
                    S[3 + r, lane] = cosine * c1 - sine * c0
        for lane in range(lanes):
            for r in range(3):
                z[i, r, lane] = S[6 + r, lane]
                o[i, r, lane] = S[9 + r, lane]
    a = A[n]
    a00, a01, a02, a03 = a[0, 0], a[0, 1], a[0, 2], a[0, 3]
    a10, a11, a12, a13 = a[1, 0], a[1, 1], a[1, 2], a[1, 3]
    a20, a21, a22, a23 = a[2, 0], a[2, 1], a[2, 2], a[2, 3]
    for lane in range(lanes):
        for r in range(3):
            x, y, w = S[r, lane], S[3 + r, lane], S[6 + r, lane]
            S[9 + r, lane] += x * a03 + y * a13 + w * a23
            S[r, lane] = x * a00 + y * a10 + w * a20
            S[3 + r, lane] = x * a01 + y * a11 + w * a21
            S[6 + r, lane] = x * a02 + y * a12 + w * a22


_SIGNATURE = "void(f8[:,:,::1], b1[::1], f8[:,::1], f8[::1], b1, f8[:,:,::1], f8[:,:,::1])"


@functools.cache
def kernel() -> Callable[..., Any]:
    """The machine code of ``_fk_jacobian``, compiled or loaded at the first call."""
    return jit.compiled(_SIGNATURE, __file__)(_fk_jacobian)


def _fk_jacobian(A, slides, Q, point, linear_first, X, J):
    """Fill X (B, 4, 4) and, unless it is empty, J (B, 6, n) for Q (B, n); see ``SerialChain.jacobian`` for ``point``."""
    lanes = LANES
    B, n = Q.shape
    q, start, S = np.zeros((n, lanes)), np.zeros((12, lanes)), np.zeros((12, lanes))
    z, o, v = np.zeros((n, 3, lanes)), np.zeros((n, 3, lanes)), np.zeros((3, lanes))
    start[0], start[4], start[8] = 1.0, 1.0, 1.0
    linear, angular = (0, 3) if linear_first else (3, 0)
    for first in range(0, B, lanes):
        count = min(lanes, B - first)
        large = False
        for lane in range(count):
            for i in range(n):
                q[i, lane] = Q[first + lane, i]
                large |= abs(q[i, lane]) > LARGE
        if large:  # the polynomials end here: bring the angles back with the library's exact remainder
            for i in range(n):
                for lane in range(count):
                    if not slides[i]:
                        q[i, lane] = math.atan2(math.sin(q[i, lane]), math.cos(q[i, lane]))
        walk(A, slides, q, start, S, z, o, lanes)
        for lane in range(count):
            b = first + lane
            for r in range(3):
                X[b, r, 0], X[b, r, 1], X[b, r, 2], X[b, r, 3] = S[r, lane], S[3 + r, lane], S[6 + r, lane], S[9 + r, lane]
                X[b, 3, r] = 0.0
            X[b, 3, 3] = 1.0
        if J.shape[0] == 0:
            continue
        for lane in range(lanes):
            for r in range(3):
                S[9 + r, lane] += S[r, lane] * point[0] + S[3 + r, lane] * point[1] + S[6 + r, lane] * point[2]
        for i in range(n):
            if slides[i]:
                for lane in range(lanes):
                    for r in range(3):
                        v[r, lane] = z[i, r, lane]
                        z[i, r, lane] = 0.0
            else:
                for lane in range(lanes):
                    x, y, w = S[9, lane] - o[i, 0, lane], S[10, lane] - o[i, 1, lane], S[11, lane] - o[i, 2, lane]
                    v[0, lane] = z[i, 1, lane] * w - z[i, 2, lane] * y
                    v[1, lane] = z[i, 2, lane] * x - z[i, 0, lane] * w
                    v[2, lane] = z[i, 0, lane] * y - z[i, 1, lane] * x
            for r in range(3):
                for lane in range(count):
                    J[first + lane, linear + r, i] = v[r, lane]
                    J[first + lane, angular + r, i] = z[i, r, lane]
