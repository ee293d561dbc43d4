"""Inverse kinematics of the Franka Panda, head to head: this course, Robotics Toolbox and Genesis.

Fresh random reachable poses of the flange, joint limits respected, at most 100 restarts, 1e-6 m and 1e-6 rad, double precision, one
thread (Genesis decides for itself). In the first table the course chooses its own starts and the others begin in the middle of the
joint ranges, which suits them best; in the second all begin at the same random configurations. Contestants run in turns, each in its own
process, and the best round counts. Every answer is checked by forward kinematics that is not the solver's.
"""

import json
import os
import sys
import time

import numpy as np
import panda
from contest import BUILD, ONE_THREAD, PEERS, AbsentError, Peer, in_turns

if __name__ == "__main__":
    os.environ.update(ONE_THREAD)

from dexlab_course.ik import solve_ik
from dexlab_course.kinematics import frames

TARGETS = {
    "success": "success >= 0.9999 of 100 000 poses",
    "batch": "batch on one thread <= 5 us a pose",
    "one": "one pose a call <= 10 us",
    "toolbox": "at least 15 times faster than roboticstoolbox's C++ ik_LM",
    "genesis": "at least 30 times faster than Genesis' batched IK",
    "numpy": "plain NumPy batch at least 3 times faster than roboticstoolbox",
}
POSES, NUMPY_POSES, PEER_POSES, ENVIRONMENTS = 100_000, 20_000, 4_000, 1_000
TOLERANCE, RESTARTS, ROUNDS = 1e-6, 100, 5
NAMES = {
    "batch": "this course, numba, one batch",
    "one": "this course, numba, one pose a call",
    "numpy": "this course, NumPy, one batch",
    "toolbox": "roboticstoolbox, C++ ik_LM, one pose a call",
    "genesis": "Genesis, batches of 1000",
}


def solved(chain, goals, q):
    """True where q meets the goal within tolerance and the limits; a little slack for the other side's rounding."""
    e = frames.pose_error(chain.fk(q), goals)
    inside = ((chain.lower - 1e-9 <= q) & (q <= chain.upper + 1e-9)).all(axis=-1)
    return (np.linalg.norm(e[:, :3], axis=-1) <= TOLERANCE * 1.01) & (np.linalg.norm(e[:, 3:], axis=-1) <= TOLERANCE * 1.01) & inside


def contest(chain, goals, starts, label):
    """One table: every contestant on the same goals from the same starts; None leaves the course its own choice."""
    BUILD.mkdir(parents=True, exist_ok=True)
    few, some = slice(0, PEER_POSES), slice(0, NUMPY_POSES)
    task = BUILD / f"ik_{label}.npz"
    answers = str(BUILD / f"ik_{label}_")
    np.savez(
        task,
        goals=goals[few],
        starts=np.tile(0.5 * (chain.lower + chain.upper), (PEER_POSES, 1)) if starts is None else starts[few],
        configurations=chain.random(np.random.default_rng(0), 100),
        tolerance=TOLERANCE,
        restarts=RESTARTS,
        environments=ENVIRONMENTS,
        model=str(panda.write_urdf(chain)),
        tip=panda.TIP,
        answers=answers,
    )
    options = {"position_tolerance": TOLERANCE, "rotation_tolerance": TOLERANCE, "restarts": RESTARTS}
    results, clock = {}, time.perf_counter

    def batch(goals=goals, starts=starts, name="batch", compiled=None):
        begin = clock()
        results[name] = solve_ik(chain, goals, starts, compiled=compiled, **options)
        return {"mean": (clock() - begin) / len(goals) * 1e6}

    def one():
        times = np.empty(PEER_POSES)
        for i, goal in enumerate(goals[few]):
            start = None if starts is None else starts[i]
            begin = clock()
            solve_ik(chain, goal, start, **options)
            times[i] = clock() - begin
        return {"times": (times * 1e6).tolist()}

    contestants = {
        "batch": batch,
        "one": one,
        "numpy": lambda: batch(goals[some], None if starts is None else starts[some], "numpy", False),
    }
    versions, absent, peers = {}, {}, []
    for name, script, python in (("toolbox", "peer_roboticstoolbox.py", PEERS), ("genesis", "peer_genesis.py", None)):
        try:
            peer = Peer(script, task, python)
        except AbsentError as reason:
            absent[NAMES[name]] = str(reason)
            continue
        peers.append(peer)
        versions |= peer.about.pop("versions")
        contestants[name] = lambda peer=peer: peer.ask("round")
        print(f"  {NAMES[name]}: {peer.about}", file=sys.stderr)
    solve_ik(chain, goals[:100], **options), solve_ik(chain, goals[0], **options)
    rounds = in_turns(contestants, rounds=ROUNDS)
    for peer in peers:
        peer.close()
    rows = {}
    for name, answer in rounds.items():
        if "times" in answer[0]:
            times = min((np.array(a["times"]) for a in answer), key=np.mean)
            row = {"us": times.mean(), "median": np.median(times), "p95": np.quantile(times, 0.95)}
        else:
            row = {"us": min(a["mean"] for a in answer)}
        if name in results:
            count = len(results[name].q)
            row["success"] = float((results[name].success & solved(chain, goals[:count], results[name].q)).mean())
        elif name != "one":
            file = {"toolbox": "roboticstoolbox", "genesis": "genesis"}[name]
            row["success"] = float(solved(chain, goals[few], np.load(f"{answers}{file}.npy")).mean())
        rows[name] = {key: round(float(value), 5) for key, value in row.items()}
    return rows, versions, absent, results["batch"]


