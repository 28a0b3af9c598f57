// How --help looks, which word of a wrong command line is the mistake, and the completion of three
// shells.
#include "main/arguments/command_line.h"

#include "check/loaded_objects.h"
#include "mprof/format/near_word.h"
#include "read/printable_text.h"
#include "render/text/text_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

namespace mprof {

// CLI11's own usage line names neither the command behind `run` nor what is optional. Its lists are
// as wide as the longest description, and name what a value is checked for behind its type.

namespace {

constexpr size_t columns = 80, description_column = 26;

// "  name        description, folded under itself"; a long name has a line of its own.
std::string listed(const std::string &name, const std::string &description)
{
    std::string text = "  " + name;
    if (text.size() >= description_column)
        text += "\n";
    size_t used = text.ends_with('\n') ? 0 : text.size();
    for (const std::string &line : fold_words(description, columns - description_column)) {
        text += std::string(description_column - used, ' ') + line + "\n";
        used = 0;
    }
    return text;
}

}  // namespace

HelpFormatter::HelpFormatter(std::string usage) : usage_(std::move(usage)) {}

std::string HelpFormatter::make_usage(const CLI::App * /*app*/, std::string /*name*/) const
{
    return "Usage: " + usage_ + "\n";
}

std::string HelpFormatter::make_description(const CLI::App *app) const
{
    std::string text;
    for (const std::string &line : fold_words(app->get_description(), columns))
        text += line + "\n";
    return text;
}

std::string HelpFormatter::make_subcommand(const CLI::App *command) const
{
    return listed(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_option(const CLI::Option *option, bool is_positional) const
{
    std::string name = make_option_name(option, is_positional);
    const std::string type = option->get_type_name();
    if (!is_positional && option->get_items_expected_max() > 0 && !type.empty())
        name += " " + type.substr(0, type.find(':'));
    return listed(name, option->get_description());
}

// CLI11 says which words it could not place; which of them is the mistake, and what it is near to,
// is found here.

namespace {

using Words = std::vector<std::string>;

std::string nearest(const std::string &word, const Words &names)
{
    std::string best;
    size_t fewest = mprof_most_mistakes(word.c_str()) + 1;
    for (const std::string &name : names) {
        const size_t mistakes = mprof_word_distance(word.c_str(), name.c_str());
        if (mistakes < fewest) {
            fewest = mistakes;
            best = name;
        }
    }
    return best;
}

Words command_names(const CLI::App &app)
{
    Words names;
    for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
        names.push_back(command->get_name());
    return names;
}

Words option_names(const CLI::App &command)
{
    Words names;
    for (const CLI::Option *option : command.get_options())
        for (const std::string &name : option->get_lnames())
            names.push_back("--" + name);
    return names;
}

// "report" of "mprof reprot", "mprof report x.mprof" of "mprof x.mprof", "mprof run -- mpirun ..."
std::string meant_command(const CLI::App &app, const std::string &word)
{
    std::error_code error;
    if (const std::string name = nearest(word, command_names(app)); !name.empty())
        return "mprof " + name;
    if (word == "help" || word == "version")
        return "mprof --" + word;
    if (std::filesystem::is_directory(word, error) || word.ends_with(".mprof"))
        return "mprof report " + printable_text(word);
    if (!find_program(word).empty())
        return "mprof run -- " + printable_text(word) + " ...";
    return "";
}

std::string help_of(const CLI::App &command)
{
    return command.get_parent() == nullptr ? "mprof --help"
                                           : "mprof " + command.get_name() + " --help";
}

std::string meant_or_help(const std::string &meant, const CLI::App &command)
{
    return meant.empty() ? fmt::format("{} lists what there is", help_of(command))
                         : fmt::format("Did you mean {}? {} lists all", meant, help_of(command));
}

std::string usage_of(const CLI::App &command)
{
    const std::string help = command.help();
    const size_t begin = std::min(help.find("Usage: "), help.size());
    return help.substr(begin, help.find('\n', begin) - begin);
}

std::string unknown_option(const CLI::App &command, const std::string &word)
{
    const std::string name = word.substr(0, word.find('='));
    if (command.get_name() == "run" && (name == "-n" || name == "-np"))
        return fmt::format("{} is an option of the launcher: mprof run -- mpirun {} 4 ./app", name,
                           name);
    return fmt::format("there is no option {}. {}", printable_text(name),
                       meant_or_help(nearest(name, option_names(command)), command));
}

// Of the words that have no place. Behind a mistyped option stands its value, so options come
// first.
std::string unknown_word(const CLI::App &app, const CLI::App &command)
{
    const Words words = app.remaining(true);
    const std::string first = words.empty() ? "" : words.front();
    const auto option = std::find_if(words.begin(), words.end(), [](const std::string &word) {
        return word.size() > 1 && word.starts_with('-');
    });
    if (&app == &command && !first.starts_with('-'))
        return fmt::format("there is no command {}. {}", printable_text(first),
                           meant_or_help(meant_command(app, first), command));
    if (option != words.end())
        return unknown_option(command, *option);
    return fmt::format("{} is one word too many. {}", printable_text(first),
                       meant_or_help("", command));
}

// What CLI11 says, and how it is said here. {0} is what stands between `begin` and `middle`, {1}
// what stands between that and `end`.
struct Phrase {
    std::string_view begin, middle, end;
    const char *here;
};
constexpr Phrase phrases[] = {
    {"Could not convert: ", " = ", "", "{0} needs a number, and {1} is none"},
    {"", ": 1 required ", " missing", "{0} needs a value: {0} {1}"},
    {"", ": At Most 1 required but received ", "", "{0} is there {1} times. Once is enough"},
    {"", " excludes ", "", "{0} and {1} do not go together"},
};

std::string in_our_words(const std::string &said)
{
    for (const Phrase &phrase : phrases) {
        const size_t from = phrase.begin.size();
        const size_t middle = said.find(phrase.middle, from);
        if (!said.starts_with(phrase.begin) || !said.ends_with(phrase.end) ||
            middle == std::string::npos)
            continue;
        const size_t after = middle + phrase.middle.size();
        if (after + phrase.end.size() <= said.size())
            return fmt::format(fmt::runtime(phrase.here), said.substr(from, middle - from),
                               said.substr(after, said.size() - phrase.end.size() - after));
    }
    return said;
}

}  // namespace

std::string describe_mistake(const CLI::App &app, const CLI::Error &problem)
{
    const auto chosen = app.get_subcommands();
    const CLI::App &command = chosen.empty() ? app : *chosen.front();
    const std::string begin = chosen.empty() ? "" : command.get_name() + ": ";
    // Of an unknown command CLI11 says only that there is none.
    if (problem.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
        (chosen.empty() && !app.remaining(true).empty()))
        return begin + unknown_word(app, command);
    return fmt::format("{}{}. {}; more: {}", begin, printable_text(in_our_words(problem.what())),
                       usage_of(command), help_of(command));
}

// Each shell's script is a fixed text with the lines of commands and options in between. What an
// option's value completes to follows from the word that --help shows for it: FILE, FOLDER, or
// words with | between.

namespace {

struct CompletedOption {
    std::vector<std::string> names;  // "-o", "--output"
    std::string help, value;         // value: "FILE", "0|1"; "" = it takes none

    bool is_file() const { return value == "FILE"; }
    bool is_folder() const { return value == "FOLDER"; }
    bool has_words() const { return value.find('|') != std::string::npos; }
    // "text off" of "text|off|FILE"
    std::string words() const
    {
        std::string result;
        for (size_t begin = 0; begin < value.size();) {
            const size_t end = std::min(value.find('|', begin), value.size());
            const std::string word = value.substr(begin, end - begin);
            if (std::isupper(static_cast<unsigned char>(word[0])) == 0)
                result += (result.empty() ? "" : " ") + word;
            begin = end + 1;
        }
        return result;
    }
};

struct CompletedCommand {
    std::string name, help;
    std::vector<CompletedOption> options;
};

CompletedOption completed_option(const CLI::Option &option)
{
    CompletedOption result;
    for (const std::string &name : option.get_snames())
        result.names.push_back("-" + name);
    for (const std::string &name : option.get_lnames())
        result.names.push_back("--" + name);
    result.help = option.get_description();
    // Behind a colon CLI11 adds what is accepted.
    if (option.get_items_expected_max() > 0)
        result.value = option.get_type_name().substr(0, option.get_type_name().find(':'));
    return result;
}

CompletedCommand completed_command(const CLI::App &app)
{
    CompletedCommand result{app.get_name(), app.get_description(), {}};
    for (const CLI::Option *option : app.get_options())
        if (option->nonpositional())
            result.options.push_back(completed_option(*option));
    return result;
}

std::vector<CompletedCommand> completed_commands(const CLI::App &app)
{
    std::vector<CompletedCommand> result;
    for (const CLI::App *command :
         app.get_subcommands([](const CLI::App *sub) { return !sub->get_group().empty(); }))
        result.push_back(completed_command(*command));
    return result;
}

std::string all_names(const std::vector<CompletedOption> &options)
{
    std::string result;
    for (const CompletedOption &option : options)
        for (const std::string &name : option.names)
            result += (result.empty() ? "" : " ") + name;
    return result;
}

// In single quotes: a quote ends the string, stands by itself and begins it anew.
std::string shell_quoted(std::string_view text)
{
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

// ---- bash ----

constexpr std::string_view bash_begin =
    R"script(# Completion of mprof for bash. Installed where bash-completion looks for it; without
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
)script";

constexpr std::string_view bash_middle = R"script(    esac
}

# Completes the value of the option before the cursor; fails if that takes none.
_mprof_value() {  # command, option, word
    case "$1 $2" in
)script";

constexpr std::string_view bash_end = R"script(    *) return 1 ;;
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
)script";

std::string bash_action(const CompletedOption &option)
{
    if (option.is_file())
        return "_mprof_files -f \"$3\"";
    if (option.is_folder())
        return "_mprof_files -d \"$3\"";
    return option.has_words() ? fmt::format("_mprof_words \"{}\" \"$3\"", option.words())
                              : "COMPREPLY=()";
}

// `begin` is that of the pattern: "run --summary", or *" --completions".
void add_bash_values(std::string &script, const std::string &begin,
                     const std::vector<CompletedOption> &options)
{
    for (const CompletedOption &option : options)
        for (const std::string &name : option.names)
            if (!option.value.empty())
                script += fmt::format("    {}{}\") {} ;;\n", begin, name, bash_action(option));
}

std::string bash_script(const std::vector<CompletedCommand> &commands,
                        const CompletedCommand &itself)
{
    std::string script(bash_begin), names;
    for (const CompletedCommand &command : commands) {
        script += fmt::format("    {}) echo {} ;;\n", command.name, all_names(command.options));
        names += command.name + " ";
    }
    script += fmt::format("    *) echo {}{} ;;\n", names, all_names(itself.options));
    script += bash_middle;
    for (const CompletedCommand &command : commands)
        add_bash_values(script, "\"" + command.name + " ", command.options);
    add_bash_values(script, "*\" ", itself.options);
    return script.append(bash_end);
}

// ---- zsh ----

// In a description between brackets.
std::string zsh_escaped(std::string_view text)
{
    std::string result;
    for (const char c : text)
        result += (c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + std::string(1, c);
    return result;
}

std::string zsh_value(const CompletedOption &option)
{
    if (option.value.empty())
        return "";
    const std::string action = option.is_file()     ? "_files"
                               : option.is_folder() ? "_files -/"
                               : option.has_words() ? "(" + option.words() + ")"
                                                    : " ";
    return ":" + zsh_escaped(option.value) + ":" + action;
}

std::string zsh_script(const std::vector<CompletedCommand> &commands,
                       const CompletedCommand &itself)
{
    std::string script = "#compdef mprof\n"
                         "# Completion of mprof for zsh. Made by `mprof --completions zsh`.\n\n"
                         "_mprof() {\n    local -a commands\n    commands=(\n";
    for (const CompletedCommand &command : commands)
        script += "        " + shell_quoted(command.name + ":" + zsh_escaped(command.help)) + "\n";
    for (const CompletedOption &option : itself.options)
        script +=
            "        " + shell_quoted(option.names.back() + ":" + zsh_escaped(option.help)) + "\n";
    script += "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n"
              "        return\n    fi\n    local command=$words[2]\n    shift words\n"
              "    (( CURRENT-- ))\n    case $command in\n";
    for (const CompletedCommand &command : commands) {
        script += "    " + command.name + ")\n        _arguments -S";
        for (const CompletedOption &option : command.options)
            for (const std::string &name : option.names)
                script += " \\\n            " + shell_quoted(name + "[" + zsh_escaped(option.help) +
                                                             "]" + zsh_value(option));
        script += command.name == "run" ? " \\\n            '(-)1:command:_command_names -e'"
                                          " \\\n            '*::arguments:_normal'"
                                        : " \\\n            '*:profile:_files'";
        script += "\n        ;;\n";
    }
    return script + "    esac\n}\n\n_mprof \"$@\"\n";
}

// ---- fish ----

std::string fish_option(const std::string &condition, const CompletedOption &option)
{
    std::string line = "complete -c mprof -n " + shell_quoted(condition);
    for (const std::string &name : option.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (option.is_file())
        line += " -r -F";
    else if (option.is_folder())
        line += " -x -a '(__fish_complete_directories)'";
    else if (option.has_words())
        line += " -x -a " + shell_quoted(option.words());
    else if (!option.value.empty())
        line += " -x";
    return line + " -d " + shell_quoted(option.help) + "\n";
}

std::string fish_script(const std::vector<CompletedCommand> &commands,
                        const CompletedCommand &itself)
{
    std::string script = "# Completion of mprof for fish. Made by `mprof --completions fish`.\n";
    for (const CompletedCommand &command : commands)
        script += fmt::format("complete -c mprof -n __fish_use_subcommand -f -a {} -d {}\n",
                              command.name, shell_quoted(command.help));
    for (const CompletedOption &option : itself.options)
        script += fish_option("__fish_use_subcommand", option);
    for (const CompletedCommand &command : commands)
        for (const CompletedOption &option : command.options)
            script += fish_option("__fish_seen_subcommand_from " + command.name, option);
    return script + "complete -c mprof -n '__fish_seen_subcommand_from run' -x "
                    "-a '(__fish_complete_subcommand --fcs-skip=2)'\n";
}

struct Shell {
    std::string_view name;
    std::string (*script)(const std::vector<CompletedCommand> &, const CompletedCommand &);
};
constexpr Shell shells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

}  // namespace

std::optional<std::string> completion_script(const CLI::App &app, std::string_view shell)
{
    const auto *const at = std::find_if(std::begin(shells), std::end(shells),
                                        [&](const Shell &known) { return known.name == shell; });
    if (at == std::end(shells))
        return std::nullopt;
    return at->script(completed_commands(app), completed_command(app));
}

}  // namespace mprof
