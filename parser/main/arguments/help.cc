// The rows that commands/describe.py made of the descriptions of all commands, and which word of a
// wrong command line is the mistake.
#include "main/arguments/command_line.h"

#include "check/loaded_objects.h"
#include "mprof/format/near_word.h"
#include "read/printable_text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace mprof {
namespace {

#include "command_texts.inc"

std::string name_in_texts(const CLI::App &command)
{
    return command.get_parent() == nullptr ? "" : command.get_name();
}

// "-o,--output" has "--output".
bool has_name(std::string_view names, std::string_view name)
{
    return names == name || names.ends_with("," + std::string(name));
}

}  // namespace

const CommandText &described_command(std::string_view name)
{
    for (const CommandText &text : command_texts)
        if (text.name == name)
            return text;
    throw std::logic_error(fmt::format("parser/main/commands has no {}.md", name));
}

std::vector<OptionText> described_options(std::string_view command)
{
    std::vector<OptionText> found;
    std::copy_if(std::begin(option_texts), std::end(option_texts), std::back_inserter(found),
                 [&](const OptionText &text) { return text.command == command; });
    return found;
}

std::optional<OptionText> described_option(const CLI::App &command, std::string_view name)
{
    for (const OptionText &text : described_options(name_in_texts(command)))
        if (has_name(text.names, name))
            return text;
    return std::nullopt;
}

OptionText option_text(const CLI::App &command, std::string_view name)
{
    const auto text = described_option(command, name);
    if (!text)
        throw std::logic_error(fmt::format("parser/main/commands/{}.md does not describe {}",
                                           command.get_name(), name));
    return *text;
}

void expect_all_described(const CLI::App &command)
{
    for (const OptionText &text : described_options(name_in_texts(command))) {
        const std::string names(text.names);
        if (command.get_option_no_throw(names.substr(names.find(',') + 1)) == nullptr)
            throw std::logic_error(fmt::format("mprof {} has no {}, which {}.md describes",
                                               command.get_name(), names, command.get_name()));
    }
}

std::optional<std::string_view> completion_script(std::string_view shell)
{
    for (const ShellText &text : shell_texts)
        if (text.shell == shell)
            return text.script;
    return std::nullopt;
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
    return fmt::format("Usage: {}", described_command(name_in_texts(command)).usage);
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

// The words that have no place. A mistyped option is followed by its value, so options come first.
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

// What CLI11 says, and how mprof says it. {0} is what is between `begin` and `middle`, {1} what is
// between that and `end`.
struct Phrase {
    std::string_view begin, middle, end;
    const char *here;
};
constexpr Phrase phrases[] = {
    {"Could not convert: ", " = ", "", "{0} needs a number, and {1} is not one"},
    {"", ": 1 required ", " missing", "{0} needs a value: {0} {1}"},
    {"", ": At Most 1 required but received ", "", "{0} is given {1} times. Once is enough"},
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

}  // namespace mprof
