"""Rows of measurements for `hubsim fit`, and what the simulator makes of them; results are kept for the next time."""
import concurrent.futures
import csv
import hashlib
import io
import os
import pathlib
import subprocess
import tempfile

NEAR, BELOW, ABOVE = ("eq", "approx", "share", "ratio"), ("le", "ratio_le"), ("ge", "ratio_ge")
BETWEEN = ("between", "ratio_between")


class Problem(Exception):
    """One line for who typed the command."""


def setup(row):
    return dict(word.partition("=")[::2] for word in row["setup"].split(";"))


def number(row, column, place):
    try:
        return float(row[column])
    except ValueError:
        raise Problem(f"{place}: {column} = {row[column]}: expected a number") from None


def interval(row, place):
    """The lowest and the highest value that is no error; None where a row has no such values."""
    relation = row["relation"]
    if relation not in NEAR + BELOW + ABOVE + BETWEEN or row["value"] == "":
        return None
    value, spread = number(row, "value", place), float(setup(row).get("spread_pct", 0)) / 100
    if value <= 0:
        return None
    low = -float("inf") if relation in BELOW else value * (1 - spread)
    high = float("inf") if relation in ABOVE else value * (1 + spread)
    return low, number(row, "value2", place) * (1 + spread) if relation in BETWEEN else high


class Rows:
    """Those of one platform to which values can be fitted."""

    def __init__(self, path, platform):
        with open(path, newline="", encoding="utf-8") as file:
            table = csv.DictReader(file)
            self.columns, found = table.fieldnames or [], [(table.line_num, row) for row in table]
        for column in ("id", "platform", "setup", "relation", "value", "value2", "tolerance_pct"):
            if column not in self.columns:
                raise Problem(f"{path}: no column {column}")
        platforms = sorted({row["platform"] for _, row in found})
        if platform is None and len(platforms) > 1:
            raise Problem(f"{path}: has rows of {', '.join(platforms)}: expected one of them by --of")
        self.platform = platform or (platforms[0] if platforms else "")
        if self.platform not in platforms:
            raise Problem(f"{path}: no row of {self.platform}: expected {' or '.join(platforms)}")
        self.rows, self.bounds, self.tolerance = [], [], []  # without what has no size: orders, places on a grid
        for line, row in found:
            place = f"{path}:{line}: {row['id']}"
            if row["platform"] == self.platform and row.get("role", "primary") != "history":
                self.take(row, interval(row, place), place)

    def take(self, row, bounds, place):
        if bounds is None:
            return
        tolerance = number(row, "tolerance_pct", place) / 100
        if tolerance <= 0:
            raise Problem(f"{place}: tolerance_pct = {row['tolerance_pct']}: expected more than 0")
        self.rows.append(row)
        self.bounds.append(bounds)
        self.tolerance.append(tolerance)

    def ids(self):
        return [row["id"] for row in self.rows]

    def keep(self, numbers):
        everything = (self.rows, self.bounds, self.tolerance)
        self.rows, self.bounds, self.tolerance = ([of[i] for i in numbers] for of in everything)

    def text(self, values=None):
        """As a file of rows; with `values`, these are what was measured."""
        out = io.StringIO()
        table = csv.DictWriter(out, self.columns, lineterminator="\n", extrasaction="ignore")
        table.writeheader()
        for i, row in enumerate(self.rows):
            table.writerow(row if values is None else {**row, "relation": "eq", "value": f"{values[i]:.6g}", "value2": ""})
        return out.getvalue()


def hash_inputs(hubsim, folders):
    """Of all that makes a result beside rows and values: the program and the files of configurations."""
    total = hashlib.sha256(pathlib.Path(hubsim).read_bytes())
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.is_file() and path.suffix in (".yaml", ".csv"):
                total.update(f"{path.relative_to(folder)}\n".encode())
                total.update(path.read_bytes())
    return total.hexdigest()


class Simulator:
    """Asks `hubsim score`, once for each set of values. What was asked before is read from `cache`."""

    def __init__(self, hubsim, system, words, folders, cache, jobs):
        self.hubsim, self.system, self.words, self.jobs = hubsim, system, words, jobs
        self.cache, self.inputs = pathlib.Path(cache), hash_inputs(hubsim, folders)
        self.asked = self.made = 0

    def simulate(self, rows, sets, jobs):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write(rows)
            file.flush()
            words = [self.hubsim, "score", self.system, "--csv", "--rows", file.name, "--jobs", str(jobs), *self.words]
            for one in sets:
                words += ["--set", one]
            run = subprocess.run(words, capture_output=True, text=True, check=False)
        if not run.stdout.startswith("id,"):
            raise Problem((run.stderr.strip() or f"hubsim score ended with {run.returncode}").removeprefix("hubsim: "))
        return run.stdout

    def ask(self, rows, sets, jobs):
        """@return by id the simulated value, None where there is none, and why"""
        words = "\n".join([self.inputs, self.system, rows, *self.words, "--", *sets])
        path = self.cache / (hashlib.sha256(words.encode()).hexdigest() + ".csv")
        self.asked += 1
        if path.exists():
            text = path.read_text(encoding="utf-8")
        else:
            text = self.simulate(rows, sets, jobs)
            self.made += 1
            part = path.with_suffix(f".{os.getpid()}")
            self.cache.mkdir(parents=True, exist_ok=True)
            part.write_text(text, encoding="utf-8")
            part.replace(path)
        table = csv.DictReader(io.StringIO(text))
        return {row["id"]: (float(row["simulated"]) if row["simulated"] else None, row["reason"]) for row in table}

    def ask_all(self, rows, many):
        """The same rows with several sets of values, side by side."""
        with concurrent.futures.ThreadPoolExecutor(max(self.jobs, 1)) as pool:
            return list(pool.map(lambda sets: self.ask(rows, sets, max(1, self.jobs // len(many))), many))

    def params(self, platform):
        """By key: its row of `hubsim params`."""
        words = [self.hubsim, "params", platform, "--csv", *self.words]
        run = subprocess.run(words, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise Problem(run.stderr.strip().removeprefix("hubsim: "))
        return {row["key"]: row for row in csv.DictReader(io.StringIO(run.stdout))}
