// The arguments of the commands that start a program (command_line.h).
#include "main/arguments/command_line.h"
#include "main/commands.h"
#include "main/run/child_process.h"
#include "tune/tuning.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mprof {
namespace {

// What `mprof run --sizes` is given.

// "1,2,4,8": numbers of at least 1, each once; empty if it is no such list.
std::vector<uint32_t> parse_sizes(const std::string &text)
{
    constexpr unsigned long most_ranks = 10'000'000;
    std::vector<uint32_t> sizes;
    for (size_t at = 0; at <= text.size();) {
        const size_t comma = std::min(text.find(',', at), text.size());
        const std::string word = text.substr(at, comma - at);
        const bool is_number = !word.empty() && word.size() < 9 &&
                               word.find_first_not_of("0123456789") == std::string::npos;
        const unsigned long size = is_number ? std::stoul(word) : 0;
        if (size < 1 || size > most_ranks ||
            std::find(sizes.begin(), sizes.end(), size) != sizes.end())
            return {};
        sizes.push_back(static_cast<uint32_t>(size));
        at = comma + 1;
    }
    return sizes;
}

using Word = std::vector<std::string>::iterator;

// Where the command begins: at --, else at the first word that is neither an option nor the value
// of one.
Word find_command(Word at, Word end, const std::set<std::string> &with_values)
{
    while (at != end && at->starts_with('-') && *at != "--")
        at += with_values.count(*at) > 0 && end - at > 1 ? 2 : 1;
    return at;
}

// "--output" of "-o,--output".
std::string long_name(const OptionText &text)
{
    return std::string(text.names.substr(text.names.find(',') + 1));
}

std::set<std::string> options_with_values(const std::string &command)
{
    std::set<std::string> names;
    for (const OptionText &text : described_options(command)) {
        if (text.value.empty())
            continue;
        const size_t comma = text.names.find(',');
        names.insert(long_name(text));
        if (comma != std::string_view::npos)
            names.emplace(text.names.substr(0, comma));
    }
    return names;
}

// The options of mprof run that set a variable each.
std::vector<OptionText> variables_of_run()
{
    std::vector<OptionText> found = described_options("run");
    std::erase_if(found, [](const OptionText &text) { return text.variable.empty(); });
    return found;
}

}  // namespace

std::vector<std::string> take_command(std::vector<std::string> &words)
{
    const std::string name = words.empty() ? "" : words.front();
    const auto first = words.begin() + (words.empty() ? 0 : 1);
    auto begin = std::find(first, words.end(), "--");
    if (name == "run" || name == "tune")
        begin = find_command(first, words.end(), options_with_values(name));
    else if (name != "machine")
        return {};
    const bool marked = begin != words.end() && *begin == "--";
    std::vector<std::string> command(begin + (marked ? 1 : 0), words.end());
    words.erase(begin, words.end());
    return command;
}

void add_run(CLI::App *run, CommandLine &line)
{
    const std::vector<OptionText> variables = variables_of_run();
    for (const OptionText &text : variables)
        if (text.value.empty())
            add_flag(*run, long_name(text));
        else
            add_value(*run, long_name(text));
    add_value(*run, "--html");
    add_flag(*run, "--report");
    add_value(*run, "--sizes");
    add_value(*run, "--repeats")->check(from_to(1, 1000));
    add_flag(*run, "--check");
    run->callback([run, variables, &line] {
        RunOptions options;
        options.command = line.command;
        if (line.command.empty())
            throw CLI::RequiredError("COMMAND");
        if (run->count("--check") > 0) {
            line.action = [options] { return check_run_command(options.command); };
            return;
        }
        for (const OptionText &text : variables) {
            const CLI::Option *option = run->get_option(long_name(text));
            if (option->count() > 0)
                options.variables.emplace_back(text.variable,
                                               text.value.empty() ? "1" : option->results().back());
        }
        if (run->count("--html") > 0)
            options.html_file = run->get_option("--html")->results().back();
        options.report = run->count("--report") > 0;
        if (run->count("--repeats") > 0)
            options.repeats = run->get_option("--repeats")->as<uint32_t>();
        if (run->count("--sizes") == 0) {
            line.action = [options] { return run_command(options); };
            return;
        }
        const std::string sizes = run->get_option("--sizes")->results().back();
        options.sizes = parse_sizes(sizes);
        if (options.sizes.size() < 2 || options.report)
            throw CLI::ValidationError(
                options.sizes.size() < 2
                    ? "--sizes: " + sizes +
                          " is not a list of at least two numbers of ranks, such as "
                          "1,2,4,8"
                    : "--sizes has a report of its own: leave --report out");
        line.action = [options] { return run_sizes(options); };
    });
}

void add_tune(CLI::App *tune, CommandLine &line)
{
    auto options = std::make_shared<TuneOptions>();
    add_value(*tune, "--runs", options->most_runs)->check(from_to(least_tune_runs, 1000));
    add_value(*tune, "--output", options->script_file);
    add_common_options(*tune, options);
    tune->callback([options, &line] {
        if (line.command.empty())
            throw CLI::RequiredError("COMMAND");
        options->run.command = line.command;
        line.action = [options] { return tune_command(*options); };
    });
}

// `command`: what follows --.
void add_machine(CLI::App *machine, CommandLine &line)
{
    auto options = std::make_shared<MachineOptions>();
    add_value(*machine, "FILE", options->files);
    add_value(*machine, "--output", options->output_file);
    add_value(*machine, "--mpi", options->library);
    add_value(*machine, "--seconds", options->seconds)->check(from_to(1, 3600));
    add_value(*machine, "--ranks", options->ranks)->check(from_to(1, 1e7));
    add_common_options(*machine, options);
    machine->callback([options, &line] {
        options->launcher = line.command;
        if (options->files.empty() == line.command.empty())
            throw CLI::ValidationError(line.command.empty()
                                           ? "what to measure with? mprof machine -- mpirun -n 4"
                                           : "either files are read, or a launcher measures");
        line.action = [options] { return machine_command(*options); };
    });
}

}  // namespace mprof
