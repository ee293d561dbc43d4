"""The course's models once more, as a table and forty lines of arithmetic: what every engine's numbers are compared with.

At zero positions all frames of these models are parallel, so a joint is a translation in its parent link and an axis. Velocities of the
reference: a free joint has (velocity of the link's origin, angular velocity) in world coordinates, a ball joint has the child's angular
velocity in the parent's coordinates.
"""

import dataclasses

import numpy as np
from scipy.spatial.transform import Rotation

SIZES = {"free": 6, "ball": 3, "revolute": 1, "prismatic": 1, "fixed": 0}


@dataclasses.dataclass(frozen=True)
class Link:
    """A link, the joint above it, and its inertia about the centre of mass (xx, yy, zz, xz) in link axes."""

    name: str
    parent: str | None
    joint: str
    kind: str
    p: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axis: tuple[float, float, float] = (0.0, 0.0, 0.0)
    mass: float = 0.0
    com: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    @property
    def matrix(self) -> np.ndarray:
        xx, yy, zz, xz = self.inertia
        return np.array([[xx, 0, xz], [0, yy, 0], [xz, 0, zz]])


def bar(length: float, mass: float) -> tuple[float, float, float, float]:
    """A bar along z, 40 mm square."""
    across = mass * (length**2 + 0.04**2) / 12
    return across, across, mass * 0.04**2 / 6, 0.0


def slanted(length: float, mass: float, direction: tuple[float, float, float]) -> tuple[float, float, float, float]:
    """The same bar along another direction in the x-z plane."""
    across, _, along, _ = bar(length, mass)
    u = np.array(direction) / np.linalg.norm(direction)
    matrix = across * (np.eye(3) - np.outer(u, u)) + along * np.outer(u, u)
    return matrix[0, 0], matrix[1, 1], matrix[2, 2], matrix[0, 2]


UP, MIDDLE, X, Y, Z = (0.0, 0.0, 0.2), (0.0, 0.0, 0.1), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
BASE = Link("base", None, "base", "free", mass=6.0, inertia=(0.01, 0.01, 0.01, 0.0))

SEVEN = (
    BASE,
    *(
        Link(
            f"link_{k}",
            "base" if k == 1 else f"link_{k - 1}",
            f"joint_{k}",
            "revolute",
            (0.0, 0.0, 0.05) if k == 1 else UP,
            Z if k % 2 else Y,
            0.3 * (8 - k),
            MIDDLE,
            bar(0.2, 0.3 * (8 - k)),
        )
        for k in range(1, 8)
    ),
    Link("tcp", "link_7", "flange", "fixed", UP),
)
MIXED = (
    BASE,
    Link("mast", "base", "mount", "fixed", (0.0, 0.0, 0.05), mass=1.5, com=MIDDLE, inertia=bar(0.2, 1.5)),
    Link("jib", "mast", "turn", "revolute", UP, Y, 1.2, MIDDLE, bar(0.2, 1.2)),
    Link("rod", "jib", "extend", "prismatic", UP, Z, 0.9, MIDDLE, bar(0.2, 0.9)),
    Link("hand", "rod", "wrist", "ball", UP, mass=0.6, com=MIDDLE, inertia=bar(0.2, 0.6)),
    Link("tcp", "hand", "flange", "fixed", UP),
    Link("camera", "mast", "look", "revolute", (0.1, 0.0, 0.1), X, 0.3, (0.05, 0.0, 0.0), (5e-4, 5e-4, 5e-4, 0.0)),
)
FOUR_BAR = (
    Link("ground", None, "", "fixed"),
    Link("crank", "ground", "drive", "revolute", axis=Y, mass=0.3, com=MIDDLE, inertia=bar(0.2, 0.3)),
    Link("coupler", "crank", "knee", "revolute", UP, Y, 1.2, (0.4, 0.0, 0.2), slanted(0.8**0.5, 1.2, (0.8, 0.0, 0.4))),
    Link("rocker", "ground", "swing", "revolute", (0.8, 0.0, 0.0), Y, 0.9, (0.0, 0.0, 0.3), bar(0.6, 0.9)),
)
MODELS = {"floating_seven": SEVEN, "mixed_joints": MIXED, "four_bar": FOUR_BAR}

# A configuration: joint name -> number, Rotation (ball), or (Rotation, position) (free). A joint that is not named is at zero.
Pose = dict[str, float | Rotation | tuple[Rotation, np.ndarray]]


def moving(links: tuple[Link, ...]) -> list[Link]:
    return [link for link in links if SIZES[link.kind]]


