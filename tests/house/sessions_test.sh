#!/usr/bin/env bash
# What sessions.sh finds in a bad page:  sessions_test.sh BUILD
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "$0")"
status=0
found=$(./sessions.sh "$build" bad_sessions.md 2>&1) || status=$?
printf '%s\nstatus %s\n' "${found//$PWD\//}" "$status" | diff -u --label expected --label found bad_sessions.txt -
