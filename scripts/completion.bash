# shellcheck shell=bash
# Completion for bash:  source scripts/completion.bash
# Commands, options and names are those that the programs print themselves; else files.

_hubsim_names() { # of these kinds
    hubsim list --csv 2>/dev/null | awk -F, -v kinds=" $* " 'index(kinds, " " $1 " ") { print $2 }'
}

_hubsim_options() { "$@" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*'; }

_hubsim_argument() { # of a sub-command of hubsim
    case $1 in
    run) _hubsim_names experiment machine ;;
    figure) _hubsim_names figure ;;
    sweep) _hubsim_names sweep ;;
    params | topology | explain) _hubsim_names machine ;;
    esac
}

_hubsim_words() { # _hubsim_words COMMAND WORD BEFORE: what WORD may become
    local command=$1 word=$2 before=$3 sub=
    [[ $command != hubsim ]] || sub=${COMP_WORDS[1]}
    case $before in
    -m | --machine) _hubsim_names machine && return ;;
    -p | --platform) _hubsim_names platform && return ;;
    --faults) _hubsim_names faults && return ;;
    library | *,library) _hubsim_names library && return ;; # bash takes library=NAME apart
    =) [[ ${COMP_WORDS[COMP_CWORD - 2]} != ?(*,)library ]] || { _hubsim_names library && return; } ;;
    esac
    if [[ $command == hubsim ]] && ((COMP_CWORD == 1)); then
        hubsim --help | awk '/^  [a-z]+ / { print $1 }'
    elif [[ $word == -* ]]; then
        _hubsim_options "$command" ${sub:+"$sub"}
    else
        _hubsim_argument "$sub"
    fi
}

_hubsim_complete() { # called by bash with COMMAND WORD BEFORE
    mapfile -t COMPREPLY < <(compgen -W "$(_hubsim_words "${1##*/}" "$2" "$3")" -- "$2")
}

complete -o default -F _hubsim_complete hubsim hubrun hubcc hubc++ hubf90 hubf77 hubfort
