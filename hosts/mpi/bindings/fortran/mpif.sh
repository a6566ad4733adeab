#!/usr/bin/env bash
# Writes mpif.h from mpi.h: what is an integer there has the same value in Fortran. Its lines are right
# in fixed and in free form.   mpif.sh OUT MPI_H [f08]   f08: the constants of the module mpi_f08 alone,
# where handles are of types of their own
set -euo pipefail
out=$1 header=$2 f08=${3-} protects=false
[[ ! $f08 ]] || protects=true
declare -A value=() kind=()

integer() { # integer NAME VALUE [KIND]
    printf '      integer%s %s\n      parameter (%s=%s)\n' "${3:+(kind=$3)}" "$1" "$1" "$2"
}

handle() { # handle TYPE NAME VALUE
    printf '      type(%s), parameter :: %s = %s(%s)\n' "$1" "$2" "$1" "$3"
}

exec >"$out"
cat <<'END'
!     MPI for Fortran programs on simulated hosts; made from mpi.h.
END
while read -r name text; do
    case $name in MPI_F_* | MPI_F08_* | MPI_STATUS_IGNORE) continue ;; esac
    text=${text%%/\**} text=${text// /}
    [[ $text != *\** && $text != *'"'* ]] || continue # a pointer in C
    type=${kind[$text]-}
    if [[ $text =~ ^\(\((MPI_[A-Za-z]+)\)(.*)\)$ ]]; then
        type=${BASH_REMATCH[1]} text=${BASH_REMATCH[2]}
    fi
    text=${value[$text]-$text}
    [[ $text =~ ^\(?-?(0x)?[0-9a-f]+\)?$ ]] || continue
    value[$name]=$((text)) kind[$name]=$type
    if [[ $f08 && $type ]]; then
        handle "$type" "$name" "$((text))"
    elif [[ $name == MPI_DISPLACEMENT_CURRENT ]]; then
        integer "$name" "$((text))" 8
    else
        integer "$name" "$((text))"
    fi
done < <(sed -n 's/^#define \(MPI_[A-Z0-9_]*\) \(.*\)/\1 \2/p' "$header")
integer MPI_SOURCE 1
integer MPI_TAG 2
integer MPI_ERROR 3
integer MPI_ADDRESS_KIND 8
integer MPI_OFFSET_KIND 8
integer MPI_COUNT_KIND 8
integer MPI_INTEGER_KIND 4
cat <<END
      logical MPI_SUBARRAYS_SUPPORTED, MPI_ASYNC_PROTECTS_NONBLOCKING
      parameter (MPI_SUBARRAYS_SUPPORTED=.false.)
      parameter (MPI_ASYNC_PROTECTS_NONBLOCKING=.$protects.)
END
[[ ! $f08 ]] || exit 0
cat <<'END'
!     Known by their addresses
      integer MPI_BOTTOM, MPI_IN_PLACE
      integer MPI_STATUS_IGNORE(MPI_STATUS_SIZE)
      integer MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)
      integer MPI_ERRCODES_IGNORE(1)
      integer MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)
      character*1 MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1,1)
      common /HUB_MPI_BOTTOM/ MPI_BOTTOM
      common /HUB_MPI_IN_PLACE/ MPI_IN_PLACE
      common /HUB_MPI_STATUS_IGNORE/ MPI_STATUS_IGNORE
      common /HUB_MPI_STATUSES_IGNORE/ MPI_STATUSES_IGNORE
      common /HUB_MPI_ERRCODES_IGNORE/ MPI_ERRCODES_IGNORE
      common /HUB_MPI_UNWEIGHTED/ MPI_UNWEIGHTED
      common /HUB_MPI_WEIGHTS_EMPTY/ MPI_WEIGHTS_EMPTY
      common /HUB_MPI_ARGV_NULL/ MPI_ARGV_NULL
      common /HUB_MPI_ARGVS_NULL/ MPI_ARGVS_NULL
      external MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, MPI_DUP_FN
      external MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN
      external MPI_COMM_DUP_FN, MPI_TYPE_NULL_COPY_FN
      external MPI_TYPE_NULL_DELETE_FN, MPI_TYPE_DUP_FN
      external MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN
      external MPI_WIN_DUP_FN
      real(kind=8) MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
      external MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
      integer(kind=MPI_ADDRESS_KIND) MPI_AINT_ADD, MPI_AINT_DIFF
      integer(kind=MPI_ADDRESS_KIND) PMPI_AINT_ADD, PMPI_AINT_DIFF
      external MPI_AINT_ADD, MPI_AINT_DIFF
      external PMPI_AINT_ADD, PMPI_AINT_DIFF
END
