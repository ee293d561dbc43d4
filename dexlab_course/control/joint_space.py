"""A joint-space PD controller with memory: it differentiates its own target."""

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, as_floats, finite, frozen, last_axis, non_negative
from dexlab_course.control.repeated import Repeated
from dexlab_course.errors import InvalidValueError, ShapeError, explain


class JointSpacePd:
    """PD in joint space whose target velocity is the difference of successive targets.

    With e = target - q and H = dt, entry by entry:

        u = clip( kp deadband(e) + kd ((target - previous target) / H - v), saturation )

    where deadband(e) = sign(e) max(0, |e| - width), and clip leaves an entry alone whose saturation is negative. The first call
    after construction or ``reset`` has no previous target, so its target velocity is zero. Coordinates are subtracted as they are:
    no wrap at ±pi, no rotation arithmetic, no integral, no gravity term.

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
        # What compute needs at every call, in the form that needs least work.
        limit = np.where(self.saturation < 0, np.inf, self.saturation)
        self._limit = (Repeated(0.0 - limit), Repeated(limit)) if np.isfinite(limit).any() else None
        self._band = (Repeated(0.0 - self.deadband), Repeated(self.deadband)) if self.deadband.any() else None
        self._gains = (Repeated(self.kp), Repeated(self.kd))
        self._previous_target: Floats | None = None
        self._scratch = np.empty(0)

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
            ShapeError: a last axis is not n, the three do not share a batch, or the batch is not that of the previous call.
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
        target = last_axis("target", as_floats("target", target), self.n, of="joint")
        previous = target if self._previous_target is None else self._previous_target
        if previous.shape != target.shape:
            message = explain(
                "the batch changed between two calls",
                got=f"target {target.shape} after {previous.shape}",
                expected="one shape for a whole history",
                remedy="call reset() when the batch changes",
            )
            raise ShapeError(message)
        shape = target.shape if q.shape == v.shape == target.shape else self._common(q, v, target)
        if not np.isfinite(target).all():
            finite("target", target)  # says which entry
        if self._previous_target is None:
            self._previous_target = previous = target.copy()
        effort = np.empty(shape)
        self._law(q, v, target, previous, dt, effort)
        return effort

    def _common(self, q: Floats, v: Floats, target: Floats) -> tuple[int, ...]:
        try:
            return np.broadcast_shapes(q.shape, v.shape, target.shape)
        except ValueError as error:
            message = explain(
                "q, v and target do not belong together",
                got=f"q {q.shape}, v {v.shape}, target {target.shape}",
                expected=f"(..., {self.n}) with one batch",
                remedy="read all three from the same environments",
            )
            raise ShapeError(message) from error

    def _law(self, q: Floats, v: Floats, target: Floats, previous: Floats, dt: float, effort: Floats) -> None:
        """Fill ``effort`` and move ``previous`` on to ``target``, in place: each line is a pass over memory, and that is what takes the time."""
        if self._scratch.shape != effort.shape:
            self._scratch = np.empty(effort.shape)
        rate = self._scratch
        kp, kd = (gain.like(effort.shape) for gain in self._gains)
        np.subtract(target, q, out=effort)
        if self._band is not None:
            lower, upper = (edge.like(effort.shape) for edge in self._band)
            np.minimum(effort, upper, out=rate)
            effort -= np.maximum(rate, lower, out=rate)
        effort *= kp
        np.subtract(target, previous, out=rate)
        rate /= dt
        rate -= v
        rate *= kd
        effort += rate
        if self._limit is not None:
            lower, upper = (edge.like(effort.shape) for edge in self._limit)
            np.maximum(np.minimum(effort, upper, out=effort), lower, out=effort)
        np.copyto(previous, target)
