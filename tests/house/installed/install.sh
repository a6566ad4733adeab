#!/usr/bin/env bash
# Installs what was built, and moves it:  install.sh BUILD WORK, then WORK/moved is the installation
set -euo pipefail
build=$1 work=$2
rm -rf "$work"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
mv "$work/prefix" "$work/moved"
