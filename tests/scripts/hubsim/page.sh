#!/usr/bin/env bash
# What Python prints is what the page shows:  page.sh PAGE PACKAGES
#   Lines after >>> run, and what follows them is compared. PACKAGES is the folder that has the package.
set -euo pipefail
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
sed 's/^```.*//' "$1" >"$box/${1##*/}"
packages=$(realpath "$2")
cd "$box"
grep -q '^>>>' "${1##*/}"
PYTHONPATH=$packages PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m doctest "${1##*/}"
