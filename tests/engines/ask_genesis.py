"""What the tests want to know of Genesis, asked in one process: it takes twelve seconds to import. The function stands alone."""

from typing import Any


def ask_genesis(
    path: str,
    poses: list[list[float]],
    cases: list[dict[str, list[float]]],
    bad: dict[str, str],
    folder: str,
    model_poses: dict[str, list[dict[str, Any]]],
    model_commands: dict[str, list[dict[str, list[float]]]],
    panda_poses: list[list[float]],
) -> dict[str, Any]:
    import pathlib
    from typing import Any

    import numpy as np
    from scipy.spatial.transform import Rotation

    from dexlab_course.engines.genesis import add_mjcf, add_urdf, dof_map, robots, start
    from dexlab_course.engines.genesis.course_maps import course_maps
    from dexlab_course.engines.genesis.load import dof_buffer
    from dexlab_course.errors import ModelFileError

    gs = start()
    if start() is not gs:  # a cell that starts it may run twice
        raise RuntimeError("the second start gave another module")
    from genesis.utils.misc import qd_to_numpy

    options = gs.options.RigidOptions(enable_collision=False, batch_dofs_info=True)
    scene = gs.Scene(show_viewer=False, sim_options=gs.options.SimOptions(dt=0.01, gravity=(0, 0, 0)), rigid_options=options)
    arm = add_urdf(scene, path, keep_links=("tcp",))
    bare = add_urdf(scene, path, keep_links=("tcp",), pos=(0.0, 6.0, 0.0), collision=False, visualization=False)
    hand_links = ("panda_hand", "panda_grasptarget")
    panda = robots.panda(scene, pos=(0.0, 3.0, 0.0), keep_links=hand_links, collision=False, visualization=False)
    scene.build(n_envs=1)

    moving = [arm.get_link(name) for name in ("upper_arm", "forearm")]
    inertias = qd_to_numpy(arm.solver.dyn_info.links.inertial_i)
    inertias = inertias.reshape(-1, 3, 3) if inertias.ndim == 3 else inertias[:, 0]
    matrices, bare_matrices, tips = [], [], []
    limits = [limit[0].tolist() for limit in arm.get_dofs_limit()]
    effort = arm.get_dofs_force_range()[1][0].tolist()
    for q in poses:
        for robot in (arm, bare):
            robot.set_qpos([q])
        tips.append(arm.get_link("tcp").get_pos()[0].tolist())
        arm.set_dofs_velocity([[0.0, 0.0]])
        arm.control_dofs_force([[0.0, 0.0]])
        scene.step()  # the mass matrix is refreshed by a step only
        matrices.append(arm.get_mass_mat()[0].tolist())
        bare_matrices.append(bare.get_mass_mat()[0].tolist())

    arm.set_dofs_force_range([-1e9, -1e9], [1e9, 1e9])
    efforts = []
    for case in cases:
        arm.set_dofs_act_gain(np.array([case["gain"]]))
        arm.set_dofs_act_bias(*(np.array([case[name]]) for name in ("b0", "b1", "b2")))
        arm.set_qpos(np.array([case["x"]]))
        arm.set_dofs_velocity(np.array([case["v"]]))
        arm.control_dofs_position_velocity(np.array([case["x_des"]]), np.array([case["v_des"]]))
        efforts.append(arm.get_dofs_control_force()[0].tolist())

    # --- the models of chapter 1, all poses side by side in one scene -----------------------------------------------------------------
    step, count = 1e-3, len(model_poses["mixed_joints"])
    space = gs.Scene(show_viewer=False, sim_options=gs.options.SimOptions(dt=step, gravity=(0, 0, 0)), rigid_options=options)
    entities = {
        "floating_seven": add_urdf(space, pathlib.Path(folder, "floating_seven.urdf"), fixed=False, keep_links=("tcp",)),
        "mixed_joints": add_mjcf(space, pathlib.Path(folder, "mixed_joints.xml")),
        "four_bar": add_mjcf(space, pathlib.Path(folder, "four_bar.xml")),
        "open": add_urdf(space, pathlib.Path(folder, "four_bar.urdf")),
    }
    layouts = {name: dof_map(entity) for name, entity in entities.items()}
    fingerprints = [layouts["floating_seven"].fingerprint(), dof_map(entities["floating_seven"], scene_wide=True).fingerprint()]
    space.build(n_envs=count)

    def numbers(tensor: Any) -> Any:
        return np.asarray(tensor.cpu()).astype(float)

    def native(layout: Any, joint: str) -> str:
        """The free joint has a name of the importer's choice."""
        return next(one.name for one in layout if one.kind == "free") if joint == "base" else joint

    def positions(name: str, pose: dict[str, Any]) -> Any:
        layout = layouts[name]
        q = np.array(entities[name].init_qpos, dtype=float)
        for joint, value in pose.items():
            if isinstance(value, dict):
                q = layout.scatter(
                    q, native(layout, joint), [*value.get("p", []), *Rotation.from_rotvec(value["turn"]).as_quat()[[3, 0, 1, 2]]]
                )
            else:
                q = layout.scatter(q, joint, [value])
        return q

    models = {}
    for name in model_poses:
        entity, layout = entities[name], layouts[name]
        entity.set_qpos(np.array([positions(name, pose) for pose in model_poses[name]]))
        entity.set_dofs_velocity(np.zeros((count, layout.nv)))
        u = np.zeros((count, layout.nu))
        for k, command in enumerate(model_commands[name]):
            for joint, value in command.items():
                u[k] = layout.scatter(u[k], native(layout, joint), value, "u")
        entity.control_dofs_force(u)
        models[name] = {"map": layout.to_dict(), "mass": {link.name: float(link.get_mass().ravel()[0]) for link in entity.links}}
        turns, origins = numbers(entity.get_links_quat()), numbers(entity.get_links_pos())
        models[name]["places"] = [
            {
                link.name: [Rotation.from_quat(turns[k, i][[1, 2, 3, 0]]).as_matrix().tolist(), origins[k, i].tolist()]
                for i, link in enumerate(entity.links)
            }
            for k in range(count)
        ]
    entities["open"].control_dofs_force(np.zeros((count, 3)))
    space.step()
    info = space.rigid_solver.dyn_info.links
    moments, axes, centres = (qd_to_numpy(one).astype(float) for one in (info.inertial_i, info.inertial_quat, info.inertial_pos))
    for name in model_poses:
        entity = entities[name]
        heavy = [link for link in entity.links if models[name]["mass"][link.name] > 1e-3]
        turns = {link.name: Rotation.from_quat(axes[link.idx].ravel()[[1, 2, 3, 0]]).as_matrix() for link in heavy}
        models[name]["inertia"] = {
            link.name: (turns[link.name] @ moments[link.idx].reshape(3, 3) @ turns[link.name].T).tolist() for link in heavy
        }
        models[name]["com"] = {link.name: centres[link.idx].ravel().tolist() for link in heavy}
        models[name]["matrices"] = numbers(entity.get_mass_mat()).tolist()
        models[name]["accelerations"] = dof_buffer(entity, "acc").tolist()
        models[name]["applied"] = dof_buffer(entity, "qf_applied").tolist()

    # --- the four-bar, pushed by its motor and left alone -----------------------------------------------------------------------------
    loops = ("four_bar", "open")
    torques = np.array([0.5, -0.3])
    for name, entity in entities.items():
        entity.set_qpos(np.tile(positions(name, {}), (count, 1)))
        entity.set_dofs_velocity(np.zeros((count, entity.n_dofs)))
        entity.control_dofs_force(np.zeros((count, entity.n_dofs)))
    for k in range(3000):
        for name in loops if k in (0, 500) else ():
            u = np.zeros((count, 3))
            u[:2] = layouts[name].scatter(u[:2], "drive", (torques if k == 0 else 0 * torques)[:, None], "u")
            entities[name].control_dofs_force(u)
        space.step()
    settled: dict[str, list[dict[str, Any]]] = {}
    for name in loops:
        entity = entities[name]
        q = layouts[name].gather(numbers(entity.get_qpos()), ["drive", "knee", "swing"])
        for k in range(len(torques)):
            ends = []
            for link, point in (("coupler", [0.8, 0.0, 0.4]), ("rocker", [0.0, 0.0, 0.6])):
                turn = Rotation.from_quat(numbers(entity.get_link(link).get_quat())[k][[1, 2, 3, 0]])
                ends.append(numbers(entity.get_link(link).get_pos())[k] + turn.apply(point))
            settled.setdefault(name, []).append({"q": q[k].tolist(), "gap": float(np.linalg.norm(ends[0] - ends[1]))})
    wide = dof_map(entities["mixed_joints"], scene_wide=True)

    panda_tips = []
    for q in panda_poses:
        panda.set_qpos([[*q, 0.01, 0.01]])
        turn, origin = (
            numbers(value)[0] for value in (panda.get_link("panda_grasptarget").get_quat(), panda.get_link("panda_grasptarget").get_pos())
        )
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = Rotation.from_quat(turn[[1, 2, 3, 0]]).as_matrix(), origin - [0.0, 3.0, 0.0]
        panda_tips.append(X.tolist())

    refusals = {}
    for name, file in bad.items():
        try:
            add_urdf(gs.Scene(show_viewer=False), file)
            refusals[name] = "loaded"
        except ModelFileError as error:
            refusals[name] = str(error)
    return {
        "arm": {
            "mass": [float(link.get_mass().ravel()[0]) for link in moving],
            "inertia": [np.diag(inertias[link.idx]).tolist() for link in moving],
            "limits": limits,
            "effort": effort,
            "matrices": matrices,
            "without shapes": {"matrices": bare_matrices, "same fingerprint": dof_map(bare).fingerprint() == dof_map(arm).fingerprint()},
            "tips": tips,
            "names": list(dof_map(arm).names),
        },
        "robots": {
            "tips": panda_tips,
            "links": [link.name for link in panda.links],
            "equalities": [one.type.name for one in panda.equalities],
            "effort": numbers(panda.get_dofs_force_range()[1]).ravel().tolist(),
        },
        "models": models,
        "settled": settled["four_bar"],
        "open": settled["open"],
        "scene-wide": {"map": wide.to_dict(), "start": [entities["mixed_joints"].q_start, entities["mixed_joints"].dof_start]},
        "fingerprints": fingerprints,
        "course maps": {name: {key: one.to_dict() for key, one in maps.items()} for name, maps in course_maps().items()},
        "efforts": efforts,
        "refusals": refusals,
    }
