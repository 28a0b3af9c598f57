// The table of contents of the page's data, and the lists that are short whatever the run. One
// function per key; the names are those of the JSON report.
#include "render/html_data.h"

#include "analyse/verdict_thresholds.h"
#include "read/printable_text.h"
#include "render/function_family.h"
#include "render/html_head.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr int schema = 1;

Json run_data(const RunFacts &run)
{
    constexpr size_t listed_texts = 80, text_bytes = 2000;
    Json texts = Json::object();
    for (const auto &[key, value] : run.texts)
        if (!value.empty() && texts.size() < listed_texts)
            texts[printable_utf8(key)] = printable_utf8(value.substr(0, text_bytes));
    return {{"program", page_value(program_label(run))},
            {"command", page_value(run.command)},
            {"start", page_value(run.start)},
            {"stop", page_value(run.stop)},
            {"start_text", page_value(run.start_text)},
            {"stop_text", page_value(run.stop_text)},
            {"wallclock_s", page_value(run.wallclock_s, total_digits)},
            {"ranks", run.ranks},
            {"nodes", run.nodes},
            {"host", page_value(run.host)},
            {"mpi_library", page_value(run.mpi_library)},
            {"mpi_abi", page_value(run.mpi_abi)},
            {"complete", run.complete},
            {"end", page_value(run.end)},
            {"run_id", page_value(run.run_id)},
            {"world", run.world},
            {"texts", texts}};
}

Json totals_data(const Totals &totals)
{
    const auto total = [](const auto &value) { return page_value(value, total_digits); };
    return {{"wallclock_s", total(totals.wallclock_s)},
            {"mpi_s", total(totals.mpi_s)},
            {"wait_s", total(totals.wait_s)},
            {"compute_s", total(totals.compute_s)},
            {"user_s", total(totals.user_s)},
            {"system_s", total(totals.system_s)},
            {"comm_percent", total(totals.comm_percent)},
            {"load_balance", total(totals.load_balance)},
            {"communication_efficiency", total(totals.communication_efficiency)},
            {"parallel_efficiency", total(totals.parallel_efficiency)},
            {"calls", totals.calls},
            {"sent_bytes", totals.sent_bytes},
            {"memory_bytes", totals.memory_bytes}};
}

Json functions_data(const Report &report)
{
    return columns_of(report.functions)
        .add("function", &FunctionRow::function)
        .add("family",
             [](const FunctionRow &row) { return static_cast<int>(family_of(row.function)); })
        .add("calls", &FunctionRow::calls)
        .add("bytes", &FunctionRow::bytes)
        .add("received_bytes", &FunctionRow::received_bytes)
        .add("time_s", &FunctionRow::time_s, total_digits)
        .add("min_s", &FunctionRow::min_s)
        .add("max_s", &FunctionRow::max_s)
        .add("wait_s", &FunctionRow::wait_s, total_digits)
        .add("mpi_percent", &FunctionRow::mpi_percent, total_digits)
        .add("wall_percent", &FunctionRow::wall_percent, total_digits)
        .add("max_over_mean", &FunctionRow::max_over_mean)
        .add("max_rank", &FunctionRow::max_rank)
        .json();
}

Json communicators_data(const Report &report)
{
    return columns_of(report.communicators, listed_communicators)
        .add("name", &CommunicatorRow::name)
        .add("kind", &CommunicatorRow::kind)
        .add("size", &CommunicatorRow::size)
        .add("remote_size", &CommunicatorRow::remote_size)
        .add("made_by", &CommunicatorRow::made_by)
        .add("made_at", &CommunicatorRow::made_at)
        .add("created", &CommunicatorRow::created)
        .add("ranks", &CommunicatorRow::ranks)
        .add("calls", &CommunicatorRow::calls)
        .add("bytes", &CommunicatorRow::bytes)
        .add("time_s", &CommunicatorRow::time_s)
        .add("wait_s", &CommunicatorRow::wait_s)
        .json();
}

