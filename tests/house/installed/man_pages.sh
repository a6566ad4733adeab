#!/usr/bin/env bash
# Man pages say what --help says:  man_pages.sh BIN FOLDER [HELP2MAN]  (from the root)
#   Each word of a help text is in its page, which man shows without a warning. HELP2MAN makes them anew: pages of the
#   same version and day are the same bytes, and others differ in nothing but these.
set -euo pipefail
bin=$(realpath "$1") folder=$2 help2man=${3:-} status=0
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
export LC_ALL=C MANWIDTH=1000

bad() { echo "man pages: $*"; status=1; }
words() { tr -s ' \n' '\n' | sort -u; }
day=$(sed -n 's/^date-released: //p' CITATION.cff)
version=$("$bin/hubsim" --version | cut -d ' ' -f 2)

check() { # check NAME COMMAND...
    local page=$folder/$1.1.gz missing
    [[ -f $page ]] || { bad "no $page"; return 0; }
    man --nh --nj --warnings -l "$page" >"$box/page" 2>"$box/warnings" || bad "$1: man fails"
    [[ ! -s $box/warnings ]] || bad "$1: $(cat "$box/warnings")"
    [[ $(sed -n '/^NAME$/{n; p}' "$box/page") =~ ^\ +(hub[a-z0-9+]+, )*"$1"(, hub[a-z0-9+]+)*\ -\ [a-z].*[A-Za-z]$ ]] || bad "$1: NAME"
    tail -n 1 "$box/page" | grep -q "^hubsim $version  *$(date -d "$day" '+%B %Y') " || bad "$1: version $version and $day in the last line"
    missing=$("$bin/$2" "${@:3}" --help | sed -E 's/^(Usage|  or|Environment)://' | words | comm -23 - <(words <"$box/page"))
    [[ ! $missing ]] || bad "$1: not in the page: ${missing//$'\n'/ }"
}

check hubsim hubsim
check hubrun hubrun
for compiler in hubcc hubc++ hubf77 hubf90 hubfort; do
    check "$compiler" hubcc
done
count=0
while read -r command; do
    check "hubsim-$command" hubsim "$command"
    count=$((count + 1))
done < <("$bin/hubsim" --help | awk '/^  [a-z]+ / { print $1 }')
((count > 10)) || bad "$count sub-commands"

if [[ $help2man ]]; then
    ./cmake/man-pages.sh "$help2man" "$bin" "$version" "$day" "$box/again"
    diff -r "$folder" "$box/again" || bad "not the same bytes again"
    ./cmake/man-pages.sh "$help2man" "$bin" 9.8.7 1999-05-31 "$box/other"
    for page in "$box"/other/*; do
        [[ $(zcat "$page") == *'"May 1999"'* ]] || bad "${page##*/}: not of the day that was asked for"
        diff <(zcat "$page" | sed "s/May 1999/$(date -d "$day" '+%B %Y')/; s/9\.8\.7/$version/") <(zcat "$folder/${page##*/}") ||
            bad "${page##*/} of another day and version"
    done
fi
exit "$status"