def measure():
    """All figures, ready for JSON."""
    chain = panda.load()
    rng = np.random.default_rng()
    goals = chain.fk(chain.random(rng, POSES))
    tables, versions, absent = {}, {}, {}
    for label, starts in (("chosen", None), ("random", chain.random(rng, POSES))):
        print(f" starts: {label}", file=sys.stderr)
        rows, found, missing, batch = contest(chain, goals, starts, label)
        versions |= found
        absent |= missing
        tables[label] = {
            "rows": {NAMES[name]: row for name, row in rows.items()},
            "iterations": round(float(batch.iterations.mean()), 2),
            "restarts": round(float(batch.restarts.mean()), 3),
            "most_restarts": int(batch.restarts.max()),
            "failures": int((~batch.success).sum()),
            "ratios": {
                f"{ours} over {theirs}": round(rows[theirs]["us"] / rows[ours]["us"], 1)
                for ours in ("batch", "one", "numpy")
                for theirs in ("toolbox", "genesis")
                if theirs in rows
            },
        }
    return {"poses": POSES, "poses_of_peers": PEER_POSES, "versions": versions, "not_run": absent, "tables": tables, "table": table(tables)}


def table(tables):
    """Lines for the README: figure and target side by side."""
    lines = []
    for label, result in tables.items():
        start = "chosen" if label == "chosen" else "random"
        rows, ratios = result["rows"], result["ratios"]
        ours = rows[NAMES["batch"]]
        lines.append([f"success, start: {start}", f"{ours['success']:.5f} ({result['failures']} of {POSES} failed)", TARGETS["success"]])
        for key, name in NAMES.items():
            if name in rows:
                row = rows[name]
                extra = f", median {row['median']:.1f}, 95th {row['p95']:.1f}" if "median" in row else ""
                success = f", success {row['success']:.4f}" if key not in ("batch", "one") else ""
                lines.append(
                    [f"{name}, start: {start}", f"{row['us']:.2f} us{extra}{success}", TARGETS[key] if key in ("batch", "one") else ""]
                )
        for ratio, sentence in (("batch over toolbox", "toolbox"), ("batch over genesis", "genesis"), ("numpy over toolbox", "numpy")):
            if ratio in ratios:
                lines.append([f"{ratio}, start: {start}", f"{ratios[ratio]:.1f} times", TARGETS[sentence]])
    return lines


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
