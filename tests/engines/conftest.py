"""What several engine tests share. Genesis takes long to import and compile, so it is asked once for everything."""

import pathlib
import shutil
from typing import Any

import numpy as np
import pytest

from dexlab_course.engines import installed
from dexlab_course.engines.child import run_in_child
from dexlab_course.paths import ASSETS

ARM = str(ASSETS / "two_joint_arm.urdf")
POSES = [[0.0, 0.0], [0.3, np.pi / 2], [np.pi / 4, -np.pi / 2], [-1.2, 2.5]]


def actuator_cases() -> list[dict[str, list[float]]]:
    """Random affine actuators of the two joints, with a state and a target each."""
    rng = np.random.default_rng(4)
    names = {"gain": 200, "b0": 5, "b1": 200, "b2": 20, "x": 2, "v": 3, "x_des": 2, "v_des": 3}
    return [{name: rng.uniform(-size, size, 2).tolist() for name, size in names.items()} for _ in range(100)]


@pytest.fixture(scope="session")
def bad_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Model files that cannot be used."""
    folder: pathlib.Path = tmp_path_factory.mktemp("models")
    shutil.copytree(ASSETS / "meshes", folder / "meshes")
    text = (ASSETS / "two_joint_arm.urdf").read_text(encoding="utf-8")
    (folder / "cut.urdf").write_text(text[: len(text) // 2], encoding="utf-8")
    (folder / "empty.urdf").write_text("", encoding="utf-8")
    return {name: str(folder / f"{name}.urdf") for name in ("missing", "cut", "empty")}


def ask_genesis(path: str, poses: list[list[float]], cases: list[dict[str, list[float]]], bad: dict[str, str]) -> dict[str, Any]:
    import numpy as np

    from dexlab_course.engines.genesis import add_urdf, dof_map, start
    from dexlab_course.errors import ModelFileError

    gs = start()
    if start() is not gs:  # a cell that starts it may run twice
        raise RuntimeError("the second start gave another module")
    from genesis.utils.misc import qd_to_numpy

    options = gs.options.RigidOptions(enable_collision=False, batch_dofs_info=True)
    scene = gs.Scene(show_viewer=False, sim_options=gs.options.SimOptions(dt=0.01, gravity=(0, 0, 0)), rigid_options=options)
    arm = add_urdf(scene, path, keep_links=("tcp",))
    scene.build(n_envs=1)

    moving = [arm.get_link(name) for name in ("upper_arm", "forearm")]
    inertias = qd_to_numpy(arm.solver.dyn_info.links.inertial_i)
    inertias = inertias.reshape(-1, 3, 3) if inertias.ndim == 3 else inertias[:, 0]
    matrices, tips = [], []
    limits = [limit[0].tolist() for limit in arm.get_dofs_limit()]
    effort = arm.get_dofs_force_range()[1][0].tolist()
    for q in poses:
        arm.set_qpos([q])
        tips.append(arm.get_link("tcp").get_pos()[0].tolist())
        arm.set_dofs_velocity([[0.0, 0.0]])
        arm.control_dofs_force([[0.0, 0.0]])
        scene.step()  # the mass matrix is refreshed by a step only
        matrices.append(arm.get_mass_mat()[0].tolist())

    arm.set_dofs_force_range([-1e9, -1e9], [1e9, 1e9])
    efforts = []
    for case in cases:
        arm.set_dofs_act_gain(np.array([case["gain"]]))
        arm.set_dofs_act_bias(*(np.array([case[name]]) for name in ("b0", "b1", "b2")))
        arm.set_qpos(np.array([case["x"]]))
        arm.set_dofs_velocity(np.array([case["v"]]))
        arm.control_dofs_position_velocity(np.array([case["x_des"]]), np.array([case["v_des"]]))
        efforts.append(arm.get_dofs_control_force()[0].tolist())

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
            "tips": tips,
            "names": list(dof_map(arm).names),
        },
        "efforts": efforts,
        "refusals": refusals,
    }


@pytest.fixture(scope="session")
def genesis(bad_files: dict[str, str]) -> dict[str, Any] | None:
    """Everything the tests want to know of Genesis, or None where it is not installed."""
    if not installed("genesis"):
        return None
    ended = run_in_child(ask_genesis, timeout=300, path=ARM, poses=POSES, cases=actuator_cases(), bad=bad_files)
    assert ended.ok, f"{ended.how}\n{ended.stdout[-1500:]}\n{ended.stderr[-1500:]}"
    assert (ended.stdout, ended.stderr) == ("", "")  # a quiet start, and a second one as quiet
    value: dict[str, Any] = ended.value
    return value
