"""Draws STEM.png and STEM.svg from STEM.csv and STEM.json, as `hubsim figure` writes them.

Lines are simulated, dashed ones closed-form bounds, filled markers were measured on hardware
(dotted lines where only the largest value is published), crosses are one's own points. With "bars" there are bars
instead, of a part for each quantity.
"""
import contextlib
import errno
import json
import math
import os
import re
import sys

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

import picture

plt = picture.pyplot()

# Colours that differ for the colour-blind (Okabe and Ito, jfly.uni-koeln.de/color), and in grey print by the order
# of their brightness. Lines differ by dashes and markers as well, and those behind are wider, so one that covers another
# lets it show.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00", "#8C6D31", "#7F7F7F", "#6A3D9A")
MARKERS = "osD^vP*X<>"
GREYS = ("0.25", "0.65", "0.45")
ENTRIES_INSIDE = 8  # of a legend, at most
PLACES = 9  # that are tried for it, each way
MARGIN = 6  # pixels around it
POINT_PIXELS = 4
BAR_WIDTH = 0.86
BAR_ROOM = 0.2  # above the highest one, of its height
POWERS = 9  # of two that have a label, at most
DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (6, 1.5, 1.5, 1.5)), (0, (9, 2)), (0, (4, 1, 1, 1, 1, 1)))


def read(stem):
    with open(stem + ".json") as f:
        return picture.rows(stem + ".csv"), json.load(f)


def by_series(rows, kind):
    """Series in the order they come; each a list of (x, y, y2)."""
    series = {}
    for row in rows:
        if row["kind"] == kind:
            number = lambda key: float(row[key]) if row[key] else None  # noqa: E731
            series.setdefault(row["series"], []).append((number("x"), number("y"), number("y2")))
    return series


def size(value, _position):
    for unit, n in (("M", 1 << 20), ("K", 1 << 10)):
        if value >= n and value % n == 0:
            return f"{value / n:g}{unit}"
    return f"{value:g}"


def count(value, _position):
    return f"{value:.10g}"


