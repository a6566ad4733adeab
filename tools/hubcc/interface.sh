#!/usr/bin/env bash
# The functions that programs may call, as empty ones for the linker:  interface.sh OUT NM PREFIXES ARCHIVE...
set -euo pipefail
out=$1 nm=$2 prefixes=$3
shift 3
exec >"$out"
echo '/* Programs are linked against this; what they call is what hubrun has. */'
# What libgfortran keeps for its threads, of which there are none. Here, not in each program: the loader
# has room for few of those that come with libraries loaded late.
echo 'extern _Thread_local void *thread_unit;'
echo '_Thread_local void *thread_unit;'
"$nm" -g --defined-only "$@" | awk -v prefixes="^($prefixes)" '
    ($2 == "T" || $2 == "W") && $3 ~ prefixes && $3 !~ /^gasnet_mode_/ && !seen[$3]++ {
        printf "void %s(void);\nvoid %s(void)\n{\n}\n", $3, $3
    }'
