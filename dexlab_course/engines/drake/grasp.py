"""The grasp as a closed loop: plant -> observer -> task machine -> reference -> plant, each part with its own period.

The parts are connected in one Diagram, so that one Context holds the whole experiment. The scene is in ``gripper``, what is measured in
``observer``, and the task machine in ``task_system``.
"""

import dataclasses

import numpy as np
from numpy.typing import NDArray
from pydrake.geometry import Meshcat, MeshcatVisualizer
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, ContactModel, MultibodyPlant
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import BasicVector, Context, DiagramBuilder, DiscreteValues, EventStatus, LeafSystem
from pydrake.systems.primitives import LogVectorOutput

from dexlab_course.arrays import Floats
from dexlab_course.engines.drake import gripper
from dexlab_course.engines.drake.observer import GOAL_HEIGHT, Observer
from dexlab_course.engines.drake.task_system import TaskSystem
from dexlab_course.task import Phase, Reason, TaskState, Thresholds

_GRASP_LIFT = GOAL_HEIGHT + gripper.TCP_DROP - gripper.RAIL_HEIGHT  # position of the lift joint at the goal [m]
_LOG_PERIOD = 0.01  # [s]
_CHANNELS = ("approach_error", "aperture", "normal_force", "slip_speed", "sample_time", "abort")


@dataclasses.dataclass(frozen=True, kw_only=True)
class GraspOptions:
    """What may be varied.

    Attributes:
        contact: see ``gripper.add_gripper``.
        friction: of pads and box [-].
        box: whether there is one.
        box_mass: [kg].
        finger_gains: kp [N/m] and kd [N·s/m] of each finger.
        finger_effort: limit of each finger [N].
        thresholds: of the task; its ``closed_width`` decides how hard the fingers press.
        start_height: of the tool centre point above its goal at the begin [m].
        lift_height: by how much Hold lifts [m].
        lift_speed, width_speed: rates of the references [m/s].
        time_step: of the plant [s].
        observe_period, reference_period, task_period: [s].
    """

    contact: gripper.Contact = "spheres"
    friction: float = 0.8
    box: bool = True
    box_mass: float = 0.1
    finger_gains: tuple[float, float] = (600.0, 20.0)
    finger_effort: float = 10.0
    thresholds: Thresholds = dataclasses.field(default_factory=Thresholds)
    start_height: float = 0.06
    lift_height: float = 0.05
    lift_speed: float = 0.1
    width_speed: float = 0.05
    time_step: float = 1e-3
    observe_period: float = 0.005
    reference_period: float = 0.005
    task_period: float = 0.01


class Reference(LeafSystem):  # type: ignore[misc]
    """Turns phase and width into a desired state of the gripper, at limited rates: Hold lifts, everything else stays or goes down to the box.

    Input ports: ``phase``, ``width`` [m]. Output port: ``desired_state``, [q_d; v_d] of the gripper in the order of its actuators.
    """

    def __init__(self, plant: MultibodyPlant, options: GraspOptions) -> None:
        super().__init__()
        self.set_name("reference")
        indices = plant.GetJointActuatorIndices(plant.GetModelInstanceByName("gripper"))
        self._joints = [plant.get_joint_actuator(index).joint().name() for index in indices]
        self._limits = options.reference_period * np.array([options.lift_speed, options.width_speed])
        self._period, self._lift_height = options.reference_period, options.lift_height
        self._phase, self._width = (self.DeclareVectorInputPort(name, 1) for name in ("phase", "width"))
        # Height of the lift joint [m], width [m], and their rates [m/s].
        self.DeclareDiscreteState([_GRASP_LIFT + options.start_height, options.thresholds.open_width, 0.0, 0.0])
        self.DeclarePeriodicDiscreteUpdateEvent(self._period, 0.0, self._move)
        self.DeclareVectorOutputPort("desired_state", 2 * len(self._joints), self._give, prerequisites_of_calc={self.all_state_ticket()})

    def _move(self, context: Context, discrete_state: DiscreteValues) -> EventStatus:
        now = context.get_discrete_state_vector().value()[:2]
        phase, width = Phase(int(self._phase.Eval(context)[0])), self._width.Eval(context)[0]
        height = {
            Phase.APPROACH: _GRASP_LIFT,
            Phase.CLOSE: _GRASP_LIFT,
            Phase.HOLD: _GRASP_LIFT + self._lift_height,
        }.get(phase, now[0])
        change = np.clip(np.array([height, width]) - now, -self._limits, self._limits)
        discrete_state.set_value(np.concatenate([now + change, change / self._period]))
        return EventStatus.Succeeded()

    def _give(self, context: Context, output: BasicVector) -> None:
        height, width, height_rate, width_rate = context.get_discrete_state_vector().value()
        q = {"lift": height, "left": width / 2, "right": width / 2}  # a finger joint is half of the width
        v = {"lift": height_rate, "left": width_rate / 2, "right": width_rate / 2}
        output.SetFromVector([q[name] for name in self._joints] + [v[name] for name in self._joints])


