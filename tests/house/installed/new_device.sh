#!/usr/bin/env bash
# An example of a page is built against an installation, as a stranger would, and run:
#   new_device.sh PREFIX WORK C_COMPILER FOLDER PROGRAM
set -euo pipefail
prefix=$1 work=$2 cc=$3 device=$1/share/hubsim/docs/$4 program=$5
flags=(-Wall -Wextra -Werror)
rm -rf "$work"
cmake -G Ninja -S "$device" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="${flags[*]}" >/dev/null
cmake --build "$work/build" | tail -n 20
"$work/build/$program" | diff "$device/output.txt" -

command -v pkg-config >/dev/null || exit 0
package=$(find "$prefix" -name hubsim.pc)
read -ra options < <(PKG_CONFIG_PATH=${package%/*} pkg-config --cflags --libs hubsim)
"$cc" -std=c11 "${flags[@]}" "$device"/*.c "${options[@]}" -o "$work/$program"
"$work/$program" | diff "$device/output.txt" -
