"""What the tests want to know of Drake, asked in one process. The function stands alone: its source is sent to a child."""

from typing import Any


def ask_drake(
    folder: str, poses: dict[str, list[dict[str, Any]]], commands: dict[str, list[dict[str, list[float]]]], panda_poses: list[list[float]]
) -> dict[str, Any]:
    import pathlib
    from typing import Any

    import numpy as np
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, BaseBodyJointType, MultibodyPlant
    from pydrake.multibody.tree import BodyIndex
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder
    from scipy.spatial.transform import Rotation

    from dexlab_course.engines import installed
    from dexlab_course.engines.drake import add_actuators, add_urdf, dof_map, robots
    from dexlab_course.engines.drake.bench import add_slider
    from dexlab_course.engines.drake.course_maps import course_maps
    from dexlab_course.engines.drake.start import quiet
    from dexlab_course.errors import DexlabCourseError

    quiet()

    def load(name: str, *, rpy: bool = False, step: float = 0.0) -> Any:
        plant = MultibodyPlant(step)
        path = pathlib.Path(folder, f"{name}.urdf")
        instance = add_urdf(plant, path, weld="ground" if name == "four_bar" else None)
        if rpy:
            plant.SetBaseBodyJointType(BaseBodyJointType.kRpyFloatingJoint, instance)
        if plant.num_actuators() == 0:
            add_actuators(plant, instance, path)
        plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, 0.0])
        plant.Finalize()
        return plant

    def positions(plant: Any, pose: dict[str, Any]) -> Any:
        layout = dof_map(plant)
        q = plant.GetPositions(plant.CreateDefaultContext())
        for name, value in pose.items():
            if isinstance(value, dict):
                turn = Rotation.from_rotvec(value["turn"])
                joint = layout[name]
                numbers = turn.as_quat()[[3, 0, 1, 2]] if len(joint.q) in (4, 7) else turn.as_euler("xyz")
                q = layout.scatter(q, name, [*numbers, *value.get("p", [])])
            else:
                q = layout.scatter(q, name, [value])
        return q

    def describe(plant: Any, model: str) -> dict[str, Any]:
        layout, context = dof_map(plant), plant.CreateDefaultContext()
        bodies = [plant.get_body(BodyIndex(k)) for k in range(1, plant.num_bodies())]
        inertias = {body.name(): body.default_spatial_inertia() for body in bodies}
        answer: dict[str, Any] = {
            "map": layout.to_dict(),
            "mass": {name: inertia.get_mass() for name, inertia in inertias.items()},
            "com": {name: inertia.get_com().tolist() for name, inertia in inertias.items() if inertia.get_mass()},
            "inertia": {
                name: inertia.Shift(inertia.get_com()).CalcRotationalInertia().CopyToFullMatrix3().tolist()
                for name, inertia in inertias.items()
                if inertia.get_mass()
            },
            "places": [],
            "matrices": [],
            "accelerations": [],
            "B": plant.MakeActuationMatrix().tolist(),
        }
        for pose, command in zip(poses[model], commands[model], strict=True):
            plant.SetPositions(context, positions(plant, pose))
            plant.SetVelocities(context, np.zeros(plant.num_velocities()))
            X = {body.name(): plant.EvalBodyPoseInWorld(context, body) for body in bodies}
            answer["places"].append({name: [x.rotation().matrix().tolist(), x.translation().tolist()] for name, x in X.items()})
            answer["matrices"].append(plant.CalcMassMatrix(context).tolist())
            u = np.zeros(layout.nu)
            for name, values in command.items():
                if name in layout and layout[name].u.size:
                    u = layout.scatter(u, name, values, "u")
            plant.get_actuation_input_port().FixValue(context, u)
            answer["accelerations"].append(plant.get_generalized_acceleration_output_port().Eval(context).tolist())
        return answer

    def settle(*, closed: bool) -> list[dict[str, Any]]:
        """The four-bar, pushed by its motor and left alone: angles and gap of the pin."""
        found = []
        for torque in (0.5, -0.3):
            plant = load("four_bar", step=1e-3)
            simulator = Simulator(plant)
            context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
            if not closed:
                plant.SetConstraintActiveStatus(context, plant.GetConstraintIds()[0], False)
            motor = plant.get_actuation_input_port().FixValue(context, [torque])
            simulator.AdvanceTo(0.5)
            motor.GetMutableData().get_mutable_value().SetFromVector([0.0])
            simulator.AdvanceTo(3.0)
            points = [
                plant.CalcPointsPositions(context, plant.GetFrameByName(name), point, plant.world_frame()).ravel()
                for name, point in (("coupler", [0.8, 0.0, 0.4]), ("rocker", [0.0, 0.0, 0.6]))
            ]
            q = dof_map(plant).gather(plant.GetPositions(context), ["drive", "knee", "swing"])
            found.append({"q": q.tolist(), "gap": float(np.linalg.norm(points[0] - points[1]))})
        return found

    def several() -> dict[str, Any]:
        """One file loaded twice beside a block on a rail, with actuators added in an order of their own."""
        plant, path = MultibodyPlant(0.0), pathlib.Path(folder, "two_joint_arm.urdf")
        slider = add_slider(plant, "cart")
        left, right = (add_urdf(plant, path, weld="base", rename=True) for _ in range(2))
        for instance, name in ((right, "elbow"), (left, "shoulder"), (left, "elbow"), (right, "shoulder")):
            plant.AddJointActuator(f"{name}_actuator", plant.GetJointByName(name, instance), 50.0)
        plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, 0.0])
        plant.Finalize()
        context, rng, layout = plant.CreateDefaultContext(), np.random.default_rng(5), dof_map(plant)
        reached = []
        for _ in range(20):
            names = [name for name in layout.names if rng.random() < 0.6] or [layout.names[0]]
            values = rng.uniform(-5, 5, len(names))
            plant.SetPositions(context, rng.uniform(-1, 1, plant.num_positions()))
            plant.get_actuation_input_port().FixValue(context, layout.scatter(np.zeros(layout.nu), names, values, "u"))
            effort = plant.CalcMassMatrix(context) @ plant.get_generalized_acceleration_output_port().Eval(context)
            # found again without the map
            there = {}
            for name, value in zip(names, values, strict=True):
                instance, _, joint = name.rpartition("::")
                one = plant.GetJointByName(joint, plant.GetModelInstanceByName(instance)) if instance else plant.GetJointByName(joint)
                there[name] = [float(value), float(effort[one.velocity_start()])]
            reached.append({"there": there, "elsewhere": float(np.abs(effort).sum() - sum(abs(pair[1]) for pair in there.values()))})
        q, u = np.arange(10.0, 10.0 + plant.num_positions()), np.zeros(plant.num_actuated_dofs())
        compact = dof_map(plant, right, compact=True)
        plant.SetActuationInArray(right, compact.scatter(np.zeros(2), ["shoulder", "elbow"], [7.0, 8.0], "u"), u)
        refusals = {}
        for label, attempt in {
            "compact plant": lambda: dof_map(plant, compact=True),
            "compact two": lambda: dof_map(plant, [left, right], compact=True),
            "no source": lambda: dof_map(plant, source=path.with_name("missing.urdf")),
            "weld": lambda: layout["cart_weld"],
            "ambiguous": lambda: layout["elbow"],
        }.items():
            try:
                attempt()
                refusals[label] = "accepted"
            except DexlabCourseError as error:
                refusals[label] = str(error)
        maps = {"whole": layout, "right": dof_map(plant, right), "arms": dof_map(plant, [left, right]), "compact": compact}
        maps["with file"] = dof_map(plant, source=path)
        return {
            "maps": {name: one.to_dict() for name, one in maps.items()},
            "fingerprints": {name: one.fingerprint() for name, one in maps.items()},
            "again": dof_map(plant).fingerprint(),
            "reached": reached,
            "q of right": plant.GetPositionsFromArray(right, q).tolist(),
            "u": u.tolist(),
            "refusals": refusals,
            "slider": [slider.joint().name(), slider.input_start()],
        }

    def real_robots() -> dict[str, Any]:
        """The robots of the genesis package, with a scene graph, which asks more of their meshes."""
        found: dict[str, Any] = {}
        for name in ("panda", "iiwa", "shadow_hand"):
            builder = DiagramBuilder()
            plant, graph = AddMultibodyPlantSceneGraph(builder, 1e-3)
            instance = getattr(robots, name)(plant)
            plant.Finalize()
            context = plant.CreateDefaultContext()
            found[name] = {
                "nu": plant.num_actuated_dofs(),
                "constraints": plant.num_constraints(),
                "effort": plant.GetEffortUpperLimits().tolist(),
                "mass": float(plant.CalcTotalMass(context)),
                "shapes": graph.model_inspector().num_geometries(),
                "instance": plant.GetModelInstanceName(instance),
            }
            if name == "panda":
                tips = []
                for q in panda_poses:
                    plant.SetPositions(context, [*q, 0.01, 0.01])
                    X = plant.CalcRelativeTransform(context, plant.world_frame(), plant.GetFrameByName("panda_grasptarget"))
                    tips.append(X.GetAsMatrix4().tolist())
                found[name]["tips"] = tips
        bare = MultibodyPlant(1e-3)
        robots.panda(bare, weld=False, actuators=False)
        robots.panda(bare, rename=True)
        bare.Finalize()
        found["two pandas"] = [bare.num_positions(), bare.num_velocities(), bare.num_actuated_dofs()]
        return found

    return {
        "several": several(),
        "robots": real_robots() if installed("genesis") else None,
        "course maps": {name: {key: one.to_dict() for key, one in maps.items()} for name, maps in course_maps().items()},
        "models": {
            "floating_seven": describe(load("floating_seven"), "floating_seven"),
            "mixed_joints": describe(load("mixed_joints"), "mixed_joints"),
            "four_bar": describe(load("four_bar", step=1e-3), "four_bar"),
            "floating_seven, rpy": describe(load("floating_seven", rpy=True), "floating_seven"),
            "mixed_joints, rpy": describe(load("mixed_joints", rpy=True), "mixed_joints"),
        },
        "settled": settle(closed=True),
        "open": settle(closed=False),
    }
