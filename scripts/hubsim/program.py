"""The program `hubsim`: where it is, and what it says when it fails."""
from __future__ import annotations

import pathlib
import shutil
import subprocess
import typing

if typing.TYPE_CHECKING:
    from .result import Result


class Error(Exception):
    """What hubsim said: of an input, file, line, key, value and what was expected.

    `result` has the table of a study some of whose points failed: its column `failure` says why. It is None where nothing
    has run.
    """

    def __init__(self, message: str, result: Result | None = None):
        super().__init__(message)
        self.result = result


def expect(right: typing.Any, name: str, value: typing.Any, what: str) -> None:
    if not right:
        raise Error(f"{name} = {value!r}: expected {what}")


def beside(package: pathlib.Path) -> pathlib.Path | None:
    """Where the program is of the installation or build that holds this folder; None: it is in neither."""
    if package.parts[-4:-1] != ("lib", "python3", "dist-packages"):
        return None
    return package.parents[3] / "bin" / "hubsim"


def find() -> str:
    """The program of this package's own installation or build; without one, that in the PATH."""
    own = beside(pathlib.Path(__file__).absolute().parent)
    found = str(own) if own is not None and own.is_file() else shutil.which("hubsim")
    if found is None:
        raise Error("hubsim: not found: expected the program in the PATH" + (f", or at {own}" if own is not None else ""))
    return found


def call(*words: str) -> tuple[str, str | None]:
    """What `hubsim WORD...` has printed, and its message if it failed."""
    program = find()
    try:
        done = subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              errors="backslashreplace")
    except (OSError, ValueError) as error:  # it cannot run, or a word cannot be one of a command
        raise Error(f"{program} {' '.join(map(ascii, words))}: {error}") from None
    if done.returncode == 0:
        return done.stdout, None
    lines = [line.removeprefix("hubsim: ") for line in done.stderr.splitlines()]
    return done.stdout, "\n".join(lines) or f"hubsim {words[0]} ended with status {done.returncode}"


def version() -> str:
    """What `hubsim --version` calls its version."""
    printed, failure = call("--version")
    if failure is not None:
        raise Error(failure)
    return printed.split()[1]
