// The arguments of the commands that start a program (command_line.h).
#include "main/arguments/command_line.h"
#include "main/commands.h"
#include "main/run/run_and_report.h"
#include "mprof/format/option_table.inc"
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

struct RunVariable {
    const char *letter;
    const char *option;
    const char *variable;
    const char *value;
    const char *help;
};

#define TEXT_ROW(member, variable, option, letter, value, usual, words, accepted, help) \
    {letter, option, variable, value, help " [" words "]"},
#define NUMBER_ROW(member, variable, option, letter, value, usual, words, least, most, accepted, \
                   help)                                                                         \
    {letter, option, variable, value, help " [" words "]"},
constexpr RunVariable run_variables[] = {MPROF_OPTIONS(TEXT_ROW, NUMBER_ROW)};

using Word = std::vector<std::string>::iterator;

// Where the command begins: at --, else at the first word that is neither an option nor the value
// of one.
Word find_command(Word at, Word end, const std::set<std::string> &with_values)
{
    while (at != end && at->starts_with('-') && *at != "--")
        at += with_values.count(*at) > 0 && end - at > 1 ? 2 : 1;
    return at;
}

// The options of mprof run and mprof tune that take a value.
std::set<std::string> run_options_with_values()
{
    std::set<std::string> names = {"--html", "--sizes", "--repeats"};
    for (const RunVariable &v : run_variables) {
        if (v.value[0] == '\0')
            continue;
        names.insert(v.option);
        if (v.letter != nullptr)
            names.insert(v.letter);
    }
    return names;
}

const std::set<std::string> tune_options_with_values = {"-n",       "--runs", "-o",
                                                        "--output", "--json", "--width"};

}  // namespace

std::vector<std::string> take_command(std::vector<std::string> &words)
{
    const std::string name = words.empty() ? "" : words.front();
    const auto first = words.begin() + (words.empty() ? 0 : 1);
    auto begin = std::find(first, words.end(), "--");
    if (name == "run" || name == "tune")
        begin = find_command(first, words.end(),
                             name == "run" ? run_options_with_values() : tune_options_with_values);
    else if (name != "machine")
        return {};
    const bool marked = begin != words.end() && *begin == "--";
    std::vector<std::string> command(begin + (marked ? 1 : 0), words.end());
    words.erase(begin, words.end());
    return command;
}

void add_run(CLI::App *run, CommandLine &line)
{
    for (const RunVariable &v : run_variables) {
        const std::string names =
            v.letter == nullptr ? v.option : fmt::format("{},{}", v.letter, v.option);
        const std::string text = fmt::format("{} ({})", v.help, v.variable);
        if (v.value[0] == '\0')
            run->add_flag(names)->description(text);
        else
            run->add_option(names)->description(text)->type_name(v.value);
    }
    run->add_option("--html")
        ->description(
            "write a page for the browser when the command has ended; the profile folder "
            "is then called like it, unless --output names one; with --sizes the page tells "
            "how the runs scale")
        ->type_name("FILE");
    run->add_flag("--report")
        ->description("print the report on standard error when the command has ended");
    run->add_option("--sizes")
        ->description("run the command with each of these numbers of ranks in place of {}, and "
                      "tell how it scales: 1,2,4,8; the profiles are called --output.pN.mprof")
        ->type_name("LIST");
    run->add_option("--repeats")
        ->description("with --sizes: run all of them so many times [1]")
        ->type_name("N")
        ->check(from_to(1, 1000));
    run->add_flag("--check")->description(
        "say what would be seen of the program, and do not run it: exit status 0 everything, "
        "1 with gaps or once it has loaded an MPI, 2 nothing");
    run->callback([run, &line] {
        RunOptions options;
        options.command = line.command;
        if (line.command.empty())
            throw CLI::RequiredError("COMMAND");
        if (run->count("--check") > 0) {
            line.action = [options] { return check_run_command(options.command); };
            return;
        }
        for (const RunVariable &v : run_variables) {
            const CLI::Option *option = run->get_option(v.option);
            if (option->count() > 0)
                options.variables.emplace_back(v.variable,
                                               v.value[0] == '\0' ? "1" : option->results().back());
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
            throw CLI::ValidationError(options.sizes.size() < 2
                                           ? "--sizes: " + sizes +
                                                 " is no list of at least two numbers of ranks, as "
                                                 "1,2,4,8"
                                           : "--sizes has an answer of its own: without --report");
        line.action = [options] { return run_sizes(options); };
    });
}

void add_tune(CLI::App *tune, CommandLine &line)
{
    auto options = std::make_shared<TuneOptions>();
    tune->add_option("-n,--runs", options->most_runs,
                     "run the command at most so many times in all [24]")
        ->type_name("N")
        ->check(from_to(least_tune_runs, 1000));
    tune->add_option("-o,--output", options->script_file,
                     "write the settings that help as lines of a shell, to source; - is standard "
                     "output")
        ->type_name("FILE");
    tune->add_option("--json", options->json_file, "write it as JSON; - is standard output")
        ->type_name("FILE");
    add_common_options(*tune, options, of_text);
    tune->callback([options, &line] {
        if (line.command.empty())
            throw CLI::RequiredError("COMMAND");
        options->run.command = line.command;
        line.action = [options] { return tune_command(*options); };
    });
}

// `command`: what stands behind --.
void add_machine(CLI::App *machine, CommandLine &line)
{
    auto options = std::make_shared<MachineOptions>();
    machine
        ->add_option("FILE", options->files,
                     "instead of measuring: logs of IMB or the OSU benchmarks, or a file that -o "
                     "wrote")
        ->type_name("");
    machine
        ->add_option("-o,--output", options->output_file,
                     "write all figures as JSON, for mprof report --machine; - is standard output")
        ->type_name("FILE");
    machine->add_option("--json", options->json_file, "the same")->type_name("FILE");
    machine
        ->add_option("--mpi", options->library,
                     "the MPI library to load; by default that of the launcher")
        ->type_name("FILE");
    machine->add_option("--seconds", options->seconds, "begin no measurement after so long [60]")
        ->type_name("N")
        ->check(from_to(1, 3600));
    machine
        ->add_option("--ranks", options->ranks,
                     "how many ranks the collectives in logs of OSU had, which do not say it")
        ->type_name("N")
        ->check(from_to(1, 1e7));
    add_common_options(*machine, options, of_files | of_text);
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
