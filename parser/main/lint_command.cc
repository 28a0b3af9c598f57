// mprof lint: what is wrong in a run. Exit status 1 if there is something of the severity that the
// user asks for.
#include "main/commands.h"
#include "main/profile/incomplete_run.h"
#include "main/profile/read_report.h"
#include "main/report_output.h"
#include "render/json/render_json.h"
#include "render/sarif/render_sarif.h"
#include "render/text/sections/text_lints.h"

#include <algorithm>
#include <filesystem>

namespace mprof {

int lint_command(const LintOptions &options)
{
    const auto read = read_report(options.path, options.world, options.symbols, options.verbose);
    if (!read)
        return exit_unusable;
    const Report &report = read->report;
    say_incomplete(report, read->damaged, options.verbose);
    Outputs outputs({options.path});
    std::error_code none;
    const std::string folder = std::filesystem::current_path(none).string();
    if (options.json_file && !outputs.write(*options.json_file, render_lints_json(report)))
        return exit_unusable;
    if (options.sarif_file && !outputs.write(*options.sarif_file, render_sarif(report, folder)))
        return exit_unusable;
    if (!options.json_file && !options.sarif_file &&
        !write_stdout(render_lints(report, options.width > 0 ? options.width : terminal_width())))
        return exit_unusable;
    const bool fails =
        std::any_of(report.lints.begin(), report.lints.end(),
                    [&](const LintRow &row) { return row.severity >= options.fail_on; });
    return fails ? exit_findings : exit_fine;
}

}  // namespace mprof
