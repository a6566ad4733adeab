#!/usr/bin/env bash
# A workload in one file, built with an installation as a stranger would, and run:  new_workload.sh PREFIX WORK
#   Its result, both kinds of bound, a point alone, and the messages for wrong keys are those of new_workload.txt.
set -euo pipefail
prefix=$1 work=$2 here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work"
cp -r "$prefix/share/hubsim/docs/example-workload" "$work"
cd "$work"
PATH=$prefix/bin:$PATH

try() { # try EXPERIMENT SED-COMMAND: the experiment with a change
    sed "$2" relay.yaml >"$1.yaml"
    hubsim run "$1.yaml" --csv || echo "status $?"
}
{
    hubcc -std=c11 -O2 -Wall -Wextra -Werror -pedantic relay.c -o relay
    try as-is ''
    try alone 's/bytes: .* }/repeats: 1 }/'
    try value 's/bytes: .* }/bytes: 1048577 }/'
    try word 's/bytes: .* }/fill: ones }/'
    try key 's/bytes: .* }/byte: 64 }/'
    try ranks 's/nodes: 4/nodes: 1/'
    try notation 's/bytes: .* }/bytes: 0x1_000 }/'
    try nowhere '/^machine/d'
    hubsim sweep sweep.yaml --csv
    # without lines of traffic, but bounded by one direction of a path
    sed '/i < r->ranks; i++)$/,/;$/d; s/^    \.prints/    .directions = 1,\n&/' relay.c >path.c
    hubcc -O2 path.c -o path
    try path 's/relay$/path/'
    # one that describes nothing, and one that was made for another version of the header
    sed '/^HUBSIM_WORKLOAD/,/^};/d' relay.c >none.c
    hubcc -O2 none.c -o none
    try none 's/relay$/none/'
    sed 's/#include <hubsim-workload.h>/#include "old.h"/' relay.c >old.c
    sed 's/HUBSIM_KEYS   24/HUBSIM_KEYS 20/' "$prefix/include/hubsim/hubsim-workload.h" >old.h
    hubcc -O2 old.c -o old
    try old 's/relay$/old/'
} >output.txt 2>&1 || true # the difference says what failed
diff "$here/new_workload.txt" output.txt
