// mprof scale: several runs of one program at several sizes. Reports are read one after the other.
#include "main/commands.h"
#include "main/profile/incomplete_run.h"
#include "main/profile/read_report.h"
#include "main/report_output.h"
#include "render/render_scale.h"
#include "render/text/colours.h"
#include "scale/analyse_scaling.h"

namespace mprof {

int scale_command(const ScaleOptions &options)
{
    std::vector<SizeRun> runs;
    ExitStatus status = exit_fine;
    for (const std::string &path : options.paths) {
        const auto read = read_report(path, options.world, options.symbols, options.verbose);
        if (!read)
            return exit_unusable;
        if (say_incomplete(read->report, read->damaged, options.verbose))
            status = exit_incomplete;
        runs.push_back(size_run_of(read->report, path));
    }
    if (const std::string reason = why_not_scaled(runs); !reason.empty()) {
        say(reason);
        return exit_unusable;
    }
    const Scaling scaling = analyse_scaling(std::move(runs), options.kind);
    Outputs outputs(options.paths);
    if (options.json_file && !outputs.write(*options.json_file, render_scale_json(scaling)))
        return exit_unusable;
    if (options.html_file && !outputs.write(*options.html_file, render_scale_html(scaling)))
        return exit_unusable;
    if ((options.json_file || options.html_file) && !options.also_text)
        return status;
    const std::string text =
        render_scale_text(scaling, options.width > 0 ? options.width : terminal_width());
    const bool is_written =
        write_stdout(wants_colours(STDOUT_FILENO) ? with_colours(text, scaling.state) : text);
    return is_written ? status : exit_unusable;
}

}  // namespace mprof
