#!/usr/bin/env bash
# What is wrong in the table of MPI's functions is reported by its line:  bindings.sh PYTHON BINDINGS
set -euo pipefail
python=$1 bindings=$2
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
bad=0

report() { # of a table, or of the arguments
    "$python" -B "$bindings/c_bindings.py" "$@" >"$box/out" 2>"$box/errors" && echo 'no error'
    cat "$box/errors"
}

expect() { # WHAT GOT
    [[ $2 == *"$1"* ]] && return
    printf 'expected: %s\ngot:      %s\n' "$1" "$2"
    bad=1
}

# refuse ROW PART [SECTION]: the row, line 4 of a table, is refused with that text
refuse() {
    printf '[kinds]\nMPI_Comm: comm\n[%s]\n%s\n' "${3:-calls}" "$1" >"$box/calls.def"
    expect "$box/calls.def:4: $2" "$(report frames "$box/calls.def")"
    grep -q 'expected' <<<"$2" || { echo "no word of what is expected: $2" && bad=1; }
}

types='expected a type: void, char, int'
refuse 'Barrier comm' 'Barrier comm: expected NAME...: ARGUMENT...'
refuse 'barrier: comm' 'barrier: expected the name of a function without MPI_'
refuse 'Barrier: com' 'com: expected a name of [kinds], or NAME:TYPE'
refuse 'Barrier: *&comm' '*&comm: expected an argument: NAME[:TYPE][=NAME]'
refuse 'Barrier: comm:MPI_Com' "MPI_Com: $types"
refuse 'Barrier: comm:' 'comm:: expected an argument: NAME[:TYPE][=NAME]'
refuse 'Barrier: comm -> doubel' "doubel: $types"
refuse 'Barrier: =Bariere' '=Bariere: expected the name of a function above behind the ='
refuse 'Barrier Barrier: comm' 'Barrier: expected once in the table'
refuse 'Barrier: comm => col BARRIER' '=> col: expected coll, rma, file, win'
refuse 'Barrier: comm =>' 'nothing behind =>: expected coll, rma, file, win'
refuse 'Barrier: comm => coll' '=> coll: expected 1 or 2 words behind coll'
refuse 'Barrier: comm => file READ' '=> file READ: expected 0 words behind file'
refuse '@Barrier: n:int' '@Barrier: expected a window, file or communicator among its arguments'
refuse '[call]' '[call]: expected [kinds], [calls], [dropped], [C], [handles], [absent]'
refuse '[kinds] has them; else it is int.' '[kinds] has them; else it is int.: expected [kinds], [calls]'
refuse 'int n' 'int n: expected TYPE: NAME[=NAME]...' kinds
refuse 'itn: n' "itn: $types" kinds
refuse 'int: n:int' 'n:int: expected NAME[=NAME]' kinds
refuse 'int: comm' 'comm: expected once in [kinds]' kinds
refuse 'Com' "MPI_Com: $types" handles
refuse 'Type:' 'Type:: expected KIND[:TYPE]' handles

printf 'Barrier: comm\n' >"$box/calls.def"
expect "$box/calls.def:1: Barrier: comm: expected a section first: [kinds]" "$(report frames "$box/calls.def")"
expect 'c_bindings.py frame calls.def: expected header|names|weak|workers|frames|entries CALLS' "$(report frame calls.def)"

# What the head of the table shows of a row is what is made.
sed -n 's/^#   const struct \(.*\)/    const struct \1/p; s/^#    *\(\.kind .*\)/ \1/p' "$bindings/calls.def" | tr -d '\n' | tr -s ' ' >"$box/shown"
expect 'no error' "$(report frames "$bindings/calls.def")"
tr -s ' ' <"$box/out" | grep -F "$(cat "$box/shown")" >"$box/found" || { echo "not made: $(cat "$box/shown")" && bad=1; }
[[ -s $box/shown ]] || { echo "$bindings/calls.def shows no row with what is made of it" && bad=1; }
exit "$bad"
