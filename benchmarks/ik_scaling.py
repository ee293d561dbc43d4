"""How time grows: inverse kinematics against the size of the batch (1 to 1e6) and against the number of joints (2 to 30).

The plots lie under build/benchmarks; the slopes are those of log time over log size. A slope of 1 is time in proportion to size: the
batch shares nothing but the call, so 1 is right for large batches. With joints the cost of a step grows in proportion too (the linear
system stays 6 x 6), but an arm with more joints needs fewer steps. Positions are asked of arms with fewer than six joints, poses of the
others.
"""

import json
import os
import sys

import numpy as np
import panda
from contest import BUILD, ONE_THREAD, best_seconds

if __name__ == "__main__":
    os.environ.update(ONE_THREAD)

from dexlab_course.ik import solve_ik
from dexlab_course.kinematics import ChainJoint, SerialChain, frames

TARGETS = {
    "batch": "time against batch size 1 to 1e6, plotted, with the slope stated",
    "joints": "time against joints 2 to 30, plotted, with the slope stated",
}
BATCHES = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
JOINTS = [2, 3, 4, 6, 7, 9, 12, 16, 20, 25, 30]
POSES = 5_000


def snake(joints: int) -> SerialChain:
    """An arm 1 m long whose joints turn about z and y in turns, each within ±2 rad."""
    step = frames.pose(p=[1.0 / joints, 0.0, 0.0])
    axes = [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    return SerialChain([ChainJoint(f"j{i}", "revolute", step, axes[i % 3], -2.0, 2.0) for i in range(joints)], step)


def slope(x: list[float], y: list[float]) -> float:
    """Of log y over log x."""
    return round(float(np.polyfit(np.log(x), np.log(y), 1)[0]), 3)


def against_batch(chain: SerialChain) -> list[dict[str, float]]:
    """Seconds for batches of the Panda, compiled and readable; both also for forward kinematics with Jacobian."""
    rng = np.random.default_rng(0)
    X = chain.fk(chain.random(rng, BATCHES[-1]))
    q = chain.random(rng, BATCHES[-1])
    rows = []
    for size in BATCHES:
        repeat = max(2, min(30, 30_000 // size))
        # Small batches of different goals: a single hard one would otherwise stand for all.
        samples = [X[k : k + size] for k in range(0, min(len(X), size * max(1, 2_000 // size)), size)]
        row = {
            "size": size,
            "ik": best_seconds(lambda samples=samples: [solve_ik(chain, goals) for goals in samples], repeat=repeat) / len(samples),
        }
        if size <= 30_000:
            few = samples[:30]
            row["ik_numpy"] = best_seconds(lambda few=few: [solve_ik(chain, goals, compiled=False) for goals in few], repeat=2) / len(few)
        row["fk_jacobian"] = best_seconds(lambda size=size: chain.fk_jacobian(q[:size]), repeat=repeat)
        rows.append({key: value if key == "size" else float(f"{value:.4g}") for key, value in row.items()})
        print(f"  batch {size}: {rows[-1]}", file=sys.stderr)
    return rows


def against_joints() -> list[dict[str, float]]:
    """Microseconds a pose for arms of 2 to 30 joints: positions for those with fewer than six, poses for the others."""
    rows = []
    for n in JOINTS:
        chain = snake(n)
        X = chain.fk(chain.random(np.random.default_rng(n), POSES))
        mask = (1, 1, 1, 1, 1, 1) if n >= 6 else (1, 1, 1, 0, 0, 0)
        seconds = best_seconds(lambda chain=chain, X=X, mask=mask: solve_ik(chain, X, mask=mask), repeat=3)
        result = solve_ik(chain, X, mask=mask)
        steps = float(result.iterations.sum())
        row = {"joints": n, "us": seconds / POSES * 1e6, "us_per_step": seconds / steps * 1e6, "success": float(result.success.mean())}
        rows.append({key: value if key == "joints" else float(f"{value:.4g}") for key, value in row.items()})
        print(f"  joints {n}: {rows[-1]}", file=sys.stderr)
    return rows


def plot(batch, joints) -> list[str]:
    """Both plots as files under build/benchmarks."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    BUILD.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    names = {"ik": "IK, numba", "ik_numpy": "IK, NumPy", "fk_jacobian": "FK + Jacobian"}
    for (key, name), marker in zip(names.items(), "os^", strict=True):
        points = [(row["size"], row[key]) for row in batch if key in row]
        axes[0].loglog(*zip(*points, strict=True), marker=marker, label=name)
    axes[0].set(xlabel="batch size [poses]", ylabel="time of a call [s]", title="Time grows in proportion to the batch")
    axes[0].legend()
    axes[1].loglog([row["joints"] for row in joints], [row["us"] for row in joints], marker="o", label="a pose")
    axes[1].loglog([row["joints"] for row in joints], [row["us_per_step"] for row in joints], marker="s", label="a step")
    axes[1].set(xlabel="joints", ylabel="time [us]", title="A step grows in proportion to the joints, a pose does not")
    axes[1].set_xticks(JOINTS, JOINTS)
    axes[1].minorticks_off()
    axes[1].legend()
    files = []
    for ending in ("svg", "png"):
        path = BUILD / f"ik_scaling.{ending}"
        figure.savefig(path, dpi=120)
        files.append(path.name)
    plt.close(figure)
    return files


def measure():
    """All figures, ready for JSON."""
    chain = panda.load()
    chain.compiled_from = 1
    solve_ik(chain, chain.fk(chain.random(np.random.default_rng(0), 20)))
    batch, joints = against_batch(chain), against_joints()
    large, many = [row for row in batch if row["size"] >= 1_000], [row for row in joints if row["joints"] >= 6]
    slopes = {
        "ik over batch, from 1000": slope([row["size"] for row in large], [row["ik"] for row in large]),
        "fk_jacobian over batch, from 1000": slope([row["size"] for row in large], [row["fk_jacobian"] for row in large]),
        "ik over joints, from 6": slope([row["joints"] for row in many], [row["us"] for row in many]),
        "step over joints, from 6": slope([row["joints"] for row in many], [row["us_per_step"] for row in many]),
    }
    table = [
        ["IK against batch size 1e3 to 1e6", f"slope {slopes['ik over batch, from 1000']:.2f}", TARGETS["batch"]],
        ["FK + Jacobian against batch size 1e3 to 1e6", f"slope {slopes['fk_jacobian over batch, from 1000']:.2f}", TARGETS["batch"]],
        ["IK against joints 6 to 30, a pose", f"slope {slopes['ik over joints, from 6']:.2f}", TARGETS["joints"]],
        ["IK against joints 6 to 30, a step", f"slope {slopes['step over joints, from 6']:.2f}", TARGETS["joints"]],
    ]
    return {"batch": batch, "joints": joints, "slopes": slopes, "plots": plot(batch, joints), "table": table}


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
