"""The figures of a report as SVG: an op along its inputs, a thumbnail, and bars of its speed.

Equal data give equal bytes. Text stays text.
"""

from __future__ import annotations

import io
import itertools
import math
import re
from collections.abc import Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter
from sympy import Symbol

from fusewise.explain.unicode import unicode_line
from fusewise.measure.bench.report import OURS
from fusewise.report.measured import Speed
from fusewise.report.slices import HUGE, Slice

COLOURS = ("#1f6feb", "#d9480f", "#2b8a3e", "#862e9c", "#b08900", "#0b7285")
CONTENDERS = {OURS: "#1f6feb", "eager": "#ced4da", "compile": "#868e96", "max-autotune": "#495057"}
OTHERS = "#b08900"  # contenders that few ops have
GREY = "#868e96"
WIDTH, PANEL, BAR = 3.5, 1.05, 0.17  # inches, as the following
LEFT, HEAD, GAP, FOOT, LINE = 0.6, 0.3, 0.32, 0.45, 0.17  # margins; a line of a legend
NAMES = 3  # in a line of a legend
PLATE = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}  # behind the text at a bar
TAIL = 0.02  # the share of values at each end that may lie outside a panel
TALL = 8  # they do where the range is so many times that of the others
STYLE: Any = {
    "axes.edgecolor": GREY,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
    "svg.fonttype": "none",
    "xtick.color": GREY,
    "xtick.labelcolor": "black",
    "ytick.color": GREY,
    "ytick.labelcolor": "black",
}
Columns = Sequence[Sequence[float] | None]


