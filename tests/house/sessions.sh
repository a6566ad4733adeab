#!/usr/bin/env bash
# Do commands print what pages show?  sessions.sh [--write] BUILD PAGE...
#   Checks each block after a line `<!-- output -->`: a line `$ COMMAND` and what it prints, perhaps several times. `...` stands
#   for any number of lines. Commands run one after the other in a folder that has the examples, built, BUILD as `build`,
#   and the source's docs, scripts, tests and rtl-model. --write puts what they print into the page, but where there is `...`.
#   The block after `<!-- file: NAME -->` is that file of the folder. Any other block without a language has to be commands
#   alone, or has `<!-- drawing -->` before it, or `<!-- by hand: REASON -->`. README.md and docs/architects.md have the lines of
#   readme.sh.
set -euo pipefail
shopt -s extglob
write=''
[[ $1 != --write ]] || { write=$1 && shift; }
build=$(realpath "$1")
shift
pages=()
for page; do pages+=("$(realpath "$page")"); done
if [[ ! ${SESSIONS_BOX:-} ]]; then
    box=$(mktemp -d)
    trap 'rm -rf "$box"' EXIT
    source=$(realpath "$(dirname "$0")/../..")
    cp -r "$source/examples" "$box/run"
    for folder in docs scripts tests rtl-model; do ln -s "$source/$folder" "$box/run/$folder"; done
    ln -s "$build" "$box/run/build"
    ln -s . "$box/run/examples" # from which pages begin, too
    ln -s "$build" "$box/build"
    env -i SESSIONS_BOX="$box" HOME="$box" SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 \
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PATH="$build/bin:/usr/bin:/bin" ${TMPDIR:+TMPDIR="$TMPDIR"} \
        "$(realpath "$0")" ${write:+"$write"} "$build" "${pages[@]}"
    exit
fi
box=$SESSIONS_BOX
unset SESSIONS_BOX
cd "$box/run"
make -s CC=hubcc FC=hubf90

