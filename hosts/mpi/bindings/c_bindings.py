#!/usr/bin/env python3
"""What C needs of the table of calls:  c_bindings.py header|names|weak|entries|workers|frames CALLS >OUT

The library's functions are HMPI_X, which it calls itself, though its sources say MPI_X (names). Programs call
PMPI_X (entries), and MPI_X is a weak name for it (weak), so that a profiling library, which has an MPI_X of its
own, can call PMPI_X.

Some HMPI_X are made here, too (frames): they find the window or file, and end the call with its error handler.
Between that works mpi_do_x (workers), or one function for several calls."""
import re

from calls import FAMILIES, main

HEADER = [
    "/* The functions of mpi.h, which includes this; made from calls.def. */",
    "#ifndef HUBSIM_MPI_FUNCTIONS_H",
    "#define HUBSIM_MPI_FUNCTIONS_H",
    "#ifdef __cplusplus",
    'extern "C" {',
    "#endif",
    "MPI_Copy_function MPI_Dup_fn_;",
]
HEADER_END = ["#ifdef __cplusplus", "}", "#endif", "#endif"]


def header(calls):
    prototypes = [call.prototype(prefix) + ";" for call in calls for prefix in ("MPI_", "PMPI_")]
    return HEADER + prototypes + HEADER_END


def names(calls):
    return [f"#define MPI_{call.name} HMPI_{call.name}" for call in calls]


def weak(calls):
    yield "#if defined(__x86_64__)\n#define GOTO jmp\n#else\n#define GOTO b\n#endif\n.text"
    for call in calls:
        for name, target in (("PMPI_", "HMPI_"), ("MPI_", "PMPI_")) if call.is_there else ():
            name += call.name
            yield f".weak {name}\n.type {name}, %function\n{name}: GOTO {target}{call.name}"
    yield '.section .note.GNU-stack, "", %progbits'


def handle_of(call):
    """The object that a call is about, and its kind."""
    handle = call.handle()
    return handle, handle.base[4:].lower()


def workers(calls):
    yield "struct mpi_win;\nstruct mpi_file;"
    for call in calls:
        if (call.framed or call.free) and not call.given:
            handle, kind = handle_of(call)
            others = "".join(", " + a.prototype() for a in call.arguments if a is not handle)
            yield f"int mpi_do_{call.name.lower()}(struct mpi_{kind} *{kind}{others});"


def side_field(argument):
    """Where an argument of a collective is in struct mpi_sides: sendbuf is out.buf, rdispls is in.displs, and what has
    neither side in its name is in, as Bcast's buf."""
    if argument.name in ("op", "root", "request"):
        return argument.name
    side, field = "in", argument.name
    for prefix, its_side in (("send", "out"), ("recv", "in")):
        if field.startswith(prefix):
            side, field = its_side, field[len(prefix):]
    if field in ("sdispls", "rdispls"):
        side, field = ("out" if field.startswith("s") else "in"), field[1:]
    if argument.base == "MPI_Aint":  # displacements in bytes
        field = "far"
    return f"{side}.{field}"


def side_forms(call):
    """Sides with counts for each rank, with one type or with types for each, are marked as such."""
    form = "MPI_SIDE_W" if any(a.name == "sendtypes" for a in call.arguments) else "MPI_SIDE_V"
    counts = [side_field(a) for a in call.arguments if a.name.endswith("counts")]
    return [(field.replace("counts", "form"), form) for field in counts]


def kind_of(call):
    """What the call does, as constants: of the first word behind the family's name, or else of the words of the call's
    own name: File_read_at is MPI_FILE_READ | MPI_FILE_AT."""
    words = call.given[1:2] or call.name.upper().split("_")[1:]
    return " | ".join(FAMILIES[call.given[0]].prefix + word for word in words)


def structure(call, handle):
    """The initialized structure that mpi_do_FAMILY() gets: the arguments, and what else its row says."""
    family = call.given[0]
    field_of = side_field if family == "coll" else lambda argument: argument.name
    fields = [(field_of(a), a.name) for a in call.arguments if a is not handle]
    fields.append(("kind", kind_of(call)))
    fields += [("prepare", "mpi_prepare_" + word) for word in call.given[2:]]
    if family == "coll":
        fields += side_forms(call)
    initializers = ", ".join(f".{field} = {value}" for field, value in fields)
    return f"    const struct {FAMILIES[family].structure} given = {{ {initializers} }};\n"


