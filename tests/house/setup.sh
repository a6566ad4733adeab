#!/usr/bin/env bash
# scripts/setup with a PATH of its own, in which one tool is missing and apt-get only writes down what it was told.
set -euo pipefail
top=$PWD
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir "$box/bin"
for tool in bash sh env dirname cat grep sed awk gcc g++ c++ cc cmake nm gfortran python3 help2man dpkg-shlibdeps man clang-14 clang-format-14 clang-tidy-14 gdb tshark verilator fst2vcd mpicc mpirun xmllint yosys-smtbmc z3; do
    ln -s "$(command -v "$tool" || echo /bin/true)" "$box/bin/$tool"
done
printf '#!/bin/sh\necho "$*" >>"%s/calls"\ncase "$*" in *install*) /bin/ln -sf /bin/true "%s/bin/ninja" ;; esac\n' "$box" "$box" >"$box/bin/apt-get"
printf '#!/bin/sh\nshift\nexec "$@"\n' >"$box/bin/sudo"
printf '#!/bin/sh\necho en_GB\n' >"$box/bin/aspell"
chmod +x "$box/bin/apt-get" "$box/bin/sudo" "$box/bin/aspell"
printf 'ID=debian\nVERSION_ID="12"\n' >"$box/debian"
printf 'ID=fedora\nVERSION_ID=40\n' >"$box/fedora"

fail() { echo "setup.sh: $*: $(cat "$box/out" "$box/calls" 2>/dev/null)"; exit 1; }
setup() { PATH=$box/bin HUBSIM_OS_RELEASE=$box/$1 "$top/scripts/setup" "$2" >"$box/out" 2>&1; }

setup fedora test && fail "elsewhere than on Debian it has to stop"
grep -q '^missing: ninja-build' "$box/out" || fail "the list of what is missing"
[[ ! -e $box/calls ]] || fail "elsewhere than on Debian it installs nothing"

setup debian test || fail "installation"
[[ $(wc -l <"$box/calls") == 2 ]] || fail "one update and one installation"
head -n 1 "$box/calls" | grep -q 'update$' || fail "the update comes first"
tail -n 1 "$box/calls" | grep -q 'install -y --no-install-recommends ninja-build$' || fail "only what is missing"
grep -q 'skipped (optional): ccache' "$box/out" || fail "absent optional tools are named"

rm "$box/calls"
setup debian test || fail "a second run"
[[ ! -e $box/calls ]] || fail "a second run has nothing to do"
setup debian nonsense && fail "an unknown group"
grep -q "expected demo or test" "$box/out" || fail "the message for an unknown group"
echo "set-up behaves"
