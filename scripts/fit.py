"""hubsim fit: values of parameters from rows of measurements, and how far the rows fix them.

`hubsim fit` checks its options and calls this. See docs/fit.md.
"""
import argparse
import difflib
import fnmatch
import json
import os
import sys

from fit_rows import NEAR, Problem, Rows, Simulator

try:
    import numpy as np
    import yaml

    import fit_platform
    import fit_solve
except ImportError as error:
    sys.exit(f"hubsim: fit: no {error.name}: expected Debian's python3-scipy and python3-yaml, "
             "or a Python that has them in HUBSIM_PYTHON")

NAMED = 0.1  # a row that fixes a value by less is not among those that it was calibrated to


class Parameter:
    """One value that the fit may choose; several keys may share it."""

    def __init__(self, pattern, low, high, place, params):
        self.pattern, self.low, self.high = pattern, low, high
        self.keys = [key for key in params if fnmatch.fnmatchcase(key, pattern)]
        if not self.keys:
            near = difflib.get_close_matches(pattern.replace("*", "0"), params, 1)
            raise Problem(f"{place}: unknown key{': did you mean ' + near[0] + '?' if near else ''}")
        rows = [params[key] for key in self.keys]
        try:
            lowest, highest = (int(number) for number in rows[0]["range"].split(" .. "))
            values = sorted({int(row["value"]) for row in rows})
        except ValueError:
            raise Problem(f"{place}: {self.keys[0]} = {rows[0]['value']}: expected a key whose values are numbers") from None
        if len(values) > 1:
            raise Problem(f"{place}: keys have several values, {values[0]} to {values[-1]}: expected one to begin with")
        if not lowest <= low < high <= highest:
            raise Problem(f"{place}: range {low} .. {high}: expected the lower end first, within {lowest} .. {highest}")
        self.value, self.unit = min(max(values[0], low), high), rows[0]["unit"]
        self.before = values[0]

    def at(self, share):
        return round(self.low + share * (self.high - self.low))

    def share(self):
        return (self.value - self.low) / (self.high - self.low)


def read_ranges(options):
    """@return (pattern, low, high, place) of --ranges and --free"""
    found = []
    if options["ranges"]:
        found += read_file(options["ranges"])
    for text in options["free"]:
        key, _, ends = text.partition("=")
        found.append((key, *whole(ends.split(".."), f"--free {text}"), f"--free {text}"))
    if not found and not options["make_rows"]:
        raise Problem("nothing is free: expected --free KEY=LOW..HIGH or --ranges FILE")
    return found


def whole(ends, place):
    try:
        low, high = (int(str(end).replace("_", "")) for end in ends)
    except (TypeError, ValueError):
        raise Problem(f"{place}: expected two whole numbers, the lowest and the highest value") from None
    return low, high


def read_file(path):
    try:
        with open(path, encoding="utf-8") as file:
            tree = yaml.compose(file)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise Problem(f"{path}:{mark.line + 1 if mark else 1}: {getattr(error, 'problem', error)}") from None
    if not isinstance(tree, yaml.MappingNode):
        raise Problem(f"{path}: expected lines KEY: [LOW, HIGH]")
    found = []
    for name, ends in tree.value:
        place = f"{path}:{name.start_mark.line + 1}: {name.value}"
        pair = [end.value for end in ends.value] if isinstance(ends, yaml.SequenceNode) else None
        found.append((name.value, *whole(pair, place), place))
    return found


