"""Chapter 1: one line for each joint through its numbers, so that a change of order shows as a crossing."""

from collections.abc import Mapping, Sequence

from dexlab_course.errors import ShapeError, explain
from dexlab_course.show import plots

_ORDER = ("drake", "genesis", "superdex", "other", "light", "sky", "text")


def lanes(rows: Mapping[str, Sequence[int]], headings: Sequence[str], *, title: str, alt: str, y: str = "number [-]") -> None:
    """Draw vertical lanes side by side; each joint is a line with a dot at its number in every lane.

    Args:
        rows: by joint, one number for each lane; at most seven joints.
        headings: names of the lanes.
        title, alt, y: as for ``plots.curves``.

    Raises:
        ShapeError: a joint has not one number for each lane, or there are too many joints to tell their colours apart.
    """
    wrong = [name for name, numbers in rows.items() if len(numbers) != len(headings)]
    if wrong or len(rows) > len(_ORDER):
        message = explain(
            "these lanes cannot be drawn",
            got=f"{wrong[0]} with {len(rows[wrong[0]])} numbers" if wrong else f"{len(rows)} joints",
            expected=f"{len(headings)} numbers for each of at most {len(_ORDER)} joints",
            remedy="give each joint one number a lane, and show fewer joints",
        )
        raise ShapeError(message)
    canvas, ax = plots.figure(title, x="what is asked [-]", y=y, size=(7.8, 4.0))
    for (name, numbers), colour in zip(rows.items(), _ORDER, strict=False):
        ax.plot(range(len(numbers)), numbers, color=plots.COLOURS[colour], marker="o", ms=8, label=plots.words(name))
    ax.set_xticks(range(len(headings)), [plots.words(heading) for heading in headings])
    ax.set_xlim(-0.2, len(headings) - 0.8)
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    plots.show(canvas, alt)
