// A check that has found nothing says "ok". Waiting is an estimate at best.
#include "report/quality_checks.h"

#include "report/verdict_thresholds.h"

namespace mprof {
namespace {

Judgement watch_if(bool is_bad)
{
    return is_bad ? Judgement::watch : Judgement::good;
}

}  // namespace

bool is_costly(const Quality &quality)
{
    return quality.overhead_percent > verdict_thresholds.large_overhead_percent;
}

uint64_t count_ranks(const std::vector<MissingRanks> &ranges)
{
    uint64_t count = 0;
    for (const MissingRanks &range : ranges)
        count += uint64_t{range.last} - range.first + 1;
    return count;
}

bool only_lacks_unprofiled(const Quality &quality)
{
    return !quality.missing.empty() &&
           count_ranks(quality.missing) == count_ranks(quality.not_profiled);
}

bool is_coarse(const Quality &quality)
{
    return quality.dropped_percent > verdict_thresholds.large_dropped_percent;
}

std::vector<QualityCheck> quality_checks(const Quality &quality, const Report &report)
{
    const bool all_read = quality.ranks_read >= quality.ranks_expected;
    const bool all_ended = report.standing.rows.empty();
    const bool all_exact = quality.dropped_percent <= 0;
    std::vector<QualityCheck> checks = {
        {"Ranks read", all_read ? Judgement::good : Judgement::problem,
         all_read ? "ok" : "incomplete"},
        {"Ranks finished", watch_if(!all_ended), all_ended ? "ok" : "unfinished"},
        {"Detail kept", watch_if(is_coarse(quality)), all_exact ? "ok" : "partly"},
        {"Overhead", watch_if(is_costly(quality)), "measured"}};
    if (report.totals.wait_s)
        checks.push_back({"Waiting", Judgement::watch, "estimate"});
    return checks;
}

std::string standing_words(const Standing &standing)
{
    if (standing.headline.empty())
        return "";
    if (standing.ended_by)
        return standing.ended_how == RankEnd::abort ? "aborted" : "exited";
    if (standing.is_hung)
        return text_of(VerdictClass::hung);
    return standing.running ? "still running" : "did not end";
}

}  // namespace mprof
