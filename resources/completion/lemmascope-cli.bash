# Completion of lemmascope-cli for bash.
_lemmascope_cli() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local pair="--strength --time --lemma-steps --outputs --map --inputs-range --size --definitions --assume-equal --help"
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "check obligation eval show convert match rewrite rules interp --help --version --worker" -- "$current")
        return
    fi
    case $previous in
    --strength)
        mapfile -t COMPREPLY < <(compgen -W "identical open exact rounded probable" -- "$current")
        return
        ;;
    --export | --cache | --pin)
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        return
        ;;
    --time | --lemma-steps | --jobs | --outputs | --map | --inputs-range | --size | --assume-equal | --random | --pattern | --term | --sig | --rule | --at | --steps | --max-rounds | --entry)
        return
        ;;
    esac
    if [[ $command == rules && $COMP_CWORD -eq 2 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "check format list --help" -- "$current")
        return
    fi
    if [[ $current == -* ]]; then
        case $command in
        check)
            mapfile -t COMPREPLY < <(compgen -W "$pair --pairs --json --export --anonymous --junit --sarif --jobs --cache --no-cache --pin --special-values --input --cross-check --entry --may-alias --fingerprint" -- "$current")
            ;;
        obligation) mapfile -t COMPREPLY < <(compgen -W "$pair -o" -- "$current") ;;
        eval) mapfile -t COMPREPLY < <(compgen -W "--input --random --size --definitions -o --help" -- "$current") ;;
        match) mapfile -t COMPREPLY < <(compgen -W "--pattern --term --sig --cases --rule --at --definitions --all --identity --lenient --explain --trace --steps --json --help" -- "$current") ;;
        rewrite) mapfile -t COMPREPLY < <(compgen -W "-o --check --regions --rule --at --all --once --max-rounds --no-fold --identity --lenient --steps --definitions --strength --time --jobs --cache --no-cache --json --help" -- "$current") ;;
        rules) mapfile -t COMPREPLY < <(compgen -W "--rule --max-rank --opset --strength --time --json --export -o --help" -- "$current") ;;
        interp) mapfile -t COMPREPLY < <(compgen -W "--entry --size --time --json --help" -- "$current") ;;
        show) mapfile -t COMPREPLY < <(compgen -W "--json --definitions --help" -- "$current") ;;
        *) mapfile -t COMPREPLY < <(compgen -W "--help" -- "$current") ;;
        esac
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}
complete -o filenames -F _lemmascope_cli lemmascope-cli
