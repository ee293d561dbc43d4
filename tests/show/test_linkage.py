"""The drawing of a mechanism: one picture, with its alternative text, in which two states differ."""

import base64
import re
from typing import Any

import numpy as np
import pytest

from dexlab_course.show.linkage import Linkage, linkages


def drawn(monkeypatch: pytest.MonkeyPatch, pin: list[float]) -> tuple[str, bytes]:
    shown: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: shown.append(data))
    state = Linkage({"bar": [np.zeros(2), np.array([0.0, 0.6])]}, np.array(pin), reaches=[("bar", np.zeros(2))])
    linkages({"closed": state, "open": state}, colours={"bar": "sky"}, title="A bar", x="x [m]", y="z [m]", pin_label="pin", alt="A bar with a cross at its pin.",
             xlim=(-1.0, 1.0), ylim=(-1.0, 1.0))  # fmt: skip
    (data,) = shown
    image = re.search(r'base64,([^"]+)"', data["text/html"])
    assert image
    return data["text/plain"], base64.b64decode(image[1])


def test_the_picture_has_its_text_and_shows_where_the_pin_is(monkeypatch: pytest.MonkeyPatch) -> None:
    text, above = drawn(monkeypatch, [0.0, 0.6])
    assert text == "[figure] A bar with a cross at its pin."
    assert above.startswith(b"\x89PNG")
    assert above == drawn(monkeypatch, [0.0, 0.6])[1]
    assert above != drawn(monkeypatch, [0.5, -0.6])[1]