@dataclasses.dataclass(frozen=True)
class Transition:
    """The task entered ``phase`` at ``time`` [s] because of ``reason``."""

    time: float
    phase: Phase
    reason: Reason


@dataclasses.dataclass(frozen=True, eq=False)
class GraspRun:
    """What was logged, n rows 10 ms apart; each row is what was there before the updates of its instant.

    Attributes:
        transitions: all phases with the time they were entered and why, the first at the begin.
        time: shape (n,) [s].
        phase: shape (n,), codes.
        observation: by channel, each (n,), as the observer held it.
        drive: by joint, each (n,): the net actuation [N].
        box_height: of the box's centre above the table, (n,) [m]; NaN without a box.
        box_speed: of the box in the world, (n,) [m/s]; NaN without a box.
    """

    transitions: tuple[Transition, ...]
    time: Floats
    phase: Floats
    observation: dict[str, Floats]
    drive: dict[str, Floats]
    box_height: Floats
    box_speed: Floats

    @property
    def ended(self) -> Phase:
        """The last phase."""
        return self.transitions[-1].phase

    def at(self, phase: Phase) -> float:
        """When a phase was entered [s]; NaN when it never was."""
        return next((entry.time for entry in self.transitions if entry.phase == phase), float("nan"))

    def during(self, phase: Phase) -> NDArray[np.bool_]:
        """Mask of the rows in a phase, shape (n,)."""
        return np.asarray(self.phase == phase)


