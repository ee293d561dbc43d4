"""Figures of one look: a title that states the finding, axes with units, safe colours, and a text for those who cannot see them.

Figures are rendered here and shown as an HTML image, because that is the one output in which JupyterLab, VS Code and nbconvert all keep
the alternative text.
"""

import base64
import html
import io
import textwrap
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
    "figure.dpi": 110, "savefig.dpi": 110, "font.size": 11, "axes.titlesize": 12.5, "axes.titleweight": "bold", "axes.titlelocation": "left",
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
        if panels == 1:
            axes.set_title(_wrapped(title, 74))
        else:
            canvas.suptitle(_wrapped(title, 40 * panels), x=0.01, ha="left", fontweight="bold", fontsize=12.5)
        for index, ax in enumerate([axes] if panels == 1 else list(axes)):
            ax.set_xlabel(words(x if isinstance(x, str) else x[index]))
            ax.set_ylabel(words(y if isinstance(y, str) else y[index]))
    return canvas, axes


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
    """The figure as PNG bytes, the same for the same figure."""
    buffer = io.BytesIO()
    canvas.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


def _check(canvas: Any, alt: str) -> None:
    def demand(condition: bool, what: str) -> None:
        if not condition:
            raise InvalidValueError(
                explain(
                    f"this figure has no {what}", got="nothing", expected=f"a {what}", remedy="give it through plots.figure and plots.show"
                )
            )

    demand(len(alt.strip()) > 20, "alternative text that says what is to be seen")
    for ax in canvas.axes:
        title = ax.get_title(loc="left") or ax.get_title()
        demand(bool(title or canvas.get_suptitle()), "title that states the finding")
        demand("[" in ax.get_xlabel() and bool(ax.get_ylabel()), "axis label with its unit in brackets ([-] for none)")
        demand("[" in ax.get_ylabel(), "axis label with its unit in brackets ([-] for none)")


def _wrapped(title: str, width: int) -> str:
    return textwrap.fill(words(title), width)
