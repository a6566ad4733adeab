#!/usr/bin/env bash
# The device of docs/new-device.md is built against an installation, as a stranger would, and run:
#   new_device.sh BUILD WORK C_COMPILER
set -euo pipefail
build=$1 work=$2 cc=$3
rm -rf "$work"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -G Ninja -S docs/example-device -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" >/dev/null
cmake --build "$work/build" | tail -n 20
"$work/build/stamp" | diff docs/example-device/output.txt -