def label_powers(axis, name):
    """From the first point on. What is no number of bytes has no K for 1024."""
    low, high = axis.get_data_interval()
    low = max(low, axis.get_minpos())  # what is not above 0 has no place on the axis
    powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1) if low <= high else ()
    axis.set_major_formatter(FuncFormatter(size if re.search(r"\[B\]|\bbytes?\b", name, re.I) else count))
    if len(powers) > 1:
        axis.set_major_locator(FixedLocator([2.0 ** p for p in powers[::-(-len(powers) // POWERS)]]))
    else:
        axis.set_major_locator(MaxNLocator(6))


def scale_axes(ax, axes, whole):
    for which, scale in (("x", axes["x_scale"]), ("y", axes["y_scale"])):
        axis = getattr(ax, which + "axis")
        if scale == "log2":
            getattr(ax, f"set_{which}scale")("log", base=2)
            label_powers(axis, axes[which + "_label"])
        else:
            getattr(ax, f"set_{which}scale")(scale)
            if scale == "log":
                axis.set_major_formatter(FuncFormatter(lambda v, _p: f"{v:g}"))
                picture.label_decades(axis, *axis.get_view_interval())
            elif which == "x" and whole:
                axis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel(axes["x_label"])
    ax.set_ylabel(axes["y_label"])
    ax.set_title(picture.title(axes["title"]), fontsize=10)
    ax.grid(True, which="major", color="0.88", linewidth=0.6)


def draw_bounds(ax, rows, colors):
    """One line for each different bound, however many series (column source) share it. Where bounds of one name differ,
    each says of which series it is, and has the colour of it if it is of one alone."""
    lines, sharing = {}, {}
    for row in rows:
        if row["kind"] == "bound":
            key = (row["series"], row["source"])
            lines.setdefault(key, []).append((float(row["x"]), float(row["y"])))
    dashes = dict(zip(dict.fromkeys(name for name, _ in lines), ("--", "-.")))
    for (name, source), points in lines.items():
        sharing.setdefault((name, tuple(points)), []).append(source)
    names = [name for name, _ in sharing]
    for number, ((name, points), sources) in enumerate(sharing.items()):
        label, color = name, "0.45"
        if names.count(name) > 1:
            label += f": {sources[0]}" + f" and {len(sources) - 1} more" * (len(sources) > 1)
            grey = GREYS[names[:number].count(name) % len(GREYS)]
            color = colors.get(sources[0], grey) if len(sources) == 1 else grey
        ax.plot([p[0] for p in points], [p[1] for p in points], dashes[name], color=color, linewidth=0.9, label=label)


def draw_series(ax, name, number, dash, kinds):
    color = COLORS[number % len(COLORS)]
    marker = MARKERS[number % len(MARKERS)]
    points = kinds["simulated"].get(name, [])
    if points:
        ax.plot([p[0] for p in points], [p[1] for p in points], linestyle=DASHES[dash % len(DASHES)],
                marker=marker, color=color, linewidth=max(1.2, 2.2 - 0.5 * number),
                markersize=max(3, 5 - number), label=name)
    for x, low, high in kinds["published"].get(name, []):
        ends = [low] if high is None else [low, high]
        ax.plot([x] * len(ends), ends, marker=marker, color=color, markersize=6, markeredgecolor="black",
                markeredgewidth=0.6)
    for _x, level, _high in kinds["level"].get(name, []):
        ax.axhline(level, linestyle=":", color=color, linewidth=0.9)
    own = kinds["own"].get(name, [])
    if own:
        ax.plot([p[0] for p in own], [p[1] for p in own], "x", color=color, markersize=6,
                label=None if points else name)


def drawn_points(ax):
    """Along all lines, in pixels and not far from each other: lines of few points are long between them."""
    points = [np.empty((0, 2))]
    for line in ax.lines:
        ends = line.get_transform().transform(line.get_xydata())
        ends = ends[np.isfinite(ends).all(axis=1)]
        points.append(ends)
        for a, b in zip(ends, ends[1:]):
            points.append(np.linspace(a, b, 2 + int(max(abs(b - a)) // POINT_PIXELS)))
    return np.concatenate(points)


def free_corner(ax, box, points):
    """Where a legend of this size covers none of the points, as near to a corner as can be; None: nowhere."""
    width, height = ax.bbox.width, ax.bbox.height
    right, top = width - box.width - MARGIN, height - box.height - MARGIN
    if right < MARGIN or top < MARGIN:
        return None
    places = [(x, y) for x in np.linspace(right, MARGIN, PLACES) for y in np.linspace(top, MARGIN, PLACES)]
    places.sort(key=lambda at: min(at[0] - MARGIN, right - at[0]) + min(at[1] - MARGIN, top - at[1]))
    for x, y in places:
        low = np.array((ax.bbox.x0 + x - MARGIN, ax.bbox.y0 + y - MARGIN))
        high = low + (box.width + 2 * MARGIN, box.height + 2 * MARGIN)
        if not np.any(np.all((points > low) & (points < high), axis=1)):
            return x / width, y / height
    return None


def place_inside(fig, ax, handles, labels, style):
    """Whether there was room for it."""
    style = style | {"framealpha": 0.9, "handlelength": 6, "borderaxespad": 0}  # dashes show beside the marker
    legend = ax.legend(handles, labels, loc="center", **style)
    fig.tight_layout()
    fig.draw_without_rendering()
    place = free_corner(ax, legend.get_window_extent(), drawn_points(ax))
    legend.remove()
    if place is not None:
        ax.legend(handles, labels, loc=place, **style)
    return place is not None


def place_legend(fig, ax, handles, labels):
    """Inside of the axes, or below them where it would cover what is drawn. The figure grows by that."""
    style = {"fontsize": 7, "markerscale": 0.8}
    if len(handles) <= ENTRIES_INSIDE and place_inside(fig, ax, handles, labels, style):
        return
    width, height = fig.get_size_inches()
    style |= {"loc": "lower center", "frameon": False, "handlelength": 4, "columnspacing": 1}
    for columns in (3, 2, 1):
        legend = fig.legend(handles, labels, ncols=columns, **style)
        fig.draw_without_rendering()
        box = legend.get_window_extent()
        if box.width <= fig.bbox.width or columns == 1:
            break
        legend.remove()
    below = box.height / fig.dpi
    fig.set_size_inches(width, height + below)
    fig.tight_layout(rect=(0, below / (height + below), 1, 1))


def save(fig, path, **how):
    """Ends the script where the picture cannot be written. A part of it, for which there was no room, is none."""
    try:
        fig.savefig(path, **how)
    except OSError as error:
        why = f"plot: {path}: {error.strerror or error}"
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            sys.exit(why)
        with contextlib.suppress(OSError):
            os.remove(path)
        sys.exit(f"{why}: expected room for the picture")


def write(fig, stem):
    save(fig, stem + ".png", dpi=160)
    save(fig, stem + ".svg", metadata={"Date": None})
    plt.close(fig)


def bar_points(rows, parts):
    """{x: {series: [height of each part]}}, in the order they come; a name ends in its part where there are several."""
    bars = {}
    for row in rows:
        if row["kind"] != "simulated":
            continue
        name, part = row["series"], 0
        if len(parts) > 1:
            name, _, what = name.rpartition(", ")
            part = parts.index(what)
        heights = bars.setdefault(float(row["x"]), {}).setdefault(name, [0.0] * len(parts))
        heights[part] = float(row["y"])
    return bars


def draw_bars(ax, rows, parts):
    """For each x one bar of each series, which has its name below; x stands above, where there are several."""
    at, ticks, labels, groups = 0, [], [], []
    bars = bar_points(rows, parts)
    for x, by_name in sorted(bars.items()):
        first = at
        for name, heights in by_name.items():
            bottom = 0
            for part, height in enumerate(heights):
                ax.bar(at, height, BAR_WIDTH, bottom, color=COLORS[part], edgecolor="white", linewidth=0.4,
                       label=parts[part] if not labels else None)
                bottom += height
            ticks.append(at)
            labels.append(name)
            at += 1
        groups.append(((first + at - 1) / 2, count(x, None)))
        at += 1
    ax.set_xticks(ticks, labels, rotation=90, fontsize=6)
    for middle, x in groups if len(groups) > 1 else []:
        ax.annotate(x, (middle, 1), xycoords=("data", "axes fraction"), xytext=(0, -4), textcoords="offset points",
                    ha="center", va="top", fontsize=8)
    ax.margins(y=BAR_ROOM)


def draw_bar_figure(fig, ax, rows, axes):
    draw_bars(ax, rows, axes["bars"])
    ax.ticklabel_format(axis="y", style="plain", useOffset=False)
    ax.set_xlabel(axes["x_label"])
    ax.set_ylabel(axes["y_label"])
    ax.set_title(picture.title(axes["title"]), fontsize=10)
    ax.grid(True, axis="y", color="0.88", linewidth=0.6)
    ax.set_axisbelow(True)
    if len(axes["bars"]) > 1:
        ax.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, 1), ncols=len(axes["bars"]), frameon=False,
                  borderaxespad=2.2)
    fig.tight_layout()


def draw(stem):
    rows, axes = read(stem)
    fig, ax = plt.subplots(figsize=(6.4, 4.4))
    if "bars" in axes:
        draw_bar_figure(fig, ax, rows, axes)
        write(fig, stem)
        return
    kinds = {kind: by_series(rows, kind) for kind in ("simulated", "published", "level", "own")}
    names = dict.fromkeys(n for kind in kinds.values() for n in kind)
    styles = {name: axes.get("styles", {}).get(name, (number, number)) for number, name in enumerate(names)}
    draw_bounds(ax, rows, {name: COLORS[color % len(COLORS)] for name, (color, _dash) in styles.items()})
    for name, (color, dash) in styles.items():
        draw_series(ax, name, color, dash, kinds)
    scale_axes(ax, axes, all(float(row["x"] or 0).is_integer() for row in rows))
    handles, labels = ax.get_legend_handles_labels()
    if kinds["published"]:
        handles.append(plt.Line2D([], [], linestyle="", marker="o", color="0.7",
                                  markeredgecolor="black"))
        labels.append("measured on hardware")
    if kinds["level"]:
        handles.append(plt.Line2D([], [], linestyle=":", color="0.3"))
        labels.append("largest value published")
    place_legend(fig, ax, handles, labels)
    write(fig, stem)


def main():
    for stem in sys.argv[1:]:
        draw(stem)


if __name__ == "__main__":
    main()
