"""Pinocchio: forward kinematics and Jacobian of the arm, one call each."""

import time
from importlib.metadata import version

import pinocchio
from contest import serve


def prepare(task):
    model = pinocchio.buildModelFromUrdf(str(task["model"]))
    data = model.createData()
    frame = model.getFrameId(str(task["tip"]))
    q = task["configurations"]

    def play():
        begin = time.perf_counter()
        for row in q:
            pinocchio.computeFrameJacobian(model, data, row, frame, pinocchio.LOCAL_WORLD_ALIGNED)
            pinocchio.updateFramePlacement(model, data, frame)
        return {"fk_jacobian": (time.perf_counter() - begin) / len(q) * 1e6}

    return {"versions": {"pin": version("pin")}}, play


serve(prepare)
