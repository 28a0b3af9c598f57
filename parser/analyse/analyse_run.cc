// What was run, where and when. Facts that differ between ranks are taken from the first rank that
// is there.
#include "analyse/analysis_parts.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace mprof {
namespace {

MpiAbi spoken_abi(uint32_t abi)
{
    switch (abi) {
    case MPROF_ABI_OPENMPI:
        return MpiAbi::openmpi;
    case MPROF_ABI_MPICH:
        return MpiAbi::mpich;
    case MPROF_ABI_MPI5:
        return MpiAbi::mpi5;
    default:
        return MpiAbi::none;
    }
}

// MPI_Get_library_version gives a page in MPICH: its first line, white space squeezed; up to the
// first comma.
std::string short_library_name(const std::string &version)
{
    std::string name;
    for (const char c : version.substr(0, version.find_first_of("\n\r,"))) {
        const bool space = c == ' ' || c == '\t';
        if (!space)
            name += c;
        else if (!name.empty() && name.back() != ' ')
            name += ' ';
    }
    return name;
}

RunEnd run_end(const Profile &profile, const RankMeasures &ranks)
{
    const auto any = [&](uint32_t end) {
        return std::any_of(ranks.begin(), ranks.end(),
                           [&](const auto &r) { return r.file->run.end == end; });
    };
    if (any(MPROF_END_ABORT))
        return RunEnd::aborted;
    const bool all =
        std::all_of(ranks.begin(), ranks.end(), [](const auto &r) { return r.complete(); });
    if (all)
        return profile.missing.empty() ? RunEnd::completed : RunEnd::incomplete;
    return any(MPROF_END_EXIT) ? RunEnd::exited : RunEnd::unfinished;
}

}  // namespace

void analyse_run(const Profile &profile, const RankMeasures &ranks, Report &report)
{
    RunFacts &run = report.run;
    const RankFile &first = *ranks.front().file;
    run.command = first.text("command");
    run.host = first.text("host");
    run.mpi_library = short_library_name(first.text("mpi_library"));
    run.mpi_abi = spoken_abi(first.run.abi);
    run.run_id = fmt::format("{:016x}", profile.run_id);
    run.ranks = profile.ranks_expected;
    run.world = profile.world;
    run.texts = first.texts.all();
    uint64_t start_ns = UINT64_MAX;
    uint64_t stop_ns = 0;
    std::set<std::string> hosts;
    bool all_complete = profile.missing.empty();
    for (const RankMeasure &rank : ranks) {
        if (rank.file->run.start_realtime_ns > 0)
            start_ns = std::min(start_ns, rank.file->run.start_realtime_ns);
        stop_ns = std::max(stop_ns, rank.file->run.stop_realtime_ns);
        hosts.insert(rank.file->text("host"));
        run.wallclock_s = std::max(run.wallclock_s, rank.wallclock_s);
        all_complete = all_complete && rank.complete();
    }
    if (start_ns == UINT64_MAX)
        start_ns = 0;
    run.start = iso_time(start_ns);
    run.start_text = local_time(start_ns);
    run.stop = iso_time(stop_ns);
    run.stop_text = local_time(stop_ns);
    run.nodes = hosts.size();
    run.complete = all_complete;
    run.end = run_end(profile, ranks);
}

}  // namespace mprof
