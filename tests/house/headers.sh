#!/usr/bin/env bash
# Each header compiles alone as C11, and the public ones as C++17:  headers.sh CC CXX [FOLDER]...  (from the root)
#   FOLDER: where the public ones are that the build makes
set -euo pipefail
cc=$1 cxx=$2 status=0
flags=(-fsyntax-only -Wall -Wextra -Wpedantic -Werror -DGASNET_SEQ -I sim -I .) # a program has a mode of GASNet
for dir in hosts/*/include "${@:3}"; do
    [[ ! -d $dir ]] || flags+=(-I "$dir")
done
while read -r header; do
    "$cc" -std=c11 "${flags[@]}" -x c -include "$header" - <<<'extern int unit;' || { echo "$header: not C11 by itself"; status=1; }
    case $header in
    */internal.h | sim/hub/dma/dma_impl.h | sim/hub/ddr.h | tools/*) continue ;; # no C++ includes them
    hosts/*/include/*) pedantic=-Wpedantic ;; # for any program
    *) pedantic='-Wno-pedantic -Wno-c99-designator' ;; # for our tests: C constructs that g++ and clang++ know may stay
    esac
    # shellcheck disable=SC2086 # two options
    "$cxx" -std=c++17 "${flags[@]}" $pedantic -x c++ -include "$header" - <<<'extern int unit;' ||
        { echo "$header: not C++17 by itself"; status=1; }
done < <(find sim hosts regs tools -name '*.h' | sort)
exit "$status"
