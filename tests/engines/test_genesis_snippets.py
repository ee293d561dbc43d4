"""Short model files, checked with the readers that need no Genesis, and Genesis' log."""

import logging
import pathlib

import numpy as np
import pytest

from dexlab_course.engines.genesis.log import warnings_of_genesis
from dexlab_course.engines.genesis.snippets import urdf, urdf_joint, wheels_mjcf
from dexlab_course.kinematics import SerialChain


def test_a_urdf_reads_as_written(tmp_path: pathlib.Path) -> None:
    limit = '<limit lower="-1" upper="2" effort="7" velocity="1"/>'
    text = urdf(urdf_joint("hinge", "revolute", limit), urdf_joint("to_tcp", "fixed", link="tcp", parent="hinge", mass=None, xyz="0.2 0 0"))
    path = tmp_path / "snippet.urdf"
    path.write_text(text, encoding="utf-8")
    chain = SerialChain.from_urdf(path, "base", "tcp")
    assert chain.names == ("hinge",)
    assert (chain.lower.tolist(), chain.upper.tolist()) == ([-1.0], [2.0])
    np.testing.assert_allclose(chain.fk([np.pi / 2])[:3, 3], [0.0, 0.2, 0.0], atol=1e-15)
    assert '<link name="tcp"></link>' in text


def test_wheels_have_their_actuators() -> None:
    mujoco = pytest.importorskip("mujoco")
    text = wheels_mjcf("a b", '<motor joint="b" gear="3"/><general site="at_a" gear="0 0 0 0 0 2"/>', inertia=0.5)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.ctrl[:] = 1.0
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.qfrc_actuator, [2.0, 3.0], atol=1e-12)
    np.testing.assert_allclose(data.qacc, [4.0, 6.0], atol=1e-9)


def test_warnings_are_heard_and_the_logger_is_as_before(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("genesis")
    handler = logging.StreamHandler()
    before = logger.level, logger.handlers[:], logger.propagate
    try:
        logger.setLevel(logging.ERROR)
        logger.addHandler(handler)
        with warnings_of_genesis() as heard:
            logger.info("nothing")
            logger.warning("a %s", "word")
        assert heard == ["a word"]
        assert (logger.level, logger.handlers[-1]) == (logging.ERROR, handler)
        logger.warning("too quiet")
        with pytest.raises(ZeroDivisionError), warnings_of_genesis():
            raise ZeroDivisionError
        assert (logger.level, logger.handlers[-1]) == (logging.ERROR, handler)
    finally:
        logger.handlers[:] = before[1]
        logger.setLevel(before[0])
        logger.propagate = before[2]
    assert heard == ["a word"]
    assert capsys.readouterr() == ("", "")
