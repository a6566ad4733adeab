#!/usr/bin/env bash
# Does what a page says, from top to bottom:  readme.sh PAGE BIN [--write]
#   Each command in its `sh` blocks runs, in the folder of the page (or in the one that its docs/ is in) and in an empty home; BIN stands for build/bin. A block
#   after `<!-- not run: REASON -->` is left out. The block after `<!-- output: COMMAND -->` is what that command prints, and
#   that after `<!-- file: PATH -->` what the file holds; --write puts both into the page instead of comparing them.
set -euo pipefail
page=$(realpath "$1") bin=$(realpath "$2") write=${3:-}
if [[ ! ${README_BOX:-} ]]; then
    box=$(mktemp -d)
    trap 'rm -rf "$box"' EXIT
    mkdir "$box/home"
    env -i README_BOX="$box" HOME="$box/home" PATH=/usr/bin:/bin ${TMPDIR:+TMPDIR="$TMPDIR"} "$0" "$page" "$bin" "$write"
    exit
fi
box=$README_BOX
unset README_BOX
folder=$(dirname "$page")
cd "${folder%/docs}"
root=$PWD

fail() { echo "${page##*/}: $*" >&2; exit 1; }

# Commands, one a line: without the remark that begins after two blanks, continued lines joined.
awk '/^<!-- not run: / { off = 1 }
    /^```sh$/ { on = !off; off = 0; next }
    /^```/ { on = 0 }
    on && !/^#/ { sub(/  +# .*/, ""); if (sub(/\\$/, "")) printf "%s", $0; else print }' "$page" >"$box/commands"
[[ -s $box/commands ]] || fail "no command in it"

# What is to be compared: outputs/N holds the block whose head is line N of `wanted`.
mkdir "$box/blocks"
awk -v blocks="$box/blocks" '
    /^<!-- (output|file): / { sub(/^<!-- /, ""); sub(/ -->$/, ""); print; head = ++n; next }
    head && /^```/ { if (on) { close(file); on = head = 0 } else { on = 1; file = blocks "/" head; printf "" >file } next }
    on { print >file }' "$page" >"$box/wanted"

number_of() { awk -v head="$1" '$0 == head { print NR; exit }' "$box/wanted"; } # of a block; nothing: none

compare() { # compare HEAD FILE
    local n
    n=$(number_of "$1")
    [[ $n ]] || return 0
    if [[ $write ]]; then
        cp "$2" "$box/blocks/$n"
    else
        diff -u --label "in the page" --label "${1#*: }" "$box/blocks/$n" "$2" || exit 1
    fi
    touch "$box/blocks/$n.seen"
}

while IFS= read -r command <&3; do
    status=0
    # In this shell: a page changes its folder and its PATH.
    eval "${command//\$PWD\/build\/bin/$bin}" >"$box/out" 2>&1 || status=$?
    ((status == 0)) || fail "\`$command\`: status $status: $(cat "$box/out")"
    compare "output: $command" "$box/out"
done 3<"$box/commands"

cd "$root"
while IFS= read -r head; do
    [[ $head != file:* ]] || compare "$head" "${head#file: }"
    [[ -e $box/blocks/$(number_of "$head").seen ]] || fail "$head: no command of the page prints it"
done <"$box/wanted"
echo "${page##*/}: $(wc -l <"$box/commands") commands, $(wc -l <"$box/wanted") blocks compared"

[[ $write ]] || exit 0
awk -v blocks="$box/blocks" '
    /^<!-- (output|file): / { head = ++n }
    !on { print }
    head && /^```/ {
        if (on) { print; on = head = 0; next }
        on = 1
        while ((getline line <(blocks "/" head)) > 0) print line
    }' "$page" >"$box/page"
cat "$box/page" >"$page"
