// Calls of NCCL and RCCL, as their profiler interface told libmprof (--gpu kernels): by
// communicator, line and size, and by function; who sends to whom; which rank came last to the
// collectives, and how long ranks are in them over time (waits/nccl_waits.h).
#include "analyse/analysis_parts.h"
#include "waits/nccl_waits.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace mprof {
namespace {

template <size_t bytes>
std::string text_of_field(const char (&field)[bytes])
{
    return {field, strnlen(field, bytes)};
}

// The first row of a process is none.
std::string id_of(const RankFile &file, uint32_t comm)
{
    return comm == 0 || comm >= file.nccl_comms.size()
               ? ""
               : fmt::format("{:x}", file.nccl_comms[comm].id);
}

// Those that were not kept apart have the bytes of all.
uint64_t bytes_of(const mprof_nccl_call &call)
{
    return call.function[0] == 0 ? call.bytes : call.calls * call.bytes;
}

struct CommSum {
    NcclCommRow row;
    std::set<uint32_t> ranks;
};

using CommSums = std::map<std::string, CommSum>;

struct NcclCallSum {
    NcclCallRow row;
    const RankMeasure *last = nullptr;  // that was added
};

// By communicator, function, datatype, line, kind and size.
using NcclCallSums =
    std::map<std::tuple<std::string, std::string, std::string, std::string, bool, uint64_t>,
             NcclCallSum>;

// Ranks come one after the other. Several paths may lead to a line.
void add_call(const RankMeasure &rank, const mprof_nccl_call &call, NcclCallSum &sum)
{
    NcclCallRow &row = sum.row;
    const double per_tick = rank.clock.seconds_per_tick();
    row.call_bytes = call.function[0] == 0 ? 0 : call.bytes;
    row.ranks += sum.last != &rank;
    sum.last = &rank;
    row.calls += call.calls;
    row.bytes += bytes_of(call);
    row.ended += call.ended;
    row.time_s += static_cast<double>(call.ticks) * per_tick;
    row.longest_s = std::max(row.longest_s, static_cast<double>(call.most_ticks) * per_tick);
    if (call.device_ns > 0)
        row.device_s = row.device_s.value_or(0) + seconds_of_ns(call.device_ns);
}

void add_to_comm(const RankMeasure &rank, const mprof_nccl_call &call, CommSum &sum)
{
    const auto &comms = rank.file->nccl_comms;
    sum.ranks.insert(rank.rank());
    sum.row.calls += call.calls;
    sum.row.bytes += bytes_of(call);
    sum.row.time_s += static_cast<double>(call.ticks) * rank.clock.seconds_per_tick();
    if (call.comm == 0 || call.comm >= comms.size())
        return;
    sum.row.name = text_of_field(comms[call.comm].name);
    sum.row.size = std::max<uint64_t>(sum.row.size, comms[call.comm].ranks);
    sum.row.nodes = std::max<uint64_t>(sum.row.nodes, comms[call.comm].nodes);
}

// The rank that the others waited for most.
void note_last(const NcclCommWaits &waits, const RankMeasures &ranks, NcclCommRow &row)
{
    if (waits.late.empty())
        return;
    double waited_s = 0;  // of those compared
    for (const auto &[rank, late] : waits.late)
        waited_s += late.waited_s;
    const auto most =
        std::max_element(waits.late.begin(), waits.late.end(), [](const auto &a, const auto &b) {
            return a.second.waited_s < b.second.waited_s;
        });
    row.compared = waits.compared;
    row.waited_s = waits.waited_s;
    if (waits.running_s > 0)
        row.waited_percent = std::min(100.0, 100 * waits.waited_s / waits.running_s);
    row.last_rank = ranks[most->first].rank();
    row.last_percent = waited_s > 0 ? 100 * most->second.waited_s / waited_s : 0;
    row.last_calls_percent =
        100 * static_cast<double>(most->second.times) / static_cast<double>(waits.compared);
}

template <class Row>
void sort_by_time(std::vector<Row> &rows)
{
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row &a, const Row &b) { return a.time_s > b.time_s; });
}

void add_nccl_rank(const RankMeasure &rank, size_t number, const Merged &merged,
                   NcclCallSums &calls, CommSums &comms)
{
    for (const mprof_nccl_call &call : rank.file->nccl_calls) {
        if (call.calls == 0)
            continue;
        const std::string id = id_of(*rank.file, call.comm);
        const std::string function = text_of_field(call.function);
        const std::string place =
            gpu_place(merged.paths, merged.paths.node_of(number, call.callsite));
        NcclCallSum &sum = calls[{id, function, text_of_field(call.datatype), place,
                                  call.is_message != 0, function.empty() ? 0 : call.bytes}];
        sum.row.communicator = id;
        sum.row.function = function;
        sum.row.datatype = text_of_field(call.datatype);
        sum.row.place = place;
        sum.row.message = call.is_message != 0;
        add_call(rank, call, sum);
        CommSum &comm = comms[id];
        comm.row.id = id;
        add_to_comm(rank, call, comm);
    }
}

