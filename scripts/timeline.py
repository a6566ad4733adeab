"""Checks a timeline as `hubsim run --timeline FILE` writes it, or draws a part of it.

  scripts/timeline FILE                      is it right, and what is in it
  scripts/timeline FILE --messages           the messages that polls saw: from store to poll
  scripts/timeline FILE --out PICTURE        draws all of it: .svg, .png or .pdf
    --message N                              only the N-th message that a poll saw (-1: the last)
    --from US --to US                        only this time, in microseconds
    --tracks 'cables*,node0/*'               only these tracks, process/thread; '!...': not these
"""
import argparse
import bisect
import fnmatch
import gzip
import json
import signal
import sys
from collections import defaultdict, namedtuple
from decimal import Decimal

import picture

# What each phase must have (Trace Event Format), besides ph.
NEEDED = {phase: set(keys.split()) for phase, keys in {
    "X": "name cat pid tid ts dur",
    "C": "name pid ts args",
    "M": "name pid args",
    "s": "name cat id pid tid ts",
    "t": "name cat id pid tid ts",
    "f": "name cat id pid tid ts bp",
}.items()}
METADATA = {"process_name": "name", "process_sort_index": "sort_index",
            "thread_name": "name", "thread_sort_index": "sort_index"}

Slice = namedtuple("Slice", "begin end name category")  # picoseconds


class Track(namedtuple("Track", "process name slices")):
    def at(self, time):
        """The slice at this time, or None."""
        i = bisect.bisect_right(self.slices, time, key=lambda s: s.begin) - 1
        return self.slices[i] if i >= 0 and time < self.slices[i].end else None

    def between(self, begin, end):
        """Slices that lie in this time, or partly."""
        i = bisect.bisect_right(self.slices, begin, key=lambda s: s.end)
        while i < len(self.slices) and self.slices[i].begin < end:
            yield self.slices[i]
            i += 1


class Timeline:
    """Tracks by (pid, tid) in the order in which they are shown; messages as lists of (track key, ps)."""

    def __init__(self, events):
        names, sorts = {}, defaultdict(int)
        self.tracks, self.messages, self.counters = {}, {}, defaultdict(list)
        slices = defaultdict(list)
        for e in events:
            key = (e["pid"], e.get("tid", 0))
            if e["ph"] == "M":
                if e["name"].endswith("_name"):
                    names[key] = e["args"]["name"]
                else:
                    sorts[key] = e["args"]["sort_index"]
            elif e["ph"] == "X":
                begin = picoseconds(e["ts"])
                slices[key].append(Slice(begin, begin + picoseconds(e["dur"]), e["name"], e["cat"]))
            elif e["ph"] == "C":
                self.counters[e["pid"], e["name"]].append((picoseconds(e["ts"]), e["args"]["value"]))
            else:
                self.messages.setdefault(e["id"], []).append((key, picoseconds(e["ts"])))
        order = sorted((k for k in names if k[1] != 0),
                       key=lambda k: (sorts[k[0], 0], k[0], sorts[k], k[1]))
        for key in order:
            self.tracks[key] = Track(names[key[0], 0], names[key], sorted(slices[key]))


def picoseconds(us):
    ps = us * 1_000_000
    if ps != int(ps):
        raise ValueError(f"{us} us: expected whole picoseconds")
    return int(ps)


def read(path):
    """hubsim writes gzip under any name, and others store what they have unpacked."""
    with open(path, "rb") as f:
        content = gzip.open(f) if f.peek(2).startswith(b"\x1f\x8b") else f
        return json.load(content, parse_float=Decimal)


# ---- the format -----------------------------------------------------------------------------------


def check_metadata(events):
    """Each process and thread is named once, before its first event."""
    named = set()
    for i, e in enumerate(events):
        if e["ph"] == "M":
            what = e["name"], e["pid"], e.get("tid", 0)
            if e["name"] not in METADATA or METADATA[e["name"]] not in e["args"]:
                yield f"event {i}: metadata {e['name']}"
            if what in named:
                yield f"event {i}: {what} for the second time"
            named.add(what)
            continue
        if ("process_name", e["pid"], 0) not in named:
            yield f"event {i}: process {e['pid']} has no name yet"
        if "tid" in e and ("thread_name", e["pid"], e["tid"]) not in named:
            yield f"event {i}: thread {e['tid']} has no name yet"


