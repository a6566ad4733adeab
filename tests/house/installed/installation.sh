#!/usr/bin/env bash
# An installation is whole, stands alone and stays as it is:  installation.sh PREFIX BUILD  (from the root)
#   Its commands run in an empty home; afterwards no file of it is new or changed.
set -euo pipefail
prefix=$(realpath "$1") build=$(realpath "$2") source=$PWD status=0
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir "$box/home" "$box/desk"

bad() { echo "installation: $*"; status=1; }
listing() { find "$prefix" -type f -printf '%P %s %T@\n' | sort; }
alone() { (cd "$box/desk" && env -i HOME="$box/home" PATH=/usr/bin:/bin "$@" >"$box/out" 2>&1); }
runs() { alone "$@" || bad "$* in $box/desk: $(cat "$box/out")"; }
listing >"$box/before"

# What help names is there, and so is what pages link to.
for command in hubsim "hubsim run" "hubsim sweep" "hubsim figure" hubrun hubcc; do
    read -ra words <<<"$command --help"
    runs "$prefix/bin/${words[0]}" "${words[@]:1}"
    while read -r name; do
        [[ -e $prefix/share/hubsim/${name%.} ]] || bad "$command --help names ${name%.}, which is not there"
    done < <(grep -oE '\bscripts/[a-z.]+' "$box/out")
done
while IFS=: read -r page link; do
    link=${link#](} link=${link%%[)#]*}
    [[ $link == http* || -e $(dirname "$page")/$link ]] || bad "${page#"$prefix"/}: link to $link, which is not there"
done < <(grep -roE --include='*.md' '\]\([^)#]+' "$prefix/share/hubsim")

for module in rtl-model/{rtl,cosim}/*.sv; do # what hubs in SystemVerilog are made from
    [[ -e $prefix/share/hubsim/$module ]] || bad "no $module"
done

# No path of where it was built; in modules, which are packed, too.
for place in "$source" "$build"; do
    grep -rlF -- "$place" "$prefix" && bad "$place is in the files above"
    find "$prefix" -name '*.mod' -exec zcat -f {} + | grep -F -- "$place" && bad "$place is in a Fortran module"
done

# What is drawn by scripts.
hubrun=$prefix/bin/hubrun hubsim=$prefix/bin/hubsim scripts=$prefix/share/hubsim/scripts
program=$prefix/lib/hubsim/workloads/message.so
runs "$hubrun" -q -n 2 -m two-node --profile=p.csv --timeline t.json.gz "$program"
runs "$scripts/matrix" p.matrix.csv --out matrix.svg
runs "$scripts/timeline" t.json.gz
runs "$scripts/timeline" t.json.gz --message -1 --out timeline.svg
runs "$hubsim" run two-node --utilisation --out out
runs "$scripts/utilisation" out/two-node --run 0 --out use.svg
runs "$hubsim" figure pingpong-latency --out figures
runs "$hubsim" explain two-node --svg explain.svg
runs "$hubsim" topology ring4 --svg ring4.svg
for picture in explain.svg ring4.svg matrix.svg timeline.svg use.svg figures/pingpong-latency.svg; do
    [[ -s $box/desk/$picture ]] || bad "no $picture"
done
runs env PYTHONPATH="$prefix/lib/python3/dist-packages" /usr/bin/python3 -B -c 'import hubsim; hubsim.run("two-node")'
if grep -q '^HUBSIM_FST_DIR:PATH=/' "$build/CMakeCache.txt"; then runs "$hubsim" run two-node --waves w.fst; fi
if [[ -x /usr/bin/tshark ]]; then
    runs "$hubsim" run two-node --pcap c.pcapng
    runs tshark -X lua_script:"$scripts/hubsim.lua" -r c.pcapng -c 5
fi

listing | diff "$box/before" - || bad "its files changed while it was used"
left=$(find "$box/home" -type f ! -path '*/matplotlib/*') # which keeps its list of fonts there
[[ ! $left ]] || bad "left in the home: $left"
exit "$status"
