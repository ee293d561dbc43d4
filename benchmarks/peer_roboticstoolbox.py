"""Robotics Toolbox for Python: its C++ Levenberg-Marquardt solver, and its forward kinematics and Jacobian, one call each."""

import time
from importlib.metadata import version

import numpy as np
import roboticstoolbox
from contest import serve


def prepare(task):
    ets = roboticstoolbox.models.Panda().ets(end="panda_link8")
    goals, starts, q = task["goals"], task["starts"], task["configurations"]
    tolerance = float(task["tolerance"]) ** 2 / 2  # E = e^T e / 2
    restarts = int(task["restarts"])

    def play():
        solutions, times = np.empty_like(starts), np.empty(len(goals))
        for i, (goal, start) in enumerate(zip(goals, starts, strict=True)):
            begin = time.perf_counter()
            answer = ets.ik_LM(goal, q0=start, ilimit=30, slimit=restarts + 1, tol=tolerance, joint_limits=True, k=0.1, method="chan")
            times[i] = time.perf_counter() - begin
            solutions[i] = answer.q if hasattr(answer, "q") else answer[0]
        np.save(str(task["answers"]) + "roboticstoolbox.npy", solutions)
        begin = time.perf_counter()
        for row in q:
            ets.eval(row)
            ets.jacob0(row)
        return {"times": (times * 1e6).tolist(), "fk_jacobian": (time.perf_counter() - begin) / len(q) * 1e6}

    ets.ik_LM(goals[0])
    return {"versions": {name: version(name) for name in ("roboticstoolbox-python", "numpy")}}, play


serve(prepare)
