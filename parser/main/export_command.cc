// mprof export: runs in the formats of other programs. Tables of many runs (Parquet) are the
// Python module's work: this process becomes it when all else is done.
#include "main/commands.h"
#include "main/profile/incomplete_run.h"
#include "main/profile/read_report.h"
#include "main/python/start_module.h"
#include "main/report_output.h"
#include "read/printable_text.h"
#include "render/export/folded_stacks.h"
#include "render/export/openmetrics.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
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
            say(fmt::format("{}: this run is in the metrics already", printable_ascii(path)));
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
    return become_python_module(module_arguments(options));
}

}  // namespace mprof
