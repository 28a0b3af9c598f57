// What was called: a row per MPI function, the sizes of messages, and what each rank did by
// function and call site. Function ids mean nothing across files, names do.
#include "analyse/analysis_parts.h"
#include "analyse/places/entry_sums.h"
#include "measure/for_all_ranks.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

namespace mprof {
namespace {

struct FunctionSum {
    CallSum calls;
    uint32_t max_rank = 0;
    double rank_s = 0;  // of the rank that is being added
    double max_rank_s = 0;
    bool touched = false, used = false;
};

void add_entry(FunctionSum &sum, const MeasuredEntry &entry)
{
    sum.touched = sum.used = true;
    sum.calls.add(entry);
    sum.rank_s += entry.time_s;
}

void close_rank(FunctionSum &sum, uint32_t rank)
{
    if (sum.rank_s > sum.max_rank_s) {
        sum.max_rank_s = sum.rank_s;
        sum.max_rank = rank;
    }
    sum.rank_s = 0;
    sum.touched = false;
}

// Those that any rank called, by name.
std::map<std::string, uint32_t> used_functions(const std::vector<FunctionSum> &sums,
                                               const MergedNames &names)
{
    std::map<std::string, uint32_t> used;
    for (uint32_t number = 0; number < sums.size(); number++)
        if (sums[number].used)
            used.emplace(names.function_name(number), number);
    return used;
}

// The time of each rank's MPI thread in each function. Called when the functions have their final
// order.
void tell_ranks(const RankMeasures &ranks, const std::vector<FunctionSum> &sums,
                const MergedNames &names, const std::vector<FunctionRow> &rows,
                std::vector<RankRow> &rank_rows)
{
    const auto numbers = used_functions(sums, names);
    std::vector<size_t> columns(sums.size());  // by number of the function
    for (size_t column = 0; column < rows.size(); column++)
        columns[numbers.at(rows[column].function)] = column;
    for_all_ranks(ranks.size(), [&](size_t r) {
        std::vector<double> seconds(rows.size());
        double all_s = 0;
        for (const MeasuredEntry &entry : ranks[r].entries) {
            seconds[columns[names.function(r, entry.key.function)]] += entry.mpi_thread_s();
            all_s += entry.mpi_thread_s();
        }
        if (all_s > 0)
            rank_rows[r].functions_s = std::move(seconds);
    });
}

}  // namespace

std::vector<FunctionRow> analyse_functions(const RankMeasures &ranks, const MergedNames &names,
                                           const Totals &totals, std::vector<RankRow> &rank_rows)
{
    std::vector<FunctionSum> sums;  // by number of the function
    std::vector<uint32_t> touched;
    size_t rank_row = 0;
    for (const RankMeasure &rank : ranks) {
        touched.clear();
        for (const MeasuredEntry &entry : rank.entries) {
            const uint32_t number = names.function(rank_row, entry.key.function);
            if (sums.size() <= number)
                sums.resize(number + 1);
            FunctionSum &sum = sums[number];
            if (!sum.touched)
                touched.push_back(number);
            add_entry(sum, entry);
        }
        for (const uint32_t number : touched)
            close_rank(sums[number], rank.rank());
        rank_row++;
    }
    std::vector<FunctionRow> rows;
    for (const auto &[name, number] : used_functions(sums, names)) {
        const FunctionSum &sum = sums[number];
        FunctionRow row = {.function = name,
                           .calls = sum.calls.calls,
                           .bytes = sum.calls.bytes,
                           .received_bytes = sum.calls.received_bytes,
                           .time_s = sum.calls.time_s,
                           .min_s = sum.calls.min_s,
                           .max_s = sum.calls.max_s,
                           .mpi_thread_s = sum.calls.mpi_thread_s,
                           .wait_s = sum.calls.wait.value(),
                           .max_rank = sum.max_rank};
        const double mean_s = row.time_s / static_cast<double>(ranks.size());
        if (mean_s > 0)
            row.max_over_mean = sum.max_rank_s / mean_s;
        if (totals.mpi_s > 0)
            row.mpi_percent = 100 * row.time_s / totals.mpi_s;
        if (totals.wallclock_s > 0)
            row.wall_percent = 100 * row.mpi_thread_s / totals.wallclock_s;
        rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const FunctionRow &a, const FunctionRow &b) {
        return a.time_s > b.time_s;
    });
    tell_ranks(ranks, sums, names, rows, rank_rows);
    return rows;
}

// Message sizes: exactly, per function and size; and in powers of two for the eye.

