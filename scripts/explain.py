"""Draws a message as a waterfall, for `hubsim explain --svg`: JSON from standard input, SVG to standard output.

A row for each stage at each place in the order in which they come first, time to the right, a bar
for each interval; above them the phases, below the sums by kind of stage.
"""
import html
import itertools
import json
import sys

WIDTH, LEFT, RIGHT = 1060, 330, 940  # bars lie from LEFT to RIGHT, times stand behind them
PHASES, TOP, ROW, FOOT = 40, 84, 15, 50  # y of the band of phases, of the first row; heights
ACROSS, LEGEND = 4, 17  # kinds named beside each other below, height of a line of them

COLOURS = {
    "software": "#8c8c8c", "CPU": "#4e79a7", "root complex": "#76b7b2", "serialisation": "#f28e2b",
    "hard IP": "#9c755f", "cable": "#bab0ac", "hub core": "#59a14f", "DMA engine": "#8cd17d",
    "notification": "#b6992d", "memory": "#a0cbe8", "GPU": "#86bcb6", "poll": "#d4a6c8",
    "credit wait": "#e15759", "arbiter wait": "#b07aa1", "internal bus": "#d37295",
    "link busy": "#ff9da7", "read limit": "#f1ce63", "replay": "#7b3fa0",
}
# Phases alternate on long ways: each has its own shade.
SHADES = {"send": "#d9e4ee", "descriptor": "#e8e0cf", "data read": "#d6ead2", "data write": "#f6dcc4",
          "notification": "#ece4b8", "poll": "#e9d5e3"}


class Picture:
    def __init__(self, parts):
        self.parts, self.ps, self.lines = parts, parts[-1]["to_ps"], []

    def x(self, ps):
        """In hundredths of a pixel, so that no rounding of the machine shows."""
        return LEFT * 100 + (RIGHT - LEFT) * 100 * ps // self.ps

    def text(self, x, y, words, attributes=""):
        self.lines.append(f'<text x="{hundredths(x)}" y="{y}"{attributes}>{html.escape(words)}</text>')

    def rect(self, x, y, width, height, colour):
        self.lines.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{colour}"/>')

    def bar(self, first, last, y, height, colour):
        """Wide enough to be seen."""
        x = self.x(first)
        self.rect(hundredths(x), y, hundredths(max(self.x(last) - x, 75)), height, colour)

    def axis(self, bottom):
        step = next(s for s in (m * 10**e for e in range(20) for m in (1, 2, 5)) if self.ps // s <= 12)
        for at in range(0, self.ps + 1, step):
            x = self.x(at)
            self.lines.append(f'<line x1="{hundredths(x)}" x2="{hundredths(x)}" y1="{TOP - 4}" '
                              f'y2="{bottom}" stroke="#dddddd"/>')
            words = ns(at) if step < 1000 else str(at // 1000)
            self.text(x, TOP - 8, words, ' text-anchor="middle" fill="#666666"')
        self.text(LEFT * 100 - 1600, TOP - 8, "ns", ' text-anchor="end" fill="#666666"')
        self.text((WIDTH - 8) * 100, TOP - 8, "in all, ns", ' text-anchor="end" fill="#666666"')

    def phases(self):
        """A phase lasts until another begins; one that has room is named."""
        for phase, parts in itertools.groupby(self.parts, lambda p: p["phase"]):
            parts = list(parts)
            first, last = parts[0]["from_ps"], parts[-1]["to_ps"]
            self.bar(first, last, PHASES, 20, SHADES.get(phase, "#dddddd"))
            if self.x(last) - self.x(first) > len(phase) * 620:
                self.text((self.x(first) + self.x(last)) // 2, PHASES + 14, phase, ' text-anchor="middle"')

    def row(self, stage, where, parts, y):
        self.text(800, y + 11, stage)
        self.text(LEFT * 100 - 1600, y + 11, where, ' text-anchor="end" fill="#777777"')
        for p in parts:
            self.bar(p["from_ps"], p["to_ps"], y + 2, ROW - 4, COLOURS.get(p["kind"], "#333333"))
        self.text((WIDTH - 8) * 100, y + 11, ns(sum(p["ps"] for p in parts)), ' text-anchor="end"')

    def sums(self, y):
        """The whole time in one bar, sorted by kind, each with its name. Returns where they end."""
        kinds = {}
        for p in self.parts:
            kinds[p["kind"]] = kinds.get(p["kind"], 0) + p["ps"]
        self.text(800, y + 15, "all, by kind of stage")
        at = 0
        for i, (kind, ps) in enumerate(sorted(kinds.items(), key=lambda k: (-k[1], k[0]))):
            colour = COLOURS.get(kind, "#333333")
            self.bar(at, at + ps, y, 22, colour)
            at += ps
            tenths = (ps * 1000 + self.ps // 2) // self.ps
            x, below = LEFT + i % ACROSS * 172, y + i // ACROSS * LEGEND
            self.rect(x, below + 30, 10, 10, colour)
            self.text((x + 15) * 100, below + 39, f"{kind} {tenths // 10}.{tenths % 10} %")
        return below + FOOT


def hundredths(n):
    return f"{n // 100}.{n % 100:02}"


def ns(ps):
    return f"{ps // 1000}.{ps % 1000:03}"


def draw(title, parts):
    rows = {}
    for p in parts:
        rows.setdefault((p["phase"], p["stage"], p["where"]), []).append(p)
    picture, bottom = Picture(parts), TOP + len(rows) * ROW
    picture.text(800, 22, title, ' font-size="14"')
    for i in range(0, len(rows), 2):
        picture.rect(0, TOP + i * ROW, WIDTH, ROW, "#f7f7f7")
    picture.axis(bottom)
    picture.phases()
    for i, ((_, stage, where), intervals) in enumerate(rows.items()):
        picture.row(stage, where, intervals, TOP + i * ROW)
    end = picture.sums(bottom + 10)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{end + 7}" '
            'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n'
            + "\n".join(picture.lines) + "\n</svg>\n")


if __name__ == "__main__":
    message = json.load(sys.stdin)
    sys.stdout.write(draw(message["title"], message["parts"]))