class Fit:
    """The simulator as a function of shares of ranges."""

    def __init__(self, options):
        path = options["rows"] or options["published"]
        self.rows = Rows(path, options["of"])
        self.platform = options["platform"] or self.rows.platform
        self.simulator = Simulator(options["hubsim"], options["system"], options["words"], options["roots"],
                                   options["cache"], options["jobs"])
        params = self.simulator.params(self.platform)
        self.parameters = [Parameter(*one, params) for one in read_ranges(options)]
        self.check_overlap()
        self.stride, self.jobs, self.left = options["step_pct"] / 100, options["jobs"], []

    def check_overlap(self):
        seen = {}
        for p in self.parameters:
            for key in p.keys:
                if key in seen:
                    raise Problem(f"{p.pattern}: {key} is free by {seen[key]} already: expected it once")
                seen[key] = p.pattern

    def sets(self, at):
        return [f"{p.pattern}={p.at(share)}" for p, share in zip(self.parameters, at)]

    def begin(self):
        return np.array([p.share() for p in self.parameters])

    def target(self):
        low, high = zip(*self.rows.bounds)
        return fit_solve.Target(low, high, self.rows.tolerance, [row["relation"] in NEAR for row in self.rows.rows])

    def values(self, scores):
        """In the order of rows; raises the first that has none."""
        for name in self.rows.ids():
            if scores[name][0] is None:
                raise Problem(f"{name}: {scores[name][1] or 'no value'}")
        return np.array([scores[name][0] for name in self.rows.ids()])

    def ask_both(self, at):
        """A little below and above in each value, and by how much."""
        ends, moved = [], []
        for i in range(len(at)):
            pair = [at.copy(), at.copy()]
            pair[0][i], pair[1][i] = max(0, at[i] - self.stride), min(1, at[i] + self.stride)
            first, second = (self.parameters[i].at(end[i]) for end in pair)
            moved.append((second - first) / (self.parameters[i].high - self.parameters[i].low))
            ends += [self.sets(end) for end in pair]
        return self.simulator.ask_all(self.rows.text(), ends), moved

    def measure(self, at):
        return self.values(self.simulator.ask(self.rows.text(), self.sets(at), self.jobs))

    def measure_slopes(self, at, _=None):
        scores, moved = self.ask_both(at)
        ends = [self.values(one) for one in scores]
        return np.array([(ends[2 * i + 1] - ends[2 * i]) / step if step else 0 * ends[0] for i, step in enumerate(moved)]).T

    def keep_run_rows(self):
        scores = self.simulator.ask(self.rows.text(), self.sets(self.begin()), self.jobs)
        ids = self.rows.ids()
        self.left = [f"{name}: {scores[name][1]}" for name in ids if scores[name][0] is None]
        self.rows.keep([i for i, name in enumerate(ids) if scores[name][0] is not None])
        if not self.rows.rows:
            raise Problem(f"{self.platform}: no row to fit to")

    def keep_useful_rows(self):
        """Rows that cannot be run, and rows that no free value moves, take no part."""
        self.keep_run_rows()
        slopes = self.measure_slopes(self.begin())
        for p, column in zip(self.parameters, slopes.T):
            if not column.any():
                raise Problem(f"{p.pattern}: no row depends on it between {p.low} and {p.high}: "
                              "expected a row that does, or one free value less")
        moved = np.flatnonzero(slopes.any(axis=1))
        self.rows.keep(moved)
        if len(moved) < len(self.parameters):
            raise Problem(f"too few rows: {len(moved)} depend on what is free, expected {len(self.parameters)} or more")

    def accuracy(self):
        """Half of a unit of the finest value."""
        return 0.5 / max(p.high - p.low for p in self.parameters)


