"""The legend of a figure covers no part of a line: two that cross all corners, and more than leave any room."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../scripts"))
import plot


def draw(*lines):
    """A figure whose lines go from x = 0 to x = 1."""
    fig, ax = plot.plt.subplots()
    for number, line in enumerate(lines):
        ax.plot([0, 1], line, label=f"a line, {number}")
    plot.place_legend(fig, ax, *ax.get_legend_handles_labels())
    fig.draw_without_rendering()
    return fig, ax


fig, ax = draw((0, 1), (1, 0))
box = ax.get_legend().get_window_extent()
points = plot.drawn_points(ax)
assert len(points) > 200
assert ax.bbox.contains(box.x0, box.y0) and ax.bbox.contains(box.x1, box.y1)
assert not any(box.contains(x, y) for x, y in points)

fig, ax = draw(*((y / 7, y / 7) for y in range(8)))
assert ax.get_legend() is None and len(fig.legends) == 1
assert fig.legends[0].get_window_extent().y1 < ax.bbox.y0
