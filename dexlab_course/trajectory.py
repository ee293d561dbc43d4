"""Joint references over time: cubic splines through waypoints, straight moves from rest to rest, and how fast they may run.

A reference is not a motion: it says where the joints should be, and a controller still has to bring them there. Whether it *can* be
followed is checked here for velocity and acceleration, over the whole interval and not at samples: on each piece the velocity is a
polynomial, so its extrema lie where the acceleration is zero or at the ends.
"""

import dataclasses
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, finite, last_axis, non_negative
from dexlab_course.errors import InvalidValueError, ShapeError, explain, unknown_name

_PROFILES = {
    # s(tau) for tau in [0, 1], highest power first; rest at both ends
    "cubic": (-2.0, 3.0, 0.0, 0.0),
    "quintic": (6.0, -15.0, 10.0, 0.0, 0.0, 0.0),
}


@dataclasses.dataclass(frozen=True, eq=False)
class Extrema:
    """Smallest and largest values over the whole interval, shape (n,) each.

    Attributes:
        lower, upper: of the position [rad or m].
        speed: largest magnitude of the velocity [rad/s or m/s].
        acceleration: largest magnitude of the acceleration [rad/s² or m/s²].
    """

    lower: Floats
    upper: Floats
    speed: Floats
    acceleration: Floats


