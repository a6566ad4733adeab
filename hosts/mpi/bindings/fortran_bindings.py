#!/usr/bin/env python3
"""What Fortran needs of the table of calls:  fortran_bindings.py wrappers|handles|operators|procedures CALLS >OUT

wrappers: functions of C with Fortran's names; the few that do more than pass arguments are in special.c. For the
module mpi_f08, those without buffers are the same (mpi_barrier_f08_). The others get descriptors of arrays, and call
these with what is contiguous (mpi_send_f08ts_). Those that leave buffers in use are bound to C (mpi_isend_cfi_), and
call the program's MPI_Isend_f08ts where it has one.
handles, operators, procedures: the parts of that module that are many times the same."""
import re

from calls import main

HANDLES = "Comm Group Datatype Op Request Message Errhandler Info Win File".split()


def leaves_in_use(call):
    """Whether buffers are used after the call."""
    starts = any(a.base in ("MPI_Request", "MPI_Win") for a in call.arguments)
    return starts or re.search(r"_begin$|_end$|_attach$|^(Get_address|Free_mem)$", call.name)


class Passed:
    """How a wrapper passes an argument on: Fortran's parameter, what C gets, what comes before and after."""

    def __init__(self, a):
        n = a.name
        self.parameter, self.hidden, self.before, self.after = a.c_type() + n, "", "", ""
        self.to_c = n
        if a.base == "char":
            self.hidden = f", size_t {n}_room"
            self.to_c = "c_" + n
            if a.is_const:
                self.before, self.after = f"char *c_{n} = text_in({n}, {n}_room);", f"free(c_{n});"
            else:
                self.before = f'char c_{n}[TEXT_ROOM] = "";'
                self.after = f"text_out({n}, {n}_room, c_{n});"
        elif a.base == "MPI_Status" and not a.is_const:
            self.parameter, self.to_c = "MPI_Status *" + n, f"status_of({n})"
        elif a.is_buffer or a.base == "C_PTR":
            self.parameter, self.to_c = "void *" + n, f"buffer_of({n})"
        elif n.endswith("weights"):
            self.parameter, self.to_c = "int *" + n, f"weights_of({n})"
        elif a.form == "[][3]":
            self.parameter = a.prototype()
        elif a.is_array:
            self.parameter = f"{a.c_type()}*{n}"
        elif a.is_value:
            self.parameter, self.to_c = f"const {a.c_type()}*{n}", "*" + n
        if n == "index" and a.is_place:
            self.after = "*index += *index >= 0; /* they count from 1 */"
        elif n == "indices":
            self.after = "for (int i = 0; i < *outcount; i++)\n        indices[i]++;"


class Section:
    """A buffer that mpi_f08 describes: as C has it, for as long as the function needs it. With a count and a type
    behind it, it is one block, whose gaps a type can have; `instead` gets what the call then has in their place."""

    def __init__(self, call, a, behind, instead):
        n, function = a.name, "MPI_" + call.name
        self.before, self.check, self.after, self.actual = "", "", "", n + "->base"
        one_block = [b.base for b in behind if b.is_value] == ["int", "MPI_Datatype"] and behind[0].name.endswith("count")
        one_side = any(b.name in ("dest", "source") or b.base in ("MPI_File", "MPI_Win", "MPI_Message") for b in call.arguments)
        if not leaves_in_use(call):
            written = "false" if a.is_const else "true"
            self.before, self.actual = f"void *c_{n} = section_copy({n});", "c_" + n
            self.after = f"section_end({n}, c_{n}, {written});"
        elif re.search(r"_end$|^(Get_address|Free_mem|Win_detach)$", call.name):
            return
        elif one_block and (one_side or call.name == "Ibcast"):
            count, datatype = behind[0].name, behind[1].name
            self.before, self.actual = f"struct section c_{n} = {{ 0 }};", f"c_{n}.buffer"
            self.check = f'section_of(&c_{n}, {n}, *{count}, *{datatype}, "{function}")'
            self.after = f"section_free(&c_{n});"
            instead[count], instead[datatype] = f"&c_{n}.count", f"&c_{n}.type"
        else:
            self.check = f'section_whole({n}, "{function}")'


def function(head, body):
    return f"FORTRAN {head};\n{head}\n{{\n{body}}}\n"


def statements(lines, indent="    "):
    return "".join(indent + line + "\n" for line in lines if line)


def described_wrapper(prefix, call, passed, hidden):
    """The function that mpi_f08 calls when there are buffers."""
    fortran = f"{prefix}{call.name}_".lower()
    instead, sections = {}, {}
    for i, a in enumerate(call.arguments):
        if a.is_buffer:
            sections[a.name] = Section(call, a, call.arguments[i + 1:i + 3], instead)
    def formals(kind):
        return "".join(f"const struct {kind} *{a.name}, " if a.is_buffer else p.parameter + ", "
                       for a, p in zip(call.arguments, passed))
    actual = "".join((sections[a.name].actual if a.is_buffer else instead.get(a.name, a.name)) + ", " for a in call.arguments)
    rooms = "".join(f", {a.name}_room" for a in call.arguments if a.base == "char")
    checks = [s.check for s in sections.values() if s.check]
    body = "    int rc = MPI_SUCCESS;\n" + statements([s.before for s in sections.values()]) + "\n"
    body += "".join(f"    if (rc == MPI_SUCCESS)\n        rc = {check};\n" for check in checks)
    body += "    if (rc == MPI_SUCCESS)\n    " if checks else ""
    body += f"    {fortran}({actual}&rc{rooms});\n" + statements([s.after for s in sections.values()]) + "    done(ierror, rc);\n"
    if not leaves_in_use(call):
        return function(f"void {fortran}f08ts_({formals('own_array')}int *ierror{hidden})", body)
    cfi = f"void {fortran}cfi_({formals('array')}int *ierror)"
    if prefix == "PMPI_":
        return function(cfi, body)
    own = "".join(f"own_array(&o_{a.name}, {a.name}), " if a.is_buffer else a.name + ", " for a in call.arguments)
    body = (f"    if ({fortran}f08ts_ != NULL) {{\n" +
            statements((f"struct own_array o_{name};" for name in sections), "        ") +
            f"\n        {fortran}f08ts_({own}ierror);\n        return;\n    }}\n" + body)
    return f"void {fortran}f08ts_({formals('own_array')}int *ierror) __attribute__((weak));\n" + function(cfi, body)


