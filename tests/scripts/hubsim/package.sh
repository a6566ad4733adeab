#!/usr/bin/env bash
# The Python package runs, reads and refuses what it should:  package.sh PREFIX
#   PREFIX is an installation. No other hubsim is in the PATH.
set -euo pipefail
prefix=$(realpath "$1")
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
cd "$box"
cat >slow.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, loops = argc > 1 ? atoi(argv[1] + sizeof("loops=") - 1) : 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < loops; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("result loops=%d time_us=%.3f\n", loops, 1e6 * MPI_Wtime());
    MPI_Finalize();
    return 0;
}
END
"$prefix/bin/hubcc" slow.c -o slow
cat >study.yaml <<'END'
workload: pingpong
machine: [two-node, ring4]
setup: { mode: pio, hops: 1, bytes: 8|16 }
END
printf 'a_us,b,share_%%,note\n1,,2.5,x\n3,0x4,,\n' >plain.csv
mkdir old
cp plain.csv old/table.csv
echo '{"format": "hubsim result 9"}' >old/manifest.json

PATH=/usr/bin:/bin PYTHONPATH=$prefix/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "$prefix" <<'END'
import pathlib
import subprocess
import sys

import hubsim

LANES = "node*.hub.*.link.lanes"


def refused(expected, call, *words, **more):
    """The error, whose message has this in it."""
    try:
        call(*words, **more)
    except (hubsim.Error, KeyError) as error:
        assert expected in str(error), f"{error}: expected {expected}"
        return error
    raise AssertionError(f"{call.__name__} {words}: expected {expected}")


# The numbers are those of the command.
table = hubsim.run("two-node", "pingpong", {"mode": "dma-chain-internal", "bytes": [8, 1048576]}, {LANES: [2, 8]})
assert list(table.columns)[:2] == ["bytes", "lanes"] and len(table) == 4, table
assert table["bytes"].unit == "bytes" and table["bandwidth_MBps"].unit == "MB/s" and table["bound"].unit == ""
wide, narrow = table.where(bytes=1048576, lanes=8).rows()[0], table.where(bytes=1048576, lanes=2).rows()[0]
assert 3.7 < wide["bandwidth_MBps"] / narrow["bandwidth_MBps"] < 4.0, table
assert table.where() == table and len(table.where(lanes=3)) == 0 and str(table.where(lanes=3)) == ""
assert hubsim.run("two-node", "pingpong", {"mode": "pio", "bytes": 8}, seed=2)["latency_us_median"] == [0.904]

# Seed 0 is one, too: its errors are not those of seed 1.
lossy = "two-node", "pingpong", {"mode": "pio", "bytes": 4096, "bit_error_rate": "1e-4", "rounds": 20}
assert hubsim.run(*lossy, seed=0) != hubsim.run(*lossy, seed=1) == hubsim.run(*lossy)

# A program of one's own takes params as arguments; more barriers take longer.
slow = hubsim.run("two-node", "./slow", {"loops": [1, 9]})
assert slow["loops"] == [1, 9] and slow["time_us"][0] < slow["time_us"][1] and slow["time_us"].unit == "us", slow

# A sweep is kept in its folder, which reads as the same table; a second call takes what is there.
swept = hubsim.sweep("study.yaml", "kept")
assert swept == hubsim.read("kept/study") == hubsim.sweep(pathlib.Path("study.yaml"), "kept") and len(swept) == 4, swept
assert swept["latency_us_median"][0] == 0.904
pathlib.Path("study.yaml").write_text("workload: pingpong\nmachine: two-node\nsetup: { bytes: 8 }\n")
assert refused("made by other points", hubsim.sweep, "study.yaml", "kept").result is None

# A kept result of the command, and the same run from here.
subprocess.run([sys.argv[1] + "/bin/hubsim", "run", "ring4", "--set", LANES + "=4", "--out", "."], check=True, capture_output=True)
ring, own = hubsim.read("ring4"), hubsim.run("ring4", settings={LANES: 4})
assert ring.columns == own.columns and ring.statistics == own.statistics and ring.name == "ring4"
assert ring.statistics["simulated_ps"].unit == "ps" and len(ring.statistics["simulated_ps"]) == 9
assert own.manifest["machines"][0]["parameters"]["node*.hub.e.link.lanes"] == 4

