#!/usr/bin/env bash
# Recipes for CI check a user's program:  ci.sh PREFIX RECIPE...
#   The shell lines of each recipe run in a small project, with an installation of hubsim at PREFIX; once as it is, and once
#   after its program has become slower.
set -euo pipefail
prefix=$(realpath "$1") here=$(realpath "$(dirname "$0")") status=0
shift
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
recipes=("$@") python=$PWD/scripts/python
unset HUBSIM_PATH
export PATH=$prefix/bin:/usr/bin:/bin HOME=$box

bad() { echo "${recipe##*/}: $*"; status=1; }
lines() { # lines RECIPE: into the files lines (what decides), after (what follows a failure) and kept (names)
    "$python" - "$1" <<'END'
import sys, yaml

def put(name, lines):
    with open(name, "w") as file:
        file.writelines(line + "\n" for line in lines)

recipe = yaml.safe_load(open(sys.argv[1]))
if "jobs" in recipe:
    (job,) = recipe["jobs"].values()
    image = job["container"]
    steps = [step for step in job["steps"] if "run" in step]
    put("lines", [step["run"] for step in steps if "if" not in step])
    put("after", [step["run"] for step in steps if step.get("if") == "failure()"])
    put("kept", [step["with"]["path"].rstrip() for step in job["steps"] if step.get("if") == "always()"])
else:
    (job,) = recipe.values()
    image = job["image"]
    put("lines", job["script"])
    put("after", [job["after_script"]] if isinstance(job["after_script"], str) else job["after_script"])
    put("kept", job["artifacts"]["paths"] + [job["artifacts"]["reports"]["junit"]])
assert "HUBSIM_IMAGE" in image, image
END
}
checks() { # checks STATUS SAYS: the lines that decide end so, and leave what the recipe keeps
    local got=0 name
    rm -rf junit.xml now
    sh -e lines >log 2>&1 || got=$?
    [[ $got == "$1" ]] || bad "status $got, expected $1: $(cat log)"
    grep -q "$2" log || bad "expected '$2': $(cat log)"
    while read -r name; do
        [[ -e $name ]] || bad "it keeps $name, which is not there"
    done <kept
    xmllint --noout --schema "$here/../../tools/cmd/junit.xsd" junit.xml 2>/dev/null || bad "$(cat junit.xml)"
}

for recipe in "${recipes[@]}"; do
    mkdir "$box/project"
    cd "$box/project"
    printf 'put: put.c\n' >Makefile
    cp "$prefix/share/hubsim/examples/put.c" .
    make -s CC=hubcc
    hubrun -q -n 2 --out tests/expected ./put >/dev/null
    rm put

    lines "$recipe"
    checks 0 '^put: passed'
    sed -i 's/: 8;/: 4096;/' put.c
    checks 1 '^put: DIFFERS'
    sh -e after >log 2>&1 || bad "after a failure: $(cat log)"
    grep -q '^value *end_us' log || bad "it does not say what has changed: $(cat log)"
    rm -rf "$box/project"
done
exit "$status"
