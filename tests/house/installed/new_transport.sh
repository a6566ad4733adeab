#!/usr/bin/env bash
# The example of a transport is built against an installation, as a stranger would, and carries messages:
#   new_transport.sh PREFIX WORK C_COMPILER BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
prefix=$1 work=$2 cc=$3 build=$(realpath "$4")
example=$prefix/share/hubsim/docs/example-transport
rm -rf "$work"
mkdir -p "$work/mine/transports"
cp -r "$example/machines" "$work/mine"
"$cc" -std=c11 -Wall -Wextra -Werror -shared -fPIC -I "$prefix/include/hubsim/driver" "$example/mailbox.c" \
    -o "$work/mine/transports/mailbox.so"
cd "$work"
export HUBSIM_PATH=mine PATH=$prefix/bin:$PATH

expect() { # expect LINE COMMAND...: a line that the command prints
    local out
    out=$("${@:2}" 2>&1) || true
    grep -qxF -- "$1" <<<"$out" || { printf '%s: expected\n%s\ngot\n%s\n' "${*:2}" "$1" "$out" >&2; exit 1; }
}

expect 'node*.software.mpi.boxes,4,1,1 .. 64,mine/machines/mail4.yaml:11,,mailbox: messages under way between two ranks' \
    hubsim params --csv mail4
hubcc -O2 "$prefix/share/hubsim/examples/ring.c" -o ring
expect '4 ranks: sum 600, 1.168 us from rank to rank' hubrun -q -m mail4 ./ring
expect 'hubrun: MPI: boxes = 99: expected a whole number, 1 .. 64' hubrun --mpi mailbox,boxes=99 ./ring
expect 'hubrun: MPI: boxes=9: a setting of transport mailbox alone: expected mailbox, not net' hubrun --mpi net,boxes=9 ./ring
expect 'hubrun: rank 0 ended all 3 ranks with status 1 at 201.000 us' hubrun -n 3 --mpi mailbox ./ring # on two nodes

sed 's/boxes: 4/boxes: 99/' mine/machines/mail4.yaml >wrong.yaml
expect 'hubsim: wrong.yaml:11:3: node*.software.mpi.boxes = 99: node0.software.mpi.boxes: expected a whole number, 1 .. 64' \
    hubsim params wrong.yaml
mkdir -p other/transports
touch other/transports/empty.so
HUBSIM_PATH=other expect 'hubsim: other/transports/empty.so: file too short' hubsim params mail4
cp mine/transports/mailbox.so other/transports/empty.so
HUBSIM_PATH=other expect 'hubsim: other/transports/empty.so: undefined symbol: transport_empty' hubsim params mail4
HUBSIM_PATH=mine:mine expect '4 ranks: sum 600, 1.168 us from rank to rank' hubrun -q -m mail4 ./ring # the first one counts
sed '/\.take = /d' "$example/mailbox.c" >mailbox.c
"$cc" -std=c11 -shared -fPIC -I "$prefix/include/hubsim/driver" mailbox.c -o other/transports/mailbox.so
rm other/transports/empty.so
HUBSIM_PATH=other expect 'hubsim: other/transports/mailbox.so: transport mailbox: expected .take' hubsim params two-node

HUBSIM_PATH=$work/mine "$here/../../hosts/mpi/match" "$build" -t mailbox -p 50