# Cells: numbers where all are, None where one is absent, else texts as they stand.
plain = hubsim.read("plain.csv")
assert plain.rows() == [{"a_us": 1, "b": "", "share_%": 2.5, "note": "x"}, {"a_us": 3, "b": "0x4", "share_%": None, "note": ""}]
assert [column.unit for column in plain.columns.values()] == ["us", "", "%", ""]
assert list(plain) == plain.rows()

printed = subprocess.run([sys.argv[1] + "/bin/hubsim", "--version"], check=True, capture_output=True, text=True).stdout
assert printed.startswith(f"hubsim {hubsim.__version__} (") and not hasattr(hubsim, "version_"), printed

# What programs print, and the ends of parameters' names.
pathlib.Path("program.yaml").write_text("program: pingpong\nmachine: two-node\nranks: 2\n"
                                        "args: { mode: pio, bytes: 8, repeats: 1, rounds: 1 }\n"
                                        "set: { \"node*.hub.route_cycles\": [4, 5], \"node*.hub.e.link.pd_credits\": [64, 128] }\n")
assert {name: column.unit for name, column in hubsim.sweep("program.yaml", "kept").columns.items() if column.unit} == {
    "route_cycles": "cycles", "pd_credits": "credits", "bytes": "bytes", "latency_ps_min": "ps", "latency_ps_median": "ps",
    "latency_ps_p99": "ps", "latency_ps_max": "ps", "bandwidth_kBps": "kB/s"}
pathlib.Path("units.csv").write_text("rate_gtps,window_KiB,header_dw,note\n5,4,3,x\n")
assert [column.unit for column in hubsim.read("units.csv").columns.values()] == ["GT/s", "KiB", "dw", ""]

parameters = hubsim.parameters("ring4", "hub.clock_khz", {"node*.hub.clock_khz": 125000})
assert parameters["node*.hub.clock_khz"][:2] == (125000, "kHz") and len(parameters) == 1, parameters

# A path is taken wherever a name of a file is, also one without a slash.
own = pathlib.Path("own.yaml")
own.write_text("platform: hapacs-tca\nring: 4\n")
assert hubsim.run(own).columns == hubsim.run("own.yaml").columns == hubsim.run([own]).columns
pio = {"mode": "pio", "bytes": range(8, 17, 8), "hops": 1}
assert hubsim.run([own, "ring4"], "pingpong", pio)["latency_us_median"] == swept["latency_us_median"][2:] * 2
assert hubsim.run("two-node", pathlib.Path("slow"), {"loops": 1})["loops"] == [1]
assert hubsim.parameters(own, "hub.clock_khz") == hubsim.parameters("ring4", "hub.clock_khz")
assert hubsim.read(pathlib.Path("plain.csv")).columns == plain.columns

# The keys of a workload, and of a program that describes itself.
modes = hubsim.parameters("pingpong", "mode")["mode"]
assert (modes.value, modes.unit) == ("dma-chain-internal", ""), modes
assert modes.range == "pio|dma|dma-register|dma-chain-host|dma-chain-internal" and modes.meaning, modes

# What is refused, in hubsim's words.
refused("setup byte=8: unknown key, did you mean bytes?", hubsim.run, "two-node", "pingpong", {"byte": 8})
for machine in ("", [], ["ring4", ""]):
    refused(f"machine = {machine!r}: expected a name, a file, or a list of them", hubsim.run, machine, "pingpong")
refused("two-nod: not found in machines/, did you mean two-node?", hubsim.run, "two-nod", "pingpong", {"bytes": 8})
refused("lanes = 3: expected 1, 2, 4, 8 or 16", hubsim.run, "two-node", settings={LANES: 3})
refused("expected one machine or experiment, and no params", hubsim.run, "two-node", params={"bytes": 8})
refused("lanez: not found in sweeps/, did you mean lanes?", hubsim.sweep, "lanez")
refused("no key of ring4 has this in it", hubsim.parameters, "ring4", "colour")
refused("nothing: no such file", hubsim.read, "nothing")
refused("manifest.json: format = hubsim result 9: expected hubsim result 2", hubsim.read, "old")
refused("latency: expected a column of pingpong: bytes, lanes, latency_us_min", table.__getitem__, "latency")
# Where the package lies in no installation, the program is that of the PATH.
for folder, own in (("/hubsim", None), ("/a/b/c/d/hubsim", None),
                    ("/opt/h/lib/python3/dist-packages/hubsim", "/opt/h/bin/hubsim")):
    assert hubsim.program.beside(pathlib.Path(folder)) == (own and pathlib.Path(own)), folder

