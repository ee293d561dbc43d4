"""One model file, three engines, one reference: mass, inertia, limits, FK and the mass matrix of the two-joint arm.

Each engine is asked in a process of its own and gives plain numbers; the reference is closed-form arithmetic written here, so that no
engine is compared with another engine's opinion.
"""

from typing import Any

import numpy as np
import pytest

from dexlab_course.engines import installed
from dexlab_course.engines.child import run_in_child

from .conftest import ARM, POSES

LINK_INERTIA = [0.001, 1 / 12, 1 / 12]
ENGINES = ["drake", "genesis", "superdex"]


def mass_matrix(q: list[float]) -> np.ndarray:
    """Two slender rods of 1 kg and 1 m with their centre of mass in the middle."""
    inertia, c = 1 / 12, np.cos(q[1])
    m22 = inertia + 0.25
    m12 = m22 + 0.5 * c
    return np.array([[2 * inertia + 0.25 + 1.25 + c, m12], [m12, m22]])


def tip(q: list[float]) -> np.ndarray:
    return np.array([np.cos(q[0]) + np.cos(q[0] + q[1]), np.sin(q[0]) + np.sin(q[0] + q[1]), 0.0])


def ask_drake(path: str, poses: list[list[float]]) -> dict[str, Any]:
    from pydrake.multibody.plant import MultibodyPlant

    from dexlab_course.engines.drake import add_actuators, add_urdf, dof_map

    plant = MultibodyPlant(1e-3)
    instance = add_urdf(plant, path, weld="base")
    add_actuators(plant, instance, path)
    plant.Finalize()
    context = plant.CreateDefaultContext()
    links = [plant.GetBodyByName(name) for name in ("upper_arm", "forearm")]
    inertias = [link.default_spatial_inertia() for link in links]
    tcp = plant.GetFrameByName("tcp")
    matrices, tips = [], []
    for q in poses:
        plant.SetPositions(context, q)
        matrices.append(plant.CalcMassMatrix(context).tolist())
        tips.append(plant.CalcRelativeTransform(context, plant.world_frame(), tcp).translation().tolist())
    return {
        "mass": [inertia.get_mass() for inertia in inertias],
        "inertia": [inertia.Shift(inertia.get_com()).CalcRotationalInertia().get_moments().tolist() for inertia in inertias],
        "limits": [plant.GetPositionLowerLimits().tolist(), plant.GetPositionUpperLimits().tolist()],
        "effort": plant.GetEffortUpperLimits().tolist(),
        "matrices": matrices,
        "tips": tips,
        "names": list(dof_map(plant).names),
    }


def ask_superdex(path: str, poses: list[list[float]]) -> dict[str, Any]:
    from dexlab_course.engines.superdex import add_urdf, dof_map, start

    physics, robotics = start()
    import numpy as np

    context = robotics.create_context()
    scene = physics.create_scene("arm")
    scene.set_gravity([0.0, 0.0, 0.0])
    bot = add_urdf(scene, context, path)
    actor = bot.get_articulated_actor()
    handles = actor.get_nested_link_actors()
    links = [scene.get_actor(handles[index]) for index in range(len(handles))]
    moving = [link for link in links if link.get_name().endswith(("upper_arm", "forearm"))]
    tcp = next(link for link in links if link.get_name().endswith("tcp"))
    limits = physics.DynamicArrayReal2(actor.get_num_dofs())
    actor.get_articulated_dof_limits(limits)
    prefab = robotics.load_bot_prefab_from_urdf_file(path)
    effort = [joint.effort_limit for joint in prefab.joints if joint.name in ("shoulder", "elbow")]
    inverse_columns, tips = [], []
    h = 1e-5
    for q in poses:
        actor.set_articulated_pose_from_joints(q)
        tips.append([float(x) for x in tcp.get_root_transform().translation])
        columns = []
        for tau in (
            [1.0, 0.0],
            [0.0, 1.0],
        ):  # the engine has no mass matrix: a unit effort for one short step gives a column of its inverse
            actor.set_articulated_pose_from_joints(q)
            actor.set_articulated_joint_velocities([0.0, 0.0])
            actor.set_external_forces_on_dofs([0, 1], tau)
            scene.step(h)
            v = np.zeros(2)
            actor.get_articulated_joint_velocities(v)
            columns.append((v / h).tolist())
        inverse_columns.append(columns)
    return {
        "mass": [float(link.get_mass()) for link in moving],
        # (xx, xy, xz, yy, yz, zz)
        "inertia": [[float(link.get_rigid_moment_of_inertia_local()[k]) for k in (0, 3, 5)] for link in moving],
        "limits": [[float(pair[k]) for pair in limits] for k in range(2)],
        "effort": [float(value) for value in effort],
        "matrices": [np.linalg.inv(np.array(columns).T).tolist() for columns in inverse_columns],
        "tips": tips,
        "names": list(dof_map(actor).names),
    }


