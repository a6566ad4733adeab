#!/usr/bin/env bash
# The simulation links only a small part of libc and keeps no state outside a simulation:
#   symbols.sh NM OBJDUMP sanitize(ON|OFF) libhubsim_core.a ...
set -euo pipefail
nm=$1 objdump=$2 sanitize=$3
shift 3

# Memory, strings and sorting: nothing that a browser or an FPGA host would lack.
everywhere='abort aligned_alloc calloc free malloc realloc
    memchr memcmp memcpy memmove memset bsearch qsort
    strchr strcmp strcspn strlen strncmp strrchr strspn strstr strtoul strtoull
    snprintf vsnprintf __snprintf_chk __vsnprintf_chk __memcpy_chk __stack_chk_fail _GLOBAL_OFFSET_TABLE_'
# A broken rule of ours is told on stderr, by the core alone.
core_only='fprintf stderr fwrite fputs fputc __fprintf_chk'
# CRC-32 of packets that faults have hit.
checksum='libdeflate_crc32'
# The list of kinds is given to the machine by whoever links it.
by_the_user='machine_kinds'

status=0
defined=$("$nm" --defined-only "$@" | awk 'NF == 3 { print $3 }' | sort -u)
for archive in "$@"; do
    allowed="$everywhere $by_the_user"
    [[ $archive != *hubsim_core.a ]] || allowed+=" $core_only"
    [[ $archive != *hubsim_pcie.a ]] || allowed+=" $checksum"
    # shellcheck disable=SC2086 # the lists are words
    alien=$("$nm" -u "$archive" | awk '$1 == "U" || $1 == "w" { print $2 }' | sort -u |
        grep -vE '^__(asan|ubsan|sanitizer|sancov|gnu_lto)' |
        grep -vxF -f <(printf '%s\n' "$defined" $allowed) || true)
    if [[ -n $alien ]]; then
        printf '%s needs what it may not:\n%s\n' "${archive##*/}" "$alien"
        status=1
    fi
    [[ $sanitize == OFF ]] || continue # sanitizers add data of their own
    mutable=$("$objdump" -t "$archive" | awk '/ (\.data|\.bss)\t/ && $NF !~ /^\./ && $(NF - 1) !~ /^0+$/ { print $NF }')
    if [[ -n $mutable ]]; then
        printf '%s holds mutable globals:\n%s\n' "${archive##*/}" "$mutable"
        status=1
    fi
done
exit "$status"
