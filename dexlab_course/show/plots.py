"""Figures of one look: a title that states the finding, axes with units, safe colours, and a text for those who cannot see them.

Figures are rendered here and shown as an HTML image, because that is the one output in which JupyterLab, VS Code and nbconvert all keep
the alternative text.
"""

import base64
import dataclasses
import html
import io
import textwrap
from collections.abc import Sequence
from typing import Any

from dexlab_course.errors import InvalidValueError, explain

# Okabe and Ito's palette, which colour-blind readers can tell apart. One engine has one colour everywhere.
COLOURS = {
    "drake": "#0072B2",
    "genesis": "#D55E00",
    "superdex": "#009E73",
    "text": "#7f7f7f",
    "limit": "#000000",
    "other": "#CC79A7",
    "light": "#E69F00",
    "sky": "#56B4E9",
}
_STYLE: Any = {
    "figure.dpi": 110, "savefig.dpi": 110, "font.size": 11, "axes.titlesize": 11, "axes.titlelocation": "left",
    "axes.grid": True, "grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False, "lines.linewidth": 2.0, "legend.frameon": False,
    "svg.hashsalt": "dexlab",
}  # fmt: skip


def words(text: str) -> str:
    """The one place through which every word of a figure passes, so that another language edition can replace it here."""
    return text


def figure(title: str, *, x: str | list[str], y: str | list[str], panels: int = 1, size: tuple[float, float] | None = None) -> Any:
    """A figure with ``panels`` axes side by side. Returns (figure, axes); axes is one Axes for one panel, else an array.

    Args:
        title: the finding, in a short sentence.
        x, y: axis labels with units in brackets, ``"time [s]"``; one for all panels, or a list.
        panels: number of axes in the row.
        size: width and height [inch].
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        # Figure, not pyplot: nothing is registered globally, so nothing is drawn twice and nothing leaks.
        canvas = Figure(figsize=size or (7.2 if panels == 1 else 4.6 * panels, 3.6), layout="constrained")
        axes = canvas.subplots(1, panels)
        canvas.suptitle(textwrap.fill(words(title), int(8.8 * canvas.get_figwidth())), x=0.01, ha="left", fontweight="bold", fontsize=12.5)
        for index, ax in enumerate([axes] if panels == 1 else list(axes)):
            ax.set_xlabel(words(x if isinstance(x, str) else x[index]))
            ax.set_ylabel(words(y if isinstance(y, str) else y[index]))
    return canvas, axes


@dataclasses.dataclass(frozen=True)
class Series:
    """One curve of ``curves``: its label, its points and how it is drawn."""

    label: str
    x: Any
    y: Any
    style: dict[str, Any]


def predicted(label: str, x: Any, y: Any) -> Series:
    """What the reading notes, or a tempting guess, say: a dashed grey line."""
    return Series(label, x, y, {"color": COLOURS["text"], "ls": "--", "zorder": 2})


def derived(label: str, x: Any, y: Any) -> Series:
    """What our own derivation says: a broad pale line, so that the engine's points can lie on it."""
    return Series(label, x, y, {"color": COLOURS["sky"], "lw": 5, "alpha": 0.55, "zorder": 1, "solid_capstyle": "butt"})


def measured(label: str, x: Any, y: Any, *, engine: str) -> Series:
    """What an engine gave: dots in its colour, a line where the dots would touch."""
    style = {"ls": "", "marker": "o", "ms": 5} if len(x) <= 80 else {"lw": 1.8}
    return Series(label, x, y, {"color": COLOURS[engine], "zorder": 3, **style})


def line(label: str, x: Any, y: Any, *, colour: str, **style: Any) -> Series:
    """Any other curve, in one of ``COLOURS``; further matplotlib line options may be given."""
    return Series(label, x, y, {"color": COLOURS[colour], **style})


