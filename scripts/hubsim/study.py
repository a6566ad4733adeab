"""What is run: a machine, a workload on it, or a file of either."""
from __future__ import annotations

import json
import os
import pathlib
import tempfile
import typing

from .program import Error, call
from .result import Result, parse, read

Values = typing.Mapping[str, typing.Any]


class Parameter(typing.NamedTuple):
    """A parameter of a machine, as `hubsim params` shows it."""
    value: typing.Any
    unit: str
    range: str
    source: str
    calibrated: str
    meaning: str


def expect(right: typing.Any, name: str, value: typing.Any, what: str) -> None:
    if not right:
        raise Error(f"{name} = {value!r}: expected {what}")


def expect_names(machine: typing.Any) -> None:
    names = [machine] if isinstance(machine, str) else machine
    right = isinstance(names, typing.Sequence) and names and all(isinstance(name, str) and name for name in names)
    expect(right, "machine", machine, "a name, a file, or a list of them")


def expect_values(name: str, values: typing.Any) -> None:
    expect(values is None or isinstance(values, typing.Mapping), name, values, "a dictionary of keys and values, or None")


def is_path(name: str) -> bool:
    return "/" in name or name.endswith(".yaml")


def absolute(name: str) -> str:
    return os.path.abspath(name) if is_path(name) else name


def stem(name: str) -> str:
    return os.path.basename(name).removesuffix(".yaml")


def options(settings: Values | None) -> list[str]:
    return [word for key, value in (settings or {}).items() for word in ("--set", f"{key}={value}")]


def run_file(name: str, settings: Values | None, seed: int, folder: str) -> Result:
    _, failure = call("run", name, *options(settings), "--seed", str(seed), "--out", folder)
    kept = os.path.join(folder, stem(name))
    result = read(kept) if os.path.exists(kept) else None
    if failure is not None:
        raise Error(failure, result)
    return result


def sweep(file: str | os.PathLike, out: str | os.PathLike = "out") -> Result:
    """Runs each point of a sweep, a name or a file; OUT/NAME keeps them, so that a later call goes on after a kill.

    Raises Error when the file is wrong or a point fails.
    """
    name = os.fspath(file)
    text, failure = call("sweep", name, "--csv", "--out", os.fspath(out))
    result = Result(stem(name), parse(text)) if text else None
    if failure is not None:
        raise Error(failure, result)
    return result


def run(machine: str | typing.Sequence[str], workload: str | None = None, params: Values | None = None,
        settings: Values | None = None, *, seed: int = 1) -> Result:
    """Runs a workload on a machine, and returns a row for each point.

    `machine` is a name or a file, or a list of them. `workload` is a name, or the path of a program of hubcc, which gets
    `params` as arguments key=value. `params` are the keys of its setup, `settings` parameters of the machine as for --set.
    Lists of values in either give the cross product, as in a sweep. Without a workload a machine gives ping-pong by
    distance, and an experiment its curves, both with statistics. Raises Error when an input is wrong or a point fails.
    """
    expect_names(machine)
    expect(workload is None or isinstance(workload, str), "workload", workload, "a name, or the path of a program")
    expect_values("params", params)
    expect_values("settings", settings)
    with tempfile.TemporaryDirectory(prefix="hubsim-") as folder:
        if workload is None:
            if params or not isinstance(machine, str):
                raise Error("without a workload: expected one machine or experiment, and no params")
            return run_file(machine, settings, seed, folder)
        machines = [machine] if isinstance(machine, str) else machine
        what, keys = ("program", "args") if is_path(workload) else ("workload", "setup")
        study = {what: absolute(workload), "machine": [absolute(name) for name in machines], "seed": seed,
                 keys: params, "set": settings}
        file = pathlib.Path(folder, f"{stem(workload)}.yaml")
        file.write_text(json.dumps({key: value for key, value in study.items() if value is not None}, indent=1, default=list))
        try:
            return sweep(file, folder)
        except Error as error:
            raise Error(str(error).replace(f"{folder}/", ""), error.result) from None


def parameters(machine: str, pattern: str = "", settings: Values | None = None) -> dict[str, Parameter]:
    """The parameters in force of a machine or platform whose keys have `pattern` in them, each with its unit."""
    expect(isinstance(machine, str), "machine", machine, "a name or a file")
    expect(isinstance(pattern, str), "pattern", pattern, "a part of a key")
    expect_values("settings", settings)
    words = [machine, pattern] if pattern else [machine]
    text, failure = call("params", *words, "--json", *options(settings))
    if failure is not None:
        raise Error(failure)
    return {line.pop("key"): Parameter(**line) for line in json.loads(text)}
