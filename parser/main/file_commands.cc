// The commands that make other files of profiles: mprof merge, mprof scrub and mprof export. Their
// options are in arguments/report_arguments.cc, with those of mprof trace.
#include "analyse/analyse_profile.h"
#include "main/commands.h"
#include "main/profile/read_report.h"
#include "main/python_module.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "merge/merged_file.h"
#include "merge/scrub_file.h"
#include "merge/work_on_all.h"
#include "read/printable_text.h"
#include "render/render_report.h"
#include "report/number_text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace mprof {

namespace {

// Names of functions for a file that mprof merge or mprof scrub writes.
// What is wrong with the profile, the command says when it copies the files.

// Empty if the profile cannot be read, or if nothing is found.
std::vector<std::byte> names_of_profile(const std::string &path, const SymbolOptions &symbols,
                                        LinesKept lines)
{
    const auto profile = read_profile(path, true);
    if (!profile.ok())
        return {};
    const ProgressLine line("looking up names");
    return names_of_places(profile.value(), symbols, lines);
}

}  // namespace

// mprof merge: a profile folder becomes one file, which every command takes in its place.
int merge_command(const MergeOptions &options)
{
    std::vector<std::byte> names;
    if (options.names)
        names = names_of_profile(options.path, options.symbols,
                                 options.lines ? LinesKept::all : LinesKept::known);
    const auto merged = merge_files(options.path, options.target, true, names);
    if (!merged.ok()) {
        say_error(merged.error(), options.verbose);
        return exit_unusable;
    }
    const MergedCounts &counts = merged.value();
    for (const FileError &error : counts.left_out)
        say_error(error, options.verbose);
    if (counts.events > 0)
        say(fmt::format("{} keeps {} of single calls for mprof trace; the new file has none",
                        printable_text(options.path), plural(counts.events, "file")));
    if (counts.has_replaced)
        say_replaced(options.target);
    say(fmt::format("{}: {}, {} instead of {}", printable_text(options.target),
                    plural(counts.files, "file"), bytes_text(counts.bytes_after),
                    bytes_text(counts.bytes_before)));
    return exit_fine;
}

// mprof scrub: the profile as a file that can be given to others.
int scrub_command(const ScrubOptions &options)
{
    std::vector<std::byte> names;
    if (options.names)
        names = names_of_profile(options.path, options.symbols, LinesKept::none);
    const Scrubbing scrubbing = {.keeps_functions = options.names};
    const auto scrubbed = scrub_files(options.path, options.target, scrubbing, names);
    if (!scrubbed.ok()) {
        say_error(scrubbed.error(), options.verbose);
        return exit_unusable;
    }
    const ScrubCounts &counts = scrubbed.value();
    for (const FileError &error : counts.left_out)
        say_error(error, options.verbose);
    if (counts.files == 0) {
        say(fmt::format("{} is not written: there is nothing to scrub",
                        printable_text(options.target)));
        return exit_unusable;
    }
    if (counts.has_replaced)
        say_replaced(options.target);
    say(fmt::format("{}: {} without host names, paths and arguments; it still has the names of "
                    "{}regions and communicators{}",
                    printable_text(options.target), plural(counts.files, "rank"),
                    options.names ? "functions, " : "",
                    options.names ? " (--no-names: without those of functions)" : ""));
    return counts.left_out.empty() ? exit_fine : exit_incomplete;
}

// mprof export: runs in the formats of other programs. Tables of many runs (Parquet) are the
// Python module's work: this process becomes it when all else is done.

namespace {

// OpenMetrics has no two samples with the same labels.
bool has_run(const std::vector<RunMetrics> &runs, const std::string &run_id)
{
    return std::any_of(runs.begin(), runs.end(),
                       [&](const RunMetrics &metrics) { return metrics.run.run_id == run_id; });
}

std::vector<std::string> module_arguments(const ExportOptions &options)
{
    std::vector<std::string> words = {"export"};
    const auto add = [&](const char *option, const std::string &value) {
        words.push_back(fmt::format("{}={}", option, value));
    };
    if (options.parquet_folder)
        add("--parquet", *options.parquet_folder);
    if (options.world)
        add("--world", std::to_string(*options.world));
    if (!options.symbols.sysroot.empty())
        add("--sysroot", options.symbols.sysroot);
    for (const std::string &folder : options.symbols.debug_folders)
        add("--debug-dir", folder);
    if (!options.symbols.enabled)
        words.emplace_back("--no-symbols");
    if (options.by_rank)
        words.emplace_back("--by-rank");
    if (options.verbose)
        words.emplace_back("--verbose");
    words.emplace_back("--");
    words.insert(words.end(), options.paths.begin(), options.paths.end());
    return words;
}

int export_texts(const ExportOptions &options)
{
    FoldedStacks stacks;
    std::vector<RunMetrics> runs;
    ExitStatus status = exit_fine;
    for (const std::string &path : options.paths) {
        const auto read = read_report(path, options.world, options.symbols, options.verbose);
        if (!read)
            return exit_unusable;
        const Report &report = read->report;
        if (options.folded_file)
            add_stacks(report, stacks);
        if (!has_run(runs, report.run.run_id))
            runs.push_back(metrics_of(report));
        else if (options.openmetrics_file)
            say(fmt::format("{}: this run is already in the metrics", printable_text(path)));
        if (say_incomplete(report, read->damaged, options.verbose))
            status = exit_incomplete;
    }
    Outputs outputs(options.paths);
    if (options.folded_file && !outputs.write(*options.folded_file, folded_text(stacks)))
        return exit_unusable;
    if (options.openmetrics_file &&
        !outputs.write(*options.openmetrics_file, openmetrics_text(runs)))
        return exit_unusable;
    return status;
}

}  // namespace

int export_command(const ExportOptions &options)
{
    if (options.folded_file || options.openmetrics_file) {
        const int status = export_texts(options);
        if (status == exit_unusable || !options.parquet_folder)
            return status;
    }
    return become_python_module("--parquet", "mpiprof.__main__", module_arguments(options));
}

}  // namespace mprof
