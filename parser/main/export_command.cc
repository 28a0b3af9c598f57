// mprof export: runs in the formats of other programs.
#include "main/commands.h"
#include "main/profile/incomplete_run.h"
#include "main/profile/read_report.h"
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

}  // namespace

int export_command(const ExportOptions &options)
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

}  // namespace mprof
