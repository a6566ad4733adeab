"""Draws signals of the hub, beat by beat, from waves of simulations.

    beats.py dma --c C.fst --sc SC.fst --rtl RTL.fst --out FILE       one transfer in three makes of the hub
    beats.py transit|read|data --rtl RTL.fst --out FILE              timing diagrams of docs/hub-spec.md

C.fst and SC.fst are of `--waves`, RTL.fst is that of HUBSIM_RTL_TRACE (transit: of the node
that writes come to). fst2vcd (gtkwave) reads them.
"""
import argparse
import bisect
import re
import subprocess

import picture

CYCLE_PS = 4000  # 250 MHz
PORTS = ["n", "e", "w", "s", "sink", "self"]  # outputs of hub_core; the first four are ports
KINDS = {0x40: "write", 0x00: "read", 0x4a: "answer", 0x0a: "answer"}  # format and type, 3 or 4 double words
INK, GREY, PALE, RED = "#222222", "#999999", "#e8e8e8", "#b03030"
COLOURS = {"read": "#8fb8de", "write": "#f2b880", "answer": "#a8d5a2", "other": "#d0d0d0"}


# ---- waves ----

def vcd_of(path):
    done = subprocess.run(["fst2vcd", "-f", path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError("fst2vcd cannot read it")
    return done.stdout.splitlines()


def signals_of(lines, wanted):
    """Name -> code of the signals whose whole name `wanted` accepts, and where changes begin."""
    scopes, names = [], {}
    for i, line in enumerate(lines):
        word = line.split()
        if line.startswith("$scope"):
            scopes.append(word[2])
        elif line.startswith("$upscope"):
            scopes.pop()
        elif line.startswith("$var"):
            name = ".".join(scopes + [word[4]])
            if wanted(name):
                names[name] = word[3]
        elif line.startswith("$enddefinitions"):
            return names, i + 1
    raise ValueError("it has no definitions")


def changes_of(lines, begin, names):
    """(time, code, value) in the order of time."""
    codes, time = set(names.values()), 0
    for line in lines[begin:]:
        if line.startswith("#"):
            time = int(line[1:])
        elif line.startswith("b"):
            value, code = line[1:].split()
            if code in codes:
                yield time, code, int(re.sub("[xz]", "0", value), 2)
        elif line[:1] in ("0", "1") and line[1:] in codes:
            yield time, line[1:], int(line[0])


class Waves:
    """Of hub.c and hub.sc: levels by time."""

    def __init__(self, path):
        lines = vcd_of(path)
        names, begin = signals_of(lines, lambda n: re.fullmatch(r"node0\.hub\.[nesw]\.tx\.(valid|beats|source)", n))
        self.levels = {name: ([], []) for name in names}
        by_code = {code: name for name, code in names.items()}
        for time, code, value in changes_of(lines, begin, names):
            times, values = self.levels[by_code[code]]
            times.append(time)
            values.append(value)

    def at(self, port, signal, edge):
        times, values = self.levels[f"node0.hub.{port}.tx.{signal}"]
        i = bisect.bisect_right(times, edge * CYCLE_PS) - 1
        return values[i] if i >= 0 else 0

    def packets(self, port):
        """(edge, beats, what) of each packet that leaves by the port."""
        times, values = self.levels[f"node0.hub.{port}.tx.source"]
        for i, (time, source) in enumerate(zip(times, values)):
            edge = time // CYCLE_PS
            if times[i + 1:i + 2] != [time] and self.at(port, "valid", edge):
                yield edge, self.at(port, "beats", edge), what_of(source, 4, 12)


def what_of(source, classes, ports):
    local = classes * ports
    if source < local:
        return ["write", "read", "answer", "write"][source % classes]
    return "other" if source == local else "read" if source < local + 5 else "write"


class Rtl:
    """Of hub_core: what is on its pins in each cycle of the clock that ran."""
    PINS = ["clk_i", "cycle_i", "rx_valid_i", "rx_sop_i", "rx_class_i", "rx_data_i", "tx_valid_o", "tx_sop_o",
            "tx_data_o"]

    def __init__(self, path):
        lines = vcd_of(path)
        found, begin = signals_of(lines, lambda n: n.count(".") <= 1 and n.split(".")[-1] in self.PINS)
        by_code = {code: name.split(".")[-1] for name, code in found.items()}
        now, self.edges, last = {pin: 0 for pin in self.PINS}, {}, None
        for time, code, value in changes_of(lines, begin, found):
            if time != last and last is not None:
                self.keep(now)
            now[by_code[code]] = value
            last = time
        self.keep(now)

    def keep(self, now):
        if now["clk_i"] == 1:
            self.edges[now["cycle_i"]] = dict(now)

    def pin(self, name, edge, port, bits=1):
        """Behind `edge`: outputs as they are then, inputs as the next edge finds them."""
        comes = name.startswith("rx")
        at = self.edges.get(edge + comes)
        return at[name + ("_i" if comes else "_o")] >> PORTS.index(port) * bits & (1 << bits) - 1 if at else 0

    def packets(self, port, way="tx"):
        """(edge, beats, what) of each packet on a stream."""
        found = []
        for edge in (edge - (way == "rx") for edge in sorted(self.edges)):
            if not self.pin(f"{way}_valid", edge, port):
                continue
            if self.pin(f"{way}_sop", edge, port):
                kind = self.pin(f"{way}_data", edge, port, 128) & 0x5f
                found.append((edge, 1, KINDS.get(kind, "other")))
            else:
                first, beats, what = found[-1]
                found[-1] = first, beats + 1, what
        return found


def lane(packets):
    """Edge -> (what, number of the beat); beat 0 is the header."""
    return {edge + k: (what, k) for edge, beats, what in packets for k in range(beats)}


# ---- pictures ----

class Rows:
    """Signals below each other, behind each of `n` edges from `first` on."""

    def __init__(self, ax, names, first, n):
        self.ax, self.first, self.n, self.y = ax, first, n, len(names)
        for side in ("top", "right", "left", "bottom"):
            ax.spines[side].set_visible(False)
        ax.set_yticks([len(names) - 1 - i + 0.35 for i in range(len(names))], names, fontsize=7)
        ax.tick_params(length=0, labelsize=7)
        ax.set_xlim(first, first + n)
        ax.set_ylim(-0.9, len(names))

    def grid(self):
        for edge in range(self.first, self.first + self.n + 1):
            self.ax.axvline(edge, color=PALE, linewidth=0.5, zorder=0)

    def line(self, values, colour=INK):
        """Values of equal parts of the time."""
        self.y -= 1
        part = self.n / len(values)
        xs = [self.first + (i + end) * part for i in range(len(values)) for end in (0, 1)]
        ys = [self.y + 0.7 * bool(value) for value in values for _ in range(2)]
        self.ax.plot(xs, ys, color=colour, linewidth=0.9)

    def clock(self):
        self.line([1, 0] * self.n, GREY)

    def bit(self, edges):
        self.line([edge in edges for edge in range(self.first, self.first + self.n)])

    def cells(self, beats, text):
        """`beats` as lane() has them; text(edge) stands in the cell of a beat."""
        self.y -= 1
        self.ax.plot([self.first, self.first + self.n], [self.y + 0.35] * 2, color=GREY, linewidth=0.6, zorder=1)
        for edge in range(self.first, self.first + self.n):
            if edge not in beats:
                continue
            cut, low, middle, high = 0.12, self.y, self.y + 0.35, self.y + 0.7
            self.ax.fill([edge, edge + cut, edge + 1 - cut, edge + 1, edge + 1 - cut, edge + cut],
                         [middle, high, high, middle, low, low], facecolor=COLOURS[beats[edge][0]], edgecolor=INK,
                         linewidth=0.5)
            self.ax.text(edge + 0.5, middle - 0.02, text(edge), ha="center", va="center", fontsize=6)

    def boxes(self, packets):
        self.y -= 1
        for edge, beats, what in packets:
            if self.first <= edge < self.first + self.n:
                self.ax.fill([edge, edge + beats, edge + beats, edge], [self.y, self.y, self.y + 0.7, self.y + 0.7],
                             facecolor=COLOURS[what], edgecolor=INK, linewidth=0.3)

    def span(self, begin, end, row, text):
        """An arrow below a row, from edge to edge, with the cycles that it takes."""
        y = self.ax.get_yticks()[row] - 0.5
        for edge in (begin, end):
            self.ax.plot([edge, edge], [y - 0.12, y + 0.12], color=RED, linewidth=0.9)
        arrow = {"arrowstyle": "<->", "color": RED, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
        self.ax.annotate("", (end, y), (begin, y), arrowprops=arrow)
        self.ax.text((begin + end) / 2, y - 0.1, f"{text}: {end - begin}", ha="center", va="top", fontsize=6.5,
                     color=RED, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})


def beat_name(beats):
    return lambda edge: "H" if beats[edge][1] == 0 else str(beats[edge][1] - 1)


def legend(fig, whats):
    patches = [picture.pyplot().Rectangle((0, 0), 1, 1, facecolor=COLOURS[what], edgecolor=INK, linewidth=0.5) for what in whats]
    fig.legend(patches, whats, ncols=len(whats), loc="upper right", fontsize=7, frameon=False)


def draw_dma(args):
    makes = {"C": Waves(args.c), "SystemC": Waves(args.sc), "RTL": Rtl(args.rtl)}
    rtl = makes["RTL"]
    reads = [p for p in rtl.packets("n") if p[2] == "read"]
    writes = [p for p in rtl.packets("e") if p[2] == "write"]
    for name, make in makes.items():
        for port in ("n", "e"):
            if lane(make.packets(port)).keys() != lane(rtl.packets(port)).keys():
                raise ValueError(f"{name}, port {port}: other beats than in the RTL")
    first, end = reads[0][0] - 6, writes[-1][0] + writes[-1][1] + 6
    plt = picture.pyplot()
    fig, (above, below) = plt.subplots(2, 1, figsize=(10, 5.6), height_ratios=(7, 12))
    names = [f"{name}, N out" for name in makes] + ["N in"] + [f"{name}, E out" for name in makes]
    rows = Rows(above, names, first, end - first)
    for make in makes.values():
        rows.boxes(make.packets("n"))
    rows.boxes(rtl.packets("n", "rx"))
    for make in makes.values():
        rows.boxes(make.packets("e"))
    above.set_title("one block-stride transfer: 8 blocks of 64 bytes, CPU to CPU", fontsize=8, loc="left")
    close_look(below, makes, rtl.packets("n", "rx"), writes)
    for ax in (above, below):
        ax.set_xlabel("edge of the hub's clock (250 MHz)", fontsize=7)
        ax.ticklabel_format(axis="x", useOffset=False)
    above.grid(axis="x", color=PALE, linewidth=0.5)
    above.set_axisbelow(True)
    legend(fig, ["read", "answer", "write"])
    fig.tight_layout()
    return fig


def close_look(ax, makes, answers, writes):
    """The first writes, each beat of them."""
    first = max(edge for edge, _, what in answers if what == "answer" and edge < writes[0][0]) - 2
    n = writes[2][0] + writes[2][1] + 3 - first
    names = ["clk", "RTL  N rx_data"]
    for name in makes:
        signals = ["tx_valid", "tx_sop", "tx_data[7:0]"] if name == "RTL" else ["tx_valid", "beat"]
        names += [f"{name}  E {signal}" for signal in signals]
    rows = Rows(ax, names, first, n)
    rows.grid()
    rows.clock()
    comes = lane(answers)
    rows.cells(comes, beat_name(comes))
    for name, make in makes.items():
        beats = lane(make.packets("e"))
        rows.bit(beats)
        if name == "RTL":
            rows.bit({edge for edge, beat in beats.items() if beat[1] == 0})
            rows.cells(beats, lambda edge: f"{make.pin('tx_data', edge, 'e', 128) & 0xff:02x}")
        else:
            rows.cells(beats, beat_name(beats))


def diagram(rtl, title, streams, first, n, spans):
    """Streams (name, port, way) below each other; spans: (begin, end, row, text)."""
    plt = picture.pyplot()
    names, lanes = ["clk"], []
    for name, port, way in streams:
        names += [f"{name} {way}_valid", f"{name} {way}_sop", f"{name} {way}_data"]
        lanes.append(lane(rtl.packets(port, way)))
    fig, ax = plt.subplots(figsize=(10, 0.6 + 0.36 * len(names)))
    rows = Rows(ax, names, first, n)
    rows.grid()
    rows.clock()
    for beats in lanes:
        rows.bit(beats)
        rows.bit({edge for edge, beat in beats.items() if beat[1] == 0})
        rows.cells(beats, beat_name(beats))
    for begin, end, row, text in spans:
        rows.span(begin, end, row, text)
    edges = range(first, first + n)
    ax.set_xticks(edges[::2], [str(edge - spans[0][0]) for edge in edges[::2]])
    ax.set_title(title, fontsize=8, loc="left")
    ax.set_xlabel("edge of the core's clock, from the first beat on", fontsize=7)
    legend(fig, sorted({beats[edge][0] for beats in lanes for edge in edges if edge in beats}))
    fig.tight_layout()
    return fig


def after(packets, edge, what):
    return next(p for p in packets if p[0] > edge and p[2] == what)


def draw_transit(args):
    """A write that comes by W and leaves by N, and the one behind it."""
    rtl = Rtl(args.rtl)
    comes, leaves = rtl.packets("w", "rx"), rtl.packets("n")
    here, behind = next((a, b) for a, b in zip(comes, comes[1:]) if a[2] == b[2] == "write" and b[0] - a[0] < 30)
    there = after(leaves, here[0], "write")
    later = after(leaves, there[0], "write")
    spans = [(here[0], there[0], 3, "receive_cycles + route_cycles + output_cycles")]
    if later[0] - there[0] == there[1] + 1:
        spans.append((there[0] + there[1], later[0], 6, "bus_gap_cycles"))
    end = later[0] + later[1]
    return diagram(rtl, "writes from port W to port N", [("W", "w", "rx"), ("N", "n", "tx")], here[0] - 2,
                   max(end, behind[0] + behind[1]) + 2 - here[0] + 2, spans)


def draw_read(args):
    """A read of a register by the host, and its answer."""
    rtl = Rtl(args.rtl)
    taken = next(p for p in rtl.packets("self") if p[2] == "read")
    asked = max(p for p in rtl.packets("n", "rx") if p[0] < taken[0] and p[2] == "read")
    answer = after(rtl.packets("n"), taken[0], "answer")
    return diagram(rtl, "a register is read by the host",
                   [("N", "n", "rx"), ("SELF", "self", "tx"), ("N", "n", "tx")], asked[0] - 2,
                   answer[0] + answer[1] + 2 - asked[0] + 2,
                   [(asked[0], taken[0], 3, "receive_cycles + route_cycles"),
                    (taken[0], answer[0], 6, "register_cycles + output_cycles")])


def draw_data(args):
    """Answers to two reads of a channel, and the writes that their data becomes."""
    rtl = Rtl(args.rtl)
    asked = next(p for p in rtl.packets("n") if p[2] == "read")
    comes = after(rtl.packets("n", "rx"), asked[0], "answer")
    sink = after(rtl.packets("sink"), comes[0], "answer")
    write = after(rtl.packets("e"), sink[0], "write")
    return diagram(rtl, "data of a block comes, and leaves as a write",
                   [("N", "n", "rx"), ("SINK", "sink", "tx"), ("E", "e", "tx")], comes[0] - 2,
                   write[0] + write[1] + 2 - comes[0] + 2,
                   [(comes[0], sink[0], 3, "receive_cycles + route_cycles"),
                    (sink[0], write[0], 6, "dma.completion_cycles + output_cycles")])


PICTURES = {"dma": draw_dma, "transit": draw_transit, "read": draw_read, "data": draw_data}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", choices=PICTURES)
    for make in ("c", "sc"):
        parser.add_argument(f"--{make}", help="for dma")
    parser.add_argument("--rtl", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    fig = picture.attempt("beats.py", args.rtl, "waves of such a transfer", PICTURES[args.picture], args)
    picture.save("beats.py", fig, args.out, 120)


if __name__ == "__main__":
    main()
