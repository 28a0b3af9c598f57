"""Completion of the command line in bash, zsh and fish, of the descriptions of all commands
(descriptions.py). Each shell's script is a fixed text with the lines of commands and options in
between. What an option's value completes to follows from the word that --help shows for it: FILE,
FOLDER, or words with | between.
"""
import re

BASH = r"""# Completion of mprof for bash. Installed where bash-completion looks for it; without
# bash-completion: source this file. Made by `mprof --completions bash`.

# Sets COMPREPLY to files or folders; names with spaces stay whole.
_mprof_files() {  # option of compgen, word
    local name
    COMPREPLY=()
    while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen "$1" -- "$2")
    compopt -o filenames 2>/dev/null || true  # fails outside of a completion
}

_mprof_words() {  # words, word
    local name
    COMPREPLY=()
    while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -W "$1" -- "$2")
}

# Options of a command, as its --help lists them.
_mprof_options() {
    case ${1-} in
@options@    esac
}

# Completes the value of the option before the cursor; fails if that takes none.
_mprof_value() {  # command, option, word
    case "$1 $2" in
@values@    *) return 1 ;;
    esac
}

# Where the command behind `mprof run` begins, or nothing if the cursor is before it.
_mprof_command_begin() {
    local i
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --) echo $((i + 1)) && return ;;
        --*=* | =) ;;
        -*) if _mprof_value run "${COMP_WORDS[i]}" ""; then i=$((i + 1)); fi ;;
        *) echo "$i" && return ;;
        esac
    done
}

_mprof() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} begin=
    local command=${COMP_WORDS[1]}
    if [ "$COMP_CWORD" = 1 ]; then
        _mprof_words "$(_mprof_options)" "$word"
        return
    fi
    if [ "$command" = run ]; then begin=$(_mprof_command_begin); fi
    if [ -n "$begin" ] && [ "$begin" -lt "$COMP_CWORD" ]; then
        if declare -F _command_offset >/dev/null; then
            _command_offset "$begin"
        else
            _mprof_files -f "$word"
        fi
        return
    fi
    if [ -z "$begin" ] && _mprof_value "$command" "$before" "$word"; then return; fi
    case "$command:$word" in
    *:-*) _mprof_words "$(_mprof_options "$command")" "$word" ;;
    run:*/*) _mprof_files -f "$word" ;;
    run:*) _mprof_files -c "$word" ;;
    *) _mprof_files -f "$word" ;;
    esac
}

complete -F _mprof mprof
"""

ZSH = """#compdef mprof
# Completion of mprof for zsh. Made by `mprof --completions zsh`.

_mprof() {
    local -a commands
    commands=(
@commands@    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
@options@    esac
}

_mprof "$@"
"""

FISH = """# Completion of mprof for fish. Made by `mprof --completions fish`.
@lines@complete -c mprof -n '__fish_seen_subcommand_from run' -x \\
    -a '(__fish_complete_subcommand --fcs-skip=2)'
"""


def choices(option):
    """"text off" of "text|off|FILE"."""
    if "|" not in option.value:
        return ""
    return " ".join(word for word in option.value.split("|") if not word[0].isupper())


def by_value(option, file, folder, words, other):
    """What a shell does for the option's value."""
    return (file if option.value == "FILE" else folder if option.value == "FOLDER"
            else words.format(choices(option)) if choices(option) else other)


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def named(command):
    """The options of a command that have names, each after the other."""
    return [option for option in command.options if not option.is_positional]


# ---- bash ----

def bash_values(begin, options):
    """`begin` is that of the pattern: "run --summary", or *" --completions"."""
    for option in options:
        action = by_value(option, '_mprof_files -f "$3"', '_mprof_files -d "$3"',
                          '_mprof_words "{}" "$3"', "COMPREPLY=()")
        for name in option.names if option.value else ():
            yield f'    {begin}{name}") {action} ;;\n'


def bash(itself, commands):
    def names(command):
        return " ".join(name for option in named(command) for name in option.names)

    options = "".join(f"    {command.name}) echo {names(command)} ;;\n" for command in commands)
    options += f"    *) echo {' '.join(c.name for c in commands)} {names(itself)} ;;\n"
    values = "".join(line for command in commands
                     for line in bash_values(f'"{command.name} ', named(command)))
    values += "".join(bash_values('*" ', named(itself)))
    return BASH.replace("@options@", options).replace("@values@", values)


# ---- zsh ----

def zsh_escaped(text):
    """In a description between brackets."""
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def zsh_option(option):
    action = by_value(option, "_files", "_files -/", "({})", " ")
    value = f":{zsh_escaped(option.value)}:{action}" if option.value else ""
    return [quoted(f"{name}[{zsh_escaped(option.help)}]{value}") for name in option.names]


def zsh(itself, commands):
    listed = [(command.name, command.about) for command in commands]
    listed += [(option.name, option.help) for option in named(itself)]
    cases = ""
    for command in commands:
        rest = (["'(-)1:command:_command_names -e'", "'*::arguments:_normal'"]
                if command.name == "run" else ["'*:profile:_files'"])
        words = [word for option in named(command) for word in zsh_option(option)] + rest
        cases += (f"    {command.name})\n        _arguments -S"
                  + "".join(f" \\\n            {word}" for word in words) + "\n        ;;\n")
    lines = "".join(f"        {quoted(name + ':' + zsh_escaped(help))}\n"
                    for name, help in listed)
    return ZSH.replace("@commands@", lines).replace("@options@", cases)


# ---- fish ----

def fish_option(condition, option):
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                     for name in option.names)
    value = by_value(option, " -r -F", " -x -a '(__fish_complete_directories)'", " -x -a '{}'",
                     " -x" if option.value else "")
    return (f"complete -c mprof -n {quoted(condition)} {names}{value} "
            f"-d {quoted(option.help)}\n")


def fish(itself, commands):
    lines = "".join(f"complete -c mprof -n __fish_use_subcommand -f -a {command.name} "
                    f"-d {quoted(command.about)}\n" for command in commands)
    lines += "".join(fish_option("__fish_use_subcommand", option) for option in named(itself))
    lines += "".join(fish_option(f"__fish_seen_subcommand_from {command.name}", option)
                     for command in commands for option in named(command))
    return FISH.replace("@lines@", lines)


SCRIPTS = {"bash": bash, "zsh": zsh, "fish": fish}