def wrapper(prefix, call):
    fortran = f"{prefix}{call.name}_".lower()
    passed = [Passed(a) for a in call.arguments]
    parameters = [p.parameter for p in passed]
    c_call = f"{prefix}{call.name}({', '.join(p.to_c for p in passed)})"
    if call.result != "int":
        yield function(f"{call.result} {fortran}({', '.join(parameters) or 'void'})", f"    return {c_call};\n")
        return
    hidden = "".join(p.hidden for p in passed)
    formal = ", ".join(parameters + ["int *ierror"]) + hidden
    after = statements(p.after for p in passed)
    if call.name == "Info_get":  # what is not there leaves the text as it was
        after = after.replace("    text_out", "    if (rc == MPI_SUCCESS && *flag)\n        text_out")
    yield function(f"void {fortran}({formal})",
                   statements(p.before for p in passed) + f"    int rc = {c_call};\n\n{after}    done(ierror, rc);\n")
    if any(a.is_buffer for a in call.arguments):
        yield described_wrapper(prefix, call, passed, hidden)
    else:
        yield f'FORTRAN void {fortran}f08_({formal}) __attribute__((alias("{fortran}")));\n'


def wrappers(calls):
    yield '#include "hosts/mpi/bindings/fortran/fortran.h"\n'
    for call in calls:
        if call.section in ("calls", "dropped") and not call.special:
            yield from wrapper("MPI_", call)
            yield from wrapper("PMPI_", call)


def handles(_):
    for kind in HANDLES:
        yield f"  type, bind(C) :: MPI_{kind}\n    integer :: MPI_VAL\n  end type"
        for operator, name in (("==", "eq"), ("/=", "ne")):
            yield f"  interface operator({operator})\n    module procedure hub_{kind}_{name}\n  end interface"


def operators(_):
    for kind in HANDLES:
        for operator, name in (("==", "eq"), ("/=", "ne")):
            yield f"  elemental logical function hub_{kind}_{name}(a, b) result(is)"
            yield f"    type(MPI_{kind}), intent(in) :: a, b\n    is = a%MPI_VAL {operator} b%MPI_VAL\n  end function"


FORTRAN_TYPES = {
    "int": "integer",
    "const int": "integer",
    "logical": "logical",
    "char": "character(len=*)",
    "void": "type(*), dimension(..)",
    "C_PTR": "type(C_PTR)",
    "attribute": "integer(MPI_ADDRESS_KIND)",
    "MPI_Aint": "integer(MPI_ADDRESS_KIND)",
    "MPI_Offset": "integer(MPI_OFFSET_KIND)",
    "MPI_Count": "integer(MPI_COUNT_KIND)",
    "MPI_Fint": "integer, dimension(MPI_STATUS_SIZE)",
    "MPI_F08_status": "type(MPI_Status)",
}


def intent(a):
    """What may stand for an argument: MPI_STATUS_IGNORE and memory that is written have none."""
    if a.is_function or (a.mark and (a.is_array or a.base in ("MPI_Status", "void"))):
        return ""
    return f", intent({ {'': 'in', '*': 'out', '&': 'inout'}[a.mark] })"


def declaration(call, a):
    """`target`: gfortran takes what could be one for changed by later calls."""
    text = f"procedure({a.base})" if a.is_function else FORTRAN_TYPES.get(a.base, f"type({a.base})")
    in_use = ", asynchronous, target" if a.is_buffer and leaves_in_use(call) else ""
    size = {"[]": "(*)", "[][3]": "(3,*)"}.get(a.form, "")
    return f"      {text}{intent(a)}{in_use} :: {a.fortran}{size}"


def procedures(calls):
    for call in calls:
        if call.section != "calls" or call.result != "int":
            continue
        arguments = [a for a in call.arguments if a.name not in ("argc", "argv", "...")]
        buffers = any(a.is_buffer for a in arguments)
        declarations = [declaration(call, a) for a in arguments]
        dummies = [a.fortran for a in arguments]
        if call.name != "Pcontrol":
            dummies.append("ierror")
            declarations.append("      integer, optional, intent(out) :: ierror")
        for prefix in ("MPI_", "PMPI_"):
            name = prefix + call.name
            bound = f' bind(C, name="{name.lower()}_cfi_")' if buffers and leaves_in_use(call) else ""
            yield f"  interface {name}"
            yield f"    subroutine {name}_f08{'ts' * buffers}({', '.join(dummies)}){bound}\n      import"
            yield from declarations
            yield "    end subroutine\n  end interface"


if __name__ == "__main__":
    main(wrappers, handles, operators, procedures)
