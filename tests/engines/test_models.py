"""The models of chapter 1 in every engine against one reference: masses, inertias, sizes, frames, mass matrices.

And the property that the chapter is about: a command vector built from joint names pushes exactly the joints that were named. Two
engines are never compared with each other; each is compared with ``reference.py``.
"""

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dexlab_course.dof import DofMap
from dexlab_course.kinematics import SerialChain
from dexlab_course.paths import ASSETS

from .conftest import COUNT, MODEL_COMMANDS, MODEL_POSES
from .reference import MODELS, SIZES, Link, Pose, as_pose, bar, four_bar_angles, mass_matrix, moving, places

# (nq, nv, nu): that they differ is the lesson. Drake's u counts the actuators, the other two command every freedom.
TABLE = {
    ("drake", "floating_seven"): (14, 13, 7),
    ("drake", "floating_seven, rpy"): (13, 13, 7),
    ("drake", "mixed_joints"): (13, 12, 3),
    ("drake", "mixed_joints, rpy"): (12, 12, 3),
    ("drake", "four_bar"): (3, 3, 1),
    ("genesis", "floating_seven"): (14, 13, 13),
    ("genesis", "mixed_joints"): (14, 12, 12),
    ("genesis", "four_bar"): (3, 3, 3),
    ("superdex", "floating_seven"): (13, 13, 13),
    ("superdex", "mixed_joints"): (12, 12, 12),
    ("superdex", "four_bar"): (3, 3, 3),
}
# What one engine counts in: Drake and SuperDex in double, Genesis in single precision.
EXACT = {"drake": 1e-12, "genesis": 1e-6, "superdex": 1e-12}


class Model:
    """One model in one engine: what the engine said, and the reference in the engine's own coordinates."""

    def __init__(self, engine: str, key: str, said: dict[str, Any]) -> None:
        self.engine, self.said = engine, said
        self.name = key.split(",")[0]
        self.links = MODELS[self.name]
        self.map = DofMap.from_dict(said["map"])
        self.free = next((joint.name for joint in self.map if joint.kind == "free"), "")

    def native(self, joint: str) -> str:
        return self.free if joint == "base" else joint

    def basis(self, pose: Pose) -> np.ndarray:
        """S in v = S v_reference: Drake puts the angular velocity of a free joint first, Genesis measures angular velocities in the
        moving body, SuperDex says the same as the reference."""
        S, start = np.zeros((self.map.nv, self.map.nv)), 0
        for link in moving(self.links):
            block, value = np.eye(SIZES[link.kind]), pose.get(link.joint)
            if link.kind == "free" and self.engine == "drake":
                block = np.roll(block, 3, axis=0)
            elif link.kind == "free" and self.engine == "genesis":
                assert isinstance(value, tuple)
                block[3:, 3:] = value[0].as_matrix().T
            elif link.kind == "ball" and self.engine == "genesis":
                assert isinstance(value, Rotation)
                block = value.as_matrix().T
            S[np.ix_(self.map[self.native(link.joint)].v, range(start, start + len(block)))] = block
            start += len(block)
        return S

    def mass_matrix(self, pose: Pose) -> np.ndarray:
        inverse = np.linalg.inv(self.basis(pose))
        result: np.ndarray = inverse.T @ mass_matrix(self.links, pose) @ inverse
        return result


def name_of(pair: tuple[str, str]) -> str:
    return "-".join(pair)


@pytest.fixture(params=TABLE, ids=name_of)
def model(request: pytest.FixtureRequest, answers: dict[str, dict[str, Any] | None]) -> Model:
    engine, key = request.param
    answer = answers[engine]
    if answer is None:
        pytest.skip(f"{engine} not installed")
    return Model(engine, key, answer["models"][key])


def test_sizes(model: Model, request: pytest.FixtureRequest) -> None:
    assert (model.map.nq, model.map.nv, model.map.nu) == TABLE[request.node.callspec.params["model"]]


