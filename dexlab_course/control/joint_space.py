"""A joint-space PD controller with memory: it differentiates its own target."""

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, as_floats, finite, frozen, last_axis, non_negative
from dexlab_course.control import laws
from dexlab_course.errors import InvalidValueError, ShapeError, explain


class JointSpacePd:
    """PD in joint space whose target velocity is the difference of successive targets.

    With e = target - q and H = dt, entry by entry:

        u = clip( kp deadband(e) + kd ((target - previous target) / H - v), saturation )

    The first call after construction or ``reset`` has no previous target, so its target velocity is zero. Coordinates are
    subtracted as they are: no wrap at ±pi, no rotation arithmetic, no integral, no gravity term.

    Args:
        kp: stiffness [N·m/rad or N/m], shape (n,), finite.
        kd: damping [N·m·s/rad or N·s/m], shape (n,), finite.
        saturation: largest effort [N·m or N], shape (n,); negative means unlimited. Omitted: unlimited.
        deadband: half width inside which the position error counts as zero [rad or m], shape (n,). Omitted: none.

    Raises:
        ShapeError: the arrays are not vectors of one length.
        InvalidValueError: a gain is not finite, a deadband is negative, a saturation is NaN.
    """

    def __init__(self, kp: ArrayLike, kd: ArrayLike, saturation: ArrayLike | None = None, deadband: ArrayLike | None = None) -> None:
        kp, kd = finite("kp", kp), finite("kd", kd)
        if kp.ndim != 1:
            message = explain(
                "kp must be a vector", got=f"shape {kp.shape}", expected="(n,), one gain for each joint", remedy="wrap it in a list"
            )
            raise ShapeError(message)
        self.n = kp.size
        self.kp: Floats = frozen(kp)
        self.kd: Floats = frozen(last_axis("kd", kd, self.n, of="joint"))
        saturation = as_floats("saturation", np.full(self.n, -1.0) if saturation is None else saturation)
        if np.isnan(saturation).any():
            message = explain(
                "a saturation is NaN",
                got=saturation,
                expected="a number; negative means unlimited",
                remedy="replace NaN by -1 for no limit",
            )
            raise InvalidValueError(message)
        self.saturation: Floats = frozen(last_axis("saturation", saturation, self.n, of="joint"))
        width = non_negative("deadband", np.zeros(self.n) if deadband is None else deadband)
        self.deadband: Floats = frozen(last_axis("deadband", width, self.n, of="joint"))
        self._previous_target: Floats | None = None

    def reset(self) -> None:
        """Forget the previous target: the next call has target velocity zero. Gains stay."""
        self._previous_target = None

    def compute(self, q: ArrayLike, v: ArrayLike, target: ArrayLike, dt: float) -> Floats:
        """The effort for this control period, shape (..., n) [N·m or N].

        Args:
            q, v: measured position [rad or m] and velocity [rad/s or m/s], shape (..., n).
            target: desired position now [rad or m], shape (..., n).
            dt: time since the previous call [s]: the control period, not the physics step. Must be positive.

        Raises:
            InvalidValueError: ``dt`` is not positive (then no velocity can be formed), or the target is not finite. The previous
                target is kept as it was.
            ShapeError: a last axis is not n.
        """
        if not dt > 0 or not np.isfinite(dt):
            message = explain(
                "dt cannot be used",
                got=f"{dt} s",
                expected="the control period, a positive number of seconds",
                remedy="pass the time since the last call; a controller without it would silently lose its target velocity",
            )
            raise InvalidValueError(message)
        q = last_axis("q", as_floats("q", q), self.n, of="joint")
        v = last_axis("v", as_floats("v", v), self.n, of="joint")
        target = last_axis("target", finite("target", target), self.n, of="joint")
        previous = target if self._previous_target is None else self._previous_target
        if previous.shape != target.shape:
            message = explain(
                "the batch changed between two calls",
                got=f"target {target.shape} after {previous.shape}",
                expected="one shape for a whole history",
                remedy="call reset() when the batch changes",
            )
            raise ShapeError(message)
        effort = self.kp * laws.deadband(target - q, self.deadband) + self.kd * ((target - previous) / dt - v)
        self._previous_target = target.copy()
        return laws.saturate(effort, self.saturation, negative="unlimited")