namespace {

constexpr size_t size_bin_count = 20;

using MessageKey = std::tuple<std::string, uint8_t, uint8_t, uint64_t>;  // function, kind,
                                                                         // precision, size

MessageKind message_kind(uint8_t kind)
{
    switch (kind) {
    case MPROF_KIND_PENDING:
        return MessageKind::pending;
    case MPROF_KIND_START:
        return MessageKind::start;
    default:
        return MessageKind::call;
    }
}

Precision message_precision(uint8_t precision)
{
    switch (precision) {
    case MPROF_PRECISION_BIN:
        return Precision::bin;
    case MPROF_PRECISION_FUNCTION:
        return Precision::function;
    default:
        return Precision::exact;
    }
}

struct SizeSum {
    uint64_t calls = 0;
    uint64_t bytes = 0;
    double time_s = 0;
};

void append_row(const MessageKey &key, const SizeSum &sum, MessageRows &rows)
{
    const auto &[function, kind, precision, size] = key;
    if (sum.calls == 0)
        return;
    if (kind == MPROF_KIND_RECEIVED)
        rows.received.push_back(
            {function, size, sum.calls, sum.bytes, message_precision(precision)});
    else
        rows.messages.push_back({function, message_kind(kind), message_precision(precision), size,
                                 sum.calls, sum.bytes, sum.time_s});
}

// 0, 1, 2-3, 4-7, ...: the number of the power of two.
int bin_of(uint64_t size)
{
    return static_cast<int>(std::bit_width(size));
}

std::vector<SizeBinRow> make_size_bins(const std::map<MessageKey, SizeSum> &sums, double mpi_s)
{
    std::map<std::tuple<std::string, int>, std::pair<SizeBinRow, double>> bins;
    for (const auto &[key, sum] : sums) {
        const auto &[function, kind, precision, size] = key;
        if (sum.time_s <= 0 || (kind != MPROF_KIND_CALL && kind != MPROF_KIND_PENDING))
            continue;
        const bool known = precision != MPROF_PRECISION_FUNCTION && kind == MPROF_KIND_CALL;
        auto [place, is_new] = bins.try_emplace({function, known ? bin_of(size) : -1});
        auto &[row, time_s] = place->second;
        const uint64_t high =
            precision == MPROF_PRECISION_BIN && size > 0 ? size + (size - 1) : size;
        row.function = function;
        row.size_known = known;
        row.low_bytes = is_new ? size : std::min(row.low_bytes, size);
        row.high_bytes = std::max(row.high_bytes, high);
        row.calls += sum.calls;
        time_s += sum.time_s;
    }
    std::vector<SizeBinRow> rows;
    for (auto &[key, bin] : bins) {
        bin.first.mpi_percent = mpi_s > 0 ? 100 * bin.second / mpi_s : 0;
        rows.push_back(bin.first);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const SizeBinRow &a, const SizeBinRow &b) {
        return a.mpi_percent > b.mpi_percent;
    });
    if (rows.size() > size_bin_count)
        rows.resize(size_bin_count);
    return rows;
}

}  // namespace

MessageRows analyse_messages(const RankMeasures &ranks, const MergedNames &names,
                             const Totals &totals)
{
    std::map<std::tuple<uint32_t, uint8_t, uint8_t, uint64_t>, SizeSum> by_number;
    for (size_t r = 0; r < ranks.size(); r++) {
        for (const MeasuredEntry &entry : ranks[r].entries) {
            if (entry.key.kind > MPROF_KIND_RECEIVED)
                continue;
            SizeSum &sum = by_number[{names.function(r, entry.key.function), entry.key.kind,
                                      entry.key.precision, entry.key.size}];
            sum.calls += entry.calls;
            sum.bytes += entry.bytes;
            sum.time_s += entry.time_s;
        }
    }
    std::map<MessageKey, SizeSum> sums;
    for (const auto &[key, sum] : by_number) {
        const auto &[function, kind, precision, size] = key;
        sums[{names.function_name(function), kind, precision, size}] = sum;
    }
    MessageRows rows;
    for (const auto &[key, sum] : sums)
        append_row(key, sum, rows);
    rows.size_bins = make_size_bins(sums, totals.mpi_s);
    return rows;
}

// What each rank did by MPI function and by call site. Called after the lists of both have their
// final order. The rows of a function or call site add up to its own row.

namespace {

uint64_t callsite_key(uint32_t function_row, uint32_t node)
{
    return uint64_t{function_row} << 32U | node;
}

// Rows of the report's lists, by what a rank's entries have.
class ReportRows {
public:
    ReportRows(const std::vector<FunctionRow> &functions, const std::vector<CallsiteRow> &callsites,
               const MergedNames &names)
        : names_(names)
    {
        for (const FunctionRow &row : functions)
            functions_.emplace(row.function, static_cast<uint32_t>(functions_.size()));
        for (const CallsiteRow &row : callsites)
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

void append_functions(uint32_t rank, const SumsByRow &sums,
                      const std::vector<FunctionRow> &functions, std::vector<RankFunctionRow> &rows)
{
    for (const auto &[row, sum] : sums)
        rows.push_back({.rank = rank,
                        .function = functions[row].function,
                        .calls = sum.calls,
                        .bytes = sum.bytes,
                        .received_bytes = sum.received_bytes,
                        .time_s = sum.time_s,
                        .min_s = sum.min_s,
                        .max_s = sum.max_s,
                        .wait_s = sum.wait.value()});
}

void append_callsites(uint32_t rank, const SumsByRow &sums, std::vector<RankCallsiteRow> &rows)
{
    for (const auto &[row, sum] : sums)
        rows.push_back({.rank = rank,
                        .callsite = row,
                        .calls = sum.calls,
                        .bytes = sum.bytes,
                        .time_s = sum.time_s,
                        .wait_s = sum.wait.value()});
}

}  // namespace

ByRankRows analyse_by_rank(const RankMeasures &ranks, const Merged &merged,
                           const std::vector<FunctionRow> &functions,
                           const std::vector<CallsiteRow> &callsites)
{
    const ReportRows rows(functions, callsites, merged.names);
    ByRankRows by_rank;
    for (size_t r = 0; r < ranks.size(); r++) {
        SumsByRow in_functions, in_callsites;
        for (const MeasuredEntry &entry : ranks[r].entries) {
            const uint32_t function = rows.function(merged.names.function(r, entry.key.function));
            in_functions[function].add(entry);
            if (!merged.paths.recorded())
                continue;
            const uint32_t node = merged.paths.node_of(r, entry.key.callsite);
            in_callsites[rows.callsite(function, node)].add(entry);
        }
        append_functions(ranks[r].rank(), in_functions, functions, by_rank.functions);
        append_callsites(ranks[r].rank(), in_callsites, by_rank.callsites);
    }
    return by_rank;
}

}  // namespace mprof