def test_names_and_kinds(model: Model) -> None:
    assert {joint.name: joint.kind for joint in model.map} == {model.native(link.joint): link.kind for link in moving(model.links)}
    for joint in model.map:
        counts = {"free": {7, 6}, "ball": {4, 3}}.get(joint.kind, {1})
        assert len(joint.q) in counts
        assert len(joint.v) == SIZES[joint.kind]
        assert joint.unit.startswith("m") == (joint.kind == "prismatic" or (joint.kind == "free" and model.engine != "drake"))


def test_mass_of_each_link(model: Model) -> None:
    for link in model.links:
        assert model.said["mass"].get(link.name, 0.0) == pytest.approx(link.mass, abs=2e-7), link.name
    assert sum(model.said["mass"].values()) == pytest.approx(sum(link.mass for link in model.links), abs=1e-6)


def test_centre_of_mass_and_inertia_of_each_link(model: Model) -> None:
    """In link axes: principal moments alone would not see a product of inertia of the wrong sign."""
    for link in model.links:
        if link.mass:
            np.testing.assert_allclose(model.said["com"][link.name], link.com, atol=EXACT[model.engine], err_msg=link.name)
            np.testing.assert_allclose(model.said["inertia"][link.name], link.matrix, atol=2e-8, err_msg=link.name)


def test_every_link_is_where_the_reference_says(model: Model) -> None:
    for data, found in zip(MODEL_POSES[model.name], model.said["places"], strict=True):
        for name, (R, p) in places(model.links, as_pose(data)).items():
            np.testing.assert_allclose(found[name][0], R, atol=EXACT[model.engine])
            np.testing.assert_allclose(found[name][1], p, atol=EXACT[model.engine])


# SuperDex shows no mass matrix: it is measured with unit pushes, and in the four-bar the pin would be part of it.
@pytest.mark.parametrize("model", [pair for pair in TABLE if pair != ("superdex", "four_bar")], indirect=True, ids=name_of)
def test_mass_matrix(model: Model) -> None:
    """The whole dynamics in one table: masses, inertias, frames, axes, units, and which slot is which."""
    damping = 0.1 * 1e-3 if (model.engine, model.name) == ("genesis", "four_bar") else 0.0  # Genesis adds h times the damping
    tolerance = {"drake": 1e-12, "genesis": 2e-6, "superdex": 1e-4}[model.engine]
    for data, found in zip(MODEL_POSES[model.name], model.said["matrices"], strict=True):
        np.testing.assert_allclose(found, model.mass_matrix(as_pose(data)) + damping * np.eye(model.map.nv), atol=tolerance)


# In the four-bar the pin pushes too: test_four_bar.py.
@pytest.mark.parametrize("model", [pair for pair in TABLE if pair[1] != "four_bar"], indirect=True, ids=name_of)
def test_a_command_by_names_pushes_exactly_the_named_joints(model: Model) -> None:
    """M times the measured acceleration is the effort that arrived: what was asked at the named joints, nothing at the others."""
    tolerance = {"drake": 1e-10, "genesis": 2e-3, "superdex": 3e-3}[model.engine]  # of commands up to 4 N·m
    pushed = 0
    for data, command, found in zip(MODEL_POSES[model.name], MODEL_COMMANDS[model.name], model.said["accelerations"], strict=True):
        arrived = model.mass_matrix(as_pose(data)) @ found
        taken = {model.native(joint): value for joint, value in command.items() if model.map[model.native(joint)].u.size}
        pushed += len(taken)
        for joint in model.map:
            wanted = taken.get(joint.name, np.zeros(len(joint.v)))
            np.testing.assert_allclose(model.map.gather(arrived, joint.name, "v"), wanted, atol=tolerance, err_msg=joint.name)
    assert pushed >= COUNT


