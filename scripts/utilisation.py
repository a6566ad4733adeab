"""Draws how a run used its links, from the usage.csv of a result (hubsim run --utilisation).

Above the links: how busy each direction was over time, and what its time went to. Below the
queues: how many first packets waited over time, and for what. Shares are of the time shown.
"""
import argparse
import fnmatch
import json
import os
import re
import sys
import textwrap

import numpy as np
from matplotlib.colors import LinearSegmentedColormap

import picture

# Column, name, colour. What a link is busy with, in the order of the bar; then why nothing moves.
BUSY = (
    ("payload", "payload", "#1f5a96"),
    ("overhead", "headers, framing", "#6ea3d4"),
    ("dllp", "DLLPs", "#b5d0ea"),
    ("replay", "replay", "#7b3fa0"),
)
STALLS = (
    ("stall_credit", "no credit", "#d7301f"),
    ("stall_replay", "replay", "#c994c7"),
    ("stall_down", "link down", "#252525"),
    ("stall_link", "link busy", "#9ecae1"),
    ("stall_arbiter", "arbiter", "#fd8d3c"),
    ("stall_order", "ordering", "#fed976"),
    ("stall_tag", "tag", "#41ab5d"),
    ("stall_memory", "memory", "#8c6d31"),
)
BLUES = LinearSegmentedColormap.from_list("busy", ["#ffffff", "#9ecae1", "#2171b5", "#08306b"])
REDS = LinearSegmentedColormap.from_list("waits", ["#ffffff", "#fdbe85", "#e6550d", "#7f2704"])


def natural(place):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", " ".join(place))]


def label(place):
    where, side = place
    return where if side == "tx" else f"{where} in" if side == "rx" else f"{where}.{side}"


