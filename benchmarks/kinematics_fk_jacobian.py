"""Forward kinematics and Jacobian of the Franka Panda: microseconds a configuration, beside the arithmetic limit.

The limit is the number of floating-point operations that the algorithm needs, divided by the rate at which this machine multiplies
large matrices on one thread, plus the time to write the answers once. Nothing that computes the same can be faster.
"""

import json
import os
import sys

import numpy as np
import panda
from contest import BUILD, ONE_THREAD, PEERS, AbsentError, Peer, best_seconds, in_turns

if __name__ == "__main__":
    os.environ.update(ONE_THREAD)

TARGETS = {"batch": "FK + Jacobian in batch <= 0.15 us a configuration"}
BATCH, BLOCK, PEER_CONFIGURATIONS, ROUNDS = 100_000, 2_048, 5_000, 5
# Sine and cosine by polynomials; pose times fixed pose, and turn, by three rows; axis and arm to column: per joint.
FLOPS_PER_JOINT = 35 + 3 * (24 + 6) + 12


def arithmetic_limit(joints: int) -> dict[str, float]:
    """Microseconds a configuration that neither arithmetic nor memory allow to go below."""
    a = np.random.default_rng(0).normal(size=(1024, 1024))
    rate = 2 * 1024**3 / best_seconds(lambda: a @ a, repeat=5)
    limit = {"gflops": round(rate / 1e9, 1), "arithmetic_us": round(joints * FLOPS_PER_JOINT / rate * 1e6, 4)}
    for name, size in (("writing_us", BATCH), ("writing_in_cache_us", BLOCK)):
        out = np.zeros((size, 16 + 6 * joints))
        limit[name] = round(best_seconds(lambda out=out: out.fill(1.0), repeat=20) / size * 1e6, 4)
    return limit


def measure():
    """All figures, ready for JSON."""
    chain, readable = panda.load(), panda.load()
    chain.compiled_from, readable.compiled_from = 1, None
    rng = np.random.default_rng(0)
    q, block = chain.random(rng, BATCH), chain.random(rng, BLOCK)
    one = q[0]
    BUILD.mkdir(parents=True, exist_ok=True)
    task = BUILD / "fk_jacobian.npz"
    np.savez(
        task,
        configurations=q[:PEER_CONFIGURATIONS],
        goals=chain.fk(q[:1]),
        starts=q[:1],
        tolerance=1e-6,
        restarts=1,
        model=str(panda.write_urdf(chain)),
        tip=panda.TIP,
        answers=str(BUILD / "fk_jacobian_"),
    )

    def us(function, count, repeat=7):
        return {"fk_jacobian": best_seconds(function, repeat=repeat) / count * 1e6}

    chain.fk_jacobian(q[:10])
    contestants = {
        "this course, numba, one batch of 100 000": lambda: us(lambda: chain.fk_jacobian(q), BATCH),
        "this course, numba, blocks of 2048": lambda: us(lambda: chain.fk_jacobian(block), BLOCK, 40),
        "this course, NumPy, one batch of 100 000": lambda: us(lambda: readable.fk_jacobian(q), BATCH, 3),
        "this course, numba, one a call": lambda: us(lambda: [chain.fk_jacobian(one) for _ in range(1000)], 1000),
        "this course, NumPy, one a call": lambda: us(lambda: [readable.fk_jacobian(one) for _ in range(300)], 300),
    }
    versions, absent, peers = {}, {}, []
    for name, script, python in (
        ("pinocchio, one a call", "peer_pinocchio.py", None),
        ("roboticstoolbox, one a call", "peer_roboticstoolbox.py", PEERS),
    ):
        try:
            peer = Peer(script, task, python)
        except AbsentError as reason:
            absent[name] = str(reason)
            continue
        peers.append(peer)
        versions |= peer.about.pop("versions")
        contestants[name] = lambda peer=peer: peer.ask("round")
    rounds = in_turns(contestants, rounds=ROUNDS)
    for peer in peers:
        peer.close()
    rows = {name: {"us": round(min(answer["fk_jacobian"] for answer in answers), 4)} for name, answers in rounds.items()}
    limit = arithmetic_limit(chain.n)
    print(f"  arithmetic limit: {limit}", file=sys.stderr)
    table = []
    for name, row in rows.items():
        batch = "numba" in name and "call" not in name
        figure = f"{row['us']:.3f} us"
        if batch:
            writing = limit["writing_in_cache_us" if "2048" in name else "writing_us"]
            figure += f" (limits: {limit['arithmetic_us']:.3f} arithmetic, {writing:.3f} writing the answers)"
        table.append([f"FK + Jacobian: {name}", figure, TARGETS["batch"] if batch else ""])
    return {"rows": rows, "limit": limit, "versions": versions, "not_run": absent, "table": table}


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
