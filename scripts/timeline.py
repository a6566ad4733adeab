"""Checks a timeline as `hubsim run --timeline FILE` writes it, or draws a part of it.

  scripts/timeline FILE                      is it right, and what is in it
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
import sys
from collections import defaultdict, namedtuple
from decimal import Decimal

# What each phase must have (Trace Event Format), besides ph.
NEEDED = {
    "X": {"name", "cat", "pid", "tid", "ts", "dur"},
    "C": {"name", "pid", "ts", "args"},
    "M": {"name", "pid", "args"},
    "s": {"name", "cat", "id", "pid", "tid", "ts"},
    "t": {"name", "cat", "id", "pid", "tid", "ts"},
    "f": {"name", "cat", "id", "pid", "tid", "ts", "bp"},
}
METADATA = {"process_name": "name", "process_sort_index": "sort_index",
            "thread_name": "name", "thread_sort_index": "sort_index"}

Slice = namedtuple("Slice", "begin end name category")  # picoseconds


class Track(namedtuple("Track", "process name slices")):
    def at(self, time):
        """The slice at this time, or None."""
        i = bisect.bisect_right(self.slices, time, key=lambda s: s.begin) - 1
        return self.slices[i] if i >= 0 and time < self.slices[i].end else None


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
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as f:
        return json.load(f, parse_float=Decimal)


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
    if not isinstance(document.get("traceEvents"), list):
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


def chosen(timeline, patterns):
    """Keys of the tracks that the patterns leave."""
    wanted = [p for p in patterns if not p.startswith("!")] or ["*"]
    refused = [p[1:] for p in patterns if p.startswith("!")]
    for key, track in timeline.tracks.items():
        name = f"{track.process}/{track.name}"
        if any(fnmatch.fnmatch(name, p) for p in wanted) and \
                not any(fnmatch.fnmatch(name, p) for p in refused):
            yield key


def window(timeline, args):
    """Begin and end in picoseconds."""
    if args.message is not None:
        messages = list(timeline.messages.values())
        try:
            points = messages[args.message - (args.message > 0)]
        except IndexError:
            sys.exit(f"timeline: --message {args.message}: there are {len(messages)}")
        (_, begin), (last, end) = points[0], points[-1]
        end = max(s.end for s in timeline.tracks[last].slices if s.begin <= end)
        margin = (end - begin) // 25
        return begin - margin, end + margin
    slices = [s for t in timeline.tracks.values() for s in t.slices]
    begin = min(s.begin for s in slices) if args.begin is None else picoseconds(args.begin)
    end = max(s.end for s in slices) if args.end is None else picoseconds(args.end)
    return begin, end


def tell(timeline):
    slices = sum(len(t.slices) for t in timeline.tracks.values())
    print(f"{slices} slices on {len(timeline.tracks)} tracks, {len(timeline.messages)} messages")
    for track in timeline.tracks.values():
        if track.slices:
            busy = sum(s.end - s.begin for s in track.slices)
            print(f"  {track.process + '/' + track.name:45} {len(track.slices):7} slices "
                  f"{busy / 1e6:12.3f} us")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("file")
    parser.add_argument("--out")
    parser.add_argument("--message", type=int)
    parser.add_argument("--from", dest="begin", type=Decimal)
    parser.add_argument("--to", dest="end", type=Decimal)
    parser.add_argument("--tracks", default="*")
    args = parser.parse_args()
    document = read(args.file)
    wrong = check(document)
    for line in wrong[:20]:
        print(f"timeline: {args.file}: {line}", file=sys.stderr)
    if wrong:
        sys.exit(1)
    timeline = Timeline(document["traceEvents"])
    if args.out is None:
        tell(timeline)


if __name__ == "__main__":
    main()
