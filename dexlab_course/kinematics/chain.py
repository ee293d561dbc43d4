"""A serial chain of joints: where its tip is, and how fast it moves.

The chain is kept in one normal form: a fixed pose, then a turn about (or a shift along) z, then the next fixed pose, and so on:

    X_WT(q) = A_0 Z(q_0) A_1 Z(q_1) ... A_(n-1) Z(q_(n-1)) A_n

with W the base link's frame and T the tool's. A joint about another axis is brought to this form once, when the chain is made.
Joint i then moves T by the twist of its axis z_i through its origin o_i, which gives column i of the geometric Jacobian: for a turn
(z_i x (p_T - o_i), z_i), for a slide (z_i, 0). Source: Siciliano et al., Robotics (2009), section 3.1.
"""

import functools
import math
import pathlib
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dexlab_course.arrays import Floats, as_floats, frozen, last_axis
from dexlab_course.errors import ShapeError, UnknownNameError, explain
from dexlab_course.kinematics import frames
from dexlab_course.kinematics.frames import Order
from dexlab_course.kinematics.joints import ChainJoint, rigid_pose

# How many configurations the readable path handles at a time: its arrays stay in the second-level cache.
_BLOCK = 2048


class SerialChain:
    """Joints in a row from a base link to a tip link.

    Args:
        joints: in order from base to tip.
        X_end: (4, 4), the tip link in the frame that the last joint moves.
        base, tip: names of the two links, for messages.
        tool: (4, 4), the tool frame T in the tip link's frame; the identity when omitted.

    Attributes:
        names, kinds: of the joints.
        lower, upper: limits (n,) [rad or m], infinite for a continuous joint.
        velocity, effort: limits (n,) [rad/s or m/s, N·m or N], infinite where the model says nothing.
        n: number of joints.
        poses, slides: the normal form, A (n + 1, 4, 4) and which joints are prismatic (n,).
        compiled_from: batches of at least this many configurations use the compiled form of the same arithmetic, when numba is
            installed; ``None`` never, 1 always. It is five times faster in a batch and twenty times in a single call, but loading
            numba takes a second in each process, and compiling a few seconds once.

    Raises:
        UnknownNameError: two joints have one name.
    """

    compiled_from: int | None = 20_000

    def __init__(
        self,
        joints: Sequence[ChainJoint],
        X_end: ArrayLike | None = None,
        *,
        base: str = "base",
        tip: str = "tip",
        tool: ArrayLike | None = None,
    ) -> None:
        self.joints = tuple(joints)
        self.base, self.tip = base, tip
        self.n = len(self.joints)
        self.names = tuple(joint.name for joint in self.joints)
        self.kinds = tuple(joint.kind for joint in self.joints)
        if len(set(self.names)) != self.n:
            message = explain("two joints have one name", got=list(self.names), expected="unique names", remedy="rename one of them")
            raise UnknownNameError(message)
        self.lower, self.upper, self.velocity, self.effort = (
            frozen(np.array([getattr(joint, name) for joint in self.joints], dtype=float))
            for name in ("lower", "upper", "velocity", "effort")
        )
        self.tool: Floats = frozen(np.eye(4) if tool is None else rigid_pose("tool", tool))
        self._X_end: Floats = frozen(np.eye(4) if X_end is None else rigid_pose("X_end", X_end))
        # A_i and which joints slide. Writeable, because compiled code takes no read-only arrays; nobody writes them.
        self.poses = self._normal_form()
        self.slides = np.array([kind == "prismatic" for kind in self.kinds], dtype=bool)
        self.turns_freely = "continuous" in self.kinds

    @classmethod
    def from_urdf(cls, path: str | pathlib.Path, base: str, tip: str, tool: ArrayLike | None = None) -> Self:
        """The chain from link ``base`` to link ``tip`` of a URDF file: revolute, continuous, prismatic and fixed joints, any axis.

        Args:
            path: the file. Meshes are not loaded.
            base, tip: link names; the tip must hang below the base.
            tool: (4, 4), an offset from the tip link to the tool frame T, such as ``frames.pose(p=[0, 0, 0.1])``.

        Raises:
            ModelFileError: missing or unreadable file, base and tip on different branches, mimic, floating or planar joints.
            UnknownNameError: a link that the file does not have.
        """
        from dexlab_course.kinematics.urdf import read_chain

        joints, X_end = read_chain(path, base, tip)
        return cls(joints, X_end, base=base, tip=tip, tool=tool)

    def with_tool(self, tool: ArrayLike) -> Self:
        """The same chain with another tool frame: ``tool`` (4, 4) is X_LT, T in the tip link's frame."""
        return type(self)(self.joints, self._X_end, base=self.base, tip=self.tip, tool=tool)

    def __repr__(self) -> str:
        return f"SerialChain({self.base} -> {self.tip}: {', '.join(self.names)})"

    # --- positions ----------------------------------------------------------------------------------------------------------------

    def fk(self, q: ArrayLike) -> Floats:
        """Pose X_WT of the tool frame T in the base link's frame W, shape (..., 4, 4) [m].

        Args:
            q: (..., n) [rad or m]. Limits are not looked at; a NaN joint gives a NaN pose.

        Raises:
            ShapeError: the last axis is not n.
        """
        q = self._configurations(q)
        return self._evaluate(q, np.zeros(3), "linear_first", jacobian=False)[0]

    def skeleton(self, q: ArrayLike) -> Floats:
        """Points to draw the arm by: base, each joint's origin, tool; shape (..., n + 2, 3) [m] in W."""
        q = self._configurations(q)
        S, _, o = self.walk(q.reshape(-1, self.n).T)
        points = np.concatenate([np.zeros((1, 3, S.shape[-1])), o, S[None, 3]])
        return np.moveaxis(points, -1, 0).reshape(*q.shape[:-1], self.n + 2, 3)

    # --- velocities ---------------------------------------------------------------------------------------------------------------

    def jacobian(self, q: ArrayLike, point: ArrayLike | None = None, order: Order = "linear_first") -> Floats:
        """Geometric Jacobian ``V = J qdot`` of a point fixed to T, in W's coordinates, shape (..., 6, n).

        The linear rows are the velocity of that point [m/s per rad/s or m/s], the angular rows the body's angular velocity.

        Args:
            q: (..., n) [rad or m].
            point: p_TP_T, the point in the tool frame's own coordinates [m], (3,) or (..., 3); T's origin when omitted.
            order: ``linear_first`` (rows 0-2 linear, 3-5 angular) or ``angular_first``.

        Raises:
            ShapeError: the last axis of ``q`` is not n, or of ``point`` not 3.
            UnknownNameError: an unknown order.
        """
        return self.fk_jacobian(q, point, order)[1]

    def fk_jacobian(self, q: ArrayLike, point: ArrayLike | None = None, order: Order = "linear_first") -> tuple[Floats, Floats]:
        """Both at once, for the price of little more than one: X_WT (..., 4, 4) and J (..., 6, n). See ``fk`` and ``jacobian``."""
        q = self._configurations(q)
        frames.check_order(order)
        p_TP = np.zeros(3) if point is None else last_axis("point", as_floats("point", point), 3, of="coordinate")
        if p_TP.ndim == 1:
            return self._evaluate(q, p_TP, order, jacobian=True)
        X, J = self._evaluate(q, np.zeros(3), order, jacobian=True)
        return X, frames.shift_jacobian(J, (X[..., :3, :3] @ p_TP[..., None])[..., 0], order=order)

    def manipulability(self, q: ArrayLike, rows: Sequence[int] | slice = slice(None)) -> Floats:
        """Yoshikawa's measure ``sqrt(det(J J^T))``, shape (...): the product of J's singular values. Zero at a singularity.

        Args:
            q: (..., n) [rad or m].
            rows: which rows of the linear-first Jacobian count, such as ``slice(3)`` for position only; all six when omitted. With
                fewer joints than rows the product of the n singular values is taken, ``sqrt(det(J^T J))``.

        Source: Yoshikawa, Manipulability of robotic mechanisms (1985). Metres and radians are mixed unless ``rows`` separates them.
        """
        return np.linalg.svd(self.jacobian(q)[..., rows, :], compute_uv=False).prod(axis=-1)

    # --- help ---------------------------------------------------------------------------------------------------------------------

    def random(self, rng: np.random.Generator, count: int | tuple[int, ...] = ()) -> Floats:
        """Uniform configurations inside the limits, shape (*count, n); a joint without limits turns within ±pi or slides within ±1 m."""
        lower, upper = self.sampling_range()
        return rng.uniform(lower, upper, (*((count,) if isinstance(count, int) else count), self.n))

    def sampling_range(self) -> tuple[Floats, Floats]:
        """Finite bounds for random configurations, (n,) each: the limits, or ±pi rad and ±1 m where there are none."""
        span = np.where(self.slides, 1.0, np.pi)
        return np.where(np.isfinite(self.lower), self.lower, -span), np.where(np.isfinite(self.upper), self.upper, span)

    @functools.cached_property
    def reach(self) -> float:
        """No point of T is ever further from the base than this [m]: all fixed offsets, plus what the sliding joints add."""
        offsets = float(np.linalg.norm(self.poses[:, :3, 3], axis=-1).sum())
        travel = np.maximum(np.abs(self.lower), np.abs(self.upper))[self.slides]
        return offsets + float(travel.sum())

    def _normal_form(self) -> Floats:
        A = np.empty((self.n + 1, 4, 4))
        turned_back = np.eye(4)
        for i, joint in enumerate(self.joints):
            turn = joint.aligned()
            A[i] = turned_back @ np.asarray(joint.X_PJ) @ turn
            turned_back = turn.T
        A[self.n] = turned_back @ self._X_end @ self.tool
        return A

    def _configurations(self, q: ArrayLike) -> Floats:
        q = as_floats("q", q)
        if q.ndim == 0 or q.shape[-1] != self.n:
            message = explain(
                "q does not fit the chain",
                got=f"shape {q.shape}",
                expected=f"(..., {self.n}), one entry for each of [{', '.join(self.names)}]",
                remedy="leave out joints beside the chain, such as fingers",
            )
            raise ShapeError(message)
        return q

    def _evaluate(self, q: Floats, point: Floats, order: Order, *, jacobian: bool) -> tuple[Floats, Floats]:
        """X (..., 4, 4), and J (..., 6, n) or an empty array."""
        batch, size = q.shape[:-1], math.prod(q.shape[:-1])
        flat = q.reshape(size, self.n)
        X, J = np.empty((size, 4, 4)), np.empty((size if jacobian else 0, 6, self.n))
        kernel = _kernel() if self.compiled_from is not None and size >= self.compiled_from else None
        if kernel is not None:
            kernel(self.poses, self.slides, as_buffer(flat), as_buffer(point), order == "linear_first", X, J)
        else:
            for start in range(0, size, _BLOCK):
                block = slice(start, start + _BLOCK)
                self._fill(flat[block], point, order, X[block], J[block])
        return X.reshape(*batch, 4, 4), J.reshape(*batch, 6, self.n) if jacobian else J

    def _fill(self, q: Floats, point: Floats, order: Order, X: Floats, J: Floats) -> None:
        """Fill X (B, 4, 4) and, unless it is empty, J (B, 6, n) for q (B, n): the readable form of ``compiled.py``."""
        S, z, o = self.walk(q.T)
        X[:, :3, :] = S.transpose(2, 1, 0)
        X[:, 3] = [0.0, 0.0, 0.0, 1.0]
        if len(J):
            linear, angular = self.columns(z, o, S[3] + np.tensordot(point, S[:3], 1))
            first, second = (linear, angular) if order == "linear_first" else (angular, linear)
            J[:, :3], J[:, 3:] = first.transpose(2, 1, 0), second.transpose(2, 1, 0)

    # --- the arithmetic, one block of configurations at a time --------------------------------------------------------------------

    def walk(self, q: Floats, base: Floats | None = None) -> tuple[Floats, Floats, Floats]:
        """From base to tool for a block of configurations q (n, B).

        The pose is kept column by column, S = (x axis, y axis, z axis, origin) with shape (4, 3, B): then a fixed pose is one small
        matrix product for the whole block, and a turn about z mixes the first two columns.

        Args:
            base: where the base stands, in the layout of S; at the origin when omitted.

        Returns:
            S of the tool, and each joint's axis z and origin o, (n, 3, B) both.
        """
        S = np.repeat(np.eye(4)[:, :3, None], q.shape[1], axis=2) if base is None else base
        z, o = np.empty((self.n, 3, q.shape[1])), np.empty((self.n, 3, q.shape[1]))
        # Both from the tangent of half the angle, which NumPy computes many times faster than a sine.
        t = np.tan(0.5 * q)
        scale = 1.0 / (1.0 + t * t)
        sine, cosine = 2.0 * t * scale, (1.0 - t * t) * scale
        for i in range(self.n):
            S = (self.poses[i].T @ S.reshape(4, -1)).reshape(4, 3, -1)
            if self.slides[i]:
                S[3] += q[i] * S[2]
            else:
                S[0], S[1] = cosine[i] * S[0] + sine[i] * S[1], cosine[i] * S[1] - sine[i] * S[0]
            z[i], o[i] = S[2], S[3]
        return (self.poses[self.n].T @ S.reshape(4, -1)).reshape(4, 3, -1), z, o

    def columns(self, z: Floats, o: Floats, p: Floats) -> tuple[Floats, Floats]:
        """Linear and angular part of the Jacobian's columns, (n, 3, B) both, about a point p (3, B), from what ``walk`` returns."""
        r = p - o
        linear = np.empty_like(z)
        linear[:, 0] = z[:, 1] * r[:, 2] - z[:, 2] * r[:, 1]
        linear[:, 1] = z[:, 2] * r[:, 0] - z[:, 0] * r[:, 2]
        linear[:, 2] = z[:, 0] * r[:, 1] - z[:, 1] * r[:, 0]
        if not self.slides.any():
            return linear, z
        linear[self.slides] = z[self.slides]
        return linear, np.where(self.slides[:, None, None], 0.0, z)


def as_buffer(array: Floats) -> Floats:
    """The array itself, or a copy that compiled code accepts: its rows one after the other, and writeable."""
    flags = array.flags
    return array if flags.c_contiguous and flags.writeable else np.array(array, order="C")


@functools.cache
def _kernel() -> Callable[..., None] | None:
    """The compiled form of ``_fill``, or None without numba."""
    try:
        from dexlab_course.kinematics import compiled
    except ImportError:
        return None
    return compiled.kernel()
