#!/usr/bin/env bash
# The functions that programs may call, as empty ones for the linker:  interface.sh OUT NM ARCHIVE...
set -euo pipefail
out=$1 nm=$2
shift 2
exec >"$out"
echo '/* Programs are linked against this; what they call is what hubrun has. */'
"$nm" -g --defined-only "$@" | awk '
    $2 == "T" && $3 ~ /^(MPI_|PMPI_|tca|cuda|peach2_|hub_program_loading$)/ && !seen[$3]++ {
        printf "void %s(void);\nvoid %s(void)\n{\n}\n", $3, $3
    }'
