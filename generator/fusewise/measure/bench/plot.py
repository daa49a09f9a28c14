"""The plot of the results of `fusewise bench`: bars against the line of a plain copy."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

from fusewise.measure.bench.report import DIRECTIONS, OURS, PLAIN, Results

ROW_INCHES = 0.21
MARKS = "|dxo+"  # of the other contenders
COLOURS = ("0.35", "tab:orange", "tab:red", "tab:purple", "tab:green")


def plot(results: Results) -> bytes:
    """A PNG with one row for each op: our share of a copy's speed as a bar, others' as marks.

    On a CPU it shows the times with freed memory kept, since the copy has its pages too.
    """
    shown = [row for row in results.rows if row.memory != PLAIN]
    labels = list(dict.fromkeys(results.label(row) for row in results.rows))
    figure = Figure(figsize=(16, 1.6 + ROW_INCHES * len(labels)), layout="constrained")
    panels = figure.subplots(1, len(DIRECTIONS), sharex=True, sharey=True)
    for panel, direction in zip(panels, DIRECTIONS, strict=True):
        rows = [row for row in shown if row.direction == direction]
        for index, contender in enumerate(results.contenders):
            found = [(labels.index(results.label(row)), row.share(contender)) for row in rows]
            places = [place for place, share in found if share is not None]
            shares = [100 * share for _, share in found if share is not None]
            if contender == OURS:
                panel.barh(places, shares, height=0.7, color="tab:blue", alpha=0.6, label=OURS)
            else:
                mark, colour = MARKS[index - 1], COLOURS[index - 1]
                panel.plot(shares, places, mark, color=colour, markersize=6, mew=2, label=contender)
        panel.axvline(100, color="black", linewidth=1)
        panel.grid(axis="x", alpha=0.4)
        panel.set_axisbelow(True)
        panel.set_xlim(left=0)
        panel.set_xlabel("% of the speed of a plain copy of as many bytes")
        panel.set_title(direction)
    panels[0].set_yticks(range(len(labels)), labels, fontsize=8)
    panels[0].set_ylim(len(labels) - 0.4, -0.6)  # the first row is on top
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper right", ncols=len(names), frameon=False)
    figure.suptitle(results.title, x=0.01, ha="left", fontsize=11)
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=110)
    return image.getvalue()
