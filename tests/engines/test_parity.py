"""Our laws against the engines' own numbers, over random gains and histories.

The pages tell the story; here the same equality is asked of many cases, so that no page's example is a lucky one.
"""

from typing import Any

import numpy as np
import pytest

from dexlab_course.control import JointSpacePd, laws
from dexlab_course.engines import installed
from dexlab_course.engines.child import run_in_child
from dexlab_course.paths import ASSETS

ARM = str(ASSETS / "two_joint_arm.urdf")


def superdex_efforts(path: str, histories: list[dict[str, Any]]) -> list[list[list[float]]]:
    import numpy as np

    from dexlab_course.engines.superdex import add_urdf, start

    physics, robotics = start()
    context, scene = robotics.create_context(), physics.create_scene("arm")
    bot = add_urdf(scene, context, path)
    efforts = []
    for history in histories:
        controller = bot.create_controller("BASIC_JSC_PD")
        gains = {key: history[key] for key in ("kp", "kd", "saturation", "deadband")}
        controller.set_params(robotics.ControllerBasicJscPdParams(**gains))
        rows = []
        for q, v, target, dt in history["calls"]:
            observation = robotics.ControllerBasicJscPdObsv(dof_positions=q, dof_velocities=v, dt=dt)
            goal = robotics.ControllerBasicJscPdTarget(target_pose=target)
            rows.append(np.array(controller.compute_output(observation, goal), dtype=float).tolist())
        efforts.append(rows)
    return efforts


def genesis_efforts(path: str, cases: list[dict[str, list[float]]]) -> list[list[float]]:
    import numpy as np

    from dexlab_course.engines.genesis import add_urdf, start

    gs = start()
    options = gs.options.RigidOptions(enable_collision=False, batch_dofs_info=True)
    scene = gs.Scene(show_viewer=False, sim_options=gs.options.SimOptions(dt=0.01, gravity=(0, 0, 0)), rigid_options=options)
    arm = add_urdf(scene, path, keep_links=("tcp",))
    scene.build(n_envs=1)
    arm.set_dofs_force_range([-1e9, -1e9], [1e9, 1e9])
    efforts = []
    for case in cases:
        arm.set_dofs_act_gain(np.array([case["gain"]]))
        arm.set_dofs_act_bias(*(np.array([case[name]]) for name in ("b0", "b1", "b2")))
        arm.set_qpos(np.array([case["x"]]))
        arm.set_dofs_velocity(np.array([case["v"]]))
        arm.control_dofs_position_velocity(np.array([case["x_des"]]), np.array([case["v_des"]]))
        efforts.append(arm.get_dofs_control_force()[0].tolist())
    return efforts


def test_joint_space_pd_is_the_engines_controller_to_machine_precision() -> None:
    if not installed("superdex"):
        pytest.skip("superdex not installed")
    rng = np.random.default_rng(3)
    histories = []
    for _ in range(60):
        gains = {"kp": rng.uniform(0, 500, 2), "kd": rng.uniform(0, 50, 2), "saturation": rng.choice([-1, 0, 5, 80], 2).astype(float)}
        gains["deadband"] = rng.choice([0.0, 0.05, 0.5], 2)
        calls = [[rng.uniform(-3, 3, 2).tolist() for _ in range(3)] + [float(rng.choice([0.002, 0.01, 0.02]))] for _ in range(20)]
        histories.append({**{name: value.tolist() for name, value in gains.items()}, "calls": calls})
    ended = run_in_child(superdex_efforts, path=ARM, histories=histories)
    assert ended.ok, ended.stderr[-1500:]
    for history, engine in zip(histories, ended.value, strict=True):
        ours = JointSpacePd(history["kp"], history["kd"], history["saturation"], history["deadband"])
        for (q, v, target, dt), effort in zip(history["calls"], engine, strict=True):
            np.testing.assert_allclose(ours.compute(q, v, target, dt), effort, rtol=1e-13, atol=1e-11)


def test_affine_actuator_is_the_engines_control_force() -> None:
    if not installed("genesis"):
        pytest.skip("genesis not installed")
    rng = np.random.default_rng(4)
    names = {"gain": 200, "b0": 5, "b1": 200, "b2": 20, "x": 2, "v": 3, "x_des": 2, "v_des": 3}
    cases = [{name: rng.uniform(-size, size, 2).tolist() for name, size in names.items()} for _ in range(100)]
    ended = run_in_child(genesis_efforts, timeout=300, path=ARM, cases=cases)
    assert ended.ok, ended.stderr[-1500:]
    for case, effort in zip(cases, ended.value, strict=True):
        a = {name: np.array(value) for name, value in case.items()}
        ours = laws.affine_actuator(a["x"], a["v"], a["x_des"], a["v_des"], a["gain"], (a["b0"], a["b1"], a["b2"]))
        np.testing.assert_allclose(effort, ours, rtol=2e-6, atol=2e-4)  # the engine counts in single precision
