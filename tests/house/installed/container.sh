#!/usr/bin/env bash
# The lines of a Containerfile do what they say, as far as they can without a container:  container.sh CONTAINERFILE BUILD
#   Run in the root of the source. Each stage is a folder. apt-get is a stand-in that unpacks packages which are files, and
#   scripts/package packs BUILD, as another one would take minutes.
set -euo pipefail
file=$1 build=$(realpath "$2") stages=0 folder='' status=0
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir -p "$box/tmp" "$box/var/lib/apt/lists" "$box/bin" "$box/first" "$box/root" "$box/desk"
export box DPKG_DEB_COMPRESSOR_TYPE=zstd

bad() { echo "$file: $*"; status=1; }
cat >"$box/bin/apt-get" <<'END'
#!/bin/sh
for word; do case $word in /*.deb) dpkg-deb -x "$word" "$box/root" || exit ;; esac; done
END
chmod +x "$box/bin/apt-get"

run_first() {
    (cd "$box/first" && sh -ec "${1/scripts\/package/scripts\/package \"$build\"}") >"$box/log" 2>&1 || bad "RUN $1: $(cat "$box/log")"
}
run_second() { # no file outside of the box
    PATH=$box/bin:$PATH sh -ec "$(sed -E "s: /(tmp|var)/: $box/\1/:g" <<<"$1")" >"$box/log" 2>&1 || bad "RUN $1: $(cat "$box/log")"
}
copy_packed() { # copy_packed FILES TO: of the first stage, whose build is BUILD
    local name=${1#"$folder/build/"}
    [[ $name != "$1" ]] || bad "COPY $*: expected files below $folder/build"
    # shellcheck disable=SC2086 # a pattern
    (cd "$build" && cp $name "$box$2") || bad "COPY $*"
}
copy_source() { # copy_source FILE... TO: `.` is all that .dockerignore leaves
    local to=$box/first/${!#}
    mkdir -p "$to"
    if [[ $1 == . ]]; then
        tar -c --anchored --exclude-from=.dockerignore -- * | tar -xC "$to"
    else
        cp -t "$to" "${@:1:$#-1}"
    fi
}
base() { # base IMAGE...
    stages=$((stages + 1))
    [[ $1 == debian:12-slim ]] || bad "FROM $*: expected debian:12-slim"
}

while read -r word rest; do
    read -ra words <<<"$rest"
    case $stages:$word in
    *:FROM) base "${words[@]}" ;;
    1:WORKDIR) folder=$rest ;;
    2:WORKDIR) ;;
    1:COPY) copy_source "${words[@]}" ;;
    2:COPY) copy_packed "${words[@]:1}" ;;
    1:RUN) run_first "$rest" ;;
    2:RUN) run_second "$rest" ;;
    2:CMD) read -ra command < <(tr -d '[],"' <<<"$rest") ;;
    *) bad "$word $rest: not expected here" ;;
    esac
done < <(sed -E '/^(#|$)/d' "$file" | sed -z 's/ *\\\n */ /g')
[[ $stages == 2 ]] || bad "$stages stages"
[[ -z $(find "$box/tmp" "$box/var/lib/apt/lists" -type f) ]] || bad "the image keeps what it was made from"

# What a user does with the image.
cp examples/put.c "$box/desk"
cd "$box/desk"
PATH=$box/root/usr/bin:/usr/bin:/bin
[[ $("${command[@]}" 2>&1) == Usage:* ]] || bad "CMD ${command[*]}"
hubcc -O2 put.c -o put || bad "no hubcc"
[[ $(hubrun -q -n 2 ./put) == "8 bytes: 2.088 us one way" ]] || bad "no hubrun"
exit "$status"
