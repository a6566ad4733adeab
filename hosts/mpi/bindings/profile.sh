#!/usr/bin/env bash
# The library's functions are HMPI_X, which it calls itself; programs call PMPI_X, which calls.sh makes, and
# MPI_X is a weak name for that, so that a profiling library, which has an MPI_X of its own, can call PMPI_X.
# The sources say MPI_X all the same:
#   profile.sh names OUT COMMAND...        renames what the preprocessed header declares, for the compiler
#   profile.sh weak OUT NM ARCHIVE         the weak names of what the archive has, for the assembler
set -euo pipefail
what=$1 out=$2
shift 2
exec >"$out"
case $what in
names)
    "$@" | grep -o '\bPMPI_[A-Za-z0-9_]*' | sort -u | sed 's/P\(.*\)/#define \1 H\1/'
    ;;
weak)
    printf '#if defined(__x86_64__)\n#define GOTO jmp\n#else\n#define GOTO b\n#endif\n.text\n'
    "$1" -g --defined-only "$2" | awk '
        function weak(name, target) {
            printf ".weak %s\n.type %s, %%function\n%s: GOTO %s\n", name, name, name, target
        }
        $2 == "T" && $3 ~ /^HMPI_/ && !seen[$3]++ {
            name = substr($3, 2)
            weak("P" name, $3)
            weak(name, "P" name)
        }'
    echo '.section .note.GNU-stack, "", %progbits'
    ;;
esac
