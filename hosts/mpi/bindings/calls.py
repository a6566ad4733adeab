"""Reads calls.def, the table of MPI's functions; its head says how rows are written."""
import re
import sys

C_TYPES = {"logical": "int", "attribute": "void", "C_PTR": "void"}

# What an argument or a result may have, without the brackets and stars behind it.
TYPES = ["void", "char", "int", "const int", "double", "logical", "attribute", "C_PTR"]
TYPES += ["MPI_" + name for name in (
    "Aint Count Offset Fint Status F08_status Comm Group Datatype Request Message Op Info Win File Errhandler"
    " User_function Handler_function Copy_function Delete_function"
    " Comm_errhandler_function Win_errhandler_function File_errhandler_function"
    " Comm_copy_attr_function Win_copy_attr_function Type_copy_attr_function"
    " Comm_delete_attr_function Win_delete_attr_function Type_delete_attr_function"
    " Grequest_query_function Grequest_free_function Grequest_cancel_function"
    " Datarep_conversion_function Datarep_extent_function").split()]

SECTIONS = "kinds calls dropped C handles absent".split()


class Family:
    """Calls whose arguments one function gets: mpi_do_FAMILY(), in struct `structure`. `prefix`: of the constants that
    the first word behind the family's name means; `words`: how many of them there may be."""

    def __init__(self, structure, prefix, words):
        self.structure, self.prefix, self.words = structure, prefix, words


FAMILIES = {
    "coll": Family("mpi_sides", "MPI_COLL_", (1, 2)),
    "rma": Family("mpi_rma_call", "MPI_WIN_", (1, 1)),
    "file": Family("mpi_file_call", "MPI_FILE_", (0, 0)),
    "win": Family("mpi_win_making", "MPI_WIN_FLAVOR_", (1, 1)),
}


class BadRow(Exception):
    """What is wrong with a row, and what was expected."""


def split_row(pattern, text, expected):
    """The groups of the pattern, which is to fit all of the text."""
    match = re.fullmatch(pattern, text)
    if match is None:
        raise BadRow(f"{text}: expected {expected}")
    return match.groups()


def check_type(name):
    if name.rstrip("*") not in TYPES:
        raise BadRow(f"{name}: expected a type: {', '.join(TYPES)}")


class Argument:
    """`form`: "", "*", "[]" or "[][3]"; `mark`: "", "*" or "&"; `fortran`: its name in mpi_f08."""

    def __init__(self, word, kinds):
        self.mark, self.name, kind, fortran = split_row(
            r"([*&]?)(\w+|\.\.\.)(?::([^:=]+))?(?:=(\w+))?", word, "an argument: NAME[:TYPE][=NAME], with * or & or nothing before it")
        if kind is None and self.name not in kinds:
            raise BadRow(f"{word}: expected a name of [kinds], or NAME:TYPE")
        usual, usual_fortran = kinds.get(self.name, (None, self.name))
        self.base, self.form = re.fullmatch(r"(.*?)(\*|\[\]|\[\]\[3\]|)", kind or usual).groups()
        check_type(self.base)
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
        marks, self.name = split_row(r"([~!@$]*)([A-Z]\w*)", name, "the name of a function without MPI_")
        self.arguments, self.result, self.section = arguments, result, section
        self.special, self.any_time, self.framed, self.free = (mark in marks for mark in "!~@$")
        self.given = given
        self.is_there = section != "absent"
        if (self.framed or self.free or given) and self.handle() is None:
            raise BadRow(f"{name}: expected a window, file or communicator among its arguments")

    def handle(self):
        """The argument that names the object that the call is about; None: there is none."""
        return next((a for a in self.arguments if a.base in ("MPI_Win", "MPI_File", "MPI_Comm")), None)

    def prototype(self, prefix):
        parameters = ", ".join(a.prototype() for a in self.arguments)
        return f"{self.result} {prefix}{self.name}({parameters or 'void'})"


