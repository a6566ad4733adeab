"""Reads calls.def, the table of MPI's functions; its head says how rows are written."""
import re

C_TYPES = {"logical": "int", "attribute": "void", "C_PTR": "void"}


class Argument:
    """`form`: "", "*", "[]" or "[][3]"; `mark`: "", "*" or "&"; `fortran`: its name in mpi_f08."""

    def __init__(self, word, kinds):
        self.mark, self.name, kind, fortran = re.fullmatch(r"([*&]?)([\w.]+)(?::([^=]+))?(?:=(\w+))?", word).groups()
        usual, usual_fortran = kinds.get(self.name, ("int", self.name))
        self.base, self.form = re.fullmatch(r"(.*?)(\*|\[\]|\[\]\[3\]|)", kind or usual).groups()
        self.fortran = fortran or usual_fortran
        self.is_function = self.base.endswith("_function")
        if self.is_function or self.base in ("attribute", "C_PTR"):
            self.form = "*"
        self.is_buffer = self.base == "void"
        self.is_array = self.form.startswith("[")
        self.is_value = not self.form and not self.mark
        self.is_place = not self.form and self.mark != ""
        self.is_const = self.form in ("*", "[]") and not self.mark and not self.is_function and self.base != "attribute"

    def c_type(self):
        """Without the brackets of an array."""
        const = "const " if self.is_const else ""
        return const + C_TYPES.get(self.base, self.base) + (" *" if self.form == "*" or self.is_place else " ")

    def prototype(self):
        return "..." if self.name == "..." else self.c_type() + self.name + (self.form if self.is_array else "")


class Call:
    """`special`, `any_time`, `framed`, `free`: marked with !, ~, @ and $; `section`: of calls.def; `given`: words
    behind =>."""

    def __init__(self, name, arguments, result, section, given=()):
        self.name, self.arguments, self.result, self.section = name.lstrip("~!@$"), arguments, result, section
        self.special, self.any_time, self.framed, self.free = (mark in name for mark in "!~@$")
        self.given = given
        self.is_there = section != "absent"

    def prototype(self, prefix):
        parameters = ", ".join(a.prototype() for a in self.arguments)
        return f"{self.result} {prefix}{self.name}({parameters or 'void'})"


def conversions(word):
    """Between handles of C and Fortran; a word is KIND[:TYPE]."""
    kind, _, handle = word.partition(":")
    handle = handle or "MPI_" + kind
    yield Call(kind + "_c2f", [Argument("handle:" + handle, {})], "MPI_Fint", "handles")
    yield Call(kind + "_f2c", [Argument("handle:MPI_Fint", {})], handle, "handles")


def row_calls(line, kinds, section, before):
    names, _, rest = line.partition(":")
    rest, _, given = rest.partition("=>")
    words, _, result = rest.partition("->")
    arguments, given = [], given.split()
    for word in words.split():
        same = [call for call in before if "=" + call.name == word]
        arguments += same[0].arguments if same else [Argument(word, kinds)]
        given = given or (same[0].given if same else [])
    blocking, _, others = names.partition("+")
    for name in blocking.split():
        yield Call(name, arguments, result.strip() or "int", section, given)
    for name in others.split():
        yield Call(name, arguments + [Argument("*request", kinds)], "int", section, given)


def read_calls(path):
    kinds, calls, section = {}, [], None
    with open(path, encoding="ascii") as table:
        for line in table:
            line = line.split("#")[0].strip()
            if line.startswith("["):
                section = line.strip("[]")
            elif section == "kinds" and line:
                kind, _, names = line.partition(":")
                for name, _, fortran in (word.partition("=") for word in names.split()):
                    kinds[name] = kind, fortran or name
            elif section == "handles":
                calls += (call for word in line.split() for call in conversions(word))
            elif line:
                calls += list(row_calls(line, kinds, section, calls))
    return calls
