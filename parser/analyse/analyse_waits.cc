// Further results of the search for waiting: whom others waited for, what messages cost, and how
// reliable these figures are.
#include "analyse/analysis_parts.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

std::string collectives_words(const Waits &waits)
{
    if (waits.collectives_lined == 0)
        return "";
    if (!waits.thinned)
        return "collectives measured";
    const double percent =
        100 * static_cast<double>(waits.collectives_lined) / static_cast<double>(waits.collectives);
    return fmt::format("collectives estimated from {} of {}", percent_text(percent),
                       spoken_count(waits.collectives));
}

std::string messages_words(const Waits &waits)
{
    if (waits.transfers.empty())
        return "";
    return waits.has_baseline ? "messages estimated from the best case"
                              : "messages estimated from the best case of the run alone, without a "
                                "baseline: a partner that is late every time may not be found";
}

// "how waiting was found"
std::string source_words(const Waits &waits)
{
    const std::string collectives = collectives_words(waits);
    const std::string messages = messages_words(waits);
    if (collectives.empty() && messages.empty())
        return waits.known ? "nothing that ranks could wait for each other in was recorded" : "";
    return collectives + (collectives.empty() || messages.empty() ? "" : ", ") + messages;
}

}  // namespace

void note_last_rank(const Waits &waits, CallPlace place, const RankMeasures &ranks,
                    CallsiteRow &row)
{
    const auto found = waits.places.find(place);
    if (found == waits.places.end() || found->second.last.empty())
        return;
    const auto &last = *std::max_element(
        found->second.last.begin(), found->second.last.end(),
        [](const auto &a, const auto &b) { return a.second.weight < b.second.weight; });
    if (last.second.weight <= 0)
        return;
    row.last_rank = ranks[last.first].rank();
    row.last_percent =
        100 * static_cast<double>(last.second.times) / static_cast<double>(found->second.instances);
    row.caused_wait_s = last.second.weight;
}

void analyse_waits(const Waits &waits, const RankMeasures &ranks, Report &report)
{
    Quality &quality = report.quality;
    report.transfers = waits.transfers;
    report.message_costs = waits.costs;
    quality.collectives = waits.collectives;
    quality.collectives_kept = waits.collectives_lined;
    quality.wait_source = source_words(waits);
    if (!waits.known)
        return;
    report.totals.small_transfer_s = waits.short_transfer_s;
    report.totals.large_transfer_s = waits.large_transfer_s;
    if (ranks.size() < ranks[0].file->header().ranks)
        report.totals.missing_wait_s = waits.missing_s;
    for (size_t r = 0; r < ranks.size(); r++) {
        report.ranks[r].caused_wait_s = waits.caused[r].wait_s;
        report.ranks[r].message_s = waits.messages[r].time_s;
        report.ranks[r].message_wait_s = waits.messages[r].wait_s;
    }
}

}  // namespace mprof