def places(links: tuple[Link, ...], pose: Pose) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Rotation matrix and origin of each link in the world."""
    found: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for link in links:
        R, p = found[link.parent] if link.parent else (np.eye(3), np.zeros(3))
        p = p + R @ link.p
        value = pose.get(link.joint, 0.0)
        if isinstance(value, tuple):
            R, p = R @ value[0].as_matrix(), p + R @ value[1]
        elif isinstance(value, Rotation):
            R = R @ value.as_matrix()
        elif link.kind == "revolute":
            R = R @ Rotation.from_rotvec(value * np.array(link.axis)).as_matrix()
        elif link.kind == "prismatic":
            p = p + R @ (value * np.array(link.axis))
        found[link.name] = R, p
    return found


def mass_matrix(links: tuple[Link, ...], pose: Pose) -> np.ndarray:
    """M of the moving joints in the order of the table: the sum over links of m Jv^T Jv + Jw^T I Jw at the centre of mass."""
    at = places(links, pose)
    n = sum(SIZES[link.kind] for link in links)
    starts = np.cumsum([0, *(SIZES[link.kind] for link in links)])
    by_name = {link.name: (link, slice(start, start + SIZES[link.kind])) for link, start in zip(links, starts, strict=False)}
    M = np.zeros((n, n))
    for body in links:
        R, p = at[body.name]
        c = p + R @ body.com
        Jv, Jw = np.zeros((3, n)), np.zeros((3, n))
        name: str | None = body.name
        while name:
            link, slots = by_name[name]
            R_parent = at[link.parent][0] if link.parent else np.eye(3)
            turns = {"free": np.eye(3), "ball": R_parent, "revolute": (R_parent @ link.axis)[:, None]}.get(link.kind, np.zeros((3, 0)))
            slides = {"free": np.eye(3), "prismatic": (R_parent @ link.axis)[:, None]}.get(link.kind, np.zeros((3, 0)))
            arm = c - at[name][1]
            Jv[:, slots] = np.hstack([slides, np.cross(turns.T, arm).T])
            Jw[:, slots] = np.hstack([np.zeros((3, slides.shape[1])), turns])
            name = link.parent
        M += body.mass * Jv.T @ Jv + Jw.T @ R @ body.matrix @ R.T @ Jw
    return M


def four_bar_angles(drive: float, *, near: float) -> dict[str, float]:
    """Knee and swing of the closed four-bar for a crank angle: where the rocker's circle meets the coupler's. ``near`` chooses the branch."""
    B, D = 0.2 * np.array([np.sin(drive), np.cos(drive)]), np.array([0.8, 0.0])
    d = np.linalg.norm(D - B)
    along = (d**2 + 0.8 - 0.36) / (2 * d)  # coupler sqrt(0.8) from B, rocker 0.6 from D
    across = np.sqrt(0.8 - along**2)
    u = (D - B) / d
    ends = [B + along * u + side * across * np.array([-u[1], u[0]]) for side in (1, -1)]
    swings = [np.arctan2(C[0] - 0.8, C[1]) for C in ends]
    best = int(np.argmin(np.abs(np.array(swings) - near)))
    C = ends[best]
    coupler = np.arctan2(C[0] - B[0], C[1] - B[1]) - np.arctan2(0.8, 0.4)
    return {"knee": float(coupler - drive), "swing": float(swings[best])}


def random_poses(name: str, count: int) -> list[dict[str, object]]:
    """Configurations as plain data: a number, ``turn`` (rotation vector), or ``turn`` and ``p`` (position); inside all limits."""
    rng = np.random.default_rng(11)
    found: list[dict[str, object]] = []
    for _ in range(count):
        pose: dict[str, object] = {}
        if name == "four_bar":
            drive = float(rng.uniform(-np.pi, np.pi))
            pose = {"drive": drive, **four_bar_angles(drive, near=0.0)}
        for link in moving(MODELS[name]) if name != "four_bar" else []:
            if link.kind in ("free", "ball"):
                pose[link.joint] = {"turn": Rotation.random(rng=rng).as_rotvec().tolist()}
            else:
                pose[link.joint] = float(rng.uniform(0.02, 0.13) if link.kind == "prismatic" else rng.uniform(-1.4, 1.4))
            if link.kind == "free":
                pose[link.joint] = {**pose[link.joint], "p": rng.uniform(-1, 1, 3).tolist()}  # type: ignore[dict-item]
        found.append(pose)
    return found


def random_commands(name: str, count: int) -> list[dict[str, list[float]]]:
    """For each configuration some joints, never none, with random efforts [N·m or N] below all limits."""
    rng = np.random.default_rng(12)
    found = []
    for _ in range(count):
        joints = [link for link in moving(MODELS[name]) if rng.random() < 0.5] or [moving(MODELS[name])[-1]]
        found.append({link.joint: rng.uniform(-4, 4, SIZES[link.kind]).tolist() for link in joints})
    return found


def as_pose(data: dict[str, object]) -> Pose:
    pose: Pose = {}
    for joint, value in data.items():
        if isinstance(value, dict):
            turn = Rotation.from_rotvec(value["turn"])
            pose[joint] = (turn, np.array(value["p"])) if "p" in value else turn
        else:
            pose[joint] = float(value)  # type: ignore[arg-type]
    return pose