class Trajectory:
    """A piecewise polynomial q(t) for n joints on [start, end] [s]. Before and after, the end positions are held at rest.

    Make one with ``cubic`` or ``rest_to_rest``. Times are absolute simulation times: a reference that begins when a phase begins
    is ``trajectory.starting_at(now)``. Velocities are the derivatives of the coordinates; where those are not the generalized
    velocities (quaternions of a floating base), this is not a reference for [q; v].
    """

    def __init__(self, polynomial: Any) -> None:
        self._q = polynomial
        self._v = polynomial.derivative()
        self._a = polynomial.derivative(2)

    @classmethod
    def cubic(
        cls,
        times: ArrayLike,
        points: ArrayLike,
        *,
        start_velocity: ArrayLike | None = None,
        end_velocity: ArrayLike | None = None,
        start_acceleration: ArrayLike | None = None,
        end_acceleration: ArrayLike | None = None,
    ) -> Self:
        """The cubic spline through waypoints, with continuous velocity and acceleration between them.

        At each end one condition is chosen: a velocity or an acceleration. Neither given: at rest there (velocity zero). A zero
        acceleration is the so-called natural end.

        Args:
            times: K >= 2 increasing times [s], shape (K,).
            points: one waypoint in each **row**, shape (K, n) [rad or m].
            start_velocity, end_velocity: shape (n,) or a scalar [rad/s or m/s].
            start_acceleration, end_acceleration: likewise [rad/s² or m/s²].

        Raises:
            ShapeError: lengths do not fit; also when rows and columns of ``points`` look exchanged.
            InvalidValueError: times do not increase, something is not finite, or both conditions are given for one end.

        >>> move = Trajectory.cubic([0.0, 2.0], [[0.0, 0.0], [0.4, -0.6]])
        >>> move.value(1.0).round(3).tolist(), move.velocity(1.0).round(3).tolist()
        ([0.2, -0.3], [0.3, -0.45])
        """
        from scipy.interpolate import CubicSpline

        t, q = finite("times", times, unit="s"), finite("points", points)
        if t.ndim != 1 or q.ndim != 2 or len(q) != t.size or t.size < 2 or not q.size:
            exchanged = q.ndim == 2 and q.shape[1] == t.size
            message = explain(
                "times and points do not fit",
                got=f"times {t.shape}, points {q.shape}",
                expected="(K,) and (K, n) with K >= 2: one waypoint in each row",
                remedy="transpose points: here a column is a joint" if exchanged else "give one row of joint positions for each time",
            )
            raise ShapeError(message)
        if not (np.diff(t) > 0).all():
            index = int(np.argmin(np.diff(t) > 0))
            message = explain(
                "times do not increase",
                got=f"{t[index]:g} s then {t[index + 1]:g} s",
                expected="each later than the one before",
                remedy="sort or thin them",
            )
            raise InvalidValueError(message)
        conditions = (
            cls._end("start", start_velocity, start_acceleration, q.shape[1]),
            cls._end("end", end_velocity, end_acceleration, q.shape[1]),
        )
        spline = CubicSpline(t, q, bc_type=conditions)
        return cls(_pieces(spline.c, spline.x))

    @staticmethod
    def _end(which: str, velocity: ArrayLike | None, acceleration: ArrayLike | None, n: int) -> tuple[int, Floats]:
        if velocity is not None and acceleration is not None:
            message = explain(
                f"two conditions for the {which}",
                got=f"{which}_velocity and {which}_acceleration",
                expected="one of them; a cubic has no room for both",
                remedy="drop one, or add a waypoint near that end",
            )
            raise InvalidValueError(message)
        order, name, given = (2, "acceleration", acceleration) if acceleration is not None else (1, "velocity", velocity)
        value = finite(f"{which}_{name}", 0.0 if given is None else given)
        return order, np.array(np.broadcast_to(value, (n,)) if value.ndim == 0 else last_axis(f"{which}_{name}", value, n, of="joint"))

    @classmethod
    def rest_to_rest(
        cls,
        q0: ArrayLike,
        q1: ArrayLike,
        *,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        profile: Literal["cubic", "quintic"] = "cubic",
        start: float = 0.0,
        least: float = 1e-3,
    ) -> Self:
        """The straight move q0 + s(tau) (q1 - q0), tau = (t - start)/T, in the shortest time T that the limits allow.

        The cubic s = 3 tau² - 2 tau³ has peaks 3/2 |Δ|/T and 6 |Δ|/T²; its acceleration jumps at both ends. The quintic
        s = 10 tau³ - 15 tau⁴ + 6 tau⁵ has 15/8 |Δ|/T and 10/sqrt(3) |Δ|/T², and begins and ends with zero acceleration.

        Args:
            q0, q1: first and last position, shape (n,) [rad or m].
            velocity: largest speed of each joint, shape (n,) or a scalar [rad/s or m/s], infinity for no limit.
            acceleration: likewise [rad/s² or m/s²].
            profile: ``cubic`` or ``quintic``.
            start: when it begins [s].
            least: shortest duration [s], for a move that no limit slows down.

        Raises:
            ShapeError: lengths differ.
            InvalidValueError: something is not finite, a limit is negative, or a joint must move that may not.
            UnknownNameError: no such profile.

        >>> round(Trajectory.rest_to_rest([0.0], [0.4], velocity=0.3, acceleration=10.0).duration, 6)
        2.0
        """
        if profile not in _PROFILES:
            raise unknown_name("profile", profile, _PROFILES)
        a, b = finite("q0", q0), finite("q1", q1)
        if a.ndim != 1:
            raise ShapeError(
                explain("q0 must be a vector", got=f"shape {a.shape}", expected="(n,)", remedy="give one number for each joint")
            )
        delta = last_axis("q1", b, a.size, of="joint") - a
        s = np.array(_PROFILES[profile])
        unit = cls(_pieces(s[:, None, None] * delta, [0.0, 1.0]))
        T = max(unit._least_stretch(velocity, acceleration), float(finite("least", least, unit="s")), np.finfo(float).tiny)
        begin = float(finite("start", start, unit="s"))
        coefficients = (s / T ** np.arange(len(s) - 1, -1, -1))[:, None, None] * delta
        coefficients[-1, 0] += a
        return cls(_pieces(coefficients, [begin, begin + T]))

    @property
    def start(self) -> float:
        """When it begins [s]."""
        return float(self._q.x[0])

    @property
    def end(self) -> float:
        """When it ends [s]."""
        return float(self._q.x[-1])

    @property
    def duration(self) -> float:
        """From begin to end [s]."""
        return self.end - self.start

    @property
    def n(self) -> int:
        """Number of joints."""
        return int(self._q.c.shape[2])

    def value(self, t: ArrayLike) -> Floats:
        """Position at times of any shape (...), shape (..., n) [rad or m]; outside the interval that of the nearer end."""
        return np.asarray(self._q(np.clip(finite("t", t, unit="s"), self.start, self.end)))

    def velocity(self, t: ArrayLike) -> Floats:
        """Velocity, shape (..., n) [rad/s or m/s]; zero outside the interval. At the ends themselves that of the polynomial."""
        return self._inside(self._v, t)

    def acceleration(self, t: ArrayLike) -> Floats:
        """Acceleration, shape (..., n) [rad/s² or m/s²]; zero outside the interval."""
        return self._inside(self._a, t)

    def _inside(self, polynomial: Any, t: ArrayLike) -> Floats:
        time = finite("t", t, unit="s")
        inside = (time >= self.start) & (time <= self.end)
        return np.where(inside[..., None], polynomial(np.clip(time, self.start, self.end)), 0.0)

    def extrema(self) -> Extrema:
        """Extrema over the whole interval, from the roots of the next derivative and the ends of every piece."""
        lower, upper = _range(self._q)
        speed, acceleration = (np.maximum(-low, high) for low, high in (_range(self._v), _range(self._a)))
        return Extrema(lower, upper, speed, acceleration)

    def respects(self, *, velocity: ArrayLike, acceleration: ArrayLike, rounding: float = 1e-9) -> bool:
        """Whether the peaks of every joint stay within the limits, up to a relative ``rounding``."""
        peak, most = self.extrema(), (self._limit("velocity", velocity), self._limit("acceleration", acceleration))
        return bool(((peak.speed <= most[0] * (1 + rounding)) & (peak.acceleration <= most[1] * (1 + rounding))).all())

    def starting_at(self, start: float) -> "Trajectory":
        """The same motion, beginning at another time [s]."""
        return Trajectory(_pieces(self._q.c, self._q.x - self.start + float(finite("start", start, unit="s"))))

    def stretched(self, factor: float) -> "Trajectory":
        """The same path from the same start, taking ``factor`` times as long: velocities divided by it, accelerations by its square.

        Raises:
            InvalidValueError: ``factor`` is not a positive number.
        """
        if not (np.isfinite(factor) and factor > 0):
            raise InvalidValueError(explain("factor cannot be used", got=factor, expected="a number > 0", remedy="2 means half the speed"))
        power = factor ** np.arange(len(self._q.c) - 1, -1, -1, dtype=float)
        return Trajectory(_pieces(self._q.c / power[:, None, None], self.start + (self._q.x - self.start) * factor))

    def within(self, *, velocity: ArrayLike, acceleration: ArrayLike) -> "Trajectory":
        """This trajectory, slowed down as a whole just as far as the limits demand; itself if it already respects them.

        All joints are slowed by one factor, so the path in joint space stays the same. Chosen velocities at the ends are slowed
        too. Torque limits and collisions are not considered: a path that is slow enough can still be in the way of something.

        Args:
            velocity: largest speed of each joint, shape (n,) or a scalar [rad/s or m/s], infinity for no limit.
            acceleration: likewise [rad/s² or m/s²].

        Raises:
            InvalidValueError: a limit is negative or NaN, or a joint must move that may not.
            ShapeError: a limit has the wrong length.
        """
        factor = self._least_stretch(velocity, acceleration)
        return self if self.respects(velocity=velocity, acceleration=acceleration) else self.stretched(factor)

    def _least_stretch(self, velocity: ArrayLike, acceleration: ArrayLike) -> float:
        peak = self.extrema()
        ratios = [_ratio("velocity", peak.speed, self._limit("velocity", velocity))]
        ratios.append(np.sqrt(_ratio("acceleration", peak.acceleration, self._limit("acceleration", acceleration))))
        return float(max(ratio.max(initial=0.0) for ratio in ratios))

    def _limit(self, name: str, value: ArrayLike) -> Floats:
        limit = non_negative(f"{name} limit", value, allow_infinite=True)
        return np.array(np.broadcast_to(limit, (self.n,)) if limit.ndim == 0 else last_axis(f"{name} limit", limit, self.n, of="joint"))


