#!/usr/bin/env bash
# The Debian package is installed, used and removed, by dpkg and without root, and no file of it is left:  removal.sh BUILD
set -euo pipefail
build=$(realpath "$1")
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
tree=$box/tree
mkdir -p "$tree/var/lib/dpkg/info" "$tree/var/lib/dpkg/updates" "$box/home" "$box/empty"
: >"$tree/var/lib/dpkg/status"
cd "$box/empty"

bad() { echo "removal: $*"; exit 1; }
package() { # package WORD...: in the tree, whose scripts run outside of it and know it as DPKG_ROOT
    PATH=/usr/sbin:/usr/bin:/sbin:/bin dpkg --root="$tree" --log="$box/log" \
        --force-not-root --force-script-chrootless --force-depends "$@" >"$box/out" 2>&1 || bad "dpkg $*: $(cat "$box/out")"
}
listed() { (cd "$tree" && find . ! -path './var/lib/dpkg*' | sort); }
run() { env -i HOME="$box/home" PATH="$tree/usr/bin:/usr/bin:/bin" "$@"; }

listed >"$box/before"
package --install "$build"/hubsim_*.deb
[[ -d $tree/usr/share/hubsim ]] || bad "it is not there"
run hubsim run two-node | grep -q '^0 - 1 ' || bad "hubsim run two-node"
cat >hello.c <<'END_OF_C'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
END_OF_C
run hubcc -O2 hello.c -o hello
[[ $(run hubrun -q -n 4 ./hello | sort | tail -n 1) == "rank 3: 6" ]] || bad "a program of MPI"
modules=$tree/usr/lib/python3/dist-packages
run env PYTHONPATH="$modules" /usr/bin/python3 -c 'import hubsim; assert len(hubsim.run("two-node")) == 1'
[[ -d $modules/hubsim/__pycache__ || ! -w $modules/hubsim ]] || bad "Python compiles nothing: the check below sees no more than dpkg's list"
[[ -z $(find "$box/home" -mindepth 1) ]] || bad "files in HOME: $(find "$box/home" -mindepth 1)"

package --remove hubsim
listed | diff "$box/before" - || bad "the files above have been left"
! grep -q '^Package: hubsim' "$tree/var/lib/dpkg/status" || bad "dpkg goes on to know it"
