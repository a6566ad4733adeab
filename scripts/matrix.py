"""Draws the messages between ranks: a square for each pair, senders down, receivers across.

  scripts/matrix FILE.matrix.csv [--of bytes|messages] [--out FILE.png|FILE.svg] [--title TEXT]

FILE.matrix.csv is what `hubrun --profile=FILE.csv` writes. Colours are of a logarithmic scale; white
pairs have sent nothing. Small matrices have their numbers in the squares.
"""
import argparse
import sys

from matplotlib.colors import LogNorm
from matplotlib.ticker import MaxNLocator

import picture

NUMBERS = 12  # ranks, up to which squares have room for their numbers


def read(path, of):
    rows = picture.rows(path)
    if not rows:
        sys.exit(f"matrix: {path}: no messages")
    if of not in rows[0]:
        sys.exit(f"matrix: {path}: expected columns from, to, messages, bytes")
    n = 1 + max(int(row[end]) for row in rows for end in ("from", "to"))
    values = [[0] * n for _ in range(n)]
    for row in rows:
        values[int(row["from"])][int(row["to"])] = int(row[of])
    return values


def short(value):
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value}"


def draw(values, of, title, out):
    n = len(values)
    seen = [v for row in values for v in row if v]
    low, high = min(seen), max(seen)
    fig, ax = picture.pyplot().subplots(figsize=(6.4, 5.4), constrained_layout=True)
    shown = [[v if v else float("nan") for v in row] for row in values]
    norm = LogNorm(low, high if high > low else 2 * low)
    image = ax.imshow(shown, norm=norm, cmap="viridis_r", interpolation="nearest")
    if n <= NUMBERS:
        for i, row in enumerate(values):
            for j, v in enumerate(row):
                if v:
                    dark = norm(v) > 0.6
                    ax.text(j, i, short(v), ha="center", va="center", fontsize=8,
                            color="white" if dark else "black")
    ax.set_xlabel("to rank")
    ax.set_ylabel("from rank")
    ax.xaxis.set_major_locator(MaxNLocator(nbins=16, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(nbins=16, integer=True))
    if high > low:
        bar = fig.colorbar(image, label=f"{of} sent")
        bar.ax.yaxis.set_major_formatter(lambda v, _p: short(round(v)))
        bar.ax.yaxis.set_minor_formatter("")
        picture.label_decades(bar.ax.yaxis, low, high)
    total = f"{sum(map(sum, values))} {of}"
    fig.suptitle(picture.title(title + ", " + total if title else total), fontsize=10)
    picture.save("matrix", fig, out, 130)


def main():
    parser = argparse.ArgumentParser(prog="matrix", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--of", choices=("bytes", "messages"), default="bytes")
    parser.add_argument("--out", help="default: the file's name with .png")
    parser.add_argument("--title", default="")
    options = parser.parse_args()
    out = options.out or options.file.removesuffix(".csv") + ".png"
    values = picture.attempt("matrix", options.file, "what hubrun --profile writes",
                             read, options.file, options.of)
    draw(values, options.of, options.title, out)
    print(out)


main()
