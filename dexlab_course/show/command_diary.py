"""What came of commands from outside: the value that was latched, the messages that were refused, and where nothing valid was left."""

from collections.abc import Sequence
from itertools import groupby

from dexlab_course.control import Latched, Standing
from dexlab_course.show import plots


def command_diary(
    diary: Sequence[tuple[float, Latched]], entry: int, *, title: str, x: str, y: str, alt: str, size: tuple[float, float] = (9.5, 4.6)
) -> None:
    """Draw one latched value over time; each refusal is a cross below zero with its reason.

    Args:
        diary: time [s] and what the inbox gave, tick by tick, at least two ticks of one period.
        entry: which of the latched values, counted as the inbox's names.
        title, x, y, alt, size: as for ``plots.curves``.
    """
    times = [now for now, _ in diary]
    values = [float(latched.values[entry]) for _, latched in diary]
    period = times[1] - times[0]
    canvas, ax = plots.figure(title, x=x, y=y, size=size)
    ax.step([*times, times[-1] + period], [*values, values[-1]], where="post", color=plots.COLOURS["drake"], label=plots.words("latched"))
    named: set[str] = set()

    def once(label: str) -> str | None:
        new = label not in named
        named.add(label)
        return plots.words(label) if new else None

    unit = max(max(values) - min(values), 1e-9)
    bottom = min(values)
    for now, latched in diary:
        for refusal in latched.refused:
            red = plots.COLOURS["genesis"]
            ax.plot(now, bottom - 0.06 * unit, "x", color=red, ms=7, label=once("message refused"))
            reason = plots.words(refusal.reason.value)
            ax.text(now, bottom - 0.11 * unit, reason, color=red, rotation=90, ha="center", va="top", fontsize=9)
    for lost, stretch in groupby(diary, key=lambda row: row[1].standing == Standing.LOST):
        if lost:
            inside = [now for now, _ in stretch]
            ax.axvspan(inside[0], inside[-1] + period, color=plots.COLOURS["light"], alpha=0.2, lw=0, label=once("nothing valid is left"))
    ax.set_ylim(bottom - 0.62 * unit, max(values) + 0.3 * unit)
    ax.legend(loc="upper center", ncols=3)
    plots.show(canvas, alt)
