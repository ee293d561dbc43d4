"""What Genesis applied in a step, read back from the solver: exactly what was sent to the named joints, and nothing elsewhere.

``test_models.py`` shows the same through the accelerations, within the precision of the mass matrix; the solver's own array is exact.
"""

from typing import Any

import numpy as np
import pytest

from dexlab_course.dof import DofMap

from .conftest import COUNT, MODEL_COMMANDS


@pytest.mark.parametrize("name", ["floating_seven", "mixed_joints", "four_bar"])
def test_the_named_slots_get_the_command_and_no_other_slot_gets_anything(genesis: dict[str, Any] | None, name: str) -> None:
    if genesis is None:
        pytest.skip("genesis not installed")
    layout = DofMap.from_dict(genesis["models"][name]["map"])
    applied = np.array(genesis["models"][name]["applied"])
    assert applied.shape == (COUNT, layout.nu)
    for command, found in zip(MODEL_COMMANDS[name], applied, strict=True):
        named = set()
        for joint, value in command.items():
            native = next(one.name for one in layout if one.kind == "free") if joint == "base" else joint
            named.add(native)
            # Genesis keeps single precision, and cuts nothing: the commands are below all limits.
            np.testing.assert_array_equal(layout.gather(found, native, "u"), np.float32(value))
        others = [joint for joint in layout.names if joint not in named]
        np.testing.assert_array_equal(layout.gather(found, others, "u"), 0.0)