# The sessions of all pages, counted: N.command, N.want and N.place; and in `wrong` what nothing compares. A remark begins after
# two blanks.
blocks() { awk -v box="$box" -v root="$(realpath "$(dirname "$0")/../..")" '
    function put(ext, line) { print line >(box "/" n ext) }
    function wrong(at, what) { print page ":" at ": " what >(box "/wrong") }
    function end_page() {
        if (in_block) wrong(first, "a block without an end")
        in_block = on = in_file = more = 0
        marked = ""
    }
    FNR == 1 { end_page(); page = FILENAME; readme = page == root "/README.md" || page == root "/docs/architects.md" }
    !in_block && /^ *<!-- (output|by hand|file|drawing)/ {
        if (/^<!-- output -->$/) marked = "output"
        else if (/^ *<!-- by hand: .+ -->$/ || (readme && /^<!-- (output|file): .+ -->$/)) marked = "other"
        else if (/^ *<!-- drawing -->$/) marked = "drawing"
        else if (/^<!-- file: [A-Za-z0-9_.-]+ -->$/) { marked = "file"; file = box "/run/" $3; print page ":" FNR, $3 >(box "/files") }
        else wrong(FNR, "no such line before a block: " $0)
        next
    }
    !in_block && /^ *(~~~|> *```|<pre)/ { wrong(FNR, "expected a block between ``` at the beginning of lines") }
    /^ *```/ && in_block {
        if (on && !commands) wrong(first, "a block without a command, which is $ and a blank before it")
        in_block = on = more = in_file = 0
        next
    }
    /^ *```/ {
        in_block = 1; first = FNR; commands = going = 0
        on = marked == "output"; in_file = marked == "file"; bare = marked == "" && !/```(c|cpp|make|python|sh|yaml)$/
        text = !bare && (marked == "" || marked == "drawing") # no session
        marked = ""
        next
    }
    !in_block && /[^ ]/ { marked = "" }
    in_block && bare {
        if (going ? /^ / : /^ *\$ /) going = /\\$/
        else if (/[^ ]/) {
            wrong(first, "nothing compares this block: expected <!-- output -->, <!-- file: NAME -->, <!-- drawing -->" \
                         " or <!-- by hand: REASON --> before it, or commands alone")
            bare = 0
        }
    }
    in_block && text && /^ *\$ / { wrong(first, "a session: expected <!-- output --> before it, and no language"); text = 0 }
    in_file { print >file }
    !on { next }
    more { more = /\\$/; put(".command", $0); next }
    /^\$ / { n++; commands++; put(".place", FILENAME ":" FNR); printf "" >(box "/" n ".want")
             sub(/^\$ /, ""); sub(/  +# .*/, ""); more = /\\$/; put(".command", $0); next }
    !commands { wrong(FNR, "a line before the first command"); next }
    { put(".want", $0) }
    END { end_page() }' "$@"; }

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

# A page with N.new in the place of what session N showed; `first` is the number of its first session.
rewrite() { awk -v box="$box" -v n="$2" '
    !in_block && /[^ ]/ && !/^```/ { marked = /^<!-- output -->$/ }
    /^ *```/ { if (in_block) in_block = on = skip = 0; else { in_block = 1; on = marked; marked = 0 } print; next }
    more { more = /\\$/; print; if (!more) show(); next }
    on && /^\$ / { n++; more = /\\$/; skip = 0; print; if (!more) show(); next }
    !skip
    function show(   line, more_of_it) {
        while ((more_of_it = (getline line <(box "/" n ".new"))) > 0) { sub(/ +$/, "", line); print line }
        skip = more_of_it == 0 # there is such a file
    }' "$1"; }

# Whether one of the files, but FILE itself, has its name as a word: uses FILE IN...
uses() { awk -v name="$1" -v itself="/$1" '
    FNR == 1 { own = substr(FILENAME, length(FILENAME) - length(itself) + 1) == itself }
    own { next }
    {
        for (from = 1; (at = index(substr($0, from), name)) > 0; from += at) {
            before = substr($0, from + at - 2, from + at > 2)
            after = substr($0, from + at - 1 + length(name))
            if (before !~ /[A-Za-z0-9_.-]/ && after !~ /^([A-Za-z0-9_-]|\.[A-Za-z0-9_])/) { found = 1; exit }
        }
    }
    END { exit !found }' "${@:2}"; }

touch "$box/wrong" "$box/files"
blocks "${pages[@]}"
status=0
checked=$(find "$box" -maxdepth 1 -name '*.command' | wc -l)
while read -r place file; do
    uses "$file" "$box"/*.command "$box"/run/*.yaml ||
        echo "$place: no command uses $file" >>"$box/wrong"
done <"$box/files"
[[ ! -s $box/wrong ]] || status=1
cat "$box/wrong"
page='' folder=. first=0 changed=''
finish_page() {
    [[ ! $changed ]] || { rewrite "$page" "$first" >"$box/page" && cat "$box/page" >"$page"; }
    changed=''
}
for ((i = 1; i <= checked; i++)); do
    n=$box/$i
    if [[ $(cat "$n.place") != "$page":* ]]; then
        finish_page
        page=$(sed 's/:[0-9]*$//' "$n.place") folder=. first=$((i - 1))
    fi
    # `cd` counts for the rest of its page. What any other command prints shows a failure.
    case $(cat "$n.command") in
    "cd "+([a-z./]))
        if there=$(cd "$folder" && eval "$(cat "$n.command")" 2>/dev/null && pwd); then
            folder=$there && : >"$n.got"
        else
            echo "no such folder" >"$n.got"
        fi
        ;;
    *) (cd "$folder" && bash "$n.command") 2>&1 </dev/null | sed '/^Running as user "root" and group "root"/d' >"$n.got" || true ;;
    esac
    matches "$n.want" "$n.got" || {
        diff -u --label "$(cat "$n.place")" --label "$(cat "$n.command")" "$n.want" "$n.got" || true
        status=1
        [[ ! $write ]] || grep -qx '\.\.\.' "$n.want" || { cp "$n.got" "$n.new" && changed=1; }
    }
done
finish_page
echo "$checked commands, $# pages"
((checked > 0)) || status=1
exit "$status"
