"""The pure function behind the explorer, and its sliders without a browser."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dexlab_course.errors import InvalidValueError, UnknownNameError
from dexlab_course.show import plots
from dexlab_course.show.explorers.pd import LOG_SLIDERS, SLIDERS, as_html, pd_explorer, three_laws
from dexlab_course.show.selftest import QUESTIONS, check_myself

numbers = {name: st.floats(low, high) for name, (_, low, high, _, _) in SLIDERS.items()}


@given(kp=st.floats(0, 1e6), kd=st.floats(0, 3e3), **numbers)
def test_no_law_gives_more_than_the_limit(**values: float) -> None:
    for effort in three_laws(**values).values():
        assert abs(effort.given) <= values["limit"] + 1e-12
        assert effort.given * effort.asked >= 0


@given(kp=st.floats(0, 1e6), kd=st.floats(0, 3e3), error=st.floats(-1, 1))
def test_the_implicit_law_never_asks_for_more_than_the_explicit_one_at_rest(kp: float, kd: float, error: float) -> None:
    laws = three_laws(kp=kp, kd=kd, error=error, velocity=0.0, limit=1e9)
    assert abs(laws["at the end"].asked) <= abs(laws["at the start"].asked) + 1e-9


def test_the_implicit_law_is_what_a_step_solves() -> None:
    kp, kd, error, velocity, h = 1e4, 150.0, 0.3, -0.7, 1e-3
    u = three_laws(kp=kp, kd=kd, error=error, velocity=velocity, limit=1e9)["at the end"].asked
    v_new = velocity + h * u
    assert u == pytest.approx(kp * (error - h * v_new) - kd * v_new, rel=1e-9)


def test_without_jump_and_deadband_the_third_law_is_the_first() -> None:
    laws = three_laws(kp=20, kd=2, error=0.4, velocity=0.5, limit=50)
    assert laws["differenced target"] == laws["at the start"]
    jumped = three_laws(kp=0, kd=1, error=0.4, velocity=0.0, limit=50, target_jump=0.1)
    assert jumped["differenced target"].asked == pytest.approx(10.0)


def test_moving_a_slider_changes_the_table() -> None:
    explorer = pd_explorer()
    (left, _), table = explorer.children[0].children, explorer.children[1]
    before = table.value
    left.children[2].value = -0.4
    assert table.value != before
    assert "-4.500" in table.value
    assert [slider.description for slider in left.children[:2]] == [entry[0] for entry in LOG_SLIDERS.values()]


def test_the_picture_can_be_read_aloud() -> None:
    assert 'aria-label="asked 7.000, given 3.000 newton metres"' in as_html(three_laws(kp=20, kd=2, error=0.4, velocity=0.5, limit=3), 3)


def test_every_right_answer_is_right_and_every_slip_says_why() -> None:
    for name, question in QUESTIONS.items():
        assert check_myself(name, list(question.answer)) == f"{name}: right"
        assert check_myself(name, None).endswith("not answered yet")
        for slip, why in question.slips:
            assert check_myself(name, list(slip)) == f"{name}: {why['en']}"
        assert "Hint" in check_myself(name, [12345.0] * len(question.answer))
        assert "number" in check_myself(name, [1.0] * 5)
        assert "number" in check_myself(name, "a word")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="torque"):
        check_myself("torqe", 1.0)


def test_a_figure_without_words_is_refused() -> None:
    canvas, ax = plots.figure("A finding", x="time [s]", y="position [m]")
    ax.plot([0, 1], [0, 1])
    with pytest.raises(InvalidValueError, match="alternative text"):
        plots.show(canvas, alt="")
    unlabelled, _ = plots.figure("A finding", x="time", y="position [m]")
    with pytest.raises(InvalidValueError, match="unit"):
        plots.show(unlabelled, alt="a figure whose time axis has no unit in its label")


def test_the_same_figure_gives_the_same_bytes() -> None:
    def draw() -> bytes:
        canvas, ax = plots.figure("A finding", x="time [s]", y="position [m]")
        ax.plot(np.linspace(0, 1, 50), np.linspace(0, 1, 50) ** 2)
        return plots.as_png(canvas)

    assert draw() == draw()
