// Message sizes: exactly, per function and size; and in powers of two for the eye.
#include "analyse/analysis_parts.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace mprof {
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

void append_row(const MessageKey &key, const SizeSum &sum, Report &report)
{
    const auto &[function, kind, precision, size] = key;
    if (sum.calls == 0)
        return;
    if (kind == MPROF_KIND_RECEIVED)
        report.received.push_back(
            {function, size, sum.calls, sum.bytes, message_precision(precision)});
    else
        report.messages.push_back({function, message_kind(kind), message_precision(precision), size,
                                   sum.calls, sum.bytes, sum.time_s});
}

// 0, 1, 2-3, 4-7, ...: the number of the power of two.
int bin_of(uint64_t size)
{
    return static_cast<int>(std::bit_width(size));
}

void make_size_bins(const std::map<MessageKey, SizeSum> &sums, Report &report)
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
    for (auto &[key, bin] : bins) {
        bin.first.mpi_percent =
            report.totals.mpi_s > 0 ? 100 * bin.second / report.totals.mpi_s : 0;
        report.size_bins.push_back(bin.first);
    }
    std::stable_sort(
        report.size_bins.begin(), report.size_bins.end(),
        [](const SizeBinRow &a, const SizeBinRow &b) { return a.mpi_percent > b.mpi_percent; });
    if (report.size_bins.size() > size_bin_count)
        report.size_bins.resize(size_bin_count);
}

}  // namespace

void analyse_messages(const RankMeasures &ranks, const MergedNames &names, Report &report)
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
    for (const auto &[key, sum] : sums)
        append_row(key, sum, report);
    make_size_bins(sums, report);
}

}  // namespace mprof
