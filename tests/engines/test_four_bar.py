"""The closed loop in every engine: pushed by its motor, left alone until it rests, it is closed; where it is not, that shows."""

from typing import Any

import pytest

from .reference import four_bar_angles

# Distance of the two ends of the pin at rest [m]: a rigid constraint in double and single precision, and a spring of 5e4 N/m.
CLOSED = {"drake": 1e-9, "genesis": 3e-6, "superdex": 3e-8}


@pytest.fixture(params=CLOSED)
def engine(request: pytest.FixtureRequest, answers: dict[str, dict[str, Any] | None]) -> str:
    if answers[request.param] is None:
        pytest.skip(f"{request.param} not installed")
    return str(request.param)


def test_it_rests_closed_and_far_from_where_it_began(engine: str, answers: dict[str, dict[str, Any] | None]) -> None:
    for run in answers[engine]["settled"]:  # type: ignore[index]
        drive, knee, swing = run["q"]
        expected = four_bar_angles(drive, near=swing)
        assert abs(drive) > 0.5
        assert run["gap"] < CLOSED[engine]
        assert [knee, swing] == pytest.approx([expected["knee"], expected["swing"]], abs=10 * CLOSED[engine])


def test_an_open_chain_is_noticed(engine: str, answers: dict[str, dict[str, Any] | None]) -> None:
    """Drake with its constraint switched off; Genesis and SuperDex with the URDF, whose pin they drop without a word."""
    for run in answers[engine]["open"]:  # type: ignore[index]
        assert run["gap"] > 0.3


def test_a_pin_of_the_wrong_sign_is_noticed(superdex: dict[str, Any] | None) -> None:
    """+p instead of -p in jointFromChildLink: the loop looks closed at zero angles and opens as soon as it moves."""
    if superdex is None:
        pytest.skip("superdex not installed")
    for run in superdex["wrong sign"]:
        assert run["gap"] > 0.1


def test_the_engines_agree_with_each_other_where_they_rest(answers: dict[str, dict[str, Any] | None]) -> None:
    """The same push on the same robot: crank angles within a milliradian (SuperDex' default integrator brakes a little)."""
    drives = [[run["q"][0] for run in answer["settled"]] for answer in answers.values() if answer is not None]
    for other in drives[1:]:
        assert other == pytest.approx(drives[0], abs=2e-3)
