"""The task machine as a Drake system: the pure ``advance`` in a periodic update, everything it remembers in the Context.

Nothing of a task's progress lives in the Python object, so that two Contexts of one system are two tasks, a clone continues where the
original stood, and restoring a Context restores the task with it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from pydrake.systems.framework import BasicVector, Context, DiscreteValues, EventStatus, LeafSystem

from dexlab_course.arrays import Floats
from dexlab_course.errors import InvalidValueError, ShapeError, explain
from dexlab_course.task import Observation, TaskState, Thresholds, advance, reset


class TaskSystem(LeafSystem):  # type: ignore[misc]  # pydrake's types are not checked
    """One task: an observation comes in, and every ``period`` one call of ``advance`` decides.

    The discrete state is one group of five numbers, ``TaskState.to_array``: phase, entered [s], stable_since [s] (infinity for none),
    width [m], reason. The update reads it from the Context as it was *before* the tick and writes the next one.

    Input port:
        ``observation``: vector of 5 + G numbers, see ``observation_vector``: approach error [m], aperture [m], normal force [N], slip
        speed [m/s], G sample times [s] (one for each sensor group), abort (0 or 1).

    Output ports, each a vector of one number that depends on the state alone (no direct feedthrough):
        ``phase``: code of ``Phase``; ``width``: reference of the aperture [m]; ``reason``: code of ``Reason``.

    Args:
        period, offset: of the update [s].
        thresholds: the numbers of the contract; shared by all Contexts, as everything that is not in a Context.
        groups: number G of sensor groups with a sample time of their own.

    Raises:
        InvalidValueError: ``period`` or ``offset`` cannot be used, or ``groups`` is not a whole number >= 1.
    """

    def __init__(self, *, period: float = 0.01, offset: float = 0.0, thresholds: Thresholds | None = None, groups: int = 1) -> None:
        super().__init__()
        for name, value, holds, expected in (
            ("period", period, np.isfinite(period) and period > 0, "a positive number of seconds"),
            ("offset", offset, np.isfinite(offset) and offset >= 0, "a number of seconds >= 0"),
            ("groups", groups, isinstance(groups, int) and groups >= 1, "a whole number >= 1"),
        ):
            if not holds:
                raise InvalidValueError(explain(f"{name} cannot be used", got=value, expected=expected, remedy=f"set {name}"))
        self.set_name("task")
        self.period, self.groups, self.thresholds = period, groups, thresholds or Thresholds()
        self._observation = self.DeclareVectorInputPort("observation", 5 + groups)
        self.DeclareDiscreteState(TaskState.start(thresholds=self.thresholds).to_array()[0])
        self.DeclarePeriodicDiscreteUpdateEvent(period, offset, self._tick)
        for column, name in ((0, "phase"), (3, "width"), (4, "reason")):
            self.DeclareVectorOutputPort(name, 1, self._output(column), prerequisites_of_calc={self.all_state_ticket()})

    @staticmethod
    def _output(column: int):  # type: ignore[no-untyped-def]
        def calc(context: Context, output: BasicVector) -> None:
            output.SetAtIndex(0, context.get_discrete_state_vector().GetAtIndex(column))

        return calc

    def _tick(self, context: Context, discrete_state: DiscreteValues) -> EventStatus:
        seen = self.observation(self._observation.Eval(context))
        after = advance(self.task_state(context), seen, context.get_time(), self.thresholds)
        discrete_state.set_value(after.to_array()[0])
        return EventStatus.Succeeded()  # the update was carried out; whether the task is in Fault is another question

    def observation(self, numbers: ArrayLike) -> Observation:
        """The port's vector, shape (5 + G,), as an observation of one environment; the inverse of ``observation_vector``.

        Raises:
            ShapeError: the vector has another length.
        """
        vector = np.asarray(numbers, dtype=float)
        if vector.shape != (5 + self.groups,):
            message = explain(
                "the vector is no observation of this task",
                got=f"shape {vector.shape}",
                expected=f"({5 + self.groups},): four channels, {self.groups} sample times, abort",
                remedy="build it with observation_vector",
            )
            raise ShapeError(message)
        error, aperture, force, slip = vector[:4]
        stamps = vector[4:-1]
        return Observation(
            approach_error=error,
            aperture=aperture,
            normal_force=force,
            slip_speed=slip,
            sample_time=stamps[0] if self.groups == 1 else stamps[:, None],
            abort=vector[-1],
        )

    def task_state(self, context: Context) -> TaskState:
        """What this system's Context remembers, as a state of one environment; a copy."""
        return TaskState.from_array(context.get_discrete_state_vector().value()[None])

    def set_task_state(self, context: Context, state: TaskState) -> None:
        """Put a state of one environment into this system's Context.

        Raises:
            ShapeError: the state holds another number of environments.
        """
        if state.size != 1:
            raise ShapeError(
                explain("a Context holds one task", got=f"{state.size} environments", expected="1", remedy="pick one: state[index]")
            )
        context.SetDiscreteState(state.to_array()[0])

    def reset(self, context: Context) -> None:
        """Begin a new episode now: Approach, entered at the Context's time.

        ``SetDefaultContext`` cannot do that: it writes the entry time that was declared, 0, and a clock that stands at 5 s then says that
        the phase has lasted 5 s already.
        """
        self.set_task_state(context, reset(self.task_state(context), context.get_time(), thresholds=self.thresholds))


def observation_vector(
    *,
    approach_error: float,
    aperture: float,
    normal_force: float,
    slip_speed: float,
    sample_time: float | Sequence[float],
    abort: float = 0.0,
) -> Floats:
    """The numbers that the ``observation`` port takes, shape (5 + G,); fields and units as in ``Observation``.

    >>> observation_vector(approach_error=0.1, aperture=0.08, normal_force=0.0, slip_speed=0.0, sample_time=[2.0, 1.95]).tolist()
    [0.1, 0.08, 0.0, 0.0, 2.0, 1.95, 0.0]
    """
    return np.array([approach_error, aperture, normal_force, slip_speed, *np.atleast_1d(sample_time), abort], dtype=float)
