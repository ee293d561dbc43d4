"""Three clocks: the physics step h, the control period H and the task period T, and who sees which value when.

Nothing here measures time. A step is a whole number, a layer is due when its count says so, and a value travels from one layer to the
next only through a hold.
"""

import dataclasses
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dexlab_course.arrays import Floats
from dexlab_course.errors import InvalidValueError, explain, unknown_name

if TYPE_CHECKING:
    import pandas

Order = Literal["simultaneous", "top_down"]
Steps = NDArray[np.intp]
_ORDERS = ("simultaneous", "top_down")
_WHOLE = 1e-6  # how far a ratio of two periods may be from a whole number; periods are decimal, ratios are not


class ZeroOrderHold[V]:
    """Keeps the last latched value; before the first latch it gives its start value, whatever it is connected to.

    >>> hold = ZeroOrderHold(0.0)
    >>> before = hold.value, hold.latched
    >>> hold.latch(3.0)
    >>> before, (hold.value, hold.latched)
    ((0.0, False), (3.0, True))
    """

    __slots__ = ("_start", "latched", "value")

    def __init__(self, start: V) -> None:
        self._start = start
        self.reset()

    def latch(self, value: V) -> None:
        """Take a new value over. Arrays are copied, so that a later change of the source cannot leak through the hold."""
        self.value: V = value.copy() if isinstance(value, np.ndarray) else value
        self.latched = True

    def reset(self) -> None:
        """Back to the start value."""
        self.value = self._start.copy() if isinstance(self._start, np.ndarray) else self._start
        self.latched = False


@dataclasses.dataclass(frozen=True, eq=False)
class Timeline:
    """What each physics step works with. Arrays of shape (steps,); update counts start at 0, and -1 is the start value of a hold.

    Attributes:
        time: begin of the step [s].
        task_due, control_due: whether the layer updates at that instant.
        control_update: number of the control update whose command drives the step.
        task_update: number of the task update that this command was computed from.
    """

    time: Floats
    task_due: NDArray[np.bool_]
    control_due: NDArray[np.bool_]
    control_update: Steps
    task_update: Steps

    @property
    def latency(self) -> Floats:
        """For each task update that arrives, the time from its instant to the first step that it drives [s]."""
        born = self.time[self.task_due]
        first = [np.flatnonzero(self.task_update == k) for k in range(len(born))]
        return np.array([self.time[steps[0]] - born[k] for k, steps in enumerate(first) if steps.size])

    def to_frame(self) -> "pandas.DataFrame":
        """One row for each physics step."""
        import pandas

        return pandas.DataFrame({field.name: getattr(self, field.name) for field in dataclasses.fields(self)})


class MultiRate:
    """Physics every h, control every H, task every T, all counted in physics steps.

    Two orders are in use where several layers are due at one instant:

    * ``"simultaneous"``: every layer reads what was there *before* the instant. A task value written at t is seen by the control
      one control period later, and by the physics one more step later; the order in which layers were registered does not matter.
    * ``"top_down"``: task, then control, then physics, each seeing what the one above just wrote, as a loop written by hand does.

    Args:
        h, H, T: periods [s]; H and T must be whole multiples of h.
        order: see above.
        control_offset, task_offset: instant of the first update [s], whole multiples of h; before it the start value is seen.

    Raises:
        InvalidValueError: a period is not positive, an offset is negative, or a ratio is not a whole number.

    >>> MultiRate(0.001, 0.005, 0.010).timeline(17).task_update.tolist()
    [-1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    """

    def __init__(
        self, h: float, H: float, T: float, *, order: Order = "simultaneous", control_offset: float = 0.0, task_offset: float = 0.0
    ) -> None:
        for name, period in (("h", h), ("H", H), ("T", T)):
            if not (np.isfinite(period) and period > 0):
                message = explain(
                    f"{name} is no period", got=f"{period} s", expected="a positive number of seconds", remedy="give seconds, not hertz"
                )
                raise InvalidValueError(message)
        if order not in _ORDERS:
            raise unknown_name("order", order, _ORDERS)
        self.h, self.H, self.T, self.order = float(h), float(H), float(T), order
        self.steps_per_control = self._steps("H", H, least=1)
        self.steps_per_task = self._steps("T", T, least=1)
        self.first_control = self._steps("control_offset", control_offset, least=0)
        self.first_task = self._steps("task_offset", task_offset, least=0)

    def _steps(self, name: str, period: float, *, least: int) -> int:
        ratio = period / self.h
        if not np.isfinite(ratio) or abs(ratio - round(ratio)) > _WHOLE * max(1.0, abs(ratio)) or round(ratio) < least:
            message = explain(
                f"{name} is not a whole multiple of h",
                got=f"{name} = {period:g} s with h = {self.h:g} s, ratio {ratio:.6g}",
                expected=f"a whole number of physics steps, at least {least}",
                remedy="choose h as a divisor of the other periods; a layer can only act where a step begins",
            )
            raise InvalidValueError(message)
        return round(ratio)

    def time(self, step: ArrayLike) -> Floats:
        """Begin of a physics step [s]: the count times h, so that no sum of roundings grows."""
        return np.asarray(step) * self.h

    def control_due(self, step: ArrayLike) -> NDArray[np.bool_]:
        """Whether the control updates at the begin of that step; any shape."""
        return _due(step, self.first_control, self.steps_per_control)

    def task_due(self, step: ArrayLike) -> NDArray[np.bool_]:
        """Whether the task updates at the begin of that step; any shape."""
        return _due(step, self.first_task, self.steps_per_task)

    def run[S, R, U](
        self,
        steps: int,
        *,
        task: Callable[[float, S], R],
        control: Callable[[float, R, S], U],
        plant: Callable[[float, U, S], S],
        state: S,
        reference: R,
        command: U,
    ) -> list[tuple[float, R, U, S]]:
        """Let three layers work together for ``steps`` physics steps.

        Args:
            steps: how many.
            task: ``task(time, state) -> reference``, every T.
            control: ``control(time, reference, state) -> command``, every H.
            plant: ``plant(time, command, state) -> state one step later``, every h.
            state: at the begin.
            reference, command: what the two holds give before their first latch.

        Returns:
            For each step its begin [s], the reference held during it, the command that drove it, and the state at its begin.
        """
        references, commands = ZeroOrderHold(reference), ZeroOrderHold(command)
        rows = []
        for step in range(steps):
            time = float(self.time(step))
            before, driving = references.value, commands.value
            if self.task_due(step):
                references.latch(task(time, state))
            if self.control_due(step):
                commands.latch(control(time, before if self.order == "simultaneous" else references.value, state))
            if self.order == "top_down":
                driving = commands.value
            rows.append((time, references.value, driving, state))
            state = plant(time, driving, state)
        return rows

    def timeline(self, steps: int) -> Timeline:
        """Which update drives which physics step, for ``steps`` steps."""
        ticks, updates = itertools.count(), itertools.count()
        rows = self.run(
            steps,
            task=lambda time, state: next(ticks),
            control=lambda time, reference, state: (next(updates), reference),
            plant=lambda time, command, state: state,
            state=None,
            reference=-1,
            command=(-1, -1),
        )
        driving = np.array([command for _, _, command, _ in rows], dtype=np.intp).reshape(-1, 2)
        index = np.arange(steps)
        return Timeline(self.time(index), self.task_due(index), self.control_due(index), driving[:, 0], driving[:, 1])


def _due(step: ArrayLike, first: int, every: int) -> NDArray[np.bool_]:
    since: Any = np.asarray(step) - first
    return np.asarray((since >= 0) & (since % every == 0))
