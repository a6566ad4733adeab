#!/usr/bin/env bash
# The parts of the module mpi_f08 that are many times the same: f08_handles.inc, f08_operators.inc and
# f08_procedures.inc, which mpi_f08.f90 includes.   f08.sh NAMES CC...   CC...: prints mpi.h preprocessed
# What a Fortran argument is follows from its type in C; f08.names has its name. wrappers.sh makes the
# procedures themselves.
set -euo pipefail
names=$1
shift
kinds='Comm Group Datatype Op Request Message Errhandler Info Win File'

for kind in $kinds; do
    printf '  type, bind(C) :: MPI_%s\n    integer :: MPI_VAL\n  end type\n' "$kind"
    for op in '== eq' '/= ne'; do
        printf '  interface operator(%s)\n    module procedure hub_%s_%s\n  end interface\n' \
            "${op% *}" "$kind" "${op#* }"
    done
done >f08_handles.inc

for kind in $kinds; do
    for op in '== eq' '/= ne'; do
        cat <<END
  elemental logical function hub_${kind}_${op#* }(a, b) result(is)
    type(MPI_$kind), intent(in) :: a, b
    is = a%MPI_VAL ${op% *} b%MPI_VAL
  end function
END
    done
done >f08_operators.inc

"$@" | tr '\n' ' ' | tr ';' '\n' | awk -v names="$names" '
    function trim(s) { gsub(/^ +| +$/, "", s); gsub(/ +/, " ", s); return s }
    # What is of this type in C; `changes`: the procedure reads, too, what it gets a pointer to; `keeps`: it
    # leaves buffers in use. gfortran takes those for changed by later calls where they could be targets.
    function declared(type, name, changes, keeps,    base, attributes) {
        gsub(/ ?\*/, " *", type)
        if (type ~ /\[\]\[3\]$/)
            return "integer, intent(in) :: " name "(3,*)"
        if (type ~ /void \*$/) {
            buffers = 1
            return "type(*), dimension(..)" (type ~ /^const/ ? ", intent(in)" : "") \
                (keeps ? ", asynchronous, target" : "") " :: " name
        }
        if (type ~ /char ?(\*|\[\])$/)
            return "character(len=*), intent(" (type ~ /^const/ ? "in" : "out") ") :: " name
        base = type
        gsub(/const |[][* ]/, "", base)
        if (base == "int")
            base = name ~ /^(flag|commute|periods|reorder|remain_dims|high|weighted)$/ ? "logical" : "integer"
        else if (base ~ /^MPI_(Aint|Offset|Count)$/)
            base = "integer(MPI_" (base == "MPI_Aint" ? "ADDRESS" : toupper(substr(base, 5))) "_KIND)"
        else
            base = "type(" (base == "MPI_F08_status" ? "MPI_Status" : base) ")"
        attributes = ""
        if (type ~ /^const/ || type !~ /[]*]$/)
            attributes = ", intent(in)"
        else if (type ~ /\*$/ && base != "type(MPI_Status)") # which may be MPI_STATUS_IGNORE
            attributes = ", intent(" (changes ? "inout" : "out") ")"
        return base attributes " :: " name (type ~ /\[\]$/ ? "(*)" : "")
    }
    function interface(prefix, name,    i, bound, specific) {
        specific = prefix name (buffers ? "_f08ts" : "_f08")
        bound = buffers && keeps ? " bind(C, name=\"" tolower(prefix name) "_cfi_\")" : ""
        printf "  interface %s\n    subroutine %s(%s)%s\n      import\n", prefix name, specific, dummies, bound
        printf "%s    end subroutine\n  end interface\n", declarations
    }
    BEGIN {
        while ((getline line <names) > 0) {
            if (line ~ /^#/)
                continue
            n = split(substr(line, 1, index(line, ":") - 1), word, " ")
            for (i = 1; i <= n; i++)
                arguments[word[i]] = trim(substr(line, index(line, ":") + 1))
        }
    }
    /^ *int MPI_[A-Za-z_0-9]+ *\(/ {
        match($0, /MPI_[A-Z][A-Za-z_0-9]+ *\(/)
        name = trim(substr($0, RSTART + 4, RLENGTH - 5))
        parameters = substr($0, RSTART + RLENGTH)
        sub(/\) *$/, "", parameters)
        blocking = toupper(substr(name, 2, 1)) substr(name, 3)
        if (name in arguments)
            given = arguments[name]
        else if (name ~ /^[IR]/ && blocking in arguments)
            given = arguments[blocking] " request"
        else
            next
        n = trim(parameters) == "void" ? 0 : split(parameters, part, ",")
        if (split(given, argument, " ") != n) {
            print names ": MPI_" name " has other arguments: " parameters >"/dev/stderr"
            exit 1
        }
        changes = name ~ /_free|_commit|_disconnect|_close|^Wait|^Test|^Start$|^I?mrecv|pack|Cancel/ ||
            name ~ /^(Mrecv|Pack|Status_set)/
        keeps = parameters ~ /MPI_Request|MPI_Win/ || name ~ /_begin$|_end$|_attach$|^(Get_address|Free_mem)$/
        dummies = declarations = ""
        buffers = 0
        for (i = 1; i <= n; i++) {
            if (argument[i] == "-")
                continue
            type = trim(part[i])
            if (argument[i] ~ /=/) {
                split(argument[i], word, "=")
                dummy = word[1]
                text = word[2] " :: " dummy
            } else {
                dummy = argument[i]
                suffix = match(type, /(\[\])(\[3\])?$/) ? substr(type, RSTART) : ""
                sub(/[A-Za-z_0-9]+(\[\])?(\[3\])?$/, "", type)
                text = declared(trim(type) suffix, dummy, changes, keeps)
            }
            dummies = dummies (dummies == "" ? "" : ", ") dummy
            declarations = declarations "      " text "\n"
        }
        if (name != "Pcontrol") {
            dummies = dummies (dummies == "" ? "" : ", ") "ierror"
            declarations = declarations "      integer, optional, intent(out) :: ierror\n"
        }
        interface("MPI_", name)
        interface("PMPI_", name)
    }' >f08_procedures.inc
