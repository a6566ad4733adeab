"""Lists the functions that gcov never saw called; see scripts/coverage."""
import json
import os
import subprocess
import sys
from collections import defaultdict


def counted(build):
    """What gcov knows of each source that a .gcno file of the build names."""
    notes = [os.path.join(path, name) for path, _, names in os.walk(build) for name in names if name.endswith(".c.gcno")]
    for first in range(0, len(notes), 50):
        command = ["gcov", "--json-format", "--stdout", *notes[first:first + 50]]
        for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
            yield from json.loads(line)["files"]


def main(build, *folders):
    folders = folders or ("sim", "hosts", "tools")
    root, calls = os.getcwd() + "/", defaultdict(int)
    for source in counted(build):
        path = source["file"].removeprefix(root)
        if path.endswith(".c") and path.startswith(tuple(folder.rstrip("/") + "/" for folder in folders)):
            for function in source["functions"]:
                calls[path, function["start_line"], function["name"]] += function["execution_count"]
    missing = sorted(place for place, count in calls.items() if count == 0)
    for path, line, name in missing:
        print(f"{path}:{line} {name}")
    print(f"{len(missing)} of {len(calls)} functions are called by no test")


main(*sys.argv[1:])
