// One function per key of the top level. What was not measured is null. Text that is not UTF-8 gets
// U+FFFD.
#include "render/render_json.h"

#include "analyse/number_text.h"
#include "render/json_parts.h"
#include "render/render_standing.h"

#include <fmt/format.h>
#include <string_view>

namespace mprof {
namespace {

constexpr int schema = 1;

Json run_json(const RunFacts &run)
{
    Json facts = Json::object();
    for (const auto &[key, value] : run.texts)
        facts[key] = value;
    return {{"command", or_null(run.command)},
            {"start", or_null(run.start)},
            {"stop", or_null(run.stop)},
            {"wallclock_s", run.wallclock_s},
            {"ranks", run.ranks},
            {"nodes", run.nodes},
            {"host", or_null(run.host)},
            {"mpi_library", or_null(run.mpi_library)},
            {"mpi_abi", run.mpi_abi},
            {"complete", run.complete},
            {"end", run.end},
            {"run_id", run.run_id},
            {"world", run.world},
            {"texts", facts}};
}

Json totals_json(const Totals &totals)
{
    return {{"wallclock_s", totals.wallclock_s},
            {"mpi_s", totals.mpi_s},
            {"wait_s", or_null(totals.wait_s)},
            {"compute_s", totals.compute_s},
            {"user_s", or_null(totals.user_s)},
            {"system_s", or_null(totals.system_s)},
            {"comm_percent", totals.comm_percent},
            {"load_balance", totals.load_balance},
            {"communication_efficiency", totals.communication_efficiency},
            {"parallel_efficiency", totals.parallel_efficiency},
            {"small_transfer_s", or_null(totals.small_transfer_s)},
            {"large_transfer_s", or_null(totals.large_transfer_s)},
            {"calls", totals.calls},
            {"sent_bytes", totals.sent_bytes},
            {"memory_bytes", totals.memory_bytes}};
}

Json functions_json(const Report &report)
{
    Json rows = Json::array();
    for (const FunctionRow &row : report.functions)
        rows.push_back({{"function", row.function},
                        {"calls", row.calls},
                        {"bytes", row.bytes},
                        {"received_bytes", row.received_bytes},
                        {"time_s", row.time_s},
                        {"min_s", row.min_s},
                        {"max_s", row.max_s},
                        {"wait_s", or_null(row.wait_s)},
                        {"mpi_percent", row.mpi_percent},
                        {"wall_percent", row.wall_percent},
                        {"max_over_mean", row.max_over_mean},
                        {"max_rank", row.max_rank}});
    return rows;
}

Json messages_json(const Report &report)
{
    Json rows = Json::array();
    for (const MessageRow &row : report.messages)
        rows.push_back({{"function", row.function},
                        {"bytes", row.bytes},
                        {"calls", row.calls},
                        {"time_s", row.time_s},
                        {"precision", row.precision},
                        {"kind", row.kind},
                        {"sum_bytes", row.sum_bytes}});
    return rows;
}

Json received_json(const Report &report)
{
    Json rows = Json::array();
    for (const ReceivedRow &row : report.received)
        rows.push_back({{"function", row.function},
                        {"bytes", row.bytes},
                        {"calls", row.calls},
                        {"precision", row.precision},
                        {"sum_bytes", row.sum_bytes}});
    return rows;
}

Json ranks_json(const Report &report)
{
    Json rows = Json::array();
    for (const RankRow &row : report.ranks) {
        rows.push_back({{"rank", row.rank},
                        {"host", or_null(row.host)},
                        {"cpu", or_null(row.cpu)},
                        {"wallclock_s", row.wallclock_s},
                        {"mpi_s", row.mpi_s},
                        {"wait_s", or_null(row.wait_s)},
                        {"caused_wait_s", or_null(row.caused_wait_s)},
                        {"own_s", row.own_s},
                        {"compute_s", row.compute_s},
                        {"comm_percent", row.comm_percent},
                        {"user_s", or_null(row.user_s)},
                        {"system_s", or_null(row.system_s)},
                        {"memory_bytes", or_null(row.memory_bytes)},
                        {"calls", row.calls},
                        {"sent_bytes", row.sent_bytes},
                        {"threads", row.threads},
                        {"complete", row.complete},
                        {"end", row.end},
                        {"end_code", row.end_code},
                        {"in_call", or_null(row.in_call)},
                        {"in_call_since_s", or_null(row.in_call_since_s)},
                        {"in_call_peer", or_null(row.in_call_peer)},
                        {"in_call_place", or_null(row.in_call_place)}});
        add_usage_json(report, row, rows.back());
    }
    return rows;
}

Json communicators_json(const Report &report)
{
    Json rows = Json::array();
    for (const CommunicatorRow &row : report.communicators)
        rows.push_back({{"name", or_null(row.name)},
                        {"identity", or_null(row.identity)},
                        {"kind", row.kind},
                        {"size", row.size},
                        {"remote_size", row.remote_size},
                        {"made_by", or_null(row.made_by)},
                        {"made_at", or_null(row.made_at)},
                        {"created", row.created},
                        {"ranks", row.ranks},
                        {"calls", row.calls},
                        {"bytes", row.bytes},
                        {"time_s", row.time_s},
                        {"wait_s", or_null(row.wait_s)}});
    return rows;
}

Json regions_json(const Report &report)
{
    Json rows = Json::array();
    for (const RegionRow &row : report.regions)
        rows.push_back({{"region", row.path},
                        {"ranks", row.ranks},
                        {"visits", row.visits},
                        {"time_s", row.time_s},
                        {"compute_s", row.compute_s},
                        {"mpi_s", row.inclusive.mpi_s},
                        {"exclusive_mpi_s", row.exclusive.mpi_s},
                        {"wait_s", or_null(row.inclusive.wait_s)},
                        {"exclusive_wait_s", or_null(row.exclusive.wait_s)},
                        {"calls", row.inclusive.calls},
                        {"exclusive_calls", row.exclusive.calls},
                        {"bytes", row.inclusive.bytes},
                        {"exclusive_bytes", row.exclusive.bytes},
                        {"load_balance", row.load_balance},
                        {"communication_efficiency", row.communication_efficiency},
                        {"parallel_efficiency", row.parallel_efficiency},
                        {"max_compute_s", row.max_compute_s},
                        {"max_rank", row.max_rank},
                        {"counters", counter_values_json(report, row.counters)}});
    return rows;
}

Json worlds_json(const Report &report)
{
    Json rows = Json::array();
    for (const WorldRow &row : report.worlds)
        rows.push_back({{"world", row.world},
                        {"ranks", row.ranks},
                        {"command", or_null(row.command)},
                        {"wallclock_s", row.wallclock_s},
                        {"comm_percent", row.comm_percent},
                        {"complete", row.complete},
                        {"end", row.end},
                        {"ranks_read", row.ranks_read},
                        {"missing_ranks", ranges_json(row.missing)}});
    return rows;
}

Json problems_json(const std::vector<FileProblem> &problems)
{
    Json rows = Json::array();
    for (const FileProblem &problem : problems)
        rows.push_back({{"file", problem.file},
                        {"offset", problem.offset},
                        {"expected", problem.expected},
                        {"found", problem.found}});
    return rows;
}

Json quality_json(const Quality &quality)
{
    return {
        {"ranks_expected", quality.ranks_expected},
        {"ranks_read", quality.ranks_read},
        {"ranks_finished", quality.ranks_finished},
        {"missing_ranks", ranges_json(quality.missing)},
        {"missing_worlds", ranges_json(quality.missing_worlds)},
        {"damaged_files", problems_json(quality.damaged)},
        {"left_out_files", problems_json(quality.left_out)},
        {"dropped_percent", quality.dropped_percent},
        {"binned_calls", quality.binned_calls},
        {"folded_calls", quality.folded_calls},
        {"folded_messages", quality.folded_messages},
        {"untracked_requests", quality.untracked_requests},
        {"other_partners", {{"messages", quality.other_messages}, {"bytes", quality.other_bytes}}},
        {"outside_world",
         {{"messages", quality.outside_messages}, {"bytes", quality.outside_bytes}}},
        {"untimed_calls", quality.untimed_calls},
        {"untimed_s", quality.untimed_s},
        {"untimed_error_s", quality.untimed_error_s},
        {"overhead_s", quality.overhead_s},
        {"overhead_percent", quality.overhead_percent},
        {"clock_resolution_s", quality.clock_resolution_s},
        {"counters_s", quality.counters_s},
        {"counters_refused", quality.counters_refused},
        {"not_covered", quality.not_covered},
        {"callsite_checks", quality.callsite_checks},
        {"callsite_disagreements", quality.callsite_disagreements},
        {"callsite_blind_frames", quality.callsite_blind_frames},
        {"folded_callsites", quality.folded_callsites},
        {"folded_segments", quality.folded_segments},
        {"callsite_places", quality.callsite_places},
        {"unresolved_callsites", quality.unresolved_callsites},
        {"unresolved_modules", quality.unresolved_modules},
        {"unproved_modules", quality.unproved_modules},
        {"symbols_out_of_time", quality.symbols_out_of_time},
        {"regions_left_open", quality.regions_left_open},
        {"region_ends_unmatched", quality.region_ends_unmatched},
        {"regions_not_kept", quality.regions_not_kept},
        {"paused_s", quality.paused_s},
        {"collectives", quality.collectives},
        {"collectives_kept", quality.collectives_kept},
        {"wait_source", or_null(quality.wait_source)},
        {"remarks", quality.remarks}};
}

Json verdict_json(const Verdict &verdict)
{
    Json next = Json::array();
    for (const NextStep &step : verdict.next)
        next.push_back({{"action", step.action},
                        {"evidence", step.evidence},
                        {"confidence", step.confidence}});
    return {{"class", verdict.class_name},
            {"headline", verdict.headline},
            {"why", verdict.why},
            {"gain", or_null(verdict.gain)},
            {"gain_s", or_null(verdict.gain_s)},
            {"next", next},
            {"extra", verdict.extra},
            {"cards", cards_json(verdict)},
            {"rules", verdict_rules_json(verdict)},
            {"step_rules", step_rules_json(verdict)}};
}

void tidy_numbers(Json &json)
{
    if (json.is_number_float())
        json = tidy_number(json.get<double>());
    else if (json.is_structured())
        for (Json &part : json)
            tidy_numbers(part);
}

// What every document begins with.
Json document_json(const Report &report)
{
    return {{"schema", schema}, {"mprof", report.version}, {"run", run_json(report.run)}};
}

}  // namespace

std::string render_standing_json(const Report &report)
{
    Json json = document_json(report);
    json["standing"] = standing_json(report.standing);
    return json_text(std::move(json));
}

std::string render_json(const Report &report)
{
    Json json = document_json(report);
    json["totals"] = totals_json(report.totals);
    json["functions"] = functions_json(report);
    json["messages"] = messages_json(report);
    json["received"] = received_json(report);
    json["callsites"] = callsites_json(report);
    json["call_lines"] = call_lines_json(report);
    json["segments"] = segments_json(report);
    json["ranks"] = ranks_json(report);
    json["matrix"] = matrix_json(report);
    json["nodes"] = nodes_json(report);
    json["node_pairs"] = node_pairs_json(report);
    json["distances"] = distances_json(report);
    json["communicators"] = communicators_json(report);
    json["worlds"] = worlds_json(report);
    json["regions"] = regions_json(report);
    json["counters"] = counters_json(report);
    json["metrics"] = metrics_json(report);
    json["causes"] = causes_json(report);
    json["transfers"] = transfers_json(report);
    json["standing"] = standing_json(report.standing);
    json["quality"] = quality_json(report.quality);
    json["verdict"] = verdict_json(report.verdict);
    return json_text(std::move(json));
}

// DEL and the C1 controls, which JSON lets pass and a terminal obeys ("--json -"), as \u00XX. They
// stand in strings only.
static std::string without_controls(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size(); i++) {
        const bool two = text[i] == '\xc2' && i + 1 < text.size();
        const auto code = static_cast<unsigned char>(two ? text[i + 1] : text[i]);
        if ((two && code < 0xa0) || (!two && code == 0x7f)) {
            out += fmt::format("\\u{:04x}", code);
            i += two ? 1 : 0;
        } else {
            out += text[i];
        }
    }
    return out;
}

std::string json_text(Json document)
{
    tidy_numbers(document);
    return without_controls(document.dump(1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace mprof
