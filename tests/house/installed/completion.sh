#!/usr/bin/env bash
# Completion offers what there is:  completion.sh BIN [FILE]  (from the root)
#   FILE  what bash reads for it (default: scripts/completion.bash)
set -euo pipefail
PATH=$1:$PATH
# shellcheck source=scripts/completion.bash disable=SC1091 # followed with -x; scripts/test checks that file itself
source "${2:-scripts/completion.bash}"
offers() { # offers "COMMAND WORD..." EXPECTED: for the last word, first of all
    read -ra COMP_WORDS <<<"$1"
    [[ $1 != *' ' ]] || COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    local word=${COMP_WORDS[COMP_CWORD]}
    [[ $word != '=' ]] || word='' # as bash has it
    _hubsim_complete "${COMP_WORDS[0]}" "$word" "${COMP_WORDS[COMP_CWORD - 1]}"
    [[ " ${COMPREPLY[*]} " == *" $2 "* ]] || { echo "'$1' is offered '${COMPREPLY[*]}', without $2"; exit 1; }
}
offers 'hubsim ' topology
offers 'hubsim fi' figure
offers 'hubsim run --ti' --timeline
offers 'hubsim figure pingpong-l' pingpong-latency
offers 'hubsim run two' two-node
offers 'hubrun -m ri' ring8
offers 'hubrun --pro' --profile
offers 'hubrun --mpi ib,library =' mvapich2-gdr-2.0
offers 'hubrun --mpi ib,library = mvapich2-gdr-2.2' mvapich2-gdr-2.2
offers 'hubcc --no' --no-poll
offers 'hubsim run --faults ' bad-cable
