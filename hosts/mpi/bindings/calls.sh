#!/usr/bin/env bash
# PMPI_X for each HMPI_X of the library: where programs enter it, unless an argument is NULL that may not be
# (null.h), and leave it (visit.h).
#   calls.sh OUT NM ARCHIVE CC...     CC...: the command that prints mpi.h preprocessed
# They take the place of the weak names (profile.sh).
set -euo pipefail
out=$1 nm=$2 archive=$3
shift 3
"$nm" -g --defined-only "$archive" 2>/dev/null | sed -n 's/.* T H\(MPI_.*\)/\1/p' >"$out.names"
"$@" | tr '\n' ' ' | tr ';' '\n' | awk -v names="$out.names" '
    function trim(s) { gsub(/^ +| +$/, "", s); gsub(/ +/, " ", s); return s }
    # Names of parameters in arg[], and the bytes: of the first count and datatype that follow each other.
    function bytes_of(name, n,    i, count) {
        if (name ~ /^MPI_Type_/)
            return "0"
        if (name ~ /^MPI_I?[Ss]catterv?$/) # what the root names is there at the root alone
            return "mpi_profile_bytes(recvcount, recvtype)"
        for (i = 2; i <= n; i++)
            if (type[i] == "MPI_Datatype" && (type[i - 1] == "int" || array[i - 2])) {
                if (array[i - 2])
                    return "mpi_profile_bytes_all(" arg[i - 2] ", " arg[i] ", comm)"
                count = arg[i - 1]
                if (name ~ /^MPI_I?[Aa]lltoall$/)
                    count = "(int64_t)" count " * mpi_profile_size(comm)"
                return "mpi_profile_bytes(" count ", " arg[i] ")"
            } else if (array[i - 1] && type[i] == "MPI_Datatype")
                return "mpi_profile_bytes_all(" arg[i - 1] ", " arg[i] ", comm)"
        return "0"
    }
    # Does the call need what this argument points to? Buffers are checked with their counts.
    function is_needed(name, type, arg) {
        if (type == "MPI_Status *")
            return name ~ /^MPI_Status_/ # elsewhere it is MPI_STATUS_IGNORE
        if (type == "const MPI_Status *")
            return 1
        if (type == "void *")
            return (arg == "value" && name ~ /[gG]et_attr$|^MPI_Attr_get$/) || (arg == "buffer" && name == "MPI_Buffer_detach") ||
                   (arg == "base" && name ~ /^MPI_(Alloc_mem|Win_allocate|Win_allocate_shared|Win_shared_query)$/)
        return arg != "argc" && type ~ /^(int|char|MPI_[A-Z][a-z]+) \*$/
    }
    # Who ends the call: the handler of the first object that it names, or that of files.
    function checks(name, n,    i, of, out) {
        of = name ~ /^MPI_File_/ ? "mpi_null_of_file(\"" name "\", \"%\", MPI_FILE_NULL)" : "mpi_null(\"" name "\", \"%\")"
        for (i = n; i >= 1; i--)
            if (type[i] == "MPI_File" || (type[i] ~ /^MPI_(Comm|Win)$/ && name !~ /^MPI_File_/))
                of = "mpi_null_of_" tolower(substr(type[i], 5)) "(\"" name "\", \"%\", " arg[i] ")"
        out = ""
        for (i = 1; i <= n; i++)
            if (is_needed(name, type[i], arg[i])) {
                out = out "    if (" arg[i] " == NULL)\n        return " of ";\n"
                sub(/%/, arg[i], out)
            } else if (type[i] == "MPI_Request" && type[i - 1] == "int") {
                out = out "    if (" arg[i] " == NULL && " arg[i - 1] " > 0)\n        return " of ";\n"
                sub(/%/, arg[i], out)
            }
        return out
    }
    BEGIN {
        while ((getline line <names) > 0)
            there[line] = 1
        print "/* Made by calls.sh from mpi.h. */"
        print "#include <stddef.h>\n\n#include \"hosts/mpi/init/null.h\"\n#include \"hosts/mpi/init/visit.h\"\n"
    }
    /^ *int MPI_[A-Za-z_0-9]+ *\(/ && !/\.\.\./ {
        text = trim($0)
        name = text
        sub(/^int /, "", name)
        sub(/ *\(.*/, "", name)
        if (!(name in there))
            next
        parameters = text
        sub(/^[^(]*\(/, "", parameters)
        sub(/\)$/, "", parameters)
        n = split(parameters, part, ",")
        actual = ""
        split("", array)
        for (i = 1; i <= n; i++) {
            part[i] = trim(part[i])
            array[i] = part[i] ~ /^const int [a-z_]*counts\[\]$/
            sub(/\[\](\[3\])?$/, "", part[i])
            match(part[i], /[A-Za-z_0-9]+$/)
            arg[i] = substr(part[i], RSTART)
            type[i] = trim(substr(part[i], 1, RSTART - 1))
            if (part[i] != "void")
                actual = actual (i > 1 ? ", " : "") arg[i]
        }
        sub(/^int /, "", text)
        printf "int H%s;\nint P%s\n{\n", text, text
        printf "    struct mpi_visit hub_visit;\n    uint64_t hub_bytes;\n    int hub_code;\n\n%s", checks(name, n)
        printf "    hub_visit = mpi_visit_begin();\n    hub_bytes = hub_visit.counts ? %s : 0;\n", bytes_of(name, n)
        if (name == "MPI_Finalize")
            print "    if (hub_visit.counts)\n        mpi_profile_collect();"
        printf "    hub_code = H%s(%s);\n    mpi_visit_end(&hub_visit, %d, \"%s\", hub_bytes);\n    return hub_code;\n}\n\n",
            name, actual, ncalls++, name
    }' >"$out"
rm -f "$out.names"
