"""Counts what a reader of the code has to read: tokens, without comments and white space.

  scripts/size [COMMIT ...]     the files that git knows, as they are now or as of commits

One line for each folder: tokens of C, and of scripts and generators; then all, the share of comments in C (of bytes
that are no white space), and how long functions are: median, 95th percentile and longest, in lines.
"""
import re
import subprocess
import sys
from collections import Counter

FOLDERS = ("sim", "hosts", "tools", "scripts")
C_TOKEN = re.compile(r"""
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<token>"(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | [A-Za-z_]\w* | \.?\d(?:[eEpP][+-]|[\w.])*
     | <<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\# | [^\s\w])
""", re.X | re.S)
# A comment of a shell begins a word; a string may go over lines.
SCRIPT_TOKEN = re.compile(r"""
    (?P<comment>(?:(?<=\s)|^)\#[^\n]*|\"\"\".*?\"\"\")
  | (?P<token>"(?:\\.|[^"\\])*" | [A-Za-z_]\w* | \d[\w.]* | [^\s\w])
""", re.X | re.S | re.M)


def git(*words):
    return subprocess.run(["git", *words], check=True, capture_output=True).stdout


def files(commit):
    """Pairs of path and text."""
    if commit is None:
        for path in git("ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS).decode().splitlines():
            try:
                with open(path, encoding="utf-8") as file:
                    yield path, file.read()
            except FileNotFoundError:  # deleted, and git has not been told
                pass
        return
    for path in git("ls-tree", "-r", "--name-only", commit, *FOLDERS).decode().splitlines():
        yield path, git("show", f"{commit}:{path}").decode()


def functions(text):
    """Lengths in lines: by .clang-format a body's braces stand alone at the beginning of a line."""
    begin = None
    for number, line in enumerate(text.splitlines()):
        if line == "{":
            begin = number
        elif line == "}" and begin is not None:
            yield number - begin - 1
            begin = None


def is_script(path, text):
    return path.endswith((".py", ".sh", ".awk", ".lua", ".bash", ".def")) or text.startswith("#!")


def measure(commit):
    c, scripts, lengths, comments, all_bytes = Counter(), Counter(), [], 0, 0
    for path, text in files(commit):
        folder = path.split("/")[0]
        if path.endswith((".c", ".h")):
            for match in C_TOKEN.finditer(text):
                size = len(re.sub(r"\s", "", match.group()))
                all_bytes += size
                if match.lastgroup == "comment":
                    comments += size
                else:
                    c[folder] += 1
            if path.endswith(".c"):
                lengths += functions(text)
        elif is_script(path, text):
            scripts[folder] += sum(m.lastgroup == "token" for m in SCRIPT_TOKEN.finditer(text))
    print(f"{'folder':10}{'C':>9}{'scripts':>9}   {commit or 'working tree'}")
    for folder in FOLDERS:
        print(f"{folder:10}{c[folder]:9}{scripts[folder]:9}")
    lengths.sort()
    print(f"tokens {c.total() + scripts.total()}, comments {100 * comments / all_bytes:.1f} % of C, functions "
          f"{lengths[len(lengths) // 2]}, {lengths[len(lengths) * 95 // 100]}, {lengths[-1]} lines")
    return c.total() + scripts.total()


def main():
    if len(sys.argv) > 1 and sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return
    first = None
    for commit in sys.argv[1:] or [None]:
        tokens = measure(commit)
        if first is not None:
            print(f"{tokens / first:.4f} of {sys.argv[1]}")
        first = first or tokens


main()