def slice_figure(found: Slice, name: str) -> str:
    """Panels one below the other: the outputs, and their first and second derivatives."""
    by = unicode_line(Symbol(found.name))
    outputs = [unicode_line(Symbol(curve.output)) for curve in found.curves]
    columns = zip(*((c.value, c.first, c.second) for c in found.curves), strict=True)
    titles = ("{}", f"∂{{}}/∂{by}", f"∂²{{}}/∂{by}²")
    shown = [
        (title.format(outputs[0] if len(outputs) == 1 or title == "{}" else ""), panel)
        for title, panel in zip(titles, columns, strict=True)
        if title != titles[2] or any(map(any, filter(None, panel)))
        if any(panel)
    ]
    lines = -(-len(outputs) // NAMES) if len(outputs) > 1 else 1  # of the legend
    with matplotlib.rc_context(STYLE):
        figure, axes = _panels(len(shown), PANEL, HEAD + (lines - 1) * LINE)
        for panel, (title, values) in zip(axes, shown, strict=True):
            _draw(panel, found, values, outputs)
            panel.set_title(title if panel is not axes[0] or len(outputs) == 1 else "")
            panel.grid(color="#e9ecef", linewidth=0.6)
            panel.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
            panel.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
            for axis in (panel.xaxis, panel.yaxis):
                axis.set_major_formatter(StrMethodFormatter("{x:g}"))
            panel.tick_params(labelbottom=panel is axes[-1])
        axes[-1].set_xlabel(by)
        if len(outputs) > 1:
            place: Any = {"loc": "lower left", "bbox_to_anchor": (-0.02, 1)}
            axes[0].legend(**place, ncols=NAMES, frameon=False, borderpad=0, columnspacing=1)
        return _svg(figure, name)


def thumbnail(found: Slice, name: str) -> str:
    """The outputs along an input, without numbers."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(1.5, 1.0))
        panel = figure.add_axes((0.02, 0.03, 0.96, 0.94))
        panel.axhline(0, color="#ced4da", linewidth=0.8)
        panel.axvline(0, color="#ced4da", linewidth=0.8)
        panel.set_axis_off()
        _draw(panel, found, [curve.value for curve in found.curves], [""] * len(found.curves))
        panel.set_xlim(found.places[0], found.places[-1])
        return _svg(figure, name)


def speed_figure(speeds: Sequence[Speed], direction: str, name: str) -> str:
    """Bars of each contender's share of a copy's speed, a group for each run and its shapes.

    It is empty without such rows, as where an op has no backward pass.
    """
    groups = [
        (speed.label, [(contender, row.share(contender)) for contender in row.times])
        for speed in speeds
        for row in speed.rows
        if row.direction == direction and row.copy
    ]
    if not groups:
        return ""
    bars = [(name, 100 * share) for _, group in groups for name, share in group if share]
    longest = max((share for _, share in bars), default=100)
    height = BAR * sum(len(group) + 2 for _, group in groups)
    with matplotlib.rc_context(STYLE):
        figure, (panel,) = _panels(1, height, HEAD, left=0.1)
        place = itertools.count()
        for label, group in groups:
            panel.text(0, next(place) + 0.15, label, va="center", fontsize=8, color="black")
            for contender, share in group:
                if share is None:
                    continue
                at, colour = next(place), CONTENDERS.get(contender, OTHERS)
                panel.barh(at, 100 * share, height=0.8, color=colour)
                text = f"{contender} {share:.0%}"
                panel.text(
                    100 * share + longest / 80, at, text, va="center", fontsize=7, bbox=PLATE
                )
            next(place)
        panel.axvline(100, color="black", linewidth=0.7, linestyle=":", zorder=0)
        panel.set_ylim(next(place) - 1.4, -0.7)
        panel.set_yticks([])
        panel.spines["left"].set_visible(False)
        panel.set_xlim(0, max(longest, 100) * 1.5)
        panel.set_xlabel("% of the speed of a plain copy")
        panel.set_title(direction)
        return _svg(figure, name)


def _panels(
    count: int, height: float, head: float, left: float = LEFT
) -> tuple[Figure, list[Axes]]:
    """Panels one below the other; lengths are in inches. `head` is the space above the first."""
    total = head + count * height + (count - 1) * GAP + FOOT
    figure = Figure(figsize=(WIDTH, total))
    axes: list[Axes] = []
    for k in range(count):
        bottom = total - head - (k + 1) * height - k * GAP
        box = (left / WIDTH, bottom / total, (WIDTH - left - 0.1) / WIDTH, height / total)
        axes.append(figure.add_axes(box, sharex=axes[0] if axes else None))
    return figure, axes


def _draw(panel: Axes, found: Slice, columns: Columns, labels: Sequence[str]) -> None:
    """The curves, with gaps where they are not finite, huge or jump over the panel at a pole."""
    low, high = _range([value for column in columns for value in column or ()])
    for column, label, colour in zip(columns, labels, itertools.cycle(COLOURS)):
        if column is None:
            continue
        values = [value if abs(value) <= HUGE else math.nan for value in column]
        for k, (left, right) in enumerate(itertools.pairwise(values)):
            if min(left, right) < low and max(left, right) > high:
                values[k] = math.nan
        style: Any = {"linestyle": "none", "marker": "o", "markersize": 3} if found.is_whole else {}
        panel.plot(found.places, values, color=colour, label=label, **style)
    margin = 0.06 * (high - low)
    panel.set_ylim(low - margin, high + margin)


def _range(values: Sequence[float]) -> tuple[float, float]:
    """The range of the values to draw, without the tails if these are much longer."""
    ordered = sorted(value for value in values if abs(value) <= HUGE) or [0.0]
    low, high = ordered[0], ordered[-1]
    tail = int(TAIL * len(ordered))
    inner_low, inner_high = ordered[tail], ordered[-1 - tail]
    if high - low > TALL * (inner_high - inner_low) > 0:
        low, high = inner_low, inner_high
    size = max(abs(low), abs(high), 1e-9)
    if high - low < 1e-9 * size:  # constant: shown above or below 0
        low, high = (min(low, 0.0), max(high, 0.0)) if any(ordered) else (-1.0, 1.0)
    return low, high


def _svg(figure: Figure, name: str) -> str:
    """The element `svg`. Its ids begin with the name, so a page may hold several figures."""
    text = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(text, format="svg", metadata=nothing)
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :].strip()
    used = set(re.findall(r"#(\w+)", svg))
    return re.sub(r' id="([^"]+)"', lambda m: m[0] if m[1] in used else "", svg) + "\n"