Json regions_data(const Report &report)
{
    return columns_of(report.regions, listed_regions)
        .add("region", &RegionRow::path)
        .add("ranks", &RegionRow::ranks)
        .add("visits", &RegionRow::visits)
        .add("time_s", &RegionRow::time_s)
        .add("compute_s", &RegionRow::compute_s)
        .add("mpi_s", [](const RegionRow &row) { return row.inclusive.mpi_s; })
        .add("wait_s", [](const RegionRow &row) { return row.inclusive.wait_s; })
        .add("calls", [](const RegionRow &row) { return row.inclusive.calls; })
        .add("bytes", [](const RegionRow &row) { return row.inclusive.bytes; })
        .add("exclusive_mpi_s", [](const RegionRow &row) { return row.exclusive.mpi_s; })
        .add("load_balance", &RegionRow::load_balance)
        .add("communication_efficiency", &RegionRow::communication_efficiency)
        .add("max_compute_s", &RegionRow::max_compute_s)
        .add("max_rank", &RegionRow::max_rank)
        .json();
}

Json counters_data(const Report &report)
{
    return columns_of(report.counters)
        .add("counter", &CounterRow::name)
        .add("unit", &CounterRow::unit)
        .add("source", &CounterRow::source)
        .add("multiplexed", &CounterRow::multiplexed)
        .add("total", &CounterRow::total, total_digits)
        .add("in_mpi", &CounterRow::in_mpi, total_digits)
        .add("outside_mpi", &CounterRow::outside_mpi, total_digits)
        .add("mean", &CounterRow::mean)
        .add("min", &CounterRow::min)
        .add("max", &CounterRow::max)
        .add("min_rank", &CounterRow::min_rank)
        .add("max_rank", &CounterRow::max_rank)
        .json();
}

Json metrics_data(const Report &report)
{
    return columns_of(report.metrics)
        .add("metric", &MetricRow::name)
        .add("unit", &MetricRow::unit)
        .add("formula", &MetricRow::formula)
        .add("value", &MetricRow::value)
        .add("mean", &MetricRow::mean)
        .add("min", &MetricRow::min)
        .add("max", &MetricRow::max)
        .add("min_rank", &MetricRow::min_rank)
        .add("max_rank", &MetricRow::max_rank)
        .json();
}

Json causes_data(const Report &report)
{
    return columns_of(report.causes, listed_causes)
        .add("rank", &CauseRow::rank)
        .add("host", &CauseRow::host)
        .add("caused_wait_s", &CauseRow::caused_wait_s)
        .add("last_percent", &CauseRow::last_percent)
        .add("compute_s", &CauseRow::compute_s)
        .add("over_mean", &CauseRow::over_mean)
        .add("place", &CauseRow::place)
        .add("segment", &CauseRow::segment)
        .add("reason", &CauseRow::reason)
        .json();
}

Json distances_data(const Report &report)
{
    return columns_of(report.distances, listed_distances)
        .add("distance", &DistanceRow::distance)
        .add("pairs", &DistanceRow::pairs)
        .add("messages", &DistanceRow::messages)
        .add("bytes", &DistanceRow::bytes)
        .add("time_s", &DistanceRow::time_s)
        .json();
}

Json transfers_data(const Report &report)
{
    return columns_of(report.transfers)
        .add("locality", &TransferRow::locality)
        .add("low_bytes", &TransferRow::low_bytes)
        .add("high_bytes", &TransferRow::high_bytes)
        .add("messages", &TransferRow::messages)
        .add("observed_s", &TransferRow::observed_s)
        .add("possible_s", &TransferRow::possible_s)
        .add("source", &TransferRow::source)
        .json();
}

Json worlds_data(const Report &report)
{
    return columns_of(report.worlds, listed_worlds)
        .add("world", &WorldRow::world)
        .add("ranks", &WorldRow::ranks)
        .add("ranks_read", &WorldRow::ranks_read)
        .add("command", &WorldRow::command)
        .add("wallclock_s", &WorldRow::wallclock_s)
        .add("comm_percent", &WorldRow::comm_percent)
        .add("complete", &WorldRow::complete)
        .add("end", &WorldRow::end)
        .add("remark", &WorldRow::remark)
        .json();
}

Json ranges_data(const std::vector<MissingRanks> &ranges)
{
    Json rows = Json::array();
    for (size_t i = 0; i < std::min(listed_ranges, ranges.size()); i++)
        rows.push_back({ranges[i].first, ranges[i].last});
    return rows;
}