void note_waits(uint64_t number, const NcclCommWaits &waits, const RankMeasures &ranks,
                const Merged &merged, NcclCallSums &calls, CommSums &comms)
{
    const std::string id = fmt::format("{:x}", number);
    if (const auto sum = comms.find(id); sum != comms.end())
        note_last(waits, ranks, sum->second.row);
    for (const auto &[key, waited_s] : waits.waited_in_s) {
        const auto &[function, datatype, bytes, node] = key;
        const auto call =
            calls.find({id, function, datatype, gpu_place(merged.paths, node), false, bytes});
        if (call == calls.end())
            continue;
        NcclCallRow &row = call->second.row;
        row.waited_s = row.waited_s.value_or(0) + waited_s;
    }
}

// The rank of MPI that has a rank of a communicator of NCCL, as an index.
using NcclRanks = std::map<std::pair<uint64_t, uint32_t>, size_t>;

NcclRanks ranks_of_comms(const RankMeasures &ranks)
{
    NcclRanks found;
    for (size_t r = 0; r < ranks.size(); r++)
        for (const mprof_nccl_comm &comm : ranks[r].file->nccl_comms)
            found.emplace(std::pair(comm.id, comm.rank), r);
    return found;
}

// What is received says the same again.
std::vector<NcclPartnerRow> partners_of(const RankMeasures &ranks)
{
    const NcclRanks of_comms = ranks_of_comms(ranks);
    std::map<std::pair<size_t, size_t>, NcclPartnerRow> sums;
    for (size_t r = 0; r < ranks.size(); r++) {
        const RankFile &file = *ranks[r].file;
        for (const mprof_nccl_call &call : file.nccl_calls) {
            if (call.peer == 0 || text_of_field(call.function) != "Send" ||
                call.comm >= file.nccl_comms.size())
                continue;
            const auto to = of_comms.find({file.nccl_comms[call.comm].id, call.peer - 1});
            if (to == of_comms.end())
                continue;
            NcclPartnerRow &row = sums[{r, to->second}];
            row.rank = ranks[r].rank();
            row.partner = ranks[to->second].rank();
            row.same_node = file.text("host") == ranks[to->second].file->text("host");
            row.messages += call.calls;
            row.bytes += bytes_of(call);
            row.time_s += static_cast<double>(call.ticks) * ranks[r].clock.seconds_per_tick();
        }
    }
    std::vector<NcclPartnerRow> rows;
    for (const auto &[pair, row] : sums)
        rows.push_back(row);
    std::stable_sort(
        rows.begin(), rows.end(),
        [](const NcclPartnerRow &a, const NcclPartnerRow &b) { return a.bytes > b.bytes; });
    return rows;
}

}  // namespace

// Functions, beside those of MPI. Their calls run beside the program, so their time is no MPI time.

namespace {

struct NcclFunctionSum {
    NcclFunctionRow row;
    double most_s = 0;  // of max_rank
};
using NcclFunctionSums = std::map<std::string, NcclFunctionSum>;

void add_functions(const RankMeasure &rank, NcclFunctionSums &sums)
{
    const double per_tick = rank.clock.seconds_per_tick();
    std::map<std::string, double> rank_s;
    for (const mprof_nccl_call &call : rank.file->nccl_calls) {
        if (call.calls == 0)
            continue;
        const std::string name = nccl_api_name(text_of_field(call.function), call.is_message != 0);
        NcclFunctionRow &row = sums[name].row;
        const double time_s = static_cast<double>(call.ticks) * per_tick;
        row.calls += call.calls;
        row.bytes += bytes_of(call);
        row.ended += call.ended;
        row.time_s += time_s;
        row.max_s = std::max(row.max_s, static_cast<double>(call.most_ticks) * per_tick);
        if (call.device_ns > 0)
            row.device_s = row.device_s.value_or(0) + seconds_of_ns(call.device_ns);
        rank_s[name] += time_s;
    }
    for (const auto &[name, time_s] : rank_s) {
        NcclFunctionSum &sum = sums[name];
        if (sum.row.ranks++ == 0 || time_s > sum.most_s) {
            sum.most_s = time_s;
            sum.row.max_rank = rank.rank();
        }
    }
}

std::vector<NcclFunctionRow> functions_of(const RankMeasures &ranks, const NcclWaits &waits,
                                          const Totals &totals)
{
    NcclFunctionSums sums;
    for (const RankMeasure &rank : ranks)
        add_functions(rank, sums);
    for (const auto &[id, comm] : waits.comms)
        for (const auto &[key, waited_s] : comm.waited_in_s)
            if (const auto sum = sums.find(nccl_api_name(std::get<0>(key), false));
                sum != sums.end())
                sum->second.row.wait_s = sum->second.row.wait_s.value_or(0) + waited_s;
    std::vector<NcclFunctionRow> rows;
    for (auto &[name, sum] : sums) {
        sum.row.function = name;
        if (totals.wallclock_s > 0)
            sum.row.wall_percent = 100 * sum.row.time_s / totals.wallclock_s;
        if (sum.row.time_s > 0)
            sum.row.max_over_mean = sum.most_s * static_cast<double>(ranks.size()) / sum.row.time_s;
        rows.push_back(std::move(sum.row));
    }
    sort_by_time(rows);
    return rows;
}

}  // namespace

