// Reads and analyses, with the progress on a terminal (read_report.h).
#include "main/profile/read_report.h"

#include "main/observe_run.h"
#include "main/profile/incomplete_run.h"
#include "main/profile/job_end.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "merge/work_on_all.h"

namespace mprof {

std::optional<ReadReport> read_report(const std::string &path, std::optional<uint32_t> world,
                                      const SymbolOptions &symbols, bool verbose, Detail detail)
{
    auto profile = read_profile(path, true, world);
    if (!profile.ok()) {
        say_error(profile.error(), verbose);
        return std::nullopt;
    }
    const bool damaged = has_damaged_ranks(profile.value());
    Observation observation = observe_run_here(profile.value());
    if (!observation.running)
        observation.end = end_of_job(profile.value());
    const ProgressLine line("analysing");
    return ReadReport{analyse_profile(std::move(profile.value()), symbols, observation, detail),
                      damaged};
}

}  // namespace mprof
