// The run's other worlds in short. Each is measured like the reported world. The report keeps only
// its main figures.
#include "analyse/analysis_parts.h"
#include "report/number_text.h"

#include <fmt/format.h>

namespace mprof {
namespace {

std::string remark_on(const WorldRow &row)
{
    std::string remark;
    if (!row.missing.empty())
        remark = "ranks not read: " + ranges_text(row.missing);
    if (!row.complete && row.end != RunEnd::incomplete)
        remark += (remark.empty() ? "" : "; ") + text_of(row.end);
    return remark;
}

WorldRow make_row(Profile &world)
{
    Report part;
    const RankMeasures ranks = measure_ranks(world);
    analyse_run(world, ranks, part);
    analyse_ranks(ranks, part);
    WorldRow row;
    row.world = world.world;
    row.ranks = world.ranks_expected;
    row.ranks_read = ranks.size();
    for (const RankRange &range : world.missing)
        row.missing.push_back({range.first, range.last});
    row.command = part.run.command;
    row.end = part.run.end;
    row.wallclock_s = part.run.wallclock_s;
    row.comm_percent = part.totals.comm_percent;
    row.complete = part.run.complete;
    row.remark = remark_on(row);
    return row;
}

}  // namespace

std::string ranges_text(const std::vector<MissingRanks> &ranges)
{
    constexpr size_t listed = 8;
    std::string words;
    for (size_t i = 0; i < ranges.size(); i++) {
        if (i == listed)
            return words + " and " + plural(ranges.size() - listed, "more range");
        words += i == 0 ? "" : " ";
        words += ranges[i].first == ranges[i].last
                     ? fmt::format("{}", ranges[i].first)
                     : fmt::format("{}-{}", ranges[i].first, ranges[i].last);
    }
    return words;
}

void analyse_worlds(Profile &profile, Report &report)
{
    for (Profile &world : profile.other_worlds)
        report.worlds.push_back(make_row(world));
}

}  // namespace mprof
