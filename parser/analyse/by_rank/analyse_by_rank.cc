// What each rank did by MPI function and by call site. Called after the lists of both have their
// final order. The rows of a function or call site add up to its own row.
#include "analyse/analysis_parts.h"
#include "analyse/by_rank/call_sum.h"

#include <map>
#include <unordered_map>

namespace mprof {
namespace {

uint64_t callsite_key(uint32_t function_row, uint32_t node)
{
    return uint64_t{function_row} << 32U | node;
}

// Rows of the report's lists, by what a rank's entries have.
class ReportRows {
public:
    ReportRows(const Report &report, const MergedNames &names) : names_(names)
    {
        for (const FunctionRow &row : report.functions)
            functions_.emplace(row.function, static_cast<uint32_t>(functions_.size()));
        for (const CallsiteRow &row : report.callsites)
            callsites_.emplace(callsite_key(functions_.at(row.function), row.node),
                               static_cast<uint32_t>(callsites_.size()));
    }
    uint32_t function(uint32_t number) const { return functions_.at(names_.function_name(number)); }
    uint32_t callsite(uint32_t function_row, uint32_t node) const
    {
        return callsites_.at(callsite_key(function_row, node));
    }

private:
    const MergedNames &names_;
    std::unordered_map<std::string, uint32_t> functions_;
    std::unordered_map<uint64_t, uint32_t> callsites_;
};

using SumsByRow = std::map<uint32_t, CallSum>;

void append_functions(uint32_t rank, const SumsByRow &sums, Report &report)
{
    for (const auto &[row, sum] : sums)
        report.rank_functions.push_back({.rank = rank,
                                         .function = report.functions[row].function,
                                         .calls = sum.calls,
                                         .bytes = sum.bytes,
                                         .received_bytes = sum.received_bytes,
                                         .time_s = sum.time_s,
                                         .min_s = sum.min_s,
                                         .max_s = sum.max_s,
                                         .wait_s = sum.wait.value()});
}

void append_callsites(uint32_t rank, const SumsByRow &sums, Report &report)
{
    for (const auto &[row, sum] : sums)
        report.rank_callsites.push_back({.rank = rank,
                                         .callsite = row,
                                         .calls = sum.calls,
                                         .bytes = sum.bytes,
                                         .time_s = sum.time_s,
                                         .wait_s = sum.wait.value()});
}

}  // namespace

void analyse_by_rank(const RankMeasures &ranks, const Merged &merged, Report &report)
{
    const ReportRows rows(report, merged.names);
    for (size_t r = 0; r < ranks.size(); r++) {
        SumsByRow functions, callsites;
        for (const MeasuredEntry &entry : ranks[r].entries) {
            const uint32_t function = rows.function(merged.names.function(r, entry.key.function));
            functions[function].add(entry);
            if (!merged.paths.recorded())
                continue;
            const uint32_t node = merged.paths.node_of(r, entry.key.callsite);
            callsites[rows.callsite(function, node)].add(entry);
        }
        append_functions(ranks[r].rank(), functions, report);
        append_callsites(ranks[r].rank(), callsites, report);
    }
}

}  // namespace mprof
