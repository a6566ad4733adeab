"""Tables of results: columns with units, and folders that hubsim has written."""
from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
import pathlib
import re
import typing

from .program import Error

FORMATS = {"manifest.json": "hubsim result 2", "statistics.json": "hubsim statistics 1"}

# The word of a column's name that is its unit.
UNITS = {"ps": "ps", "ns": "ns", "us": "us", "ms": "ms", "s": "s", "bytes": "bytes", "dw": "dw", "KiB": "KiB", "MiB": "MiB",
         "GiB": "GiB", "MB": "MB", "mm": "mm", "khz": "kHz", "gtps": "GT/s", "kBps": "kB/s", "MBps": "MB/s", "GBps": "GB/s",
         "cycles": "cycles", "credits": "credits", "tlps": "tlps", "symbols": "symbols", "pct": "%", "%": "%"}

WHOLE, NUMBER = re.compile(r"-?\d+"), re.compile(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?")


class Column(list):
    """The values of a column; `unit` is "" where its name says none."""

    def __init__(self, values: typing.Iterable = (), unit: str = ""):
        super().__init__(values)
        self.unit = unit


@dataclasses.dataclass
class Result:
    """A table, and what lies beside it in the folder of a kept result.

    `statistics` has a value for each run, by path; `manifest` says how the result was made. Both are empty for a sweep.
    """
    name: str
    columns: dict[str, Column]
    manifest: dict = dataclasses.field(default_factory=dict, repr=False)
    statistics: dict[str, Column] = dataclasses.field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> Column:
        if name not in self.columns:
            raise KeyError(f"{name}: expected a column of {self.name}: {', '.join(self.columns)}")
        return self.columns[name]

    def __len__(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), ()))

    def __iter__(self) -> typing.Iterator[dict[str, typing.Any]]:
        return iter(self.rows())

    def rows(self) -> list[dict[str, typing.Any]]:
        """A dictionary for each row."""
        return [dict(zip(self.columns, values)) for values in zip(*self.columns.values())]

    def where(self, **equal: typing.Any) -> Result:
        """The rows in which all of these columns have these values."""
        rows = [i for i in range(len(self)) if all(self[name][i] == want for name, want in equal.items())]
        columns = {name: Column((column[i] for i in rows), column.unit) for name, column in self.columns.items()}
        return dataclasses.replace(self, columns=columns)

    def __str__(self) -> str:
        """The table as text, numbers to the right; columns without any value are left out."""
        texts = []
        for name, column in self.columns.items():
            cells = [name, *("" if value is None else str(value) for value in column)]
            width = max(map(len, cells))
            if any(cells[1:]):
                texts.append([cell.ljust(width) if isinstance(column[0], str) else cell.rjust(width) for cell in cells])
        return "\n".join("  ".join(line).rstrip() for line in zip(*texts))


def unit_of(name: str) -> str:
    """The unit in a column's name, such as MB/s in dma_256KiB_MBps; "" without one."""
    return next((UNITS[word] for word in reversed(name.split("_")) if word in UNITS), "")


def values(cells: typing.Sequence[str]) -> list:
    """Numbers where each cell is one, or empty and so None; else the texts."""
    filled = [cell for cell in cells if cell]
    if not filled or not all(map(NUMBER.fullmatch, filled)):
        return list(cells)
    number = int if all(map(WHOLE.fullmatch, filled)) else float
    return [number(cell) if cell else None for cell in cells]


def parse(text: str) -> dict[str, Column]:
    """The columns of a table in CSV."""
    head, *rows = csv.reader(io.StringIO(text), strict=True) if text else [[]]
    if not head:
        raise ValueError("its first row is empty: expected the names of columns")
    for number, row in enumerate(rows, 2):
        if len(row) != len(head):
            raise ValueError(f"row {number} has {len(row)} cells: expected {len(head)}, as the first one has")
    return {name: Column(values([row[i] for row in rows]), unit_of(name)) for i, name in enumerate(head)}


def load(folder: pathlib.Path, name: str) -> dict:
    """A JSON file of a result; {} where it is absent."""
    path = folder / name
    if not path.exists():
        return {}
    content = json.loads(path.read_text())
    if content.get("format") != FORMATS[name]:
        raise Error(f"{path}: format = {content.get('format')}: expected {FORMATS[name]}")
    return content


def read(path: str | os.PathLike) -> Result:
    """A folder that `hubsim run`, `hubrun --out` or `hubsim sweep` has written, or one table in CSV."""
    folder = pathlib.Path(path)
    table = folder / "table.csv" if folder.is_dir() else folder
    if not table.is_file():
        raise Error(f"{table}: no such file: expected a folder that hubsim has written, or a table in CSV")
    manifest, counted = load(table.parent, "manifest.json"), load(table.parent, "statistics.json")
    statistics = {line["path"]: Column(line["values"], line["unit"]) for line in counted.get("statistics", ())}
    name = manifest.get("name", folder.stem)
    try:
        return Result(name, parse(table.read_text()), manifest, statistics)
    except (ValueError, csv.Error) as error:
        raise Error(f"{table}: no table in CSV: {error}") from None