class Usage:
    """Windows of one run: for each (place, side) and column an array over windows, in ps."""

    def __init__(self, path, run, patterns):
        rows = [row for row in picture.rows(path) if int(row["run"]) == run]
        if not rows:
            sys.exit(f"{path}: nothing of run {run}")
        self.end = max(int(row["to_ps"]) for row in rows)
        self.window = min(int(row["to_ps"]) - int(row["from_ps"]) for row in rows
                          if int(row["to_ps"]) != self.end) if len(rows) > 1 else self.end
        self.n = -(-self.end // self.window)
        self.places = {}
        for row in rows:
            place = (row["place"], row["side"])
            if patterns and not any(fnmatch.fnmatchcase(row["place"], p) for p in patterns):
                continue
            columns = self.places.setdefault(place, {})
            at = int(row["from_ps"]) // self.window
            for name, _, _ in BUSY + STALLS:
                columns.setdefault(name, np.zeros(self.n))[at] = int(row[name + "_ps"])

    def work(self):
        """First and last window in which some link was a tenth as busy as in the busiest one."""
        busy = np.zeros(self.n)
        for (_, side), columns in self.places.items():
            if side == "tx":
                busy = np.maximum(busy, sum(columns[name] for name, _, _ in BUSY))
        at = np.flatnonzero(busy > 0.1 * busy.max())
        margin = (at[-1] - at[0]) // 50 + 1 if at.size else 0
        return (max(at[0] - margin, 0), min(at[-1] + 1 + margin, self.n)) if at.size else (0, self.n)

    def crop(self, first_ps, last_ps, everything):
        self.first, last = (0, self.n) if everything else self.work()
        self.first = first_ps // self.window if first_ps is not None else self.first
        last = -(-last_ps // self.window) if last_ps is not None else last
        self.first = min(self.first, self.n - 1)
        self.last = max(self.first + 1, min(last, self.n))
        edges = np.minimum(np.arange(self.first, self.last + 1) * self.window, self.end)
        self.lengths = np.diff(edges)
        for columns in self.places.values():
            for name in columns:
                columns[name] = columns[name][self.first:self.last]

    def shares(self, place, kinds):
        """Of the time shown, by kind."""
        total = self.lengths.sum()
        return [self.places[place][name].sum() / total for name, _, _ in kinds]

    def over_time(self, place, kinds):
        return sum(self.places[place][name] for name, _, _ in kinds) / self.lengths

    def pick(self, sides, kinds, most):
        """Places where something happened, in natural order; of more than `most` the first ones."""
        weight = {p: sum(self.shares(p, kinds)) for p in self.places if (p[1] == "tx") == sides}
        weight = {p: w for p, w in weight.items() if w > 0.05 * max(weight.values())}
        best = sorted(weight, key=lambda p: -weight[p])[:most]
        return sorted(best, key=natural), len(weight)


def heat(ax, usage, places, kinds, colours, title, top):
    grid = np.array([usage.over_time(place, kinds) for place in places])
    extent = (usage.first * usage.window * 1e-6, min(usage.last * usage.window, usage.end) * 1e-6,
              len(places) - 0.5, -0.5)
    top = top if top is not None and grid.max() > top / 2 else max(grid.max(), 1e-9)
    image = ax.imshow(100 * grid, aspect="auto", interpolation="nearest", cmap=colours, vmin=0,
                      vmax=100 * top, extent=extent)
    ax.set_yticks(range(len(places)), [label(place) for place in places], fontsize=7)
    ax.set_title(title, loc="left", fontsize=9)
    ax.tick_params(axis="y", length=0)
    bar = ax.figure.colorbar(image, ax=ax, pad=0.01, fraction=0.03, aspect=30)
    bar.ax.tick_params(labelsize=7)
    bar.outline.set_visible(False)


def bars(ax, usage, places, kinds, title):
    left = np.zeros(len(places))
    shares = np.array([usage.shares(place, kinds) for place in places])
    for i, (_, name, colour) in enumerate(kinds):
        if shares[:, i].max() < 1e-3 * shares.sum(axis=1).max():
            continue
        ax.barh(range(len(places)), 100 * shares[:, i], left=100 * left, color=colour, label=name,
                height=0.8)
        left += shares[:, i]
    ax.set_ylim(len(places) - 0.5, -0.5)
    ax.set_yticks([])
    ax.set_title(title, loc="left", fontsize=9)
    ax.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    picture.hide_frame(ax)
    ax.grid(axis="x", color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)


def count(shown, all_, what):
    return f"{shown} {what}" if shown == all_ else f"the {shown} busiest of {all_} {what}"


def draw(usage, title, most):
    links, nlinks = usage.pick(True, BUSY, most)
    queues, nqueues = usage.pick(False, STALLS, most)
    blocks = [b for b in ((links, True), (queues, False)) if b[0]]
    heights = [max(len(b[0]), 4) for b in blocks]
    fig, axes = picture.pyplot().subplots(len(blocks), 2, squeeze=False, constrained_layout=True,
                             figsize=(11, 1.3 + 0.6 * len(blocks) + 0.155 * sum(heights)),
                             gridspec_kw={"width_ratios": (2.2, 1), "height_ratios": heights})
    fig.suptitle(textwrap.fill(title, 150), fontsize=10, x=0.01, ha="left")
    for (places, wires), (left, right) in zip(blocks, axes):
        if wires:
            heat(left, usage, places, BUSY, BLUES,
                 f"links, busy over time, % ({count(len(links), nlinks, 'directions')})", 1.0)
            tx_stalls = [s for s in STALLS if s[0] != "stall_link"]
            bars(right, usage, places, BUSY + tuple(tx_stalls), "what their time went to, %")
        else:
            heat(left, usage, places, STALLS, REDS,
                 "first packets waiting, %, queues of a place added: two at once are 200 "
                 f"({count(len(queues), nqueues, 'places')})", None)
            bars(right, usage, places, STALLS, "what they waited for, %")
    axes[-1][0].set_xlabel("time, us", fontsize=8)
    axes[-1][1].set_xlabel("% of the time shown", fontsize=8)
    for ax in axes.flat:
        ax.tick_params(axis="x", labelsize=7)
    return fig


def run_of(path, run):
    """The run's text, from the manifest beside it."""
    try:
        with open(os.path.join(os.path.dirname(path), "manifest.json")) as f:
            runs = json.load(f)["runs"]
        return run if run is not None else len(runs) - 1, runs
    except (OSError, ValueError, KeyError):
        return run or 0, []


def main():
    parser = argparse.ArgumentParser(prog="utilisation", description=__doc__.split("\n", 1)[0])
    parser.add_argument("result", help="folder that hubsim run --utilisation has written")
    parser.add_argument("--run", type=int, help="number of a run in it (default: the last)")
    parser.add_argument("--out", help="PNG, SVG or PDF (default: RESULT/usage.png)")
    parser.add_argument("--places", action="append", metavar="PATTERN",
                        help="only these, e.g. 'node[0-3].hub*'")
    parser.add_argument("--from", dest="first", type=float, metavar="US",
                        help="show from here (default: the first window with work)")
    parser.add_argument("--to", dest="last", type=float, metavar="US", help="and up to here")
    parser.add_argument("--all", action="store_true", help="show the whole run")
    parser.add_argument("--most", type=int, default=40, help="rows of a part (default 40)")
    parser.add_argument("--title", help="instead of what was run")
    args = parser.parse_args()
    path = args.result if args.result.endswith(".csv") else os.path.join(args.result, "usage.csv")
    run, runs = run_of(path, args.run)
    usage = picture.attempt("utilisation", path, "a result of hubsim run --utilisation",
                            Usage, path, run, args.places)
    if not usage.places:
        sys.exit(f"utilisation: {path}: no place matches {', '.join(args.places)}")
    usage.crop(*(None if t is None else int(t * 1e6) for t in (args.first, args.last)), args.all)
    title = args.title
    if title is None:
        title = re.sub(r" (@\d+|platform=\S+|seed=\d+)", "", runs[run]["run"]) if runs else path
    out = args.out or os.path.join(os.path.dirname(path), "usage.png")
    picture.save("utilisation", draw(usage, title, args.most), out, 130)
    print(out)


if __name__ == "__main__":
    main()