class GraspLoop:
    """The diagram, its parts, and a simulator that stands at time 0 with open fingers above the box.

    Args:
        options: what may be varied.
        meshcat: a viewer in the browser that shows, or records, the motion.

    Attributes:
        plant, scene_graph, observer, task, reference, diagram, simulator: Drake's own objects; ask them whatever a run does not say.
    """

    def __init__(self, options: GraspOptions = GraspOptions(), *, meshcat: Meshcat | None = None) -> None:
        self.options = options
        builder = DiagramBuilder()
        self.plant, self.scene_graph = AddMultibodyPlantSceneGraph(builder, options.time_step)
        self.plant.set_contact_model(ContactModel.kHydroelasticWithFallback if options.contact == "hydroelastic" else ContactModel.kPoint)
        self.gripper = gripper.add_gripper(
            self.plant,
            contact=options.contact,
            friction=options.friction,
            finger_gains=options.finger_gains,
            finger_effort=options.finger_effort,
        )
        if options.box:
            gripper.add_box(self.plant, mass=options.box_mass, contact=options.contact, friction=options.friction)
        gripper.add_table(self.plant, contact=options.contact)
        self.plant.Finalize()
        self.observer = builder.AddSystem(Observer(self.plant, self.scene_graph.model_inspector(), period=options.observe_period))
        self.task = builder.AddSystem(TaskSystem(period=options.task_period, thresholds=options.thresholds))
        self.reference = builder.AddSystem(Reference(self.plant, options))
        plant, observer, task, reference = self.plant, self.observer, self.task, self.reference
        builder.Connect(plant.get_state_output_port(), observer.GetInputPort("state"))
        builder.Connect(plant.get_contact_results_output_port(), observer.GetInputPort("contact_results"))
        builder.Connect(observer.get_output_port(), task.get_input_port())
        builder.Connect(task.GetOutputPort("phase"), reference.GetInputPort("phase"))
        builder.Connect(task.GetOutputPort("width"), reference.GetInputPort("width"))
        builder.Connect(reference.get_output_port(), plant.get_desired_state_input_port(self.gripper))
        logged = {
            "phase": task.GetOutputPort("phase"),
            "observation": observer.get_output_port(),
            "drive": plant.get_net_actuation_output_port(self.gripper),
            "state": plant.get_state_output_port(),
        }
        if meshcat is not None:
            MeshcatVisualizer.AddToBuilder(builder, self.scene_graph, meshcat)
        self._logs = {name: LogVectorOutput(port, builder, _LOG_PERIOD) for name, port in logged.items()}
        self.diagram = builder.Build()
        self.simulator = Simulator(self.diagram)
        self._entries: list[Transition] = []
        self._place()
        self.simulator.Initialize()

    def _place(self) -> None:
        context = self.plant_context
        start = {"lift": _GRASP_LIFT + self.options.start_height} | dict.fromkeys(gripper.FINGERS, self.options.thresholds.open_width / 2)
        for name, position in start.items():
            self.plant.GetJointByName(name).set_translation(context, position)
        if self.options.box:
            body = self.plant.GetBodyByName("box")
            height = gripper.resting_height(self.options.contact) + 1e-4  # it falls for a moment, so that nothing starts in contact
            self.plant.SetFreeBodyPose(context, body, RigidTransform([0.0, 0.0, height]))

    @property
    def plant_context(self) -> Context:
        """The plant's part of the simulator's Context, writable."""
        return self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())

    @property
    def task_state(self) -> TaskState:
        """What the task remembers now; a copy."""
        state: TaskState = self.task.task_state(self.task.GetMyContextFromRoot(self.simulator.get_context()))
        return state

    def run(self, *, until: float = 15.0, linger: float = 0.0) -> GraspRun:
        """Simulate until the task is in Done or Fault and ``linger`` seconds longer, at most until ``until`` [s].

        A second call goes on where the first stopped, and returns the whole run.
        """
        entries = self._entries

        def watch(root: Context) -> EventStatus:
            numbers = self.task.GetMyContextFromRoot(root).get_discrete_state_vector()
            phase, entered = Phase(int(numbers[0])), float(numbers[1])
            if not entries or phase != entries[-1].phase:
                entries.append(Transition(entered, phase, Reason(int(numbers[4]))))
            if phase >= Phase.DONE and root.get_time() >= entered + linger:
                return EventStatus.ReachedTermination(self.diagram, "the task is over")
            return EventStatus.DidNothing()

        self.simulator.set_monitor(watch)
        watch(self.simulator.get_context())
        self.simulator.AdvanceTo(until)
        self.simulator.clear_monitor()
        return self._collect(tuple(entries))

    def _collect(self, entries: tuple[Transition, ...]) -> GraspRun:
        root = self.simulator.get_context()
        logs = {name: sink.FindLog(root) for name, sink in self._logs.items()}
        data = {name: log.data().copy() for name, log in logs.items()}
        height = speed = np.full(data["state"].shape[1], np.nan)
        if self.options.box:
            box = self.plant.GetBodyByName("box")
            q, v = box.floating_positions_start(), self.plant.num_positions() + box.floating_velocities_start_in_v()
            height = data["state"][q + 6]  # quaternion, then position
            speed = np.linalg.norm(data["state"][v + 3 : v + 6], axis=0)  # angular, then linear
        joints = [self.plant.get_joint_actuator(index).joint().name() for index in self.plant.GetJointActuatorIndices(self.gripper)]
        return GraspRun(
            transitions=entries,
            time=logs["phase"].sample_times().copy(),
            phase=data["phase"][0],
            observation=dict(zip(_CHANNELS, data["observation"], strict=True)),
            drive=dict(zip(joints, data["drive"], strict=True)),
            box_height=height,
            box_speed=speed,
        )
