#!/usr/bin/env bash
# Spelling in pages, British; the field's own terms are in tests/house/terms:  spelling.sh PLACE...  (from the root)
#   Words with digits, several capitals or a file's ending are names and are left out.
set -euo pipefail
here=$(dirname "$0")
aspell dicts 2>/dev/null | grep -qx en_GB || { echo "spelling.sh: no aspell with en_GB: skipped"; exit 77; }
unknown=$(find "$@" -name '*.md' -o -name '*.[ch]' -o -name '*.cpp' -o -name '*.sv' | LC_ALL=C sort | xargs awk -f "$here/prose.awk" | cut -f3 | tr -s ' \t' '\n' |
    sed "s/'s\b//" | grep -vE '[0-9_@=/]|[A-Z].*[A-Z]|\.(md|c|h)\b' | aspell list --lang=en_GB --encoding=utf-8 | LC_ALL=C sort -u |
    LC_ALL=C comm -23 - <(LC_ALL=C sort -u "$here/terms"))
[[ -z $unknown ]] || { printf 'neither in the dictionary nor in tests/house/terms:\n%s\n' "$unknown"; exit 1; }