def check_slices(timeline):
    """Slices of a track neither overlap nor are empty."""
    for track in timeline.tracks.values():
        end = 0
        for s in track.slices:
            if s.begin < end:
                yield f"{track.process}/{track.name}: {s.name} at {s.begin} ps overlaps another"
            if s.end <= s.begin:
                yield f"{track.process}/{track.name}: {s.name} at {s.begin} ps is empty"
            end = max(end, s.end)


def check_messages(events, timeline):
    """Arrows have a begin, steps, an end, in this order and in that of time, and lie on slices."""
    phases = defaultdict(str)
    for e in events:
        if e["ph"] in "stf":
            phases[e["id"]] += e["ph"]
    for identity, word in phases.items():
        points = timeline.messages[identity]
        times = [time for _, time in points]
        if word[0] != "s" or word[-1] != "f" or set(word[1:-1]) - {"t"}:
            yield f"message {identity}: {word}"
        if times != sorted(times):
            yield f"message {identity}: goes back in time"
        for key, time in points[1:]:
            if timeline.tracks[key].at(time) is None:
                yield f"message {identity}: no slice of {timeline.tracks[key].name} at {time} ps"


def check(document):
    """What is wrong, as lines."""
    if not isinstance(document, dict) or not isinstance(document.get("traceEvents"), list):
        return ["no list traceEvents"]
    events = document["traceEvents"]
    wrong = []
    for i, e in enumerate(events):
        missing = NEEDED.get(e.get("ph"), {"a known ph"}) - e.keys()
        if missing:
            wrong.append(f"event {i}: without {', '.join(sorted(missing))}: {e}")
    if wrong:
        return wrong
    try:
        timeline = Timeline(events)
    except (KeyError, ValueError) as error:
        return [f"{type(error).__name__}: {error}"]
    return [*check_metadata(events), *check_slices(timeline), *check_messages(events, timeline)]


# ---- choosing -------------------------------------------------------------------------------------


def chosen(timeline, patterns, begin, end):
    """Keys of the tracks that the patterns leave and that have slices in this time."""
    wanted = [p for p in patterns if not p.startswith("!")] or ["*"]
    refused = [p[1:] for p in patterns if p.startswith("!")]
    for key, track in timeline.tracks.items():
        name = f"{track.process}/{track.name}"
        if any(fnmatch.fnmatch(name, p) for p in wanted) and \
                not any(fnmatch.fnmatch(name, p) for p in refused) and \
                any(True for _ in track.between(begin, end)):
            yield key


def message_time(timeline, points):
    """From the store of a message until its poll is over."""
    (_, begin), (last, end) = points[0], points[-1]
    return begin, timeline.tracks[last].at(end).end


def message_window(timeline, number):
    """The time of a message, with a margin."""
    messages = list(timeline.messages.values())
    if not 1 <= abs(number) <= len(messages):
        sys.exit(f"timeline: --message {number}: expected 1 .. {len(messages)}, or -1 for the last")
    begin, end = message_time(timeline, messages[number - (number > 0)])
    margin = (end - begin) // 30
    return begin - margin, end + margin


def window(timeline, args):
    """Begin and end in picoseconds."""
    if args.message is not None:
        return message_window(timeline, args.message)
    slices = [s for t in timeline.tracks.values() for s in t.slices]
    begin = min(s.begin for s in slices) if args.begin is None else picoseconds(args.begin)
    end = max(s.end for s in slices) if args.end is None else picoseconds(args.end)
    if begin >= end:
        sys.exit("timeline: --from, --to: expected some time between them")
    return begin, end


# ---- drawing --------------------------------------------------------------------------------------

COLOURS = {
    "write": "#3b7dd8", "read": "#e08e2b", "completion": "#3f9e5c", "DLLP": "#b9bec7",
    "configuration": "#8f6bc1", "message": "#4f5d9e", "replay": "#e3a0a0", "damaged": "#b3001b",
    "CPU": "#c65d7b", "software": "#d9a5b3", "poll": "#6a3d9a", "polling": "#e9e3f3",
    "waiting": "#f0f0f0", "stall": "#e06666", "memory": "#7fb8ad", "GPU": "#77ab3f",
}
# One hue for what a state machine does, one for who has an output.
STATES = {"fetch": "#c9a227", "read": "#e08e2b", "write": "#3b7dd8", "status": "#8a4f9e",
          "set-up": "#7d5a2b", "copy": "#1f9aa5", "down": "#3a3a3a", "retrain": "#d23c3c",
          "replay": "#e3a0a0"}
