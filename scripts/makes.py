"""Draws latencies of ping-pong by makes of the hub over each other, with the time that each run took.

    makes.py --make NAME SECONDS PIO.csv DMA.csv [--make ...] --out FILE

The tables are those of `hubsim run`, the first ones by bytes.
"""
import argparse

import picture

STYLES = [("#4c78a8", "o", 9), ("#f58518", "s", 6), ("#222222", "x", 3.5)]


def points(path):
    rows = picture.rows(path)
    return [int(row["x"]) for row in rows], [float(row["latency_us_median"]) for row in rows]


def draw(makes):
    plt = picture.pyplot()
    fig, (ax, bars) = plt.subplots(1, 2, figsize=(9, 3.4), width_ratios=(5, 2))
    for (name, _, *tables), (colour, marker, size) in zip(makes, STYLES):
        for path, line in zip(tables, ("-", "--")):
            ax.plot(*points(path), line, color=colour, marker=marker, markersize=size, markerfacecolor="none",
                    linewidth=0.8, label=name if line == "-" else None)
    for path, word in zip(makes[0][2:], ("PIO", "DMA")):
        xs, ys = points(path)
        ax.annotate(word, (xs[-1], ys[-1]), (0, 10), textcoords="offset points", ha="center", fontsize=8)
    ax.set_xscale("log", base=2)
    ticks = points(makes[0][3])[0]
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.set_xlabel("bytes")
    ax.set_ylabel("latency (us)")
    ax.set_ylim(0)
    ax.margins(x=0.08)
    ax.legend(title="hub in", fontsize=8, title_fontsize=8, frameon=False)
    seconds = [float(make[1]) for make in makes]
    for i, (make, value, (colour, marker, size)) in enumerate(zip(makes, seconds, STYLES)):
        bars.plot(value, i, color=colour, marker=marker, markersize=size, markerfacecolor="none") # a scale without 0 has no bars
        bars.annotate(f"{value:.2g} s", (value, i), (8, 0), textcoords="offset points", va="center", fontsize=8)
    bars.set_yticks(range(len(makes)), [make[0] for make in makes])
    bars.set_ylim(-0.5, len(makes) - 0.5)
    bars.grid(axis="x", linewidth=0.4)
    bars.set_xscale("log")
    bars.set_xlim(min(seconds) / 4, max(seconds) * 8)
    bars.invert_yaxis()
    bars.set_xlabel("processor time of both runs (s)")
    for axes in (ax, bars):
        axes.spines[["top", "right"]].set_visible(False)
    fig.tight_layout()
    return fig


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", nargs=4, action="append", required=True, metavar=("NAME", "SECONDS", "PIO", "DMA"))
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    fig = picture.attempt("makes.py", args.make[0][2], "tables of hubsim run", draw, args.make)
    picture.save("makes.py", fig, args.out, 120)


if __name__ == "__main__":
    main()
