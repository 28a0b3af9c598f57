// mprof hang: where the ranks of a running job stand, or stood when it was killed.
#include "analyse/analyse_profile.h"
#include "main/commands.h"
#include "main/observe_run.h"
#include "main/profile/newest_profile.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "merge/work_on_all.h"
#include "render/text/render_standing.h"

namespace mprof {

int hang_command(const HangOptions &options)
{
    const auto path = given_or_newest(options.path, "hang");
    if (!path)
        return exit_unusable;
    auto profile = read_profile(*path, true, options.world);
    if (!profile.ok()) {
        say_error(profile.error(), options.verbose);
        return exit_unusable;
    }
    const Observation observation = observe_run(profile.value());
    const Report report = [&] {
        const ProgressLine line("analysing");
        return analyse_profile(std::move(profile.value()), options.symbols, observation);
    }();
    const bool written =
        options.json_file
            ? Outputs({*path}).write(*options.json_file, render_standing_json(report, options.rank))
            : write_stdout(render_standing(
                  report, options.width > 0 ? options.width : terminal_width(), options.rank));
    return written ? exit_fine : exit_unusable;
}

}  // namespace mprof