ASK = {"drake": ask_drake, "superdex": ask_superdex}


@pytest.fixture(scope="module")
def answers(genesis: dict[str, Any] | None) -> dict[str, dict[str, Any]]:
    """What each installed engine says of the arm."""
    found = {} if genesis is None else {"genesis": genesis["arm"]}
    for engine, ask in ASK.items():
        if installed(engine):
            ended = run_in_child(ask, timeout=300, path=ARM, poses=POSES)
            assert ended.ok, f"{engine}: {ended.how}\n{ended.stderr[-2000:]}"
            found[engine] = ended.value
    return found


@pytest.fixture(params=ENGINES)
def answer(request: pytest.FixtureRequest, answers: dict[str, dict[str, Any]]) -> dict[str, Any]:
    if request.param not in answers:
        pytest.skip(f"{request.param} not installed")
    return answers[request.param]


def test_mass(answer: dict[str, Any]) -> None:
    assert answer["mass"] == pytest.approx([1.0, 1.0], abs=1e-6)


def test_inertia(answer: dict[str, Any]) -> None:
    """Principal moments: an engine may store them in a frame of its own choice."""
    for moments in answer["inertia"]:
        assert sorted(moments) == pytest.approx(sorted(LINK_INERTIA), abs=1e-6)


def test_limits(answer: dict[str, Any]) -> None:
    assert answer["limits"] == [pytest.approx([-3.0, -3.0]), pytest.approx([3.0, 3.0])]
    assert answer["effort"] == pytest.approx([20.0, 20.0])


def test_names(answer: dict[str, Any]) -> None:
    assert answer["names"] == ["shoulder", "elbow"]


def test_forward_kinematics(answer: dict[str, Any]) -> None:
    for q, found in zip(POSES, answer["tips"], strict=True):
        assert found == pytest.approx(tip(q), abs=2e-6)


def test_mass_matrix(answer: dict[str, Any]) -> None:
    for q, found in zip(POSES, answer["matrices"], strict=True):
        np.testing.assert_allclose(found, mass_matrix(q), atol=2e-4)


def test_genesis_moves_the_same_model_without_its_shapes(genesis: dict[str, Any] | None) -> None:
    if genesis is None:
        pytest.skip("genesis not installed")
    bare = genesis["arm"]["without shapes"]
    np.testing.assert_allclose(bare["matrices"], genesis["arm"]["matrices"], rtol=1e-6, atol=1e-6)
    assert bare["same fingerprint"]


def test_the_reference_itself() -> None:
    """Published numbers of the slender-rod arm."""
    np.testing.assert_allclose(mass_matrix([0, 0]), [[2.6667, 0.8333], [0.8333, 0.3333]], atol=1e-4)
    np.testing.assert_allclose(mass_matrix([0, np.pi / 2]), [[1.6667, 0.3333], [0.3333, 0.3333]], atol=1e-4)