def frames(calls):
    yield '#include "hosts/mpi/io/io.h"\n#include "hosts/mpi/rma/rma.h"\n#include "hosts/mpi/coll/call.h"\n'
    for call in calls:
        if not (call.framed or call.free or call.given):
            continue
        handle, kind = handle_of(call)
        yield call.prototype("MPI_") + "\n{"
        if call.given:
            yield structure(call, handle)
        if kind == "comm":
            yield f"    return mpi_do_{call.given[0]}(__func__, {handle.name}, &given);\n}}\n"
            continue
        find = f"of({handle.name})" if call.free else f"begin(__func__, {handle.name})"
        passed = ["self"] + (["&given"] if call.given else [a.name for a in call.arguments if a is not handle])
        worker = "mpi_do_" + (call.given[0] if call.given else call.name.lower())
        yield f"    struct mpi_{kind} *self = mpi_{kind}_{find};\n"
        yield f"    return mpi_{kind}_end(self, __func__, self != NULL ? {worker}({', '.join(passed)}) : MPI_ERR_{kind.upper()});\n}}\n"


def bytes_of(call):
    """The bytes that a profile counts: of the first count, or array of counts, with a datatype behind it."""
    a = call.arguments
    if call.name.startswith("Type_"):
        return "0"
    if call.name in ("Scatter", "Iscatter", "Scatterv", "Iscatterv"):  # what the root names is there at the root alone
        return "mpi_profile_bytes(recvcount, recvtype)"
    for i in range(1, len(a)):
        if a[i].base != "MPI_Datatype" or not a[i].is_value:
            continue
        if a[i - 1].base == "int" and a[i - 1].is_value:
            times = "(int64_t)mpi_profile_size(comm) * " if call.name in ("Alltoall", "Ialltoall") else ""
            return f"mpi_profile_bytes({times}{a[i - 1].name}, {a[i].name})"
        for counts in a[max(i - 2, 0):i]:
            if counts.name.endswith("counts"):
                return f"mpi_profile_bytes_all({counts.name}, {a[i].name}, comm)"
    return "0"


def is_needed(call, a):
    """Buffers are checked with their counts, and statuses that are written may be MPI_STATUS_IGNORE."""
    if a.base == "MPI_Status":
        return a.form == "*" and (a.is_const or call.name.startswith("Status_"))
    return a.is_place or (a.mark == "*" and a.base in ("char", "attribute", "C_PTR"))


def checks(call):
    """The handler of the first object that the call names ends it, or that of files."""
    kind, handle = ("FILE" if call.name.startswith("File_") else "COMM"), 0
    for a in call.arguments:
        if a.is_value and a.base in (["MPI_File"] if kind == "FILE" else ["MPI_Comm", "MPI_Win", "MPI_File"]):
            kind, handle = a.base[4:].upper(), a.name
            break
    previous = None
    for a in call.arguments:
        is_list = a.base == "MPI_Request" and a.is_array
        if is_list or is_needed(call, a):
            counted = f" && {previous.name} > 0" if is_list else ""
            yield f"    if ({a.name} == NULL{counted})"
            yield f'        return mpi_null("MPI_{call.name}", "{a.name}", MPI_NULL_{kind}, {handle});'
        previous = a


def entries(calls):
    yield '#include <stddef.h>\n\n#include "hosts/mpi/base/rank.h"\n#include "hosts/mpi/init/null.h"\n#include "hosts/mpi/init/visit.h"\n'
    calls = [c for c in calls if c.is_there and c.result == "int" and c.name != "Pcontrol"]
    for number, call in enumerate(calls):
        yield call.prototype("HMPI_") + ";"
        yield call.prototype("PMPI_") + "\n{"
        yield "    struct mpi_visit hub_visit;\n    uint64_t hub_bytes;\n"
        yield from checks(call)
        if not call.any_time:
            yield f'    if (mpi_self() == NULL)\n        return mpi_end_outside("MPI_{call.name}", NULL, MPI_ERR_OTHER);'
        yield f'    hub_visit = mpi_visit_begin("MPI_{call.name}", __builtin_return_address(0));\n    hub_bytes = hub_visit.counts ? {bytes_of(call)} : 0;'
        if call.name == "Finalize":
            yield "    if (hub_visit.counts)\n        mpi_profile_collect();"
        library_call = f"HMPI_{call.name}({', '.join(a.name for a in call.arguments)})"
        yield f'    return mpi_visit_end(&hub_visit, {number}, "MPI_{call.name}", hub_bytes, {library_call});\n}}\n'


if __name__ == "__main__":
    main(header, names, weak, workers, frames, entries)