FALLBACK = "#9aa5b1"
ROW = 0.26  # inches
BAR = 0.72  # of a row
WIDTH = 12.0
LABELS = 2.6  # inches left of the rows
ARROW = "#d1495b"
LEGEND = 9  # names in a line


def colour(s):
    if s.category == "state":
        return STATES.get(s.name, "#86a3c3")
    return COLOURS.get(s.category, FALLBACK)


def legend_name(s):
    if s.category == "state":
        return s.name if s.name in STATES else "output of a hub"
    return {"stall": "blocked", "waiting": None}.get(s.category, s.category)


class Scale:
    """The window, and what of it is shown by how much."""

    def __init__(self, begin, end):
        self.begin, self.end = begin, end
        self.unit, self.divisor = ("nanoseconds", 1e3) if end - begin < 5e6 else ("microseconds", 1e6)
        self.pixel = max(1, round((end - begin) / (WIDTH - LABELS) / 150))  # picoseconds

    def x(self, time):
        return (time - self.begin) / self.divisor

    def width(self, time):
        return time / self.divisor


def merged(slices, gap):
    """Neighbours of one colour that no eye could tell apart become one."""
    out = []
    for s in slices:
        last = out[-1] if out else None
        if last and s.begin - last.end <= gap and s.end - s.begin <= 2 * gap and \
                last.end - last.begin <= 200 * gap and colour(last) == colour(s):
            name = f"{last.name}, {s.name}" if last.name and len(last.name) < 20 else ""
            out[-1] = last._replace(end=s.end, name=name)
        else:
            out.append(s)
    return out


def draw_slices(ax, track, y, scale, names):
    begin, end = scale.begin, scale.end
    slices = merged(track.between(begin, end), scale.pixel)
    by_colour = defaultdict(list)
    for s, after in zip(slices, slices[1:] + [None]):
        first, last = max(s.begin, begin), min(s.end, end)
        by_colour[colour(s)].append((scale.x(first), scale.width(max(last - first, scale.pixel))))
        if legend_name(s):
            names.setdefault(legend_name(s), colour(s))
        draw_name(ax, s, first, last, min(after.begin if after else end, end), y, scale)
    for fill, bars in by_colour.items():
        wide = scale.width(8 * scale.pixel)
        ax.broken_barh(bars, (y - BAR / 2, BAR), facecolors=fill, edgecolors="white",
                       linewidths=[0.5 if width > wide else 0 for _, width in bars])


def draw_name(ax, s, first, last, free, y, scale):
    """In the slice, or behind it where nothing else is."""
    need = scale.pixel * (8.5 * len(s.name) + 8)
    if not s.name:
        return
    if last - first > need:
        ax.text(scale.x((first + last) // 2), y, s.name, ha="center", va="center", fontsize=6,
                color="#555555" if s.category in LIGHT else "white", clip_on=True, zorder=5)
    elif free - last > need and s.category not in QUIET:
        ax.text(scale.x(last + 4 * scale.pixel), y, s.name, ha="left", va="center", fontsize=6,
                color="#333333", clip_on=True, zorder=5)


QUIET = {"CPU", "software", "state"}  # their names stand elsewhere, or do not matter
LIGHT = {"polling", "waiting", "DLLP"}


def draw_message(ax, points, rows, scale):
    """A line from slice to slice, an arrow's head at its end. Returns whether there was something to draw."""
    shown = [key in rows and scale.begin <= time <= scale.end for key, time in points]
    inside = [(scale.x(time), rows[key]) for (key, time), is_in in zip(points, shown) if is_in]
    if len(inside) < 2:
        return False
    xs, ys = zip(*inside)
    ax.plot(xs, ys, color=ARROW, linewidth=0.9, alpha=0.8, zorder=3, solid_joinstyle="round")
    if shown[0]:
        ax.plot(xs[:1], ys[:1], "o", color=ARROW, markersize=3, zorder=4)
    if shown[-1]:
        ax.annotate("", xy=inside[-1], xytext=inside[-2], zorder=4,
                    arrowprops={"arrowstyle": "-|>", "color": ARROW, "linewidth": 0.9,
                                "mutation_scale": 9, "shrinkA": 0, "shrinkB": 0})
    return True


def place_rows(timeline, keys):
    """The row of each track, and (process, its first row, its last row) of each process."""
    rows, processes, y = {}, [], 0.0
    for key in keys:
        process = timeline.tracks[key].process
        if not processes or processes[-1][0] != process:
            y += 0.6 if processes else 0
            processes.append([process, y, y])
        rows[key] = processes[-1][2] = y
        y += 1
    return rows, processes, y


def draw_processes(ax, processes):
    for i, (name, first, last) in enumerate(processes):
        ax.axhspan(first - 0.6, last + 0.6, color=("#f4f6f8", "#eaeef2")[i % 2], zorder=0)
        ax.text(1.006, (first + last) / 2, name, transform=ax.get_yaxis_transform(), fontsize=8,
                rotation=270 if last > first + 1 else 0, va="center", ha="left", color="#555555")


def finish_axes(ax, scale, rows, timeline, names, messages):
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    ax.set_yticks(list(rows.values()), [timeline.tracks[k].name for k in rows], fontsize=7)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelsize=7)
    ax.set_xlim(0, scale.x(scale.end))
    ax.set_xlabel(f"{scale.unit} since {scale.begin / 1e6:.6f} us", fontsize=8)
    picture.hide_frame(ax)
    handles = [Patch(color=c, label=n) for n, c in names.items()]
    if messages:
        handles.append(Line2D([], [], color=ARROW, linewidth=0.9, marker=">", markersize=3, label="route of a message"))
    ax.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncol=LEGEND,
              fontsize=7, frameon=False, handlelength=1.0, columnspacing=1.1, borderaxespad=0.2)


