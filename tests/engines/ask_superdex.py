"""What the tests want to know of SuperDex, asked in one process. The function stands alone: its source is sent to a child."""

from typing import Any


def ask_superdex(
    folder: str, poses: dict[str, list[dict[str, Any]]], commands: dict[str, list[dict[str, list[float]]]], panda_poses: list[list[float]]
) -> dict[str, Any]:
    import pathlib
    from typing import Any

    import numpy as np
    from scipy.spatial.transform import Rotation

    from dexlab_course.engines import installed
    from dexlab_course.engines.superdex import add_bot_file, add_prefab, add_urdf, dof_map, read_pose, read_velocity, robots, start
    from dexlab_course.engines.superdex.course_maps import course_maps
    from dexlab_course.errors import DexlabCourseError

    physics, robotics = start()
    context = robotics.create_context()
    step = 2e-5

    def scene(name: str) -> Any:
        made = physics.create_scene(name)
        made.set_gravity([0.0, 0.0, 0.0])
        return made

    def links(bot: Any) -> dict[str, Any]:
        handles = bot.get_articulated_actor().get_nested_link_actors()
        actors = [bot.get_scene().get_actor(handles[k]) for k in range(len(handles))]
        return {actor.get_name().split("/")[1]: actor for actor in actors}

    def positions(layout: Any, pose: dict[str, Any]) -> Any:
        q = np.zeros(layout.nq)
        for name, value in pose.items():
            q = layout.scatter(q, name, [*value.get("p", []), *value["turn"]] if isinstance(value, dict) else [value])
        return q

    def describe(bot: Any, model: str, space: Any) -> dict[str, Any]:
        actor, layout, bodies = bot.get_articulated_actor(), dof_map(bot), links(bot)
        free = [joint.name for joint in layout if joint.kind == "free"]
        masses = {}
        for name, body in bodies.items():
            try:
                masses[name] = float(body.get_mass())
            except physics.Error:  # the base is welded: a static actor has no mass
                masses[name] = 0.0
        moments, centres = {}, {}
        for name, body in bodies.items():
            if masses[name]:
                xx, xy, xz, yy, yz, zz = (float(x) for x in body.get_rigid_moment_of_inertia_local())
                moments[name] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
                centres[name] = [float(x) for x in body.get_rigid_center_of_mass_local()]
        answer: dict[str, Any] = {
            "map": layout.to_dict(),
            "mass": masses,
            "inertia": moments,
            "com": centres,
            "places": [],
            "matrices": [],
            "accelerations": [],
        }

        def pushed(q: Any, u: Any) -> Any:
            """Accelerations over one short step from rest."""
            actor.set_articulated_pose_from_joints(q)
            actor.set_articulated_joint_velocities(np.zeros(layout.nv))
            actor.set_external_forces_on_dofs(list(range(layout.nu)), u)
            space.step(step)
            return read_velocity(actor) / step

        for pose, command in zip(poses[model], commands[model], strict=True):
            q = positions(layout, {free[0] if name == "base" else name: value for name, value in pose.items()})
            actor.set_articulated_pose_from_joints(q)
            X = {name: body.get_root_transform() for name, body in bodies.items()}
            answer["places"].append(
                {
                    name: [Rotation.from_quat(list(x.rotation)).as_matrix().tolist(), [float(c) for c in x.translation]]
                    for name, x in X.items()
                }
            )
            u = np.zeros(layout.nu)
            for name, values in command.items():
                u = layout.scatter(u, free[0] if name == "base" else name, values, "u")
            answer["accelerations"].append(pushed(q, u).tolist())
            if model != "four_bar":  # the engine shows no mass matrix: unit forces give its inverse
                inverse = np.array([pushed(q, unit) for unit in np.eye(layout.nu)]).T
                answer["matrices"].append(np.linalg.inv(inverse).tolist())
        return answer

    def settle(prefab: Any) -> list[dict[str, Any]]:
        """The four-bar, pushed by its motor and left alone: angles and gap of the pin."""
        found = []
        for torque in (0.5, -0.3):
            space = scene("settle")
            bot = add_prefab(space, context, prefab, contact=False)
            actor, layout, bodies = bot.get_articulated_actor(), dof_map(bot), links(bot)
            actor.set_external_forces_on_dofs([0, 1, 2], layout.scatter(np.zeros(3), "drive", [torque], "u"))
            for k in range(1500):
                if k == 250:
                    actor.clear_external_forces()
                space.step(2e-3)
            points = []
            for name, point in (("coupler", [0.8, 0.0, 0.4]), ("rocker", [0.0, 0.0, 0.6])):
                x = bodies[name].get_root_transform()
                points.append(np.array([float(c) for c in x.translation]) + Rotation.from_quat(list(x.rotation)).apply(point))
            q = layout.gather(read_pose(actor), ["drive", "knee", "swing"])
            found.append({"q": q.tolist(), "gap": float(np.linalg.norm(points[0] - points[1]))})
        return found

    def four_bar(pin: list[float] | None) -> Any:
        prefab = robotics.load_bot_prefab_from_file(str(pathlib.Path(folder, "four_bar.superdex_bot")))
        if pin:
            cycle = prefab.cycles[0]
            cycle.joint_from_child_link = physics.TransformRT(translation=pin)
            prefab.cycles = [cycle]
        return prefab

    def real_robots() -> dict[str, Any]:
        """The robots of the genesis package."""
        found: dict[str, Any] = {}
        for name in ("panda", "iiwa", "shadow_hand"):
            bot = getattr(robots, name)(scene(name), context, contact=False)
            actor = bot.get_articulated_actor()
            found[name] = {
                "effort": [joint.effort_limit for joint in bot.get_bot_prefab().joints if joint.type.name in ("REVOLUTE", "PRISMATIC")]
            }
            if name == "panda":
                tips = []
                for q in panda_poses:
                    actor.set_articulated_pose_from_joints([*q, 0.01, 0.03])
                    x = links(bot)["panda_grasptarget"].get_root_transform()
                    X = np.eye(4)
                    X[:3, :3], X[:3, 3] = Rotation.from_quat(list(x.rotation)).as_matrix(), [float(c) for c in x.translation]
                    tips.append(X.tolist())
                found[name] |= {"tips": tips, "fingers": read_pose(actor)[7:].tolist()}
        free = robots.iiwa(scene("free iiwa"), context, weld=False, contact=False)
        found["free iiwa"] = [dof_map(free).nv, dof_map(free, space="bot").nv]
        return found

    def refused() -> dict[str, str]:
        found = {}
        for label, attempt in {
            "space": lambda: dof_map(mixed, space="robot"),
            "fixed": lambda: dof_map(mixed)["mount"],
            "root in bot space": lambda: dof_map(mixed, space="bot").indices("base_joint", "u"),
            "urdf of Drake": lambda: add_urdf(scene("refused"), context, pathlib.Path(folder, "mixed_joints.urdf")),
            "missing": lambda: add_bot_file(scene("missing"), context, pathlib.Path(folder, "missing.superdex_bot")),
        }.items():
            try:
                attempt()
                found[label] = "accepted"
            except DexlabCourseError as error:
                found[label] = str(error)
        return found

    open_chain = robotics.load_bot_prefab_from_urdf_file(str(pathlib.Path(folder, "four_bar.urdf")))
    open_chain.joints[0].type = physics.ArticulatedJointType.HARD
    spaces = {name: scene(name) for name in ("floating_seven", "mixed_joints", "four_bar")}
    seven = add_urdf(spaces["floating_seven"], context, pathlib.Path(folder, "floating_seven.urdf"), weld=False, contact=False)
    mixed = add_bot_file(spaces["mixed_joints"], context, pathlib.Path(folder, "mixed_joints.superdex_bot"), contact=False)
    loop = add_bot_file(spaces["four_bar"], context, pathlib.Path(folder, "four_bar.superdex_bot"), contact=False)
    bot_pose = np.arange(1.0, 7.0)
    return {
        "models": {
            "floating_seven": describe(seven, "floating_seven", spaces["floating_seven"]),
            "mixed_joints": describe(mixed, "mixed_joints", spaces["mixed_joints"]),
            "four_bar": describe(loop, "four_bar", spaces["four_bar"]),
        },
        "refusals": refused(),
        "robots": real_robots() if installed("genesis") else None,
        "course maps": {name: {key: one.to_dict() for key, one in maps.items()} for name, maps in course_maps().items()},
        "fingerprints": [
            dof_map(mixed).fingerprint(),
            dof_map(mixed, space="bot").fingerprint(),
            dof_map(mixed, source=pathlib.Path(folder, "mixed_joints.superdex_bot")).fingerprint(),
            dof_map(seven).fingerprint(),
        ],
        "settled": settle(four_bar(None)),
        "wrong sign": settle(four_bar([0.0, 0.0, 0.6])),
        "open": settle(open_chain),
        "bot maps": {"floating_seven": dof_map(seven, space="bot").to_dict(), "mixed_joints": dof_map(mixed, space="bot").to_dict()},
        "bot pose": {
            "length": len(mixed.get_bot_prefab().default_pose),
            "in actor space": np.array(robotics.build_articulated_pose_from_bot_pose(mixed.get_bot_prefab(), bot_pose, 12)).tolist(),
        },
    }