def test_what_takes_no_command(model: Model) -> None:
    """Drake commands actuators, so base and ball have none; the other two command every freedom, the base included."""
    silent = {joint.name for joint in model.map if not joint.u.size}
    if model.engine == "drake":
        assert silent == {"floating_seven": {"base"}, "mixed_joints": {"base", "wrist"}, "four_bar": {"knee", "swing"}}[model.name]
    else:
        assert silent == set()


def test_drakes_actuation_matrix_is_the_map(drake: dict[str, Any] | None) -> None:
    if drake is None:
        pytest.skip("drake not installed")
    for said in drake["models"].values():
        layout = DofMap.from_dict(said["map"])
        B = np.zeros((layout.nv, layout.nu))
        for joint in layout:
            B[joint.v[: len(joint.u)], joint.u] = 1.0
        np.testing.assert_array_equal(said["B"], B)
        assert np.linalg.matrix_rank(B) == layout.nu


def test_joints_without_a_slot(answers: dict[str, dict[str, Any] | None]) -> None:
    """Drake and SuperDex know fixed joints, Genesis has none after the import; a loop is a joint for SuperDex and an equality for Genesis."""
    expected = {
        ("drake", "mixed_joints"): {"mount": "fixed", "flange": "fixed"},
        ("drake", "four_bar"): {"world_welds_to_ground": "fixed"},
        ("genesis", "mixed_joints"): {},
        ("genesis", "four_bar"): {"pin": "loop"},
        ("superdex", "mixed_joints"): {"mount": "fixed", "flange": "fixed"},
        ("superdex", "four_bar"): {"ground_joint": "fixed", "joint": "loop"},
    }
    for (engine, name), slotless in expected.items():
        if (answer := answers[engine]) is not None:
            assert answer["models"][name]["map"]["slotless"] == slotless, (engine, name)


# --- the reference itself -------------------------------------------------------------------------------------------------------------


def test_the_reference_against_a_serial_chain() -> None:
    """The arm of floating_seven, read from the file by the course's own kinematics."""
    chain = SerialChain.from_urdf(ASSETS / "floating_seven.urdf", "base", "tcp")
    for data in MODEL_POSES["floating_seven"]:
        pose = as_pose({joint: value for joint, value in data.items() if joint != "base"})
        R, p = places(MODELS["floating_seven"], pose)["tcp"]
        X = chain.fk([data[name] for name in chain.names])
        np.testing.assert_allclose(X[:3, :3], R, atol=1e-12)
        np.testing.assert_allclose(X[:3, 3], p, atol=1e-12)


def test_the_reference_against_a_pendulum() -> None:
    """A bar of length l on a hinge at its end: m l²/4 about the hinge, and its own inertia."""
    links = (
        Link("ground", None, "", "fixed"),
        Link("bar", "ground", "hinge", "revolute", (1, 2, 3), (0, 1, 0), 0.3, (0, 0, 0.1), bar(0.2, 0.3)),
    )
    np.testing.assert_allclose(mass_matrix(links, {"hinge": 0.7}), [[0.3 * 0.2**2 / 4 + 0.3 * (0.2**2 + 0.04**2) / 12]])


def test_the_reference_weighs_a_free_robot() -> None:
    """A push on the whole robot meets its total mass, whatever the configuration."""
    for name, total in (("floating_seven", 14.4), ("mixed_joints", 10.5)):
        for data in MODEL_POSES[name][:5]:
            np.testing.assert_allclose(mass_matrix(MODELS[name], as_pose(data))[:3, :3], total * np.eye(3), atol=1e-12)


def test_the_closed_form_closes_the_loop() -> None:
    for drive in np.linspace(-3, 3, 13):
        at = places(MODELS["four_bar"], as_pose({"drive": drive, **four_bar_angles(drive, near=0.0)}))
        ends = [at[name][1] + at[name][0] @ point for name, point in (("coupler", [0.8, 0, 0.4]), ("rocker", [0, 0, 0.6]))]
        np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)