def curves(
    *series: Series,
    title: str,
    x: str,
    y: str,
    alt: str,
    log: str = "",
    target: float | None = None,
    spans: Sequence[tuple[float, float]] = (),
    span_label: str = "",
    xlim: tuple[float, float] | None = None,
    ylim: tuple[float, float] | None = None,
    equal: bool = False,
    size: tuple[float, float] | None = None,
) -> None:
    """Draw curves into one panel and show it.

    Args:
        series: made by ``predicted``, ``derived``, ``measured`` or ``line``; the same roles look the same on every page.
        title: the finding.
        x, y: axis labels with units.
        alt: what is to be seen, for those who cannot see it.
        log: axes with a logarithmic scale: ``"x"``, ``"y"`` or ``"xy"``.
        target: a thin dotted horizontal line.
        spans: intervals of x to shade, named ``span_label`` in the legend.
        xlim, ylim: axis limits.
        equal: one scale for both axes, for paths in a plane.
        size: width and height [inch].
    """
    canvas, ax = figure(title, x=x, y=y, size=size)
    for index, (low, high) in enumerate(spans):
        ax.axvspan(low, high, color=COLOURS["light"], alpha=0.15, label=words(span_label) if span_label and index == 0 else None)
    if target is not None:
        ax.axhline(target, color=COLOURS["limit"], lw=1, ls=":", zorder=0)
    for one in series:
        ax.plot(one.x, one.y, label=words(one.label), **one.style)
    for axis in log:
        getattr(ax, f"set_{axis}scale")("log")
    if xlim is not None:
        ax.set_xlim(*xlim)
    if ylim is not None:
        ax.set_ylim(*ylim)
    if equal:
        ax.set_aspect("equal")
    show(canvas, alt)


def outcomes(
    rows: dict[str, Sequence[float] | str], *, bars: dict[str, str], title: str, x: str, alt: str, size: tuple[float, float] | None = None
) -> None:
    """Draw what came of several set-ups as rows of horizontal bars, or as words where a set-up gave no number.

    Args:
        rows: by set-up, one number for each bar, or words.
        bars: by bar, its name in the legend and its colour.
        title, x, alt: as for ``curves``.
    """
    canvas, ax = figure(title, x=x, y="set-up [-]", size=size or (8.2, 0.9 + 0.42 * len(rows)))
    thick = 0.7 / len(bars)
    for row, result in enumerate(rows.values()):
        if isinstance(result, str):
            ax.text(0.01, row, words(result), va="center", transform=ax.get_yaxis_transform(), color=COLOURS["genesis"], fontweight="bold")
            continue
        for index, (value, colour) in enumerate(zip(result, bars.values(), strict=True)):
            ax.barh(row - 0.35 + thick * (index + 0.5), value, height=0.9 * thick, color=COLOURS[colour])
    for name, colour in bars.items():
        ax.barh(0, 0, color=COLOURS[colour], label=words(name))
    ax.set_yticks(range(len(rows)), [words(name) for name in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.locator_params(axis="x", nbins=6)
    show(canvas, alt)


def show(canvas: Any, alt: str) -> None:
    """Display a figure with its alternative text.

    Raises:
        InvalidValueError: the alternative text, a title or an axis label is missing.
    """
    import matplotlib
    from IPython.display import display

    _check(canvas, alt)
    with matplotlib.rc_context(_STYLE):
        for ax in canvas.axes:
            if ax.get_legend_handles_labels()[1] and ax.get_legend() is None:
                ax.legend()
        image = as_png(canvas)
    text = html.escape(words(alt), quote=True)
    encoded = base64.b64encode(image).decode()
    display(
        {
            "text/plain": f"[figure] {words(alt)}",
            "text/html": f'<img alt="{text}" src="data:image/png;base64,{encoded}" style="max-width:100%"/>',
        },
        raw=True,
    )


def as_png(canvas: Any) -> bytes:
    """The figure as PNG bytes, the same for the same figure; 64 colours are plenty for a plot and keep pages small."""
    from PIL import Image

    full, small = io.BytesIO(), io.BytesIO()
    canvas.savefig(full, format="png", metadata={"Software": None})
    image = Image.open(full).convert("RGB").quantize(64, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    image.save(small, format="PNG", optimize=True)
    return small.getvalue()


def _check(canvas: Any, alt: str) -> None:
    def demand(condition: bool, what: str) -> None:
        if not condition:
            raise InvalidValueError(
                explain(
                    f"this figure has no {what}", got="nothing", expected=f"a {what}", remedy="give it through plots.figure and plots.show"
                )
            )

    demand(len(alt.strip()) > 20, "alternative text that says what is to be seen")
    demand(bool(canvas.get_suptitle()), "title that states the finding")
    for ax in canvas.axes:
        demand("[" in ax.get_xlabel() and bool(ax.get_ylabel()), "axis label with its unit in brackets ([-] for none)")
        demand("[" in ax.get_ylabel(), "axis label with its unit in brackets ([-] for none)")
