"""Draws the graph of a machine, for `hubsim topology --svg`: JSON from standard input, SVG to standard output.

One sub-cluster beside the other. Rings become circles, two rings joined by further cables one
circle within the other, more lines of one length a grid, and trees hang from their middle; any
other graph is spread so that distance on paper follows hops. Links are coloured by their load. The same for the same machine.
"""
import html
import json
import math
import sys

STEP = 92.0  # pixels between neighbours
NARROW = 0.6  # radians between cables of a tree: less has no room for the letters of their ports
MARGIN = 42.0  # around a sub-cluster,
STUB = 34.0  # length of a cable that goes round a grid, at each of its ends,
STUBS = 30.0  # and how much more room such ends need
ROUNDS = 300  # of spreading,
STRIDES = 24  # from so many orders of the hubs,
MANY = 64  # unless there are more than these
CLEAR = 24.0  # pixels from a hub to a cable that is not its own
RADIUS = 15.0  # of a hub
APART = 3.2  # of each direction of a cable from its middle
BESIDE = 15.0  # between cables that join the same hubs, at most
TOP, BOTTOM, WIDTH_MIN = 62.0, 54.0, 560.0  # of the picture: title, scale
RAMP = ((254, 217, 118), (253, 141, 60), (227, 26, 28), (128, 0, 38))  # pale to dark, as maps do it
STYLE = (".hub{fill:#fff;stroke:#333;stroke-width:1.6}.name{font-size:13px;text-anchor:middle;fill:#111}"
         ".port{font-size:9px;text-anchor:middle;fill:#666}.far{font-size:10px;text-anchor:middle;fill:#444}"
         ".circle{stroke:#4a90d9;stroke-opacity:.4;stroke-width:10;stroke-linecap:round;fill:none}"
         ".title{font-size:17px;font-weight:bold;fill:#111}.note{font-size:11px;fill:#444}")


class Link:
    """One direction of a cable; links 2k and 2k + 1 are the two of cable k."""

    def __init__(self, row, hubs):
        (start, _, self.port), (end, _, _) = row["from"].rpartition("."), row["to"].rpartition(".")
        self.name, self.to_name, self.row = row["from"], row["to"], row
        self.start, self.end = hubs[start], hubs[end]


