#include "main/profile/incomplete_run.h"

#include "main/report_output.h"
#include "report/derived_figures.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t listed_problems = 20;

void say_problems(const std::vector<FileProblem> &problems, bool verbose)
{
    for (size_t i = 0; i < std::min(problems.size(), listed_problems); i++)
        say_problem(problems[i].plain, problems[i].message, verbose);
    if (problems.size() > listed_problems)
        say("... and " + plural(problems.size() - listed_problems, "more file"));
}

bool say_incomplete_worlds(const Report &report)
{
    bool incomplete = false;
    for (const WorldRow &row : report.worlds) {
        if (!row.complete)
            say(fmt::format("incomplete: world {}: {}", row.world, row.remark));
        incomplete = incomplete || !row.complete;
    }
    for (const MissingRanks &range : report.quality.missing_worlds)
        say(range.first == range.last
                ? fmt::format("incomplete: world {} has no readable file", range.first)
                : fmt::format("incomplete: worlds {}-{} have no readable file", range.first,
                              range.last));
    return incomplete || !report.quality.missing_worlds.empty();
}

}  // namespace

bool has_damaged_ranks(const Profile &profile)
{
    return std::any_of(profile.damaged.begin(), profile.damaged.end(),
                       [](const FileError &error) { return error.is_rank_file; });
}

bool say_incomplete(const Report &report, bool damaged, bool verbose)
{
    const Quality &quality = report.quality;
    say_problems(quality.damaged, verbose);
    say_problems(quality.left_out, verbose);
    const uint64_t not_profiled = count_ranks(quality.not_profiled);
    const uint64_t missing = count_ranks(quality.missing) - not_profiled;
    const auto unfinished = std::count_if(report.ranks.begin(), report.ranks.end(),
                                          [](const RankRow &row) { return !row.complete; });
    if (not_profiled > 0)
        say(fmt::format("incomplete: {} of {} {} not profiled", not_profiled,
                        plural(quality.ranks_expected, "rank"), not_profiled == 1 ? "is" : "are"));
    if (missing > 0)
        say(fmt::format("incomplete: {} of {} {} no readable file", missing,
                        plural(quality.ranks_expected, "rank"), missing == 1 ? "has" : "have"));
    if (unfinished > 0)
        say(fmt::format("incomplete: {} of {} did not reach the end of MPI_Finalize{}", unfinished,
                        plural(quality.ranks_expected, "rank"),
                        report.run.end > RunEnd::unfinished
                            ? fmt::format(": {}", text_of(report.run.end))
                            : ""));
    const bool worlds_incomplete = say_incomplete_worlds(report);
    return damaged || worlds_incomplete || !report.complete();
}

}  // namespace mprof