def draw(timeline, args):
    scale = Scale(*window(timeline, args))
    keys = list(chosen(timeline, args.tracks.split(","), scale.begin, scale.end))
    if not keys:
        sys.exit(f"timeline: --tracks {args.tracks}: nothing of it happens in this time")
    rows, processes, n = place_rows(timeline, keys)
    names = {}
    fig, ax = picture.pyplot().subplots()
    draw_processes(ax, processes)
    for key, row in rows.items():
        ax.axhline(row, color="#d7dce2", linewidth=0.4, zorder=0.5)
        draw_slices(ax, timeline.tracks[key], row, scale, names)
    messages = sum(draw_message(ax, points, rows, scale) for points in timeline.messages.values())
    ax.set_ylim(n - 0.3, -0.7)
    finish_axes(ax, scale, rows, timeline, names, messages)
    above = 0.3 + 0.17 * ((len(names) + (messages > 0) + LEGEND - 1) // LEGEND)
    height = (n + 0.4) * ROW + above + 0.45
    fig.set_size_inches(WIDTH, height)
    fig.subplots_adjust(left=LABELS / WIDTH, right=1 - 0.45 / WIDTH, top=1 - above / height,
                        bottom=0.45 / height)
    picture.save("timeline", fig, args.out, 150)


def print_tracks(timeline):
    slices = sum(len(t.slices) for t in timeline.tracks.values())
    print(f"{slices} slices on {len(timeline.tracks)} tracks, {len(timeline.messages)} messages")
    for track in timeline.tracks.values():
        if track.slices:
            busy = sum(s.end - s.begin for s in track.slices)
            print(f"  {track.process + '/' + track.name:45} {len(track.slices):7} slices "
                  f"{busy / 1e6:12.3f} us")


def print_messages(timeline):
    print(f"{'message':>7}  {'from':20} {'to':20} {'wires':>5} {'begin_us':>14} {'ns':>12}")
    for n, points in enumerate(timeline.messages.values(), 1):
        begin, end = message_time(timeline, points)
        ends = [f"{t.process}/{t.name}" for t in (timeline.tracks[points[i][0]] for i in (0, -1))]
        print(f"{n:7}  {ends[0]:20} {ends[1]:20} {len(points) - 2:5} {begin / 1e6:14.6f} "
              f"{(end - begin) / 1e3:12.3f}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("file")
    parser.add_argument("--out")
    parser.add_argument("--messages", action="store_true")
    parser.add_argument("--message", type=int)
    parser.add_argument("--from", dest="begin", type=Decimal)
    parser.add_argument("--to", dest="end", type=Decimal)
    parser.add_argument("--tracks", default="*")
    args = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as with other programs in a pipe
    document = picture.attempt("timeline", args.file, "a timeline, which --timeline writes",
                               read, args.file)
    wrong = check(document)
    for line in wrong[:20]:
        print(f"timeline: {args.file}: {line}", file=sys.stderr)
    if wrong:
        sys.exit(1)
    timeline = Timeline(document["traceEvents"])
    if args.messages:
        print_messages(timeline)
    elif args.out is None:
        print_tracks(timeline)
    else:
        draw(timeline, args)


if __name__ == "__main__":
    main()