# Values of other types, and files that are no tables.
for words, expected in (
        (("two-node", {"bytes": 8}), "workload = {'bytes': 8}: expected a name, or the path of a program"),
        ((3,), "machine = 3: expected a name, a file, or a list of them"),
        (("two\0node",), "embedded null byte"), (("--version",), "--version: not found in experiments/ or machines/"),
        (("two-node", ""), "workload = '': expected a name, or the path of a program"),
        (("two-node", "pingpong", {"bytes": object()}), "expected a number, a text, or a list of them"),
        ((["two-node", 3], "pingpong"), "machine = ['two-node', 3]: expected a name"),
        (("two-node", "pingpong", 8), "params = 8: expected a dictionary"),
        (("two-node", "pingpong", None, "lanes"), "settings = 'lanes': expected a dictionary"),
        (("two-node", "pingpong"), "setup bytes=(absent): expected")):
    refused(expected, hubsim.run, *words)
refused("machine = 3: expected a name or a file", hubsim.parameters, 3)
refused("pattern = 3: expected a part of a key", hubsim.parameters, "two-node", 3)
refused("-x: no key of two-node has this in it", hubsim.parameters, "two-node", "-x")
refused("seed = 1.5: expected a whole number", hubsim.run, "two-node", seed=1.5)
refused("file = 3: expected a name or a file", hubsim.sweep, 3)
refused("path = None: expected a folder that hubsim has written", hubsim.read, None)
empty = "1: no table in CSV: its first row is empty: expected the names of columns"
for content, expected in (("import x\ncall(a, b)\n", "2: no table in CSV: the row has 2 cells: expected 1, as the first one has"),
                          ("a,b\n\"x\ny\",2\n1\n", "4: no table in CSV: the row has 1 cells: expected 2"),
                          ("", empty), ("\n", empty), ("a\n\"", "2: no table in CSV: unexpected end of data"),
                          ("a,b,a\n", "1: no table in CSV: 'a': expected one column of a name"),
                          ("a\n\udc80\n", "2: byte 0x80: expected text in UTF-8")):
    pathlib.Path("text.py").write_text(content, encoding="utf-8", errors="surrogateescape")
    refused(f"text.py:{expected}", hubsim.read, "text.py")
for content, expected in (("{", "manifest.json:1: "), ("[]", "manifest.json: format = None: expected hubsim result 2"),
                          ("\udc80", "manifest.json:1: byte 0x80: expected text in UTF-8")):
    pathlib.Path("old/manifest.json").write_text(content, encoding="utf-8", errors="surrogateescape")
    refused(f"old/{expected}", hubsim.read, "old")
pathlib.Path("old/manifest.json").unlink()
pathlib.Path("old/statistics.json").write_text('{"format": "hubsim statistics 1", "statistics": [{"unit": "ps"}]}')
refused("old/statistics.json: expected a path, a unit and values of each statistic", hubsim.read, "old")

# Names alone, cells with commas, numbers that are none, and what spreadsheets put in front.
for content, expected in (("a,b\n", {"a": [], "b": []}), ('\ufeffa,b\r\n"x,y",2\r\n', {"a": ["x,y"], "b": [2]}),
                          (f"a,b\n{'9' * 5000},nan\n", {"a": ["9" * 5000], "b": ["nan"]})):
    pathlib.Path("text.csv").write_bytes(content.encode())
    assert hubsim.read("text.csv").columns == expected, content

failed = refused("deadlock", hubsim.run, "deadlock").result
assert len(failed) == 5 and all("deadlock" in why for why in failed["failure"]), failed
END
