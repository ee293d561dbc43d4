"""The arm of the benchmarks: Franka Panda to the flange, without hand and meshes, written out so that all contestants read one model."""

import importlib.metadata
import pathlib

import numpy as np
from contest import BUILD, AbsentError

from dexlab_course.kinematics import SerialChain, frames

BASE, TIP = "panda_link0", "panda_link8"


def load() -> SerialChain:
    """The chain from the model that example-robot-data carries.

    Raises:
        AbsentError: the package is not installed.
    """
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        raise AbsentError("example-robot-data is not installed") from None
    path = next(pathlib.Path(str(file.locate())) for file in files if file.name == "panda.urdf")
    return SerialChain.from_urdf(path, BASE, TIP)


def write_urdf(chain: SerialChain) -> pathlib.Path:
    """A URDF of the bare chain under build/, with unit masses, for engines that need some."""

    def words(values: object) -> str:
        return " ".join(f"{value!r}" for value in np.asarray(values, dtype=float).tolist())

    def origin(X: np.ndarray) -> str:
        r, p, y = _roll_pitch_yaw(X[:3, :3])
        return f'<origin xyz="{words(X[:3, 3])}" rpy="{words([r, p, y])}"/>'

    inertia = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = [chain.base, *(f"link_{i}" for i in range(chain.n)), chain.tip]
    parts = [f'<link name="{name}">{inertia}</link>' for name in links]
    for i, joint in enumerate(chain.joints):
        limit = f'<limit lower="{joint.lower}" upper="{joint.upper}" effort="{joint.effort}" velocity="{joint.velocity}"/>'
        ends = f'<parent link="{links[i]}"/><child link="{links[i + 1]}"/>'
        axis = f'<axis xyz="{words(joint.axis)}"/>'
        parts.append(f'<joint name="{joint.name}" type="{joint.kind}">{ends}{origin(np.asarray(joint.X_PJ))}{axis}{limit}</joint>')
    ends = f'<parent link="{links[-2]}"/><child link="{links[-1]}"/>'
    last = SerialChain(chain.joints).fk(np.zeros(chain.n))
    parts.append(f'<joint name="flange" type="fixed">{ends}{origin(frames.inverse(last) @ chain.fk(np.zeros(chain.n)))}</joint>')
    path = BUILD / "panda_arm.urdf"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('<robot name="panda_arm">' + "".join(parts) + "</robot>")
    return path


def _roll_pitch_yaw(R: np.ndarray) -> tuple[float, float, float]:
    from scipy.spatial.transform import Rotation

    r, p, y = Rotation.from_matrix(R).as_euler("xyz")
    return float(r), float(p), float(y)
