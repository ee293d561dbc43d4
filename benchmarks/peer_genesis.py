"""Genesis: its batched inverse kinematics in double precision, one environment for each goal."""

import time
from importlib.metadata import version

import numpy as np
from contest import serve

from dexlab_course.engines.genesis.load import add_urdf
from dexlab_course.engines.genesis.start import start
from dexlab_course.kinematics import frames


def prepare(task):
    goals, starts = task["goals"], task["starts"]
    size = int(task["environments"])
    gs = start(precision="64")
    scene = gs.Scene(show_viewer=False)
    arm = add_urdf(scene, str(task["model"]), keep_links=(str(task["tip"]),))
    begin = time.perf_counter()
    scene.build(n_envs=size)
    build = time.perf_counter() - begin
    link = arm.get_link(str(task["tip"]))
    quat = frames.quat_wxyz_from_matrix(goals[:, :3, :3])
    tolerance = float(task["tolerance"])

    def solve(block):
        return arm.inverse_kinematics(
            link=link,
            pos=goals[block, :3, 3],
            quat=quat[block],
            init_qpos=starts[block],
            max_samples=int(task["restarts"]) + 1,
            max_solver_iters=20,
            pos_tol=tolerance,
            rot_tol=tolerance,
        )

    begin = time.perf_counter()
    solve(slice(0, size))
    first = time.perf_counter() - begin

    def play():
        solutions, seconds = np.empty_like(starts), 0.0
        for k in range(0, len(goals), size):
            block = slice(k, k + size)
            begin = time.perf_counter()
            answer = solve(block)
            seconds += time.perf_counter() - begin
            solutions[block] = answer.cpu().numpy()
        np.save(str(task["answers"]) + "genesis.npy", solutions)
        return {"mean": seconds / len(goals) * 1e6}

    return {"versions": {"genesis-world": version("genesis-world")}, "build_s": round(build, 1), "first_call_s": round(first, 1)}, play


serve(prepare)
