#!/usr/bin/env bash
# Where GoogleTest is not installed, the product is configured as anywhere, and nothing else:  no_gtest.sh WORK NINJA
set -euo pipefail
work=$1 ninja=$2
rm -rf "$work"
cmake -G Ninja -S . -B "$work" -DCMAKE_MAKE_PROGRAM="$ninja" -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON >/dev/null
"$(dirname "$0")/product.sh" "$work" "$ninja"
"$ninja" -C "$work" -t graph all | grep -oE 'label="tests/[^"]+\.o"' && { echo "built without GoogleTest, though of tests/"; exit 1; }
exit 0