// "0-3, 7"
std::string ranges_text(const std::vector<MissingRanks> &ranges)
{
    constexpr size_t listed = 12;
    std::string text;
    for (size_t i = 0; i < std::min(listed, ranges.size()); i++) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", ranges[i].first);
        if (ranges[i].last != ranges[i].first)
            text += fmt::format("-{}", ranges[i].last);
    }
    return ranges.size() > listed ? text + " ..." : text;
}

Json standing_data(const Standing &standing)
{
    Json json = columns_of(standing.rows, listed_standing)
                    .add("state", &StandingRow::state)
                    .add("function", &StandingRow::function)
                    .add("place", &StandingRow::place)
                    .add("communicator", &StandingRow::communicator)
                    .add("peer", &StandingRow::peer)
                    .add("ranks", &StandingRow::ranks)
                    .add("where", [](const StandingRow &row) { return ranges_text(row.where); })
                    .add("first_rank",
                         [](const StandingRow &row) -> std::optional<uint32_t> {
                             if (row.where.empty())
                                 return std::nullopt;
                             return row.where.front().first;
                         })
                    .add("longest_s", &StandingRow::longest_s)
                    .json();
    json["headline"] = page_value(standing.headline);
    json["ended"] = page_value(standing.ended);
    return json;
}

Json sentences_data(const std::vector<std::string> &sentences)
{
    Json rows = Json::array();
    for (const std::string &sentence : sentences)
        rows.push_back(page_value(sentence));
    return rows;
}

Json quality_data(const Quality &quality)
{
    return {{"ranks_expected", quality.ranks_expected},
            {"ranks_read", quality.ranks_read},
            {"ranks_finished", quality.ranks_finished},
            {"missing_ranks", ranges_data(quality.missing)},
            {"dropped_percent", page_value(quality.dropped_percent)},
            {"overhead_s", page_value(quality.overhead_s)},
            {"overhead_percent", page_value(quality.overhead_percent)},
            {"clock_resolution_s", page_value(quality.clock_resolution_s)},
            {"wait_source", page_value(quality.wait_source)},
            {"remarks", sentences_data(quality.remarks)}};
}

Json verdict_data(const Verdict &verdict)
{
    Json next = Json::array();
    for (const NextStep &step : verdict.next)
        next.push_back({{"action", page_value(step.action)},
                        {"evidence", page_value(step.evidence)},
                        {"confidence", page_value(step.confidence)}});
    return {{"class", page_value(verdict.class_name)}, {"headline", page_value(verdict.headline)},
            {"why", page_value(verdict.why)},          {"gain", page_value(verdict.gain)},
            {"gain_s", page_value(verdict.gain_s)},    {"next", next}};
}

// Of the figures that the page judges by itself, row by row.
Json limits_data()
{
    const VerdictThresholds &limits = verdict_thresholds;
    return {{"load_balance", {limits.poor_load_balance, limits.bad_load_balance}},
            {"overhead_percent", limits.large_overhead_percent},
            {"dropped_percent", limits.large_dropped_percent}};
}

}  // namespace

Json html_data(const Report &report)
{
    TextNumbers hosts;
    FrameNumbers frames;
    Json data = {{"schema", schema}, {"mprof", page_value(report.version)}};
    data["run"] = run_data(report.run);
    data["totals"] = totals_data(report.totals);
    data["verdict"] = verdict_data(report.verdict);
    data["functions"] = functions_data(report);
    data["sizes"] = html_sizes(report);
    data["ranks"] = html_ranks(report, hosts);
    data["bins"] = html_bins(report, hosts);
    data["quantiles"] = html_quantiles(report);
    data["causes"] = causes_data(report);
    data["callsites"] = html_callsites(report, frames);
    data["segments"] = html_segments(report, frames);
    data["regions"] = regions_data(report);
    data["communicators"] = communicators_data(report);
    data["matrix"] = html_matrix(report);
    data["node_matrix"] = html_node_matrix(report);
    data["partner_remarks"] = sentences_data(report.partner_remarks);
    data["distances"] = distances_data(report);
    data["transfers"] = transfers_data(report);
    data["nodes"] = html_nodes(report);
    data["counters"] = counters_data(report);
    data["metrics"] = metrics_data(report);
    data["worlds"] = worlds_data(report);
    data["standing"] = standing_data(report.standing);
    data["quality"] = quality_data(report.quality);
    data["limits"] = limits_data();
    data["hosts"] = hosts.json();
    data["frames"] = frames.json();
    return data;
}

}  // namespace mprof
