"""Draw a planar mechanism as bars between points, one panel for each state of it."""

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from dexlab_course.arrays import Floats
from dexlab_course.show import plots


@dataclasses.dataclass(frozen=True)
class Linkage:
    """One state of a mechanism; points are pairs [m].

    Args:
        bars: by name, the points that a bar runs through.
        pin: where two bars are held together.
        reaches: dotted lines from points of bars to a pin outside them, as pairs (name of the bar, point).
    """

    bars: Mapping[str, Sequence[Floats]]
    pin: Floats
    reaches: Sequence[tuple[str, Floats]] = ()


def linkages(
    panels: Mapping[str, Linkage],
    *,
    colours: Mapping[str, str],
    title: str,
    x: str,
    y: str,
    pin_label: str,
    alt: str,
    xlim: tuple[float, float],
    ylim: tuple[float, float],
) -> None:
    """Draw the panels side by side, to one scale, and show them.

    Args:
        panels: by title of the panel.
        colours: of each bar, names of ``plots.COLOURS``.
        title, x, y, alt: as for ``plots.curves``.
        pin_label: of the cross at the pin, in the legend of the first panel.
        xlim, ylim: of every panel [m].
    """
    canvas, axes = plots.figure(title, x=x, y=y, panels=len(panels))
    for ax, (name, state) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        ax.axhline(0.0, color=plots.COLOURS["text"], lw=1, ls=":")
        for bar, points in state.bars.items():
            ax.plot(*np.transpose(points), "o-", color=plots.COLOURS[colours[bar]], lw=4, ms=6, label=plots.words(bar))
        for bar, point in state.reaches:
            ax.plot(*np.transpose([point, state.pin]), ":", color=plots.COLOURS[colours[bar]], lw=2)
        ax.plot(*state.pin, "x", color="black", ms=11, mew=3, label=plots.words(pin_label))
        ax.set_title(plots.words(name))
        ax.set_aspect("equal")
        ax.set_xlim(*xlim)
        ax.set_ylim(*ylim)
        ax.legend(fontsize=9, loc="lower left").set_visible(ax is np.atleast_1d(axes)[0])
    plots.show(canvas, alt)
