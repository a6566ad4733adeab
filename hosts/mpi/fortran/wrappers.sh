#!/usr/bin/env bash
# The Fortran names of MPI's functions, made from the prototypes of mpi.h:
#   wrappers.sh OUT NM ARCHIVE CC...     CC...: the command that prints mpi.h preprocessed
# What a parameter becomes follows from its type; those few functions that are more than that are in
# special.c. Only functions that the archive has get a name: another is an error of the linker.
set -euo pipefail
out=$1 nm=$2 archive=$3
shift 3
"$nm" -g --defined-only "$archive" 2>/dev/null | sed -n 's/.* T P\(MPI_.*\)/\1/p' >"$out.names"
"$@" | tr '\n' ' ' | tr ';' '\n' | awk -v names="$out.names" '
    function trim(s) { gsub(/^ +| +$/, "", s); gsub(/ +/, " ", s); return s }
    # One parameter: adds to what Fortran passes, to what C gets, and to what comes before and after.
    function parameter(text,    name, type, array) {
        text = trim(text)
        if (text == "void" || text == "")
            return
        if (text ~ /\[\]\[3\]$/) { # ranges of ranks
            formal = formal text ", "; sub(/\[\]\[3\]$/, "", text); sub(/.* /, "", text)
            actual = actual text ", "
            return
        }
        match(text, /[A-Za-z_0-9]+(\[\])?$/)
        name = substr(text, RSTART)
        type = trim(substr(text, 1, RSTART - 1))
        array = sub(/\[\]$/, "", name)
        if (array)
            type = type " *"
        gsub(/ ?\*/, " *", type)
        if (type ~ /_function|\.\.\.|\* \*|char \*(const )?\*/ || name ~ /^(argv|argvs|commands)$/)
            known = 0
        if (type == "const char *") {
            formal = formal "const char *" name ", "; hidden = hidden ", size_t " name "_room"
            before = before "    char *c_" name " = text_in(" name ", " name "_room);\n"
            actual = actual "c_" name ", "
            after = after "    free(c_" name ");\n"
        } else if (type == "char *") {
            formal = formal "char *" name ", "; hidden = hidden ", size_t " name "_room"
            before = before "    char c_" name "[TEXT_ROOM] = \"\";\n"
            actual = actual "c_" name ", "
            after = after "    text_out(" name ", " name "_room, c_" name ");\n"
        } else if (type == "MPI_Status *") {
            formal = formal "MPI_Status *" name ", "; actual = actual "status_of(" name "), "
        } else if (type ~ /void \*$/) {
            formal = formal "void *" name ", "; actual = actual "buffer_of(" name "), "
        } else if (name ~ /weights$/) {
            formal = formal "int *" name ", "; actual = actual "weights_of(" name "), "
        } else if (type == "int *" && name == "index" && !array) { # of a request; MPI_Graph_get() counts neighbours
            formal = formal "int *index, "; actual = actual "index, "
            after = after "    *index += *index >= 0; /* they count from 1 */\n"
        } else if (type == "int *" && name == "indices") {
            formal = formal "int *indices, "; actual = actual "indices, "
            after = after "    for (int i = 0; i < *outcount; i++)\n        indices[i]++;\n"
        } else if (type ~ /\*$/) {
            formal = formal type name ", "; actual = actual name ", "
        } else {
            formal = formal "const " type " *" name ", "; actual = actual "*" name ", "
        }
    }
    function wrapper(prefix, name, result,    fortran, n, i, part) {
        fortran = tolower(prefix substr(name, 5)) "_"
        formal = actual = before = after = hidden = ""
        known = 1
        n = split(parameters, part, ",")
        for (i = 1; i <= n; i++)
            parameter(part[i])
        if (!known)
            return
        sub(/, $/, "", actual)
        if (name == "MPI_Info_get") # what is not there leaves the text as it was
            sub(/    text_out/, "    if (*ierror == MPI_SUCCESS \\&\\& *flag)\n        text_out", after)
        if (result == "int") {
            formal = formal "int *ierror" hidden
            printf "FORTRAN void %s(%s);\nvoid %s(%s)\n{\n%s    *ierror = %s(%s);\n%s}\n\n",
                fortran, formal, fortran, formal, before, prefix substr(name, 5), actual, after
        } else {
            sub(/, $/, "", formal)
            if (formal == "")
                formal = "void"
            printf "FORTRAN %s %s(%s);\n%s %s(%s)\n{\n    return %s(%s);\n}\n\n", result, fortran,
                formal, result, fortran, formal, prefix substr(name, 5), actual
        }
    }
    BEGIN {
        while ((getline line <names) > 0)
            there[line] = 1
        n = split("Init Init_thread Pcontrol Address Type_extent Type_lb Type_ub Type_hvector " \
                  "Type_hindexed Type_struct Attr_put Attr_get Comm_set_attr Comm_get_attr " \
                  "Type_set_attr Type_get_attr Win_set_attr Win_get_attr Buffer_detach " \
                  "Op_create Errhandler_create", own)
        for (i = 1; i <= n; i++)
            special["MPI_" own[i]] = 1
        print "/* Made by wrappers.sh from mpi.h. */"
        print "#include \"hosts/mpi/fortran/fortran.h\"\n"
    }
    /^ *(int|double|MPI_Aint) MPI_[A-Za-z_0-9]+ *\(/ && !/_(c2f|f2c) *\(/ {
        split(trim($0), word, " ")
        match($0, /MPI_[A-Z][A-Za-z_0-9]+ *\(/)
        name = trim(substr($0, RSTART, RLENGTH - 1))
        parameters = substr($0, RSTART + RLENGTH)
        sub(/\) *$/, "", parameters)
        if (!(name in there) || name in special)
            next
        wrapper("MPI_", name, word[1])
        wrapper("PMPI_", name, word[1])
    }' >"$out"
rm -f "$out.names"