class Layout:
    """Where hubs are, and which cables are drawn as a stub at each end: `wraps`, by number of cable."""

    def __init__(self, nhubs, links):
        self.links, self.at, self.wraps = links, [(0.0, 0.0)] * nhubs, set()
        self.line, self.pos = [None] * nhubs, [0] * nhubs  # by hub
        groups, x, y, self.width, self.height = self.find_groups(nhubs), 0.0, 0.0, 0.0, 0.0
        columns = math.ceil(math.sqrt(len(groups)))
        for i, group in enumerate(groups):
            self.group = group
            self.cables = [link for link in links[::2] if link.start in group]
            self.place()
            right, below = self.shift(x, y)
            self.width, self.height = max(self.width, right), max(self.height, below)
            x, y = (right, y) if (i + 1) % columns else (0.0, self.height)

    def find_groups(self, nhubs):
        group = list(range(nhubs))
        moved = True
        while moved:
            moved = False
            for link in self.links:
                if group[link.end] < group[link.start]:
                    group[link.start], moved = group[link.end], True
        return [[h for h in range(nhubs) if group[h] == first] for first in sorted(set(group))]

    def follow(self, start, number):
        """Hubs one after the other along ports of one name, and whether they are a ring."""
        # the port of the hub's first cable in the machine file that leaves from it
        ports = [link.port for link in self.links[::2] + self.links[1::2] if link.start == start]
        line, at = [], start
        while True:
            self.line[at], self.pos[at] = number, len(line)
            line.append(at)
            ahead = [k.end for k in self.links if k.start == at and ports and k.port == ports[0]]
            if not ahead or self.line[ahead[0]] is not None:
                return line, bool(ahead) and ahead[0] == start and len(line) > 2
            at = ahead[0]

    def place(self):
        lines = []
        for hub in self.group:
            if self.line[hub] is None:
                lines.append(self.follow(hub, len(lines)))
        n, (first, closed) = len(lines), lines[0]
        across = [frozenset((c.start, c.end)) for c in self.cables if self.line[c.start] != self.line[c.end]]
        alike = all(len(line) == len(first) and ring == closed for line, ring in lines)
        match = all(self.line[c.start] == self.line[c.end] or self.pos[c.start] == self.pos[c.end]
                    for c in self.cables)
        if n == 1 and closed:
            self.circle(first, radius(len(first)))
        elif n == 2 and closed and alike and match and len(across) == len(set(across)):
            r = max(radius(len(first)), STEP)
            self.circle(first, r + STEP)
            self.circle(lines[1][0], r)
        elif alike and match:
            for y, (line, _) in enumerate(lines):
                for x, hub in enumerate(line):
                    self.at[hub] = (x * STEP, y * STEP)
            # cables back to the start of a row or column, over the heads of those between
            self.wraps |= {i // 2 for i, c in enumerate(self.links) if c in self.cables
                           and math.dist(self.at[c.start], self.at[c.end]) > 1.5 * STEP}
        else:
            hubs = [hub for line, _ in lines for hub in line]
            near = self.neighbours(hubs)
            want = self.measure(hubs, near)
            if not self.tree(hubs, near, want):
                self.spread(hubs, want)

    def circle(self, hubs, r, stride=1):
        """`stride`: from one hub to the next, in places on the circle."""
        for i, hub in enumerate(hubs):
            a = 2 * math.pi * (i * stride % len(hubs)) / len(hubs) - math.pi / 2
            self.at[hub] = (r * math.cos(a), r * math.sin(a))

    def tree(self, hubs, near, want):
        """Levels below the hub from which there are fewest. Returns whether it is a tree that can be drawn so."""
        if len(self.cables) != len(hubs) - 1:
            return False
        self.hang(min(hubs, key=lambda hub: (max(d for _, d in want[hub]), hub)), None, near, (0.0, 0.0))
        return self.flaws(hubs) == 0 and all(self.has_room(hub, near[hub]) for hub in hubs)

    def has_room(self, hub, others):
        x, y = self.at[hub]
        angles = sorted(math.atan2(self.at[other][0] - x, self.at[other][1] - y) for other in others)
        return all(b - a > NARROW for a, b in zip(angles, angles[1:]))

    def hang(self, hub, above, near, corner):
        """The hub over the middle of those below it, right of `corner`. Returns where the next one may begin."""
        left, y = corner
        below, right = sorted(near[hub] - {above}), left
        for other in below:
            right = self.hang(other, hub, near, (right, y + STEP))
        ends = [self.at[other][0] for other in (below[0], below[-1])] if below else [left]
        self.at[hub] = (sum(ends) / len(ends), y)
        return max(right, left + STEP)

    def spread(self, hubs, want):
        """From circles in several orders; the picture with the fewest flaws stays."""
        pictures = []
        for stride in range(1, min(STRIDES + 1, max(len(hubs), 2)) if len(hubs) <= MANY else 2):
            if math.gcd(stride, len(hubs)) != 1:
                continue
            self.circle(hubs, radius(len(hubs)), stride)
            for _ in range(ROUNDS):
                if max(self.pull(hub, want[hub]) for hub in hubs) < 0.01:
                    break
            pictures.append((self.flaws(hubs), len(pictures), list(self.at)))
        self.at = min(pictures)[2]

    def neighbours(self, hubs):
        near = {hub: set() for hub in hubs}
        for c in self.cables:
            near[c.start].add(c.end)
            near[c.end].add(c.start)
        return near

    @staticmethod
    def measure(hubs, near):
        """For each hub, the others with the distance that each should have."""
        want = {}
        for hub in hubs:
            hops, edge = {hub: 0}, [hub]
            for at in edge:
                for other in sorted(near[at] - hops.keys()):
                    hops[other] = hops[at] + 1
                    edge.append(other)
            want[hub] = [(other, hops[other] * STEP) for other in hubs if other != hub]
        return want

    def pull(self, hub, want):
        """The hub goes where the others, each at its distance, want it: a step of SMACOF. Returns how far."""
        x, y = self.at[hub]
        sx = sy = weights = 0.0
        for other, d in want:
            ox, oy = self.at[other]
            far, w = max(math.hypot(x - ox, y - oy), 1), 1 / (d * d)
            sx += w * (ox + d * (x - ox) / far)
            sy += w * (oy + d * (y - oy) / far)
            weights += w
        if weights:
            self.at[hub] = (sx / weights, sy / weights)
        return math.dist(self.at[hub], (x, y))

    def flaws(self, hubs):
        """Crossings of cables, and hubs that lie on a cable of others, which are worse."""
        lines = [(self.at[c.start], self.at[c.end]) for c in self.cables]
        crossings = sum(side(*a, b[0]) * side(*a, b[1]) < 0 > side(*b, a[0]) * side(*b, a[1])
                        for i, a in enumerate(lines) for b in lines[:i])
        return crossings + 3 * sum(hub not in (c.start, c.end) and hides(*line, self.at[hub])
                                   for c, line in zip(self.cables, lines) for hub in hubs)

    def shift(self, x, y):
        """Moves the group so that its frame begins at (x, y); returns the frame's far corner."""
        stubs = any(c in self.cables and i // 2 in self.wraps for i, c in enumerate(self.links))
        margin = MARGIN + STUBS if stubs else MARGIN
        xs, ys = zip(*(self.at[hub] for hub in self.group))
        for hub in self.group:
            self.at[hub] = (self.at[hub][0] + x + margin - min(xs), self.at[hub][1] + y + margin - min(ys))
        return x + max(xs) - min(xs) + 2 * margin, y + max(ys) - min(ys) + 2 * margin


def radius(n):
    return STEP / (2 * math.sin(math.pi / n)) if n > 1 else 0


def side(a, b, c):
    """On which side of the line through a and b."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def hides(a, b, c):
    """Does c lie between a and b, nearly on their line?"""
    length = math.dist(a, b)
    along = ((c[0] - a[0]) * (b[0] - a[0]) + (c[1] - a[1]) * (b[1] - a[1])) / max(length, 1)
    return 0 < along < length and abs(side(a, b, c)) < CLEAR * length


def direction(a, b):
    length = max(math.dist(a, b), 1)
    return (b[0] - a[0]) / length, (b[1] - a[1]) / length


def colour(share):
    at = min(int(share * 3), 2)
    return "#" + "".join(f"{int(a + (share * 3 - at) * (b - a)):02x}" for a, b in zip(RAMP[at], RAMP[at + 1]))


class Picture:
    def __init__(self, machine):
        self.machine, self.used, self.lines = machine, machine.get("used"), []
        self.links = [Link(row, {hub: i for i, hub in enumerate(machine["hubs"])})
                      for row in machine["links"]]
        loads = [row[0] for row in self.used] if self.used else [k.row["messages"] for k in self.links]
        self.most = max(loads, default=0)
        for link, load in zip(self.links, loads):
            link.share = load / self.most if self.most else 0
        self.layout = Layout(len(machine["hubs"]), self.links)
        self.beside = {}  # numbers of the cables that join two hubs, by these
        for number, link in enumerate(self.links[::2]):
            self.beside.setdefault(frozenset((link.start, link.end)), []).append(number)

    def add(self, line):
        self.lines.append(line)

    def text(self, x, y, words, kind, attributes=""):
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}"{attributes}>{html.escape(str(words))}</text>')

    def node(self, hub):
        return self.machine["node_of"][hub]

    def stub_end(self, hub, other):
        """From `hub`, away from the other end."""
        dx, dy = direction(other, hub)
        return hub[0] + dx * (RADIUS + STUB), hub[1] + dy * (RADIUS + STUB)

    def lane(self, number):
        """How far the middle of a cable is to the right of the line from hub to hub, and how far it is to the next."""
        link = self.links[number]
        cables = self.beside[frozenset((link.start, link.end))]
        if len(cables) == 1 or number // 2 in self.layout.wraps:
            return 0, 2 * BESIDE
        step = min(BESIDE, 2 * (RADIUS - APART) / (len(cables) - 1))  # all of them end at the hub
        off = (cables.index(number // 2) - (len(cables) - 1) / 2) * step
        return (off if link.start < link.end else -off), step

    def strokes(self, number):
        """One line to the right of its cable's middle, or the two stubs of a cable that goes round."""
        link = self.links[number]
        a, b = self.layout.at[link.start], self.layout.at[link.end]
        off, step = self.lane(number)
        off += min(APART, step / 4)
        if number // 2 in self.layout.wraps:
            ends = ((a, self.stub_end(a, b)), (self.stub_end(b, a), b))
        else:
            ends = ((a, b),)
        for start, end in ends:
            dx, dy = direction(start, end)
            yield tuple((p[0] - dy * off, p[1] + dx * off) for p in (start, end))

    def link(self, number):
        link = self.links[number]
        if self.used:
            busy, stalled, nbytes, tlps = self.used[number]
            words = f"{100 * busy:.1f} % busy, {100 * stalled:.1f} % stalled, {nbytes} bytes in {tlps} TLPs"
        else:
            words = f'{link.row["messages"]} messages, {link.row["latency_ns"]:.1f} ns'
        self.add(f"<g><title>{link.name} to {link.to_name}: {words}, {link.row['GBps']:.2f} GB/s</title>")
        ink = colour(link.share) if link.share else "#b8b8b8"
        style = (f'stroke-width="{1.6 + 2 * link.share:.1f}"' if link.share
                 else 'stroke-width="1.2" stroke-dasharray="4 3"')
        strokes = list(self.strokes(number))
        # Off the middle, so that the arrows of both directions do not touch.
        for (a, b), along in zip(strokes, (0.60,) if len(strokes) == 1 else (0.72, 0.28)):
            self.add(f'<path d="{path(a, b)}" stroke="{ink}" {style}/>')
            dx, dy = direction(a, b)
            x, y = a[0] + along * (b[0] - a[0]), a[1] + along * (b[1] - a[1])
            tip, left = (x + 5 * dx, y + 5 * dy), (x - 4 * dx - 4 * dy, y - 4 * dy + 4 * dx)
            self.add(f'<path d="{path(tip, left, (x - 4 * dx + 4 * dy, y - 4 * dy - 4 * dx))}z" fill="{ink}"/>')
        self.add("</g>")

    def names(self, number):
        """The letters of a port beside the outgoing direction, and where a stub leads."""
        link = self.links[number]
        a, b = next(self.strokes(number))
        dx, dy = direction(a, b)
        off = min(7, self.lane(number)[1] / 2 - APART)  # between two cables if there is one
        self.text(a[0] + dx * (RADIUS + 7) - dy * off, a[1] + dy * (RADIUS + 7) + dx * off + 3, link.port, "port")
        if number // 2 in self.layout.wraps:
            hub = self.layout.at[link.start]
            end = self.stub_end(hub, self.layout.at[link.end])
            dx, dy = direction(hub, end)
            self.text(end[0] + dx * 9, end[1] + dy * 9 + 3.5, self.node(link.end), "far")

    def title(self, deadlock):
        m = self.machine
        most = "" if m["exact"] else "at most "
        self.text(24, 30, m["machine"], "title")
        self.text(24, 48, f"{counted(m['nodes'], 'node')}, {counted(len(self.links) // 2, 'cable')}, "
                  f"diameter {m['diameter']}, bisection {most}{counted(m['bisection'], 'cable')}, "
                  + ("deadlock possible, as along the blue links" if deadlock else "no deadlock"), "note")

    def scale(self, y, x=24, width=160):
        for i in range(40):
            self.add(f'<rect x="{x + i * width / 40:.1f}" y="{y:.1f}" width="{width / 40 + 0.5:.1f}" height="8" '
                     f'fill="{colour((i + 0.5) / 40)}"/>')
        self.text(x, y + 21, 0, "note")
        self.text(x + width, y + 21, f"{100 * self.most:.1f} %" if self.used else self.most, "note",
                  ' text-anchor="end"')
        self.text(x + width + 14, y + 8, f"share of {self.machine['us']:.3f} us with packets on the link"
                  if self.used else "messages on a link when each node sends one to each other", "note")

    def draw(self):
        width = max(self.layout.width, WIDTH_MIN)
        height = self.layout.height + TOP + BOTTOM
        deadlock = self.machine["deadlock"]
        self.add(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
                 f'width="{width:.0f}" height="{height:.0f}" font-family="sans-serif">\n<style>{STYLE}</style>\n'
                 f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>')
        self.title(deadlock)
        self.add(f'<g transform="translate({(width - self.layout.width) / 2:.1f} {TOP:.1f})">')
        for number in deadlock:  # below what is drawn of all links
            for a, b in self.strokes(number):
                self.add(f'<path d="{path(a, b)}" class="circle"/>')
        for draw in (self.link, self.names):
            for number in range(len(self.links)):
                draw(number)
        for hub, (x, y) in enumerate(self.layout.at):
            self.add(f'<g><title>{self.machine["hubs"][hub]}</title><circle cx="{x:.1f}" cy="{y:.1f}" '
                     f'r="{RADIUS:.1f}" class="hub"/>')
            self.text(x, y + 4.5, self.node(hub), "name")
            self.add("</g>")
        self.add("</g>")
        self.scale(height - 38)
        self.add("</svg>\n")
        return "\n".join(self.lines)


def counted(number, what):
    return f"{number} {what}" + ("" if number == 1 else "s")


def path(*points):
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


if __name__ == "__main__":
    sys.stdout.write(Picture(json.load(sys.stdin)).draw())
