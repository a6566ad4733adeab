#!/bin/sh
# sees.sh FUZZ_COMMANDS: it sees each rule broken, by a hubsim that does nothing else. Runs in the root of the source.
set -eu
fuzz=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tests" "$folder/build/bin" "$folder/build/lib" "$folder/build/tests/hosts/mpi"
cp tests/leaks.supp "$folder/tests"
cp /bin/true "$folder/build/bin/hubrun"
cp /bin/true "$folder/build/tests/hosts/mpi/matcher"
cp /bin/true "$folder/build/tests/hosts/mpi/windows"
printf 'argument 6\nhubsim\nargument 6\nparams\n' >"$folder/case"

expect() { # expect STATUS TEXT COMMAND: that of fuzz_commands and what it prints, when hubsim is COMMAND
    printf '#!/bin/sh\n%s\n' "$3" >"$folder/build/bin/hubsim"
    chmod +x "$folder/build/bin/hubsim"
    status=0
    "$fuzz" "$folder/build" --limit 1 --idle 3 "$folder/case" >"$folder/out" 2>&1 || status=$?
    if [ "$status" != "$1" ] || ! grep -q "$2" "$folder/out"; then
        echo "$3: expected status $1 and: $2"
        cat "$folder/out"
        exit 1
    fi
}

expect 0 '1 cases' 'exit 0'
expect 0 '1 cases' 'echo why >&2; exit 1'
expect 1 'signal 11' 'kill -SEGV $$'
expect 1 'exit status 1 of hubsim params without a line' 'echo why; exit 1'
expect 1 'a.c:: broken rule: b' 'echo "a.c:1: broken rule: b" >&2; exit 1'
expect 1 'SUMMARY: AddressSanitizer' 'echo "SUMMARY: AddressSanitizer: 8 bytes" >&2'
expect 1 'leaves processes behind' 'sleep 20 & exit 0'
expect 1 'takes too long' 'while :; do :; done'
expect 1 'hubsim params hangs' 'exec sleep 20'
expect 1 'exit status 126 of hubsim' 'echo why >&2; exit 126'
expect 1 'exit status 255 of hubsim' 'echo why >&2; exit 255'

# A case that cannot be kept is an error: here of a hubsim that ends well only where seeds come from.
cat >"$folder/build/bin/hubsim" <<'END'
#!/bin/sh
case "$*" in
"params "*) printf 'key,value,unit,range\nnode0.hub.n,1,1,0 .. 9\n' ;;
"explain two-node --pcap=x.pcapng --kind=chain" | "run single-transfer --out=kept" | "run two-node --out=kept") ;;
*) kill -SEGV $$ ;;
esac
END
status=0
"$fuzz" "$folder/build" --runs 8 --keep "$folder/case/no-folder" >"$folder/out" 2>&1 || status=$?
if [ "$status" != 1 ] || ! grep -q 'case/no-folder: [1-9][0-9]* cases could not be kept' "$folder/out"; then
    echo 'cases that cannot be kept: expected status 1 and a line that says so'
    cat "$folder/out"
    exit 1
fi
