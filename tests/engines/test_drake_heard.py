"""Drake's warnings are kept, stripped of their place, and the logger is as before."""

import logging

import pytest

from dexlab_course.engines import installed

pytestmark = pytest.mark.skipif(not installed("drake"), reason="drake not installed")

FILE = """<robot name="r"><link name="b"/><link name="w"/>
<joint name="j" type="revolute"><parent link="b"/><child link="w"/><axis xyz="0 0 1"/></joint>
<transmission name="t"><type>OtherTransmission</type><joint name="j"/><actuator name="m"/></transmission></robot>"""


def test_a_warning_is_kept_and_not_printed(capfd: pytest.CaptureFixture[str]) -> None:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    from dexlab_course.engines.drake.heard import heard
    from dexlab_course.engines.drake.start import quiet

    quiet()
    logger = logging.getLogger("drake")
    before = logger.level, logger.propagate, list(logger.handlers)
    plants = [MultibodyPlant(0.0), MultibodyPlant(0.0)]
    with heard() as said:
        Parser(plants[0]).AddModelsFromString(FILE, "urdf")
    assert [line.startswith("A <transmission> has a type") for line in said] == [True]
    assert (logger.level, logger.propagate, list(logger.handlers)) == before
    Parser(plants[1]).AddModelsFromString(FILE, "urdf")
    assert capfd.readouterr() == ("", "")
    assert len(said) == 1
