// mprof: the command line. Reads the arguments and calls a command; see main/commands.h for what
// they do.
#include "diff/diff_arguments.h"
#include "main/commands.h"
#include "main/run/run_sizes.h"
#include "main/usage/completions.h"
#include "main/usage/help_formatter.h"
#include "main/usage/help_texts.h"
#include "main/usage/mistakes.h"
#include "main/usage/size_list.h"
#include "mprof/format/option_table.inc"
#include "symbols/line_cache.h"
#include "tune/trial_plan.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#ifndef MPROF_VERSION
#define MPROF_VERSION "unknown"
#endif

namespace {

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

void set_usage(CLI::App &app, const char *usage)
{
    app.formatter(std::make_shared<mprof::HelpFormatter>(usage));
}

// CLI11's own words for this have six digits behind the point.
CLI::Validator from_to(double least, double most)
{
    return {[least, most](const std::string &text) {
                char *end = nullptr;
                const double value = std::strtod(text.c_str(), &end);
                const bool is_number = !text.empty() && *end == '\0';
                return is_number && value >= least && value <= most
                           ? std::string()
                           : fmt::format("{} is not a number from {} to {}", text, least, most);
            },
            ""};
}

// Where the command begins: behind --, else at the first word that is neither an option nor the
// value of one. Not left to CLI11: what follows -- in a subcommand it hands to the main command.
size_t find_command(const std::vector<std::string> &words, const std::set<std::string> &with_values)
{
    size_t at = 0;
    while (at < words.size() && words[at].starts_with('-') && words[at] != "--")
        at += with_values.count(words[at]) > 0 ? 2U : 1U;
    return std::min(at, words.size());
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

void add_run(CLI::App &app, const std::vector<std::string> &command, std::function<int()> &action)
{
    CLI::App *run = app.add_subcommand("run", "Run a program under the profiler");
    set_usage(*run, "mprof run [OPTIONS] [--] COMMAND [ARGUMENTS...]");
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
    run->callback([run, &command, &action] {
        mprof::RunOptions options;
        options.command = command;
        if (command.empty())
            throw CLI::RequiredError("COMMAND");
        if (run->count("--check") > 0) {
            action = [command] { return mprof::check_run_command(command); };
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
            action = [options] { return mprof::run_command(options); };
            return;
        }
        const std::string sizes = run->get_option("--sizes")->results().back();
        options.sizes = mprof::parse_sizes(sizes);
        if (options.sizes.size() < 2 || options.report)
            throw CLI::ValidationError(options.sizes.size() < 2
                                           ? "--sizes: " + sizes +
                                                 " is no list of at least two numbers of ranks, as "
                                                 "1,2,4,8"
                                           : "--sizes has an answer of its own: without --report");
        action = [options] { return mprof::run_sizes(options); };
    });
}

// Where debug data of the program may be, beside where it was built.
void add_symbol_folders(CLI::App &command, const std::shared_ptr<mprof::SymbolOptions> &options)
{
    options->cache_folder = mprof::line_cache_folder();
    command
        .add_option_function<std::string>(
            "--sysroot",
            [options](std::string folder) {
                while (folder.ends_with('/'))
                    folder.pop_back();
                options->sysroot = folder;
            },
            "where the file system of the machine that ran the program is, for source lines")
        ->type_name("FOLDER");
    command
        .add_option("--debug-dir", options->debug_folders,
                    "folder with debug data, as /usr/lib/debug is one; may be repeated")
        ->type_name("FOLDER")
        ->expected(1)
        ->take_all();
}

void add_symbol_options(CLI::App &report, const std::shared_ptr<mprof::SymbolOptions> &options)
{
    add_symbol_folders(report, options);
    report.add_flag_callback(
        "--no-symbols", [options] { options->enabled = false; },
        "do not look up source lines: places are module+offset");
}

void add_width_option(CLI::App &command, size_t &width)
{
    command.add_option("--width", width, "columns of the text [the terminal's, at least 80]")
        ->type_name("N")
        ->check(from_to(80, 500));
}

void add_world_option(CLI::App &command, uint32_t &world)
{
    command
        .add_option("--world", world,
                    "which MPI_COMM_WORLD of a run that spawned others [0, the first one]")
        ->type_name("N");
}

void add_verbose_option(CLI::App &command, bool &verbose)
{
    command.add_flag("--verbose", verbose,
                     "of a file that cannot be read: where in it, what was expected and found");
}

// A part of the run instead of all of it.
void add_time_options(CLI::App &command, std::string &phase, double &from_s, double &to_s)
{
    command
        .add_option("--phase", phase,
                    "print the figures of one phase of the run, by its name or number, instead")
        ->type_name("NAME");
    command.add_option("--from", from_s, "print the figures from this time of the run on, instead")
        ->type_name("SECONDS")
        ->check(CLI::NonNegativeNumber);
    command.add_option("--to", to_s, "... and up to this one")
        ->type_name("SECONDS")
        ->check(CLI::NonNegativeNumber);
}

void add_report(CLI::App &app, std::function<int()> &action)
{
    struct Values {
        std::string path, json, csv, html, phase, machine;
        double from_s = 0, to_s = 0;
        bool explain = false, brief = false, open = false, by_rank = false, verbose = false;
        size_t width = 0;
        uint32_t world = 0;
    };
    auto values = std::make_shared<Values>();
    CLI::App *report =
        app.add_subcommand("report", "Tell what a profile says: text, a page, JSON or CSV");
    set_usage(*report, "mprof report [FOLDER] [--brief] [--open] [--html FILE] [--json FILE]");
    report
        ->add_option("FOLDER", values->path,
                     "profile folder, or a single file of it [the newest profile here]")
        ->type_name("");
    report->add_flag("--brief", values->brief, "one screen: at most 24 lines of 80 columns");
    report->add_flag("--open", values->open,
                     "write the page, called like the folder unless --html names it, and open it "
                     "in the browser");
    report
        ->add_option("--html", values->html,
                     "write a page for the browser, one file that needs no other; - = standard "
                     "output")
        ->type_name("FILE");
    report->add_option("--json", values->json, "write everything as JSON; - = standard output")
        ->type_name("FILE");
    report->add_option("--csv", values->csv, "write one tidy table per list, for pandas and R")
        ->type_name("FOLDER");
    report
        ->add_option("--machine", values->machine,
                     "compare with what the machine can do: a file that mprof machine -o wrote, or "
                     "a log of IMB or the OSU benchmarks")
        ->type_name("FILE");
    report->add_flag("--by-rank", values->by_rank,
                     "with --json or --csv: also each rank's figures by function and call site");
    report->add_flag(
        "--explain", values->explain,
        "print the rules of the verdict with this run's numbers, and what the words mean, instead");
    add_time_options(*report, values->phase, values->from_s, values->to_s);
    add_verbose_option(*report, values->verbose);
    add_width_option(*report, values->width);
    add_world_option(*report, values->world);
    const auto symbols = std::make_shared<mprof::SymbolOptions>();
    add_symbol_options(*report, symbols);
    report->callback([report, values, symbols, &action] {
        mprof::ReportOptions options;
        if (report->count("--phase") > 0)
            options.phase = values->phase;
        if (report->count("--from") > 0)
            options.from_s = values->from_s;
        if (report->count("--to") > 0)
            options.to_s = values->to_s;
        options.path = values->path;
        options.width = values->width;
        options.explain = values->explain;
        options.brief = values->brief;
        options.verbose = values->verbose;
        options.open = values->open;
        options.by_rank = values->by_rank;
        if (report->count("--machine") > 0)
            options.machine_file = values->machine;
        if (options.by_rank && report->count("--json") + report->count("--csv") == 0)
            throw CLI::ValidationError("--by-rank", "it needs --json FILE or --csv FOLDER");
        if (report->count("--json") > 0)
            options.json_file = values->json;
        if (report->count("--html") > 0)
            options.html_file = values->html;
        if (report->count("--csv") > 0)
            options.csv_folder = values->csv;
        if (report->count("--world") > 0)
            options.world = values->world;
        options.symbols = *symbols;
        action = [options] { return mprof::report_command(options); };
    });
}

void add_diff(CLI::App &app, std::function<int()> &action)
{
    struct Values {
        std::string json, html, markdown, allowed;
        uint32_t world = 0;
    };
    auto values = std::make_shared<Values>();
    auto options = std::make_shared<mprof::DiffOptions>();
    const std::shared_ptr<mprof::SymbolOptions> symbols(options, &options->symbols);
    CLI::App *diff = app.add_subcommand("diff", "Tell what is slower or faster than before");
    set_usage(*diff, "mprof diff A[,A2...] B[,B2...] [--fail-if-slower 5%] [--json FILE]");
    diff->add_option("A", options->a, "profile folders of before")->required()->type_name("");
    diff->add_option("B", options->b, "profile folders of after")->required()->type_name("");
    diff->add_flag("--results")
        ->description("tell the first difference of what two runs with mprof run --results "
                      "computed; exit status 0 the same, 3 different");
    diff->add_option("--fail-if-slower", values->allowed,
                     "exit status 3 if B takes longer than A by more than this")
        ->type_name("PERCENT");
    diff->add_option("--html", values->html,
                     "write a page for the browser, one file that needs no other; - = standard "
                     "output")
        ->type_name("FILE");
    diff->add_option("--json", values->json, "write everything as JSON; - = standard output")
        ->type_name("FILE");
    diff->add_option("--markdown", values->markdown,
                     "write a comment for a code host; - = standard output")
        ->type_name("FILE");
    add_verbose_option(*diff, options->verbose);
    add_width_option(*diff, options->width);
    add_world_option(*diff, values->world);
    add_symbol_options(*diff, symbols);
    diff->callback([diff, values, options, &action] {
        if (diff->count("--html") > 0)
            options->html_file = values->html;
        if (diff->count("--json") > 0)
            options->json_file = values->json;
        if (diff->count("--markdown") > 0)
            options->markdown_file = values->markdown;
        if (diff->count("--world") > 0)
            options->world = values->world;
        if (diff->count("--fail-if-slower") > 0) {
            options->allowed_percent = mprof::parse_percent(values->allowed);
            if (!options->allowed_percent)
                throw CLI::ValidationError("--fail-if-slower", "expected a percentage, as 5%");
        }
        if (diff->count("--results") == 0) {
            action = [options] { return mprof::diff_command(*options); };
            return;
        }
        for (const char *other : {"--fail-if-slower", "--markdown"})
            if (diff->count(other) > 0)
                throw CLI::ValidationError(other, "not together with --results");
        action = [options] { return mprof::diff_results_command(*options); };
    });
}

void add_hang(CLI::App &app, std::function<int()> &action)
{
    struct Values {
        std::string json;
        uint32_t world = 0, rank = 0;
    };
    auto values = std::make_shared<Values>();
    auto options = std::make_shared<mprof::HangOptions>();
    const std::shared_ptr<mprof::SymbolOptions> symbols(options, &options->symbols);
    CLI::App *hang = app.add_subcommand(
        "hang", "Tell where the ranks of a running or killed job stand, and who waits for whom");
    set_usage(*hang, "mprof hang [FOLDER] [--rank N] [--json FILE] [--world N]");
    hang->add_option("FOLDER", options->path,
                     "profile folder of a running or killed job [the newest profile here]")
        ->type_name("");
    hang->add_option("--rank", values->rank,
                     "whose last calls to tell [up to 3 ranks that others wait for or that stand "
                     "alone]")
        ->type_name("N");
    hang->add_option("--json", values->json, "write it as JSON; - = standard output")
        ->type_name("FILE");
    add_verbose_option(*hang, options->verbose);
    add_width_option(*hang, options->width);
    add_world_option(*hang, values->world);
    add_symbol_options(*hang, symbols);
    hang->callback([hang, values, options, &action] {
        if (hang->count("--json") > 0)
            options->json_file = values->json;
        if (hang->count("--world") > 0)
            options->world = values->world;
        if (hang->count("--rank") > 0)
            options->rank = values->rank;
        action = [options] { return mprof::hang_command(*options); };
    });
}

void add_top(CLI::App &app, std::function<int()> &action)
{
    auto options = std::make_shared<mprof::TopOptions>();
    const std::shared_ptr<mprof::SymbolOptions> symbols(options, &options->symbols);
    auto world = std::make_shared<uint32_t>(0);
    CLI::App *top = app.add_subcommand("top", "Watch a running job");
    set_usage(*top, "mprof top [FOLDER] [--interval SECONDS] [--once]");
    top->add_option("FOLDER", options->path,
                    "profile folder of a running job [the newest profile here]")
        ->type_name("");
    top->add_option("--interval", options->interval_s, "how often the view is drawn anew [2]")
        ->type_name("SECONDS")
        ->check(from_to(0.1, 3600.0));
    top->add_flag("--once", options->once, "one view, as always when the output is no terminal");
    add_verbose_option(*top, options->verbose);
    add_width_option(*top, options->width);
    add_world_option(*top, *world);
    add_symbol_options(*top, symbols);
    top->callback([top, world, options, &action] {
        if (top->count("--world") > 0)
            options->world = *world;
        action = [options] { return mprof::top_command(*options); };
    });
}

void add_no_names_flag(CLI::App &command, bool &names)
{
    command.add_flag_callback(
        "--no-names", [&names] { names = false; },
        "do not keep names of functions, which are looked up for the new file");
}

void add_scrub(CLI::App &app, std::function<int()> &action)
{
    auto options = std::make_shared<mprof::ScrubOptions>();
    CLI::App *scrub = app.add_subcommand(
        "scrub", "Make a file of a profile without host names, paths and arguments, to share");
    set_usage(*scrub, "mprof scrub FOLDER -o FILE [--no-names]");
    scrub->add_option("FOLDER", options->path, "profile folder, or a merged file")
        ->required()
        ->type_name("");
    scrub->add_option("-o,--output", options->target, "the file to write")
        ->required()
        ->type_name("FILE");
    add_no_names_flag(*scrub, options->names);
    add_symbol_folders(*scrub, std::shared_ptr<mprof::SymbolOptions>(options, &options->symbols));
    add_verbose_option(*scrub, options->verbose);
    scrub->callback(
        [options, &action] { action = [options] { return mprof::scrub_command(*options); }; });
}

void add_show(CLI::App &app, std::function<int()> &action)
{
    struct Values {
        std::string path;
        uint32_t rank = 0, world = 0;
        bool verbose = false;
    };
    auto values = std::make_shared<Values>();
    CLI::App *show = app.add_subcommand("show", "Show what is inside one rank file, for debugging");
    set_usage(*show, "mprof show FILE [--rank N] [--world N]");
    show->add_option("FILE", values->path,
                     "a rank file, live or finished; with --rank also a profile folder or a merged "
                     "file; of a merged file alone the names of the files in it")
        ->required()
        ->type_name("");
    show->add_option("--rank", values->rank, "which rank")->type_name("N");
    add_world_option(*show, values->world);
    add_verbose_option(*show, values->verbose);
    show->callback([show, values, &action] {
        mprof::ShowOptions options{values->path, std::nullopt, std::nullopt, values->verbose};
        if (show->count("--rank") > 0)
            options.rank = values->rank;
        if (show->count("--world") > 0)
            options.world = values->world;
        action = [options] { return mprof::show_command(options); };
    });
}

void add_merge(CLI::App &app, std::function<int()> &action)
{
    auto options = std::make_shared<mprof::MergeOptions>();
    CLI::App *merge = app.add_subcommand("merge", "Put the files of a profile folder into one");
    set_usage(*merge, "mprof merge FOLDER -o FILE [--lines | --no-names]");
    merge->add_option("FOLDER", options->path, "profile folder")->required()->type_name("");
    merge->add_option("-o,--output", options->target, "the file to write")
        ->required()
        ->type_name("FILE");
    CLI::Option *lines = merge->add_flag("--lines", options->lines,
                                         "keep source files and lines, too, not only functions");
    add_no_names_flag(*merge, options->names);
    lines->excludes(merge->get_option("--no-names"));
    add_symbol_folders(*merge, std::shared_ptr<mprof::SymbolOptions>(options, &options->symbols));
    add_verbose_option(*merge, options->verbose);
    merge->callback(
        [options, &action] { action = [options] { return mprof::merge_command(*options); }; });
}

void add_trace(CLI::App &app, std::function<int()> &action)
{
    auto options = std::make_shared<mprof::TraceOptions>();
    const std::shared_ptr<mprof::SymbolOptions> symbols(options, &options->symbols);
    auto world = std::make_shared<uint32_t>(0);
    CLI::App *trace =
        app.add_subcommand("trace", "Write a timeline for Perfetto, Chrome or Vampir");
    set_usage(*trace, "mprof trace FOLDER [-o FILE.pftrace|FILE.json] [--otf2 FOLDER]");
    trace->add_option("FOLDER", options->path, "profile folder, or a merged file")
        ->required()
        ->type_name("");
    trace
        ->add_option("-o,--output", options->target,
                     "the file to write: .pftrace for Perfetto, .json in Chrome's format")
        ->type_name("FILE");
    trace->add_option("--otf2", options->otf2_folder, "the folder to write, for Vampir")
        ->type_name("FOLDER");
    add_verbose_option(*trace, options->verbose);
    add_world_option(*trace, *world);
    add_symbol_options(*trace, symbols);
    trace->callback([trace, world, options, &action] {
        if (options->target.empty() && options->otf2_folder.empty())
            throw CLI::RequiredError("-o FILE or --otf2 FOLDER");
        if (trace->count("--world") > 0)
            options->world = *world;
        action = [options] { return mprof::trace_command(*options); };
    });
}

void add_export(CLI::App &app, std::function<int()> &action)
{
    auto options = std::make_shared<mprof::ExportOptions>();
    const std::shared_ptr<mprof::SymbolOptions> symbols(options, &options->symbols);
    auto world = std::make_shared<uint32_t>(0);
    CLI::App *command =
        app.add_subcommand("export", "Write runs for databases, flame graphs or monitoring");
    set_usage(*command, "mprof export FOLDER... [--parquet DIR] [--sqlite FILE] [--folded FILE]");
    command
        ->add_option("FOLDER", options->paths, "profile folders, or merged files; several add up")
        ->required()
        ->type_name("");
    command
        ->add_option("--folded", options->folded_file,
                     "time by call path, for flamegraph.pl, inferno, speedscope; - is standard "
                     "output")
        ->type_name("FILE");
    command
        ->add_option("--openmetrics", options->openmetrics_file,
                     "sums of each run, for Prometheus and others; - is standard output")
        ->type_name("FILE");
    command
        ->add_option("--parquet", options->parquet_folder,
                     "add the tables of the runs to a folder of Parquet files, for DuckDB, Spark, "
                     "pandas; needs python3 with pyarrow")
        ->type_name("FOLDER");
    command
        ->add_option("--sqlite", options->sqlite_file,
                     "add them to a SQLite database; needs python3")
        ->type_name("FILE");
    command->add_flag("--by-rank", options->by_rank,
                      "with these two: also each rank's figures by function and call site");
    add_verbose_option(*command, options->verbose);
    add_world_option(*command, *world);
    add_symbol_options(*command, symbols);
    command->callback([command, world, options, &action] {
        const bool has_tables = options->parquet_folder || options->sqlite_file;
        if (!has_tables && !options->folded_file && !options->openmetrics_file)
            throw CLI::RequiredError("--parquet, --sqlite, --folded or --openmetrics");
        if (options->by_rank && !has_tables)
            throw CLI::ValidationError("--by-rank", "it needs --parquet FOLDER or --sqlite FILE");
        if (command->count("--world") > 0)
            options->world = *world;
        action = [options] { return mprof::export_command(*options); };
    });
}

void add_scale(CLI::App &app, std::function<int()> &action)
{
    auto options = std::make_shared<mprof::ScaleOptions>();
    const std::shared_ptr<mprof::SymbolOptions> symbols(options, &options->symbols);
    auto world = std::make_shared<uint32_t>(0);
    CLI::App *command = app.add_subcommand("scale", "Tell how a program scales, and what stops it");
    set_usage(*command, "mprof scale [OPTIONS] RUN RUN...");
    command
        ->add_option("RUN", options->paths,
                     "profiles of one program with different numbers of ranks; several of one "
                     "number tell the noise")
        ->required()
        ->type_name("");
    CLI::Option *strong = command->add_flag("--strong");
    strong->description("the problem is the same in all runs");
    CLI::Option *weak = command->add_flag("--weak")->excludes(strong);
    weak->description("the problem grows with the number of ranks");
    command
        ->add_option("--html", options->html_file,
                     "write a page for the browser; - = standard output")
        ->type_name("FILE");
    command->add_option("--json", options->json_file, "write it as JSON; - = standard output")
        ->type_name("FILE");
    add_verbose_option(*command, options->verbose);
    add_width_option(*command, options->width);
    add_world_option(*command, *world);
    add_symbol_options(*command, symbols);
    command->callback([command, strong, weak, world, options, &action] {
        if (strong->count() > 0)
            options->kind = mprof::ScalingKind::strong;
        if (weak->count() > 0)
            options->kind = mprof::ScalingKind::weak;
        if (command->count("--world") > 0)
            options->world = *world;
        action = [options] { return mprof::scale_command(*options); };
    });
}

void add_place(CLI::App &app, std::function<int()> &action)
{
    auto options = std::make_shared<mprof::PlaceOptions>();
    options->symbols.enabled = false;
    auto world = std::make_shared<uint32_t>(0);
    CLI::App *command =
        app.add_subcommand("place", "Find an order of the ranks that keeps partners near");
    set_usage(*command, "mprof place [OPTIONS] FOLDER");
    command->add_option("FOLDER", options->path, "profile folder or merged file")
        ->required()
        ->type_name("");
    command
        ->add_option("--for", options->launcher,
                     "the launcher to write for; by default that of the run")
        ->type_name("openmpi|openmpi4|openmpi5|mpich|intel|slurm|cray|program");
    command
        ->add_option("-o,--output", options->order_file,
                     "write the order as the launcher takes it; - = standard output")
        ->type_name("FILE");
    command
        ->add_option("--on", options->host_file,
                     "place on these nodes instead of the run's: a host a line, with slots")
        ->type_name("FILE");
    command
        ->add_option("--topology", options->topology,
                     "what is in a node: an XML file of hwloc, words as \"node:4 package:2 "
                     "core:8\", or here")
        ->type_name("FILE");
    command
        ->add_option("--judge", options->judged_file,
                     "say how good a rank file, a host list, MPICH_RANK_ORDER or the output of "
                     "--report-bindings is")
        ->type_name("FILE");
    command
        ->add_option("--html", options->html_file,
                     "write a page for the browser; - = standard output")
        ->type_name("FILE");
    command->add_option("--json", options->json_file, "write it as JSON; - = standard output")
        ->type_name("FILE");
    add_verbose_option(*command, options->verbose);
    add_width_option(*command, options->width);
    add_world_option(*command, *world);
    command->callback([command, world, options, &action] {
        if (command->count("--world") > 0)
            options->world = *world;
        action = [options] { return mprof::place_command(*options); };
    });
}

void add_tune(CLI::App &app, const std::vector<std::string> &command, std::function<int()> &action)
{
    auto options = std::make_shared<mprof::TuneOptions>();
    CLI::App *tune = app.add_subcommand(
        "tune", "Try the settings of the MPI that the profile speaks for, and tell which help");
    set_usage(*tune, "mprof tune [OPTIONS] [--] COMMAND [ARGUMENTS...]");
    tune->add_option("-n,--runs", options->most_runs,
                     "run the command at most so many times in all [24]")
        ->type_name("N")
        ->check(from_to(mprof::least_tune_runs, 1000));
    tune->add_option("-o,--output", options->script_file,
                     "write the settings that help as lines of a shell, to source; - = standard "
                     "output")
        ->type_name("FILE");
    tune->add_option("--json", options->json_file, "write it as JSON; - = standard output")
        ->type_name("FILE");
    add_width_option(*tune, options->width);
    tune->callback([options, &command, &action] {
        if (command.empty())
            throw CLI::RequiredError("COMMAND");
        options->run.command = command;
        action = [options] { return mprof::tune_command(*options); };
    });
}

// `command`: what stands behind --.
void add_machine(CLI::App &app, const std::vector<std::string> &command,
                 std::function<int()> &action)
{
    auto options = std::make_shared<mprof::MachineOptions>();
    CLI::App *machine =
        app.add_subcommand("machine", "Measure what the machine and its MPI can do");
    set_usage(*machine, "mprof machine [OPTIONS] -- mpirun -n N, or mprof machine FILE...");
    machine
        ->add_option("FILE", options->files,
                     "instead of measuring: logs of IMB or the OSU benchmarks, or a file that -o "
                     "wrote")
        ->type_name("");
    machine
        ->add_option("-o,--output", options->output_file,
                     "write all figures as JSON, for mprof report --machine; - = standard output")
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
    add_verbose_option(*machine, options->verbose);
    add_width_option(*machine, options->width);
    machine->callback([command, options, &action] {
        options->launcher = command;
        if (options->files.empty() == command.empty())
            throw CLI::ValidationError(command.empty()
                                           ? "what to measure with? mprof machine -- mpirun -n 4"
                                           : "either files are read, or a launcher measures");
        action = [options] { return mprof::machine_command(*options); };
    });
}

void add_lint(CLI::App &app, std::function<int()> &action)
{
    struct Values {
        std::string fail_on = "note", json, sarif;
        uint32_t world = 0;
    };
    auto values = std::make_shared<Values>();
    auto options = std::make_shared<mprof::LintOptions>();
    const std::shared_ptr<mprof::SymbolOptions> symbols(options, &options->symbols);
    CLI::App *lint =
        app.add_subcommand("lint", "Tell what the program does wrong with MPI, by line");
    set_usage(*lint, "mprof lint FOLDER [--fail-on SEVERITY] [--json FILE] [--sarif FILE]");
    lint->add_option("FOLDER", options->path, "profile folder, or a merged file")
        ->required()
        ->type_name("");
    lint->add_option("--fail-on", values->fail_on,
                     "exit status 1 if there is a finding so bad, or worse [note: any]")
        ->type_name("note|warning|error")
        ->check(CLI::IsMember({"note", "warning", "error"}));
    lint->add_option("--json", values->json, "write the findings as JSON; - = standard output")
        ->type_name("FILE");
    lint->add_option("--sarif", values->sarif,
                     "write them as SARIF, which code hosts show; - = standard output")
        ->type_name("FILE");
    add_verbose_option(*lint, options->verbose);
    add_width_option(*lint, options->width);
    add_world_option(*lint, values->world);
    add_symbol_options(*lint, symbols);
    lint->callback([lint, values, options, &action] {
        for (const mprof::Severity severity : {mprof::Severity::warning, mprof::Severity::error})
            if (values->fail_on == mprof::text_of(severity))
                options->fail_on = severity;
        if (lint->count("--json") > 0)
            options->json_file = values->json;
        if (lint->count("--sarif") > 0)
            options->sarif_file = values->sarif;
        if (lint->count("--world") > 0)
            options->world = values->world;
        action = [options] { return mprof::lint_command(*options); };
    });
}

// How many words an action of mprof archive takes behind the archive.
void check_archive_words(const mprof::ArchiveOptions &options, bool has_days)
{
    const size_t count = options.words.size();
    const std::string &action = options.action;
    if (action == "add" && count == 0 && !options.spool)
        throw CLI::RequiredError("PROFILE");
    if (action == "history" && count != 1)
        throw CLI::ValidationError("history", "it needs the name of one program");
    if (action == "compare" && count != 2)
        throw CLI::ValidationError("compare", "it needs two runs, or two lists with commas");
    if ((action == "regressions" || action == "thin") && count > 0)
        throw CLI::ValidationError(action, "nothing is to follow the archive");
    if (options.spool && (action != "add" || count > 0))
        throw CLI::ValidationError("--spool", "it goes with add, instead of profiles");
    if (options.html_file && action != "regressions" && action != "history")
        throw CLI::ValidationError("--html", "it goes with regressions and history");
    if (action == "thin" && !has_days)
        throw CLI::RequiredError("--older-than");
}

void add_archive(CLI::App &app, std::function<int()> &action)
{
    struct Values {
        std::string privacy;
        uint32_t world = 0;
    };
    auto values = std::make_shared<Values>();
    auto options = std::make_shared<mprof::ArchiveOptions>();
    const std::shared_ptr<mprof::SymbolOptions> symbols(options, &options->symbols);
    CLI::App *command =
        app.add_subcommand("archive", "Keep runs for years, and tell which became slower");
    set_usage(*command, "mprof archive ACTION ARCHIVE [PROFILE... | PROGRAM | RUN RUN]");
    command
        ->add_option("ACTION", options->action,
                     "add profiles; list runs; history of a program; compare two runs; "
                     "regressions of all; thin out old runs")
        ->required()
        ->type_name("")
        ->check(CLI::IsMember({"add", "list", "history", "compare", "regressions", "thin"}));
    command->add_option("ARCHIVE", options->archive, "a file, or postgresql://USER@HOST/NAME")
        ->required()
        ->type_name("");
    command->add_option("WORD", options->words, "what the action takes, see below")->type_name("");
    command
        ->add_option("--input", options->input,
                     "what the program works on [its arguments]; runs with the same one are "
                     "compared")
        ->type_name("TEXT");
    command
        ->add_option("--spool", options->spool,
                     "add: the profiles USER/*.mprof in this folder, each read in a process of its "
                     "own; not as root")
        ->type_name("FOLDER");
    command->add_option("--ranks", options->ranks, "runs of this size only")->type_name("N");
    command->add_option("--since", options->since, "runs from this day on, as 2026-11-03")
        ->type_name("DAY");
    command
        ->add_option("--privacy", values->privacy, "how much a new archive keeps of a run [full]")
        ->type_name("full|scrubbed|figures")
        ->check(CLI::IsMember({"full", "scrubbed", "figures"}));
    command
        ->add_option("--older-than", options->older_than_days,
                     "thin: runs that began longer ago than this")
        ->type_name("DAYS");
    command
        ->add_option("--keep", options->kept_a_week,
                     "thin: of each program, input, size and week so many runs stay [5]")
        ->type_name("N")
        ->check(from_to(1, 1000));
    command
        ->add_option("--html", options->html_file,
                     "regressions, history: write a page for the browser; - = standard output")
        ->type_name("FILE");
    command->add_option("--json", options->json_file, "write it as JSON; - = standard output")
        ->type_name("FILE");
    add_verbose_option(*command, options->verbose);
    add_width_option(*command, options->width);
    add_world_option(*command, values->world);
    add_symbol_options(*command, symbols);
    command->callback([command, values, options, &action] {
        for (const mprof::Privacy level :
             {mprof::Privacy::full, mprof::Privacy::scrubbed, mprof::Privacy::figures})
            if (values->privacy == mprof::text_of(level))
                options->privacy = level;
        if (command->count("--world") > 0)
            options->world = values->world;
        check_archive_words(*options, command->count("--older-than") > 0);
        action = [options] { return mprof::archive_command(*options); };
    });
}

int run_main(int argc, char **argv)
{
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    std::vector<std::string> command;
    if (!words.empty() && (words.front() == "run" || words.front() == "tune")) {
        command.assign(words.begin() + 1, words.end());
        const size_t begin = find_command(
            command, words.front() == "run" ? run_options_with_values() : tune_options_with_values);
        words.resize(begin + 1);
        const bool marked = begin < command.size() && command[begin] == "--";
        command.erase(command.begin(),
                      command.begin() + static_cast<std::ptrdiff_t>(begin + (marked ? 1 : 0)));
    }
    // What follows -- CLI11 would hand to the main command.
    if (!words.empty() && words.front() == "machine") {
        const auto marker = std::find(words.begin(), words.end(), "--");
        if (marker != words.end())
            command.assign(marker + 1, words.end());
        words.erase(marker, words.end());
    }
    if (words.empty()) {
        std::fputs(mprof::first_minute, stderr);
        return mprof::exit_unusable;
    }
    std::function<int()> action;
    CLI::App app(mprof::about, "mprof");
    set_usage(app, "mprof COMMAND [OPTIONS]");
    app.set_version_flag("--version", "mprof " MPROF_VERSION);
    app.add_option_function<std::string>(
           "--completions",
           [&app](const std::string &shell) {
               std::fputs(mprof::completion_script(app, shell).value_or("").c_str(), stdout);
               throw CLI::Success();
           },
           "print the completion for that shell, and do nothing else")
        ->type_name("bash|zsh|fish")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    app.require_subcommand(1);
    app.footer(mprof::examples);
    add_run(app, command, action);
    add_report(app, action);
    add_diff(app, action);
    add_hang(app, action);
    add_top(app, action);
    add_scrub(app, action);
    add_merge(app, action);
    add_trace(app, action);
    add_export(app, action);
    add_scale(app, action);
    add_place(app, action);
    add_tune(app, command, action);
    add_machine(app, command, action);
    add_lint(app, action);
    add_archive(app, action);
    add_show(app, action);
    for (const mprof::HelpText &text : mprof::help_texts)
        app.get_subcommand(text.command)->footer(text.footer);
    try {
        std::reverse(words.begin(), words.end());  // CLI11 takes them off the end
        app.parse(words);
    } catch (const CLI::ParseError &problem) {
        // Help and version are "errors" of status 0.
        if (problem.get_exit_code() != 0) {
            std::fprintf(stderr, "mprof: %s\n", mprof::describe_mistake(app, problem).c_str());
            return mprof::exit_unusable;
        }
        app.exit(problem);
        return mprof::exit_fine;
    }
    return action();
}

}  // namespace

int main(int argc, char **argv)
{
    try {
        return run_main(argc, argv);
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "mprof: %s\n", problem.what());
        return mprof::exit_unusable;
    }
}