def table(head, rows):
    """Columns of text to the left, of numbers to the right."""
    cells = [head] + [[str(cell) for cell in row] for row in rows]
    width = [max(len(row[i]) for row in cells) for i in range(len(head))]
    right = [all(row[i] == "" or row[i].lstrip("+-")[:1].isdigit() for row in cells[1:]) for i in range(len(head))]
    for row in cells:
        print("  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, width, right)).rstrip())


class Answer:
    """Values with intervals, rows with errors, and what is left in doubt."""

    def __init__(self, fit, at, simulated, slopes, costs):
        self.fit, self.simulated, self.costs = fit, simulated, costs
        self.target, self.slopes, self.at = fit.target(), slopes, at
        self.sure = fit_solve.Certainty(self.target, simulated, slopes)
        self.shares, reach = self.sure.shares(), self.sure.reach()
        self.values = [p.at(share) for p, share in zip(fit.parameters, at)]
        self.ends = [(p.at(max(0, a - r)), p.at(min(1, a + r))) for p, a, r in zip(fit.parameters, at, reach)]

    def fixed_by(self, i):
        """Rows with a good part in a value, the largest first."""
        ids, parts = self.fit.rows.ids(), self.shares[:, i]
        order = sorted(range(len(ids)), key=lambda row: (-round(parts[row], 6), row))
        return [(ids[row], parts[row]) for row in order if parts[row] >= NAMED or row == order[0]]

    def left_out(self, rows):
        return self.target.errors(self.predicted(rows))[rows] * 100

    def predicted(self, rows):
        whole_rows = self.simulated.copy()
        whole_rows[rows] = fit_solve.leave_out(self.target, self.simulated, self.slopes, self.at, rows)
        return whole_rows

    def alone(self, rows):
        """Values that nothing but these rows fixes."""
        parts = self.shares[rows].sum(axis=0)
        return [p.pattern for p, part in zip(self.fit.parameters, parts) if part >= fit_solve.ALONE]

    def series(self):
        groups = {}
        for i, name in enumerate(self.fit.rows.ids()):
            groups.setdefault(name.rpartition(".")[0] or name, []).append(i)
        return groups

    def rows_left_out(self):
        """By row: id, published, simulated, error, error when left out, values that it alone fixes."""
        errors = self.target.errors(self.simulated) * 100
        for i, row in enumerate(self.fit.rows.rows):
            yield row, self.simulated[i], errors[i], self.left_out([i])[0], self.alone([i])

    def series_left_out(self):
        errors = self.target.errors(self.simulated) * 100
        for name, rows in self.series().items():
            yield name, len(rows), rms(errors[rows]), rms(self.left_out(rows)), self.alone(rows)

    def document(self):
        """For programs."""
        fit = self.fit
        return {
            "platform": fit.platform,
            "cost": self.costs,
            "parameters": [{"key": p.pattern, "before": p.before, "value": v, "low": e[0], "high": e[1], "unit": p.unit,
                            "range": [p.low, p.high], "fixed_by": dict((n, round(s, 4)) for n, s in self.fixed_by(i))}
                           for i, (p, v, e) in enumerate(zip(fit.parameters, self.values, self.ends))],
            "alike": [{fit.parameters[i].pattern: round(m * self.wide(i)) for i, m in enumerate(move) if m}
                      for _, move in self.sure.alike()],
            "rows": [{"id": row["id"], "simulated": s, "error_pct": round(e, 4), "left_out_pct": round(o, 4),
                      "alone_fixes": a}
                     for row, s, e, o, a in self.rows_left_out()],
            "series": [{"series": name, "rows": n, "error_pct": round(e, 4), "left_out_pct": round(o, 4), "alone_fixes": a}
                       for name, n, e, o, a in self.series_left_out()],
        }

    def wide(self, i):
        return self.fit.parameters[i].high - self.fit.parameters[i].low

    def print_values(self):
        table(["key", "before", "value", "low", "high", "unit", "fixed by"],
              [[p.pattern, p.before, v, *e, p.unit, "{} {:.0%}".format(*self.fixed_by(i)[0])]
               for i, (p, v, e) in enumerate(zip(self.fit.parameters, self.values, self.ends))])
        for p, value, ends in zip(self.fit.parameters, self.values, self.ends):
            if ends == (p.low, p.high):
                print(f"{p.pattern}: the rows do not fix it within its range")
            elif value in (p.low, p.high):
                print(f"{p.pattern}: at an end of its range")

    def print_alike(self):
        for _, move in self.sure.alike():
            moves = [f"{self.fit.parameters[i].pattern} {m * self.wide(i):+.0f}" for i, m in enumerate(move) if m]
            print(f"the rows cannot decide between: {' with '.join(moves)}")

    def print_all(self):
        self.print_values()
        self.print_alike()
        print()
        table(["id", "measured", "simulated", "error_pct", "left_out_pct", "alone fixes"],
              [[row["id"], measured(row), f"{s:.5g}", percent(e), "" if a else percent(o), ", ".join(a)]
               for row, s, e, o, a in self.rows_left_out()])
        print()
        table(["series", "rows", "rms_error_pct", "rms_left_out_pct", "alone fixes"],
              [[name, n, percent(e), "" if a else percent(o), ", ".join(a)] for name, n, e, o, a in self.series_left_out()])
        steps = len(self.costs) - 1
        print(f"\nsum of squares, in tolerances: {self.costs[0]:.3f} before, {self.costs[-1]:.3f} "
              f"after {steps} step{'s' if steps != 1 else ''}")
        for word in self.fit.sets(self.at):
            print(f"--set '{word}'")


def measured(row):
    return row["value"] + (".." + row["value2"] if row["value2"] else "")


def percent(error):
    return f"{round(error, 2) + 0:.2f}"  # + 0: of -0.00 as well


def rms(errors):
    return float(np.sqrt(np.mean(np.square(errors))))


def write_platform(answer, options, path):
    fitted = {}
    for i, (p, value) in enumerate(zip(answer.fit.parameters, answer.values)):
        for key in p.keys:
            fitted[key.partition(".")[2]] = (value, [name for name, _ in answer.fixed_by(i)])
    fit_platform.write(path, options["out"], fitted)


def find_platform(name, roots):
    places = [name] + [os.path.join(root, "platforms", name + ".yaml") for root in roots]
    return next(path for path in places if os.path.isfile(path))


def read_options(words):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("hubsim", "system", "published", "rows", "of", "platform", "ranges", "cache", "out", "make-rows"):
        parser.add_argument("--" + name)
    for name in ("jobs", "rounds", "step-pct"):
        parser.add_argument("--" + name, type=int)
    for name in ("free", "roots"):
        parser.add_argument("--" + name, action="append", default=[])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("words", nargs="*")
    return vars(parser.parse_args(words))


def main(options):
    fit = Fit(options)
    if options["make_rows"]:
        fit.keep_run_rows()
        values = fit.values(fit.simulator.ask(fit.rows.text(), [], fit.jobs))
        with open(options["make_rows"], "w", encoding="utf-8") as file:
            file.write(fit.rows.text(values))
        return
    fit.keep_useful_rows()
    found = fit_solve.minimise(fit.measure, fit.measure_slopes, fit.target(), fit.begin(), options["rounds"], fit.accuracy())
    answer = Answer(fit, *found)
    if options["json"]:
        print(json.dumps(answer.document(), indent=2))
    else:
        answer.print_all()
    sys.stdout.flush()
    for reason in fit.left:
        print(f"hubsim: left out: {reason}", file=sys.stderr)
    print(f"hubsim: {fit.simulator.asked} sets of values, {fit.simulator.made} simulated, "
          f"the others from {options['cache']}", file=sys.stderr)
    if options["out"]:
        write_platform(answer, options, find_platform(fit.platform, options["roots"]))


if __name__ == "__main__":
    try:
        main(read_options(sys.argv[1:]))
    except Problem as problem:
        sys.exit(f"hubsim: {problem}")
    except OSError as error:
        sys.exit(f"hubsim: {error.filename}: {error.strerror}")
    except KeyboardInterrupt:
        sys.exit(130)
