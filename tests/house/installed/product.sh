#!/usr/bin/env bash
# The target `product` builds what cmake --install takes from the build tree, and no test:  product.sh BUILD NINJA
set -euo pipefail
build=$(realpath "$1") ninja=$2 status=0
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
and_folders() { sed 'p; s|/[^/]*$||' | sort -u; } # which may be installed as a whole
cd "$build"
"$ninja" -t graph product | grep -oE '\[label="[^"]+"\]' | cut -d'"' -f2 | and_folders >"$box/product"
"$ninja" -t targets all | sed 's/: [^:]*$//' | and_folders >"$box/built"
find . -name cmake_install.cmake -exec cat {} + | grep -oE '"[^"]+"' | tr -d '"' | sed -n "s|^$build/||p" | sort -u |
    comm -12 - "$box/built" >"$box/installed"
(($(wc -l <"$box/installed") > 20)) || { echo "product.sh: it does not see what is installed"; exit 1; }
comm -23 "$box/installed" "$box/product" | grep . && { echo "installed, but not of the target product"; status=1; }
grep -E '^(tests|bench)/|/test_' "$box/product" && { echo "of the target product, but only for tests"; status=1; }
exit "$status"
