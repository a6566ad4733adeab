#!/usr/bin/env bash
# The machine file in README.md is a whole one:  readme.sh HUBSIM
set -euo pipefail
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
awk '/^```yaml/ { on = 1; next } /^```/ { on = 0 } on' README.md >"$box/ring2.yaml"
[[ -s $box/ring2.yaml ]]
cd "$box"
"$1" params ring2.yaml --set 'node*.hub.e.link.lanes=4' --csv >params.csv
grep -q 'e.link.lanes,4,' params.csv || { grep lanes params.csv; exit 1; }
"$1" run ring2.yaml
