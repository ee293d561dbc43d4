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

from .conftest import actuator_cases

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


def test_affine_actuator_is_the_engines_control_force(genesis: dict[str, Any] | None) -> None:
    if genesis is None:
        pytest.skip("genesis not installed")
    for case, effort in zip(actuator_cases(), genesis["efforts"], strict=True):
        a = {name: np.array(value) for name, value in case.items()}
        ours = laws.affine_actuator(a["x"], a["v"], a["x_des"], a["v_des"], a["gain"], (a["b0"], a["b1"], a["b2"]))
        np.testing.assert_allclose(effort, ours, rtol=2e-6, atol=2e-4)  # the engine counts in single precision
