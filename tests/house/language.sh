#!/usr/bin/env bash
# Plain English in pages, and in comments where PLACE has sources:  language.sh PLACE...  (from the root)
#   No sentence has more than 40 words, at most 7 of 100 have more than 25, and none has a phrase of tests/house/phrases.
set -euo pipefail
here=$(dirname "$0")
find "$@" -name '*.md' -o -name '*.[ch]' -o -name '*.cpp' -o -name '*.sv' | LC_ALL=C sort | xargs awk -f "$here/prose.awk" |
    awk -F'\t' -v longest=40 -v long=25 -v share=7 '
function bad(text) { print $1 ": " text ": " $3; status = 1 }
FNR == NR {
    if (/^#/ || !match($0, / -> /)) next
    n = split(substr($0, 1, RSTART - 1), phrases, / \| /)
    for (i = 1; i <= n; i++) instead[phrases[i]] = substr($0, RSTART + 4)
    next
}
{
    plain = tolower($3)
    gsub(/[^a-z0-9@]+/, " ", plain)
    plain = " " plain " "
    gsub(/  +/, " ", plain)
    for (phrase in instead)
        if (phrase ~ /^\^/ ? $2 == "text" && index(plain, " " substr(phrase, 2) " ") == 1 : index(plain, " " phrase " "))
            bad("\"" phrase "\", instead: " instead[phrase])
}
$2 == "text" {
    n = split($3, words, /[ \t]+/)
    if (n > longest) bad(n " words")
    if (n > long) over++
    all++
}
END {
    printf "%d sentences, %d of more than %d words\n", all, over, long
    if (100 * over > share * all) { print "at most " share " of 100 may be so long"; status = 1 }
    exit status
}' "$here/phrases" -
