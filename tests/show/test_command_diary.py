"""The picture of a command diary can be drawn from any diary, and keeps its alternative text."""

import queue

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from dexlab_course.control import Command, CommandInbox
from dexlab_course.dof import DofMap, Joint
from dexlab_course.show import command_diary as module
from dexlab_course.show.command_diary import command_diary


@pytest.mark.parametrize("messages", [0, 3])
def test_a_diary_is_drawn_with_its_alternative_text(messages: int, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[object, str]] = []
    monkeypatch.setattr(module.plots, "show", lambda canvas, alt: shown.append((canvas, alt)))
    channel: queue.SimpleQueue[Command] = queue.SimpleQueue()
    arm = DofMap([Joint.at("elbow", "revolute", q=[0], v=[0], u=[0])], nq=1, nv=1, nu=1)
    inbox = CommandInbox(arm, channel, names=["elbow"], quantity="effort", start=[0.0], when_lost=[0.0], max_age=0.02)
    what = {"names": ("elbow",), "quantity": "effort", "units": "N·m", "frame": "joint", "valid_for": 0.02}
    for number in range(messages):  # the last two are refused: out of order
        channel.put(Command(values=(1.0,), stamp=0.0, sequence=2 - number, **what))
    diary = [(now, inbox.latch(now)) for now in np.arange(8) * 0.01]
    command_diary(diary, 0, title="A title", x="time [s]", y="effort [N·m]", alt="what is to be seen, in a sentence")
    ((canvas, alt),) = shown
    assert alt == "what is to be seen, in a sentence"
    (ax,) = canvas.axes
    assert len(ax.texts) == max(messages - 1, 0)
    assert len(ax.patches) == (1 if messages else 0)  # one stretch without a valid command
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == (["latched", "message refused", "nothing valid is left"] if messages else ["latched"])
