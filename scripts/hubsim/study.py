"""What is run: a machine, a workload on it, or a file of either."""
from __future__ import annotations

import json
import numbers
import os
import pathlib
import tempfile
import typing

from .program import Error, call, expect
from .result import Result, parse, read

Values = typing.Mapping[str, typing.Any]
Name = typing.Union[str, os.PathLike]


class Parameter(typing.NamedTuple):
    """A parameter of a machine, as `hubsim params` shows it; a workload's has no source, and None without a default."""
    value: typing.Any
    unit: str
    range: str
    source: str
    calibrated: str
    meaning: str


def parameter_of(line: dict) -> Parameter:
    if "values" in line:  # of a workload
        return Parameter(line["default"] or None, line["unit"], line["values"], "", "", line["meaning"])
    return Parameter(**line)


def word_of(value: typing.Any) -> str:
    """A name or a file as hubsim takes it, where a path without a slash is one, too; "": it is neither."""
    if isinstance(value, str):
        return value
    text = os.fspath(value) if isinstance(value, os.PathLike) else ""
    return text if is_path(text) or not text else f"./{text}"


def name_of(name: str, value: typing.Any, what: str) -> str:
    word = word_of(value)
    expect(word, name, value, what)
    return word


def names_of(machine: typing.Any) -> list[str]:
    several = isinstance(machine, typing.Sequence) and not isinstance(machine, (str, bytes))
    words = [word_of(one) for one in (machine if several else [machine])]
    expect(words and all(words), "machine", machine, "a name, a file, or a list of them")
    return words


def expect_values(name: str, values: typing.Any) -> None:
    expect(values is None or isinstance(values, typing.Mapping), name, values, "a dictionary of keys and values, or None")


def is_path(name: str) -> bool:
    return "/" in name or name.endswith(".yaml")


def absolute(name: str) -> str:
    return os.path.abspath(name) if is_path(name) else name


def stem(name: str) -> str:
    return os.path.basename(name).removesuffix(".yaml")


def plain(value: typing.Any) -> typing.Any:
    """What JSON has no word for: paths, arrays and numbers of NumPy, ranges and other series of values."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    expect(isinstance(value, typing.Iterable), "value", value, "a number, a text, or a list of them")
    return list(value)


def options(settings: Values | None) -> list[str]:
    return [word for key, value in (settings or {}).items() for word in ("--set", f"{key}={value}")]


def run_file(name: str, settings: Values | None, seed: int, folder: str) -> Result:
    _, failure = call("run", *options(settings), "--seed", str(seed), "--out", folder, "--", name)
    kept = os.path.join(folder, stem(name))
    result = read(kept) if os.path.exists(kept) else None
    if failure is not None:
        raise Error(failure, result)
    return result


def sweep(file: str | os.PathLike, out: str | os.PathLike = "out") -> Result:
    """Runs each point of a sweep, a name or a file; OUT/NAME keeps them, so that a later call goes on after a kill.

    Raises Error when the file is wrong or a point fails.
    """
    name = name_of("file", file, "a name or a file")
    expect(isinstance(out, (str, os.PathLike)), "out", out, "a folder")
    text, failure = call("sweep", "--csv", "--out", os.fspath(out), "--", name)
    result = Result(stem(name), parse(text, name)) if text else None
    if failure is not None:
        raise Error(failure, result)
    return result


def run(machine: Name | typing.Sequence[Name], workload: Name | None = None, params: Values | None = None,
        settings: Values | None = None, *, seed: int = 1) -> Result:
    """Runs a workload on a machine, and returns a row for each point.

    `machine` is a name or a file, or a list of them. `workload` is a name, or the path of a program of hubcc, which gets
    `params` as arguments key=value. `params` are the keys of its setup, `settings` parameters of the machine as for --set.
    Lists of values in either give the cross product, as in a sweep. Without a workload a machine gives ping-pong by
    distance, and an experiment its curves, both with statistics. Raises Error when an input is wrong or a point fails.
    """
    machines = names_of(machine)
    if workload is not None:
        workload = name_of("workload", workload, "a name, or the path of a program")
    expect(isinstance(seed, numbers.Integral), "seed", seed, "a whole number")
    expect_values("params", params)
    expect_values("settings", settings)
    with tempfile.TemporaryDirectory(prefix="hubsim-") as folder:
        if workload is None:
            if params or len(machines) > 1:
                raise Error("without a workload: expected one machine or experiment, and no params")
            return run_file(machines[0], settings, seed, folder)
        what, keys = ("program", "args") if is_path(workload) else ("workload", "setup")
        study = {what: absolute(workload), "machine": [absolute(name) for name in machines], "seed": seed,
                 keys: params, "set": settings}
        file = pathlib.Path(folder, f"{stem(workload)}.yaml")
        study = {key: value for key, value in study.items() if value is not None}
        file.write_text(json.dumps(study, indent=1, default=plain), encoding="utf-8")
        try:
            return sweep(file, folder)
        except Error as error:
            raise Error(str(error).replace(f"{folder}/", ""), error.result) from None


def parameters(machine: Name, pattern: str = "", settings: Values | None = None) -> dict[str, Parameter]:
    """The parameters in force of a machine or platform whose keys have `pattern` in them, each with its unit.

    The name of a workload, or of a program that describes itself, gives the keys of its setup, each with its default.
    """
    name = name_of("machine", machine, "a name or a file")
    expect(isinstance(pattern, str), "pattern", pattern, "a part of a key")
    expect_values("settings", settings)
    text, failure = call("params", "--json", *options(settings), "--", name, *([pattern] if pattern else []))
    if failure is not None:
        raise Error(failure)
    return {line.pop("key"): parameter_of(line) for line in json.loads(text)}
