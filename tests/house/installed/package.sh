#!/usr/bin/env bash
# The Debian package is made, without root, and says what it holds:  package.sh BUILD WORK, then WORK/root is that  (from the root)
set -euo pipefail
build=$(realpath "$1") work=$2 status=0
rm -rf "$work"
mkdir -p "$work/root" "$work/control"
work=$(realpath "$work")
root=$work/root

bad() { echo "package: $*"; status=1; }
says() { # says EXPECTED COMMAND...: a line of its message, status 2
    local out code=0
    out=$("${@:2}" 2>&1) || code=$?
    [[ $code == 2 && $out == "package: $1" ]] || bad "${*:2}: status $code: $out"
}
says "$work: expected the folder of a build" ./scripts/package "$work"
cmake -G Ninja -S . -B "$work/unbuilt" -DHUBSIM_TESTS=OFF >/dev/null
says "$work/unbuilt: expected a finished build: cmake --build $work/unbuilt --target product (log: $work/unbuilt/package/install.log)" \
    ./scripts/package "$work/unbuilt"
says "'a b': expected at most one folder of a build" ./scripts/package a b

export DPKG_DEB_COMPRESSOR_TYPE=zstd # in a fiftieth of the time of xz
make() { ./scripts/package "$build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
make
package=$(sed -nE "$ s/.* in '(.*)'\.$/\1/p" "$work/log")
first=$(sha256sum <"$package")
make
[[ $(sha256sum <"$package") == "$first" ]] || bad "not the same bytes again"
grep -i 'warning\|error' "$work/log" && bad "the lines above"

dpkg-deb -x "$package" "$root"
dpkg-deb -e "$package" "$work/control"
version=$("$root/usr/bin/hubsim" --version | cut -d ' ' -f 2)
architecture=$(dpkg --print-architecture)
[[ $package == "$build/hubsim_${version}_$architecture.deb" ]] || bad "its name is $package"
has() { # has FIELD PATTERN
    local value
    value=$(dpkg-deb -f "$package" "$1")
    grep -qE -- "$2" <<<"$value" || bad "$1: $value: expected $2"
}
has Package '^hubsim$'
has Version "^$version\$"
has Architecture "^$architecture\$"
has Section '^science$'
has Maintainer '^the hubsim authors$'
has Depends '(^|, )gcc(,|$)'
for library in libc6 libdeflate0 libsqlite3-0 libyaml-0-2 zlib1g; do
    has Depends "(^|, )$library( \(|,|$)"
done
[[ $(dpkg-deb -f "$package" Depends) != *libsystemc* ]] || bad "it depends on libsystemc, which only hub.sc needs"
has Recommends '(^|, )gfortran(,|$)'
has Installed-Size '^[1-9][0-9]{4}$'
description=$(dpkg-deb -f "$package" Description | tr -s ' \n' ' ')
while read -r line; do
    [[ $description == *"$line"* ]] || bad "its description lacks: $line"
done < <(sed '1,2d; /^|/,$d' README.md | grep .)
dpkg-deb -c "$package" | grep -vE '^([-l]rwxrwxrwx|[-d]rwxr-xr-x|-rw-r--r--) root/root ' && bad "owners and modes as above"
(cd "$root" && md5sum --quiet -c "$work/control/md5sums") || bad "checksums"
[[ $(wc -l <"$work/control/md5sums") == "$(find "$root" -type f | wc -l)" ]] || bad "a file without a checksum"

doc=$root/usr/share/doc/hubsim
while read -r line; do # of the licence
    grep -qF -- "$line" "$doc/copyright" || bad "copyright lacks: $line"
done < <(grep . LICENSE | sed 's/^BSD 3-Clause License/License: BSD-3-Clause/; s/Copyright (c)/Copyright:/')
if grep -q '^HUBSIM_FST_DIR:PATH=/' "$build/CMakeCache.txt"; then
    for author in 'Tony Bybell' 'Ariya Hidayat' 'Yann Collet'; do
        grep -q "$author" "$doc/copyright" || bad "copyright lacks $author, whose code is compiled in"
    done
fi
items=$(awk -v version="$version" '/^## / { on = $2 == version } on && /^- /' CHANGELOG.md | wc -l)
[[ $(zcat "$doc/changelog.gz" | grep -c '^  \* ') == $((items + 1)) ]] || bad "changelog: not $items items and a sentence"
[[ $(zcat "$doc/changelog.gz" | dpkg-parsechangelog -l - -S Version 2>&1) == "$version" ]] || bad "changelog: $(zcat "$doc/changelog.gz")"

"$(dirname "$0")/man_pages.sh" "$root/usr/bin" "$root/usr/share/man/man1" || bad "man pages"
[[ -f $root/usr/lib/python3/dist-packages/hubsim/__init__.py ]] || bad "no Python package"
completions=$root/usr/share/bash-completion/completions
"$(dirname "$0")/completion.sh" "$root/usr/bin" "$completions/hubsim" || bad "completion"
for command in "$root"/usr/bin/*; do
    cmp "$completions/hubsim" "$completions/${command##*/}" || bad "completion of ${command##*/}"
done
exit "$status"
