"""A PID controller with an effort limit, and the three things its integral can do while the limit holds."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, as_floats, finite, frozen, last_axis, non_negative
from dexlab_course.control.limits import EffortLimits
from dexlab_course.errors import InvalidValueError, ShapeError, explain, unknown_name

AntiWindup = Literal["clamp", "back_calculation"]
_FORMS = ("clamp", "back_calculation")


class Pid:
    """``u = limit( kp e + I + kd (v_des - v) )`` with e = q_des - q, entry by entry, at a fixed control period.

    The integral term I [N·m or N] already holds its gain, so changing ``ki`` makes no jump. It is advanced *after* it was used, by
    one explicit Euler step of length dt:

    * ``anti_windup=None``: dI/dt = ki e. While the limit holds, I keeps growing, and the response overshoots until it has shrunk
      again;
    * ``"clamp"``: dI/dt = ki e, but not while the effort is limited and ki e would push it further over the limit;
    * ``"back_calculation"``: dI/dt = ki e + tracking (u - raw effort): what the limit cut off is taken back from I.

    Args:
        kp: proportional gain [N·m/rad or N/m], shape (n,), finite.
        ki: integral gain [N·m/(rad·s) or N/(m·s)], shape (n,), finite.
        kd: derivative gain [N·m·s/rad or N·s/m], shape (n,), finite.
        limits: the limit inside the loop. Omitted: none. It must be the tightest one the effort meets: a limit that only the
            engine knows winds up this controller as if it had no anti-windup at all.
        anti_windup: see above.
        tracking: rate of the back calculation [1/s], >= 0, a number or shape (n,). About ki/kp to 3 ki/kp is a usual choice; above
            1/dt the correction of one period overshoots what was cut off.

    Raises:
        InvalidValueError: a gain is not finite, tracking is negative or missing, or belongs to another form.
        ShapeError: lengths differ.
        UnknownNameError: ``anti_windup`` is none of the three.
    """

    def __init__(
        self,
        kp: ArrayLike,
        ki: ArrayLike,
        kd: ArrayLike,
        *,
        limits: EffortLimits | None = None,
        anti_windup: AntiWindup | None = None,
        tracking: ArrayLike | None = None,
    ) -> None:
        gain = finite("kp", kp)
        if gain.ndim != 1:
            message = explain(
                "kp must be a vector", got=f"shape {gain.shape}", expected="(n,), one gain for each joint", remedy="wrap it in a list"
            )
            raise ShapeError(message)
        self.n = gain.size
        self.kp: Floats = frozen(gain)
        self.ki: Floats = frozen(last_axis("ki", finite("ki", ki), self.n, of="joint"))
        self.kd: Floats = frozen(last_axis("kd", finite("kd", kd), self.n, of="joint"))
        if anti_windup is not None and anti_windup not in _FORMS:
            raise unknown_name("anti-windup form", anti_windup, _FORMS)
        if (tracking is not None) != (anti_windup == "back_calculation"):
            message = explain(
                "tracking and anti_windup do not fit",
                got=f"tracking={tracking!r} with anti_windup={anti_windup!r}",
                expected="a tracking rate with back_calculation, and only there",
                remedy="give tracking in 1/s, for example ki/kp, or leave it out",
            )
            raise InvalidValueError(message)
        rate = non_negative("tracking", 0.0 if tracking is None else tracking, unit="1/s")
        self.tracking: Floats = frozen(rate if rate.ndim == 0 else last_axis("tracking", rate, self.n, of="joint"))
        self.limits = EffortLimits.symmetric(np.inf) if limits is None else limits
        if self.limits.lower.ndim == 1:
            last_axis("limits", self.limits.lower, self.n, of="joint")
        self.anti_windup = anti_windup
        self._integral: Floats = np.zeros(self.n)

    @property
    def integral(self) -> Floats:
        """The integral term I [N·m or N], shape (n,) or that of the batch; a copy. It is state: save and restore it with the rest."""
        return self._integral.copy()

    def reset(self, integral: ArrayLike = 0.0) -> None:
        """Set the integral term [N·m or N], to zero unless told otherwise. Resetting the robot does not do this."""
        value = finite("integral", integral)
        self._integral = np.array(
            np.broadcast_to(value, (self.n,)) if value.ndim == 0 else last_axis("integral", value, self.n, of="joint")
        )

    def compute(self, q: ArrayLike, v: ArrayLike, q_des: ArrayLike, v_des: ArrayLike, dt: float) -> Floats:
        """The limited effort for this control period, shape (..., n) [N·m or N]; then the integral moves on by ``dt``.

        Args:
            q, v: measured position [rad or m] and velocity [rad/s or m/s], shape (..., n).
            q_des, v_des: wanted position and velocity, likewise.
            dt: control period [s], positive: the time until the next call, not the physics step.

        Raises:
            InvalidValueError: ``dt`` is not positive, or an argument is not finite. The integral is kept as it was.
            ShapeError: a last axis is not n, or the batch changed without ``reset``.
        """
        if not dt > 0 or not np.isfinite(dt):
            message = explain("dt cannot be used", got=f"{dt} s", expected="a positive number of seconds", remedy="pass the control period")
            raise InvalidValueError(message)
        given = {"q": q, "v": v, "q_des": q_des, "v_des": v_des}
        q, v, q_des, v_des = (last_axis(name, finite(name, as_floats(name, value)), self.n, of="joint") for name, value in given.items())
        try:
            e = q_des - q
            batch = np.broadcast_shapes(e.shape, v.shape, v_des.shape)
            if np.broadcast_shapes(batch, self._integral.shape) != batch:
                raise ValueError("the batch shrank")
        except ValueError as error:
            shapes = ", ".join(f"{name} {np.shape(value)}" for name, value in given.items())
            message = explain(
                "the arguments do not belong together",
                got=f"{shapes}, integral {self._integral.shape}",
                expected=f"(..., {self.n}) with one batch from call to call",
                remedy="call reset() when the batch changes",
            )
            raise ShapeError(message) from error
        raw = self.kp * e + self._integral + self.kd * (v_des - v)
        u = self.limits.apply(raw)
        growth = self.ki * e
        if self.anti_windup == "clamp":
            growth = np.where((raw - u) * growth > 0, 0.0, growth)
        elif self.anti_windup == "back_calculation":
            growth = growth + self.tracking * (u - raw)
        self._integral = self._integral + growth * dt
        return u