def _pieces(coefficients: Floats, breaks: ArrayLike) -> Any:
    from scipy.interpolate import PPoly

    return PPoly(coefficients, breaks)


def _ratio(name: str, peak: Floats, limit: Floats) -> Floats:
    stuck = (limit == 0) & (peak > 0)
    if stuck.any():
        joint = int(np.argmax(stuck))
        message = explain(
            f"joint {joint} must move but may not",
            got=f"peak {name} {peak[joint]:g}",
            expected=f"zero, because its {name} limit is zero",
            remedy="give the joint a limit, or keep its waypoints equal",
        )
        raise InvalidValueError(message)
    return np.divide(peak, limit, out=np.zeros_like(peak), where=limit > 0)


def _range(polynomial: Any) -> tuple[Floats, Floats]:
    """Smallest and largest value of each column of a piecewise polynomial."""
    left, right = polynomial.c[-1], polynomial.c[0]
    for coefficient in polynomial.c[1:]:  # Horner at the end of every piece: the next piece may begin with a jump
        right = right * np.diff(polynomial.x)[:, None] + coefficient
    ends = np.concatenate([left, right])
    lower, upper = ends.min(axis=0), ends.max(axis=0)
    slope = polynomial.derivative()
    for joint in range(lower.size):
        # Column by column: asked for all at once, scipy leaves out a root that equals the last root of the column before.
        roots = _pieces(slope.c[:, :, joint], slope.x).roots(discontinuity=False, extrapolate=False)
        inner = roots[np.isfinite(roots)]  # NaN marks a piece on which the derivative vanishes; its ends say it all
        if inner.size:
            values = polynomial(inner)[:, joint]
            lower[joint], upper[joint] = min(lower[joint], values.min()), max(upper[joint], values.max())
    return lower, upper