NcclRows analyse_nccl(const RankMeasures &ranks, const Merged &merged, const NcclWaits &waits,
                      const Totals &totals)
{
    NcclCallSums calls;
    CommSums comms;
    for (size_t r = 0; r < ranks.size(); r++)
        add_nccl_rank(ranks[r], r, merged, calls, comms);
    for (const auto &[number, of_comm] : waits.comms)
        note_waits(number, of_comm, ranks, merged, calls, comms);
    NcclRows rows;
    for (auto &[key, sum] : calls)
        rows.calls.push_back(std::move(sum.row));
    for (auto &[id, sum] : comms) {
        sum.row.ranks = sum.ranks.size();
        rows.communicators.push_back(std::move(sum.row));
    }
    rows.partners = partners_of(ranks);
    rows.functions = functions_of(ranks, waits, totals);
    sort_by_time(rows.calls);
    sort_by_time(rows.communicators);
    return rows;
}

// Over time: of collectives, for messages have no times of their own.

namespace {

struct NcclSeconds {
    double running_s = 0, waiting_s = 0;

    void add(const NcclSpan &span, double from_s, double to_s)
    {
        const double both_s = std::min(to_s, span.end_s) - std::max(from_s, span.begin_s);
        running_s += std::max(0.0, both_s) * span.running;
        waiting_s += std::max(0.0, both_s) * span.waiting;
    }
    // Communicators may be busy at the same time.
    void add(const NcclSeconds &of_rank, double most_s)
    {
        running_s += std::min(of_rank.running_s, most_s);
        waiting_s += std::min(of_rank.waiting_s, most_s);
    }
};

// Of all ranks, by bin of the run.
std::vector<NcclSeconds> nccl_bins(const NcclWaits &waits, const TimeLine &time)
{
    std::vector<NcclSeconds> bins(time.bins.size());
    for (const std::vector<NcclSpan> &spans : waits.spans) {
        std::vector<NcclSeconds> of_rank(bins.size());
        for (const NcclSpan &span : spans)
            for (auto i = static_cast<size_t>(std::max(0.0, span.begin_s) / time.bin_s);
                 i < bins.size() && time.bins[i].begin_s < span.end_s; i++)
                of_rank[i].add(span, time.bins[i].begin_s, time.bins[i].begin_s + time.bin_s);
        for (size_t i = 0; i < bins.size(); i++)
            bins[i].add(of_rank[i], time.bin_s);
    }
    return bins;
}

void note_phase(const NcclWaits &waits, PhaseRow &phase)
{
    const auto ranks = static_cast<double>(waits.spans.size());
    NcclSeconds sum;
    for (const std::vector<NcclSpan> &spans : waits.spans) {
        NcclSeconds of_rank;
        for (const NcclSpan &span : spans)
            of_rank.add(span, phase.from_s, phase.to_s);
        sum.add(of_rank, phase.to_s - phase.from_s);
    }
    phase.nccl_s = sum.running_s / ranks;
    phase.nccl_wait_s = sum.waiting_s / ranks;
}

}  // namespace

std::vector<NcclTimeRow> analyse_nccl_time(const NcclWaits &waits, TimeLine &time)
{
    std::vector<NcclTimeRow> rows;
    if (waits.spans.empty() || !time.known || time.bin_s <= 0)
        return rows;
    const double percent = 100 / (static_cast<double>(waits.spans.size()) * time.bin_s);
    for (const NcclSeconds &bin : nccl_bins(waits, time))
        rows.push_back({time.bins[rows.size()].begin_s, time.bin_s, percent * bin.running_s,
                        percent * bin.waiting_s});
    for (PhaseRow &phase : time.phases)
        note_phase(waits, phase);
    return rows;
}

}  // namespace mprof
