#!/bin/sh
# sees.sh FUZZ_TCA: it sees each kind of fault, in a library whose results it falsifies itself.
set -eu
fuzz=$1
out=$(mktemp)
trap 'rm -f "$out"' EXIT

expect() { # expect TEXT OPTIONS...
    text=$1
    shift
    status=0
    "$fuzz" --ranks 2 --seed 1 --runs 2 "$@" >"$out" 2>&1 || status=$?
    if [ "$status" != 1 ] || ! grep -q "$text" "$out" || ! grep -q '^again: fuzz_tca .* --only [0-9]' "$out"; then
        echo "$*: expected status 1 and: $text"
        cat "$out"
        exit 1
    fi
}

expect 'returned 0 (no error), expected' --lie accepts
expect 'returned 1 (invalid value), expected 0' --lie refuses
expect 'byte 0 of m[0-9]* is 0x' --lie byte
expect 'and left 0 lines, expected 1' --lie line
expect 'uncorrectable errors, expected none' --lie error --runs 300
expect 'it ends early: signal 6' --lie crash
expect 'it hangs: ' --lie hang --runs 1
expect 'the fingerprint is another one' --lie differs