def check_given(words):
    """What is behind =>."""
    family = FAMILIES.get(words[0])
    if family is None:
        raise BadRow(f"=> {words[0]}: expected {', '.join(FAMILIES)}")
    least, most = family.words
    if not least <= len(words) - 1 <= most:
        count = f"{least}" if least == most else f"{least} or {most}"
        raise BadRow(f"=> {' '.join(words)}: expected {count} words behind {words[0]}")


class Table:
    def __init__(self):
        self.kinds, self.calls, self.section = {"...": ("int", "...")}, [], None

    def read_line(self, line):
        if line.startswith("["):
            self.read_section(line)
        elif self.section is None:
            raise BadRow(f"{line}: expected a section first: [kinds]")
        elif self.section == "kinds":
            self.read_kinds(line)
        elif self.section == "handles":
            for word in line.split():
                self.add_conversions(word)
        else:
            self.read_calls(line)

    def read_section(self, line):
        if line not in [f"[{name}]" for name in SECTIONS]:
            raise BadRow(f"{line}: expected [{'], ['.join(SECTIONS)}]")
        self.section = line.strip("[]")

    def read_kinds(self, line):
        kind, names = split_row(r"([^:]+):(.*)", line, "TYPE: NAME[=NAME]...")
        check_type(re.sub(r"\[\]$", "", kind))
        for word in names.split():
            name, fortran = split_row(r"(\w+)(?:=(\w+))?", word, "NAME[=NAME]")
            if name in self.kinds:
                raise BadRow(f"{name}: expected once in [kinds]")
            self.kinds[name] = kind, fortran or name

    def add(self, call):
        if self.find(call.name) is not None:
            raise BadRow(f"{call.name}: expected once in the table")
        self.calls.append(call)

    def find(self, name):
        return next((call for call in self.calls if call.name == name), None)

    def add_conversions(self, word):
        """Between handles of C and Fortran."""
        kind, handle = split_row(r"(\w+)(?::(\w+))?", word, "KIND[:TYPE]")
        handle = handle or "MPI_" + kind
        check_type(handle)
        self.add(Call(kind + "_c2f", [Argument("handle:" + handle, {})], "MPI_Fint", "handles"))
        self.add(Call(kind + "_f2c", [Argument("handle:MPI_Fint", {})], handle, "handles"))

    def read_calls(self, line):
        names, rest = split_row(r"([^:]+):(.*)", line, "NAME...: ARGUMENT...")
        rest, arrow, given = rest.partition("=>")
        words, _, result = rest.partition("->")
        result = result.strip() or "int"
        check_type(result)
        if arrow and not given.strip():
            raise BadRow(f"nothing behind =>: expected {', '.join(FAMILIES)}")
        arguments, given = [], given.split()
        for word in words.split():
            if not word.startswith("="):
                arguments.append(Argument(word, self.kinds))
                continue
            same = self.find(word[1:])
            if same is None:
                raise BadRow(f"{word}: expected the name of a function above behind the =")
            arguments += same.arguments
            given = given or same.given
        if given:
            check_given(given)
        blocking, _, others = names.partition("+")
        for name in blocking.split():
            self.add(Call(name, arguments, result, self.section, given))
        for name in others.split():
            self.add(Call(name, arguments + [Argument("*request", self.kinds)], "int", self.section, given))


def read_calls(path):
    """Ends the program with a line on stderr for a row that is wrong."""
    table = Table()
    with open(path, encoding="ascii") as lines:
        for number, line in enumerate(lines, 1):
            line = line.split("#")[0].strip()
            try:
                if line:
                    table.read_line(line)
            except BadRow as bad:
                sys.exit(f"{path}:{number}: {bad}")
    return table.calls


def main(*makers):
    """Prints what the function that the first argument names makes of the table that the second one names."""
    by_name = {maker.__name__: maker for maker in makers}
    if len(sys.argv) != 3 or sys.argv[1] not in by_name:
        sys.exit(f"{sys.argv[0]} {' '.join(sys.argv[1:])}: expected {'|'.join(by_name)} CALLS")
    print("\n".join(by_name[sys.argv[1]](read_calls(sys.argv[2]))))
