#!/usr/bin/env bash
# The Fortran names of MPI's functions, made from the prototypes of mpi.h:
#   wrappers.sh OUT NM ARCHIVE CC...     CC...: the command that prints mpi.h preprocessed
# What a parameter becomes follows from its type; those few functions that are more than that are in
# special.c. Only functions that the archive has get a name: another is an error of the linker.
# For the module mpi_f08, those without buffers are the same (mpi_barrier_f08_); the others get
# descriptors of arrays, and call these with what is contiguous (mpi_send_f08ts_); those that leave
# buffers in use are bound to C (mpi_isend_cfi_), and call the program's MPI_Isend_f08ts where it has one.
set -euo pipefail
out=$1 nm=$2 archive=$3
shift 3
"$nm" -g --defined-only "$archive" 2>/dev/null | sed -n 's/.* T H\(MPI_.*\)/\1/p' >"$out.names"
"$@" | tr '\n' ' ' | tr ';' '\n' | awk -v names="$out.names" '
    function trim(s) { gsub(/^ +| +$/, "", s); gsub(/ +/, " ", s); return s }
    # A buffer that mpi_f08 describes: as C has it, for as long as the function needs it. With `count` and
    # `type` it is one block, whose gaps a type can have.
    function described(name, type, function_name, count, datatype) {
        buffers = 1
        cfi_formal = cfi_formal "const struct array *" name ", "
        own_formal = own_formal "const struct own_array *" name ", "
        own_actual = own_actual "own_array(&o_" name ", " name "), "
        own_open = own_open "        struct own_array o_" name ";\n"
        if (!keeps) {
            cfi_open = cfi_open "    void *c_" name " = section_copy(" name ");\n"
            cfi_close = cfi_close "    section_end(" name ", c_" name ", " (type ~ /^const/ ? "false" : "true") ");\n"
            cfi_actual = cfi_actual "c_" name ", "
        } else if (function_name ~ /_end$|^MPI_(Get_address|Free_mem|Win_detach)$/) {
            cfi_actual = cfi_actual name "->base, "
        } else if (count ~ /count$/ && datatype ~ /^ *MPI_Datatype [a-z_]*$/ &&
                   (parameters ~ /int (dest|source)|MPI_(File|Win|Message)/ || function_name == "MPI_Ibcast")) {
            sub(/.* /, "", count); sub(/.* /, "", datatype)
            cfi_open = cfi_open "    struct section c_" name " = { 0 };\n"
            cfi_check = cfi_check "    if (rc == MPI_SUCCESS)\n        rc = section_of(&c_" name ", " \
                name ", *" count ", *" datatype ", \"" function_name "\");\n"
            cfi_close = cfi_close "    section_free(&c_" name ");\n"
            cfi_actual = cfi_actual "c_" name ".buffer, "
            instead[count] = "&c_" name ".count"
            instead[datatype] = "&c_" name ".type"
        } else {
            cfi_check = cfi_check "    if (rc == MPI_SUCCESS)\n        rc = section_whole(" name ", \"" function_name "\");\n"
            cfi_actual = cfi_actual name "->base, "
        }
    }
    # One parameter: adds to what Fortran passes, to what C gets, and to what comes before and after.
    function parameter(text, function_name, next_one, next_but_one,    name, type, array, from) {
        from = length(formal) + 1
        text = trim(text)
        if (text == "void" || text == "")
            return
        if (text ~ /\[\]\[3\]$/) { # ranges of ranks
            formal = formal text ", "; sub(/\[\]\[3\]$/, "", text); sub(/.* /, "", text)
            actual = actual text ", "
            return # no buffer goes with them
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
        if (type ~ /void \*$/ && function_name !~ /^MPI_(Alloc_mem|Win_allocate.*|Win_shared_query)$/) {
            described(name, type, function_name, next_one, next_but_one)
        } else if (type == "const char *") {
            own_formal = own_formal substr(formal, from)
            cfi_actual = cfi_actual name ", "
            cfi_hidden = cfi_hidden ", " name "_room"
        } else {
            cfi_formal = cfi_formal substr(formal, from)
            own_formal = own_formal substr(formal, from)
            own_actual = own_actual name ", "
            cfi_actual = cfi_actual (name in instead ? instead[name] : name) ", "
        }
    }
    function wrapper(prefix, name, result,    fortran, n, i, part) {
        fortran = tolower(prefix substr(name, 5)) "_"
        formal = actual = before = after = hidden = ""
        cfi_formal = cfi_actual = cfi_open = cfi_check = cfi_close = cfi_hidden = ""
        own_formal = own_actual = own_open = ""
        buffers = 0
        keeps = parameters ~ /MPI_Request|MPI_Win/ || name ~ /_begin$|_end$|_attach$|^MPI_(Get_address|Free_mem)$/
        split("", instead)
        known = 1
        n = split(parameters, part, ",")
        for (i = 1; i <= n; i++)
            parameter(part[i], name, part[i + 1], part[i + 2])
        if (!known)
            return
        sub(/, $/, "", actual)
        if (name == "MPI_Info_get") # what is not there leaves the text as it was
            sub(/    text_out/, "    if (rc == MPI_SUCCESS \\&\\& *flag)\n        text_out", after)
        if (result == "int") {
            formal = formal "int *ierror" hidden
            printf "FORTRAN void %s(%s);\nvoid %s(%s)\n{\n%s    int rc = %s(%s);\n\n" \
                "%s    done(ierror, rc);\n}\n\n",
                fortran, formal, fortran, formal, before, prefix substr(name, 5), actual, after
            call = sprintf("    int rc = MPI_SUCCESS;\n%s\n%s    %s%s(%s&rc%s);\n%s    done(ierror, rc);\n",
                cfi_open, cfi_check, cfi_check == "" ? "" : "if (rc == MPI_SUCCESS)\n        ", fortran,
                cfi_actual, cfi_hidden, cfi_close)
            if (buffers && !keeps)
                printf "FORTRAN void %sf08ts_(%sint *ierror%s);\nvoid %sf08ts_(%sint *ierror%s)\n{\n%s}\n\n",
                    fortran, own_formal, hidden, fortran, own_formal, hidden, call
            else if (buffers && prefix == "PMPI_")
                printf "FORTRAN void %scfi_(%sint *ierror);\nvoid %scfi_(%sint *ierror)\n{\n%s}\n\n",
                    fortran, cfi_formal, fortran, cfi_formal, call
            else if (buffers)
                printf "void %sf08ts_(%sint *ierror) __attribute__((weak));\nFORTRAN void %scfi_(%sint *ierror);\n" \
                    "void %scfi_(%sint *ierror)\n{\n    if (%sf08ts_ != NULL) {\n%s\n" \
                    "        %sf08ts_(%sierror);\n        return;\n    }\n%s}\n\n",
                    fortran, own_formal, fortran, cfi_formal, fortran, cfi_formal, fortran, own_open,
                    fortran, own_actual, call
            else
                printf "FORTRAN void %sf08_(%s) __attribute__((alias(\"%s\")));\n\n",
                    fortran, formal, fortran
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
        print "#include \"hosts/mpi/bindings/fortran/fortran.h\"\n"
    }
    /^ *(int|double|MPI_Aint) MPI_[A-Za-z_0-9]+ *\(/ && !/_(c2f|f2c|c2f08|f082c) *\(/ {
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
