"""Tables of results: columns with units, and folders that hubsim has written."""
from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
import os
import pathlib
import re
import typing

from .program import Error, expect

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


def is_number(cell: str) -> bool:
    """Is it a number that Python can hold?"""
    return NUMBER.fullmatch(cell) is not None and math.isfinite(float(cell))


def values(cells: typing.Sequence[str]) -> list:
    """Numbers where each cell is one, or empty and so None; else the texts."""
    filled = [cell for cell in cells if cell]
    if not filled or not all(map(is_number, filled)):
        return list(cells)
    number = int if all(map(WHOLE.fullmatch, filled)) else float
    return [number(cell) if cell else None for cell in cells]


def parse(text: str, name: str) -> dict[str, Column]:
    """The columns of a table in CSV; messages begin with `name` and a line."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)

    def fail(what: typing.Any) -> typing.NoReturn:
        raise Error(f"{name}:{max(reader.line_num, 1)}: no table in CSV: {what}") from None

    rows = []
    try:
        for row in reader:
            rows.append(row)
            if not rows[0]:
                fail("its first row is empty: expected the names of columns")
            if len(set(rows[0])) < len(rows[0]):
                fail(f"{next(cell for cell in row if row.count(cell) > 1)!r}: expected one column of a name")
            if len(row) != len(rows[0]):
                fail(f"the row has {len(row)} cells: expected {len(rows[0])}, as the first one has")
    except csv.Error as error:
        fail(error)
    if not rows:
        fail("its first row is empty: expected the names of columns")
    head, *rows = rows
    return {column: Column(values([row[i] for row in rows]), unit_of(column)) for i, column in enumerate(head)}


def text_of(path: pathlib.Path) -> str:
    """What a file of hubsim holds; spreadsheets put a mark of the order of bytes in front."""
    try:
        content = path.read_bytes()
        return content.decode("utf-8-sig")
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Error(f"{path}:{line}: byte 0x{content[error.start]:02x}: expected text in UTF-8") from None


def load(folder: pathlib.Path, name: str) -> dict:
    """A JSON file of a result; {} where it is absent."""
    path = folder / name
    if not path.exists():
        return {}
    try:
        content = json.loads(text_of(path))
    except json.JSONDecodeError as error:
        raise Error(f"{path}:{error.lineno}: {error.msg}: expected JSON that hubsim has written") from None
    form = content.get("format") if isinstance(content, dict) else None
    if form != FORMATS[name]:
        raise Error(f"{path}: format = {form}: expected {FORMATS[name]}")
    return content


def read(path: str | os.PathLike) -> Result:
    """A folder that `hubsim run`, `hubrun --out` or `hubsim sweep` has written, or one table in CSV."""
    expect(isinstance(path, (str, os.PathLike)), "path", path, "a folder that hubsim has written, or a table in CSV")
    folder = pathlib.Path(path)
    table = folder / "table.csv" if folder.is_dir() else folder
    if not table.is_file():
        raise Error(f"{table}: no such file: expected a folder that hubsim has written, or a table in CSV")
    manifest, counted = load(table.parent, "manifest.json"), load(table.parent, "statistics.json")
    try:
        statistics = {line["path"]: Column(line["values"], line["unit"]) for line in counted.get("statistics", ())}
    except (KeyError, TypeError):
        raise Error(f"{table.parent / 'statistics.json'}: expected a path, a unit and values of each statistic") from None
    return Result(manifest.get("name", folder.stem), parse(text_of(table), str(table)), manifest, statistics)
