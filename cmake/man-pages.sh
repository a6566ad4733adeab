#!/usr/bin/env bash
# Man pages, made from what --help prints:  man-pages.sh HELP2MAN BIN VERSION DATE FOLDER
#   hubsim(1), one for each of its sub-commands as git has them, hubrun(1), hubcc(1), and links to it for other compilers.
#   DATE is that of the version, so the same source makes the same bytes on any day.
set -euo pipefail
help2man=$1 bin=$2 version=$3 date=$4 folder=$5
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
SOURCE_DATE_EPOCH=$(date -u -d "$date" +%s)
export SOURCE_DATE_EPOCH LC_ALL=C ASAN_OPTIONS=detect_leaks=0 # the tests look for leaks
unset ARGP_HELP_FMT

# The first sentence or clause of a help text, for `whatis`.
purpose() {
    "$@" --help | sed -E '/^(Usage|  or):/d' | awk -v RS= 'NR == 1 {
        gsub(/\n/, " ")
        sub(/[.:;]( .*)?$/, "")
        print tolower(substr($0, 1, 1)) substr($0, 2) }'
}

see_also() { # see_also PAGE RELATED...: but for itself
    local related separator=''
    for related in "${@:2}"; do
        [[ $related != "$1" ]] || continue
        printf '%s.BR %s (1)' "$separator" "$related"
        separator=$',\n'
    done
    echo
}

page() { # page "NAME, OTHER NAME..." COMMAND [SUB-COMMAND]
    local name=${1%%,*} related=(hubsim hubrun hubcc) edit='0,/^\.TP$/s//.SH OPTIONS\n&/'
    if [[ $name == hubsim ]]; then # which lists commands
        related+=("${commands[@]/#/hubsim-}") edit=''
    fi
    {
        printf '[name]\n%s \\- %s\n[see also]\n' "$1" "$(purpose "$bin/$2" "${@:3}")"
        see_also "$name" "${related[@]}"
    } >"$box/include"
    [[ ! ${3:-} ]] || edit+="; s|^\\\\fI\\\\,$3 \\\\/\\\\fR|\\\\fB$3\\\\fR |" # to be typed as it is
    "$help2man" --no-info --version-string="$version" --source="hubsim $version" --include="$box/include" "$bin/${*:2}" |
        sed "$edit" | gzip -9n >"$folder/$name.1.gz"
}

mapfile -t commands < <("$bin/hubsim" --help | awk '/^  [a-z]+ / { print $1 }')
compilers=hubcc
rm -rf "$folder"
mkdir -p "$folder"
for link in "$bin"/*; do
    [[ $(readlink "$link") == hubcc ]] || continue
    compilers+=", ${link##*/}"
    ln -s hubcc.1.gz "$folder/${link##*/}.1.gz"
done
page "$compilers" hubcc
page hubrun hubrun
for command in "${commands[@]}"; do
    page "hubsim-$command" hubsim "$command"
done
page hubsim hubsim
