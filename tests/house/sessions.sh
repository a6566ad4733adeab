#!/usr/bin/env bash
# Do commands print what pages show?  sessions.sh BUILD PAGE...
#   Checks each block after a line `<!-- output -->`: a line `$ COMMAND` and what it prints, perhaps several times. `...` stands
#   for any number of lines. Commands run one after the other in a folder that has the examples, built, BUILD as `build`,
#   and docs.
set -euo pipefail
shopt -s extglob
build=$(realpath "$1")
shift
pages=()
for page; do pages+=("$(realpath "$page")"); done
if [[ ! ${SESSIONS_BOX:-} ]]; then
    box=$(mktemp -d)
    trap 'rm -rf "$box"' EXIT
    cp -r "$(dirname "$0")/../../examples" "$box/run"
    ln -s "$build" "$box/run/build"
    ln -s "$(realpath "$(dirname "$0")/../../docs")" "$box/run/docs"
    env -i SESSIONS_BOX="$box" HOME="$box" PATH="$build/bin:/usr/bin:/bin" ${TMPDIR:+TMPDIR="$TMPDIR"} \
        "$(realpath "$0")" "$build" "${pages[@]}"
    exit
fi
box=$SESSIONS_BOX
unset SESSIONS_BOX
cd "$box/run"
make -s CC=hubcc FC=hubf90

# The sessions of all pages, counted: N.command, N.want and N.place. A remark begins after two blanks.
blocks() { awk -v box="$box" '
    function put(ext, line) { print line >(box "/" n ext) }
    /^<!-- output -->$/ { marked = 1; next }
    /^```/ { if (on) on = more = 0; else on = marked; marked = 0; next }
    !on { next }
    more { more = /\\$/; put(".command", $0); next }
    /^\$ / { n++; put(".place", FILENAME ":" FNR); printf "" >(box "/" n ".want")
             sub(/^\$ /, ""); sub(/  +# .*/, ""); more = /\\$/; put(".command", $0); next }
    { put(".want", $0) }' "$@"; }

# Blanks at the end of a line and empty lines at the end of a block do not count.
matches() { awk '
    { sub(/ +$/, "") }
    FILENAME == ARGV[1] { want[++wants] = $0; next }
    { got[++gots] = $0 }
    END {
        while (wants > 0 && want[wants] == "") wants--
        while (gots > 0 && got[gots] == "") gots--
        for (g = w = 1; w <= wants; w++) {
            if (want[w] == "...") { any = 1; continue }
            while (any && g <= gots && got[g] != want[w]) g++
            if (g > gots || got[g] != want[w]) exit 1
            any = 0
            g++
        }
        exit !(any || g > gots)
    }' "$@"; }

blocks "${pages[@]}"
status=0
checked=$(find "$box" -maxdepth 1 -name '*.command' | wc -l)
page='' folder=.
for ((i = 1; i <= checked; i++)); do
    n=$box/$i
    [[ $(cat "$n.place") == "$page":* ]] || { page=$(sed 's/:[0-9]*$//' "$n.place") && folder=.; }
    # `cd` counts for the rest of its page. What any other command prints shows a failure.
    if [[ $(cat "$n.command") == "cd "+([a-z]) ]]; then
        folder=$(cut -c 4- "$n.command")
        : >"$n.got"
    else
        (cd "$folder" && bash "$n.command") >"$n.got" 2>&1 </dev/null || true
    fi
    matches "$n.want" "$n.got" || {
        diff -u --label "$(cat "$n.place")" --label "$(cat "$n.command")" "$n.want" "$n.got" || true
        status=1
    }
done
echo "$checked commands, $# pages"
((checked > 0)) || status=1
exit "$status"
