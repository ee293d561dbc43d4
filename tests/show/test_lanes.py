"""The lanes of chapter 1."""

import pytest

from dexlab_course.errors import ShapeError
from dexlab_course.show.lanes import lanes

ALT = "two joints that change places between two lanes"


def test_lanes_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    monkeypatch.setattr("dexlab_course.show.plots.show", lambda canvas, alt: shown.append((canvas, alt)))
    lanes({"a": [0, 1], "b": [1, 0]}, ["in v", "in u"], title="They cross", alt=ALT)
    ((canvas, alt),) = shown
    (ax,) = canvas.axes
    assert [line.get_ydata().tolist() for line in ax.get_lines()] == [[0, 1], [1, 0]]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["in v", "in u"]
    assert alt == ALT


def test_a_missing_number_and_too_many_joints_are_refused() -> None:
    with pytest.raises(ShapeError, match="b with 1 numbers"):
        lanes({"a": [0, 1], "b": [1]}, ["in v", "in u"], title="They cross", alt=ALT)
    with pytest.raises(ShapeError, match="8 joints"):
        lanes({str(k): [k] for k in range(8)}, ["in v"], title="Many", alt=ALT)
