// Calls of NCCL and RCCL, as their profiler interface told libmprof (--gpu kernels), and which rank
// came last to the collectives.
//
// Collectives of a communicator have numbers, which are the same on all of its ranks. Each rank
// keeps when it came to those whose number is a multiple of its stride, a power of two: so the
// ones that are kept on all ranks are those of the largest stride.
#include "analyse/analysis_parts.h"
#include "measure/clocks.h"

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

void add_call(const RankMeasure &rank, const mprof_nccl_call &call, NcclCallRow &row)
{
    const double per_tick = rank.clock.seconds_per_tick();
    row.call_bytes = call.function[0] == 0 ? 0 : call.bytes;
    row.ranks++;
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

// When the ranks came to a collective: the index of each, and the time.
using Arrivals = std::map<size_t, double>;
using ArrivalsByNumber = std::map<uint64_t, Arrivals>;

struct Arrived {
    std::map<std::string, ArrivalsByNumber> of_comm;
    std::map<std::string, uint32_t> stride;  // the largest one
};

// A process with several ranks of a communicator comes when the first of them does.
Arrived arrivals_of(const RankMeasures &ranks)
{
    Arrived all;
    std::vector<const RankFile *> files;
    for (const RankMeasure &rank : ranks)
        files.push_back(rank.file);
    const NodeClocks clocks(files);
    for (size_t r = 0; r < ranks.size(); r++)
        for (const mprof_nccl_time &time : ranks[r].file->nccl_times) {
            const std::string id = id_of(*ranks[r].file, time.comm);
            if (id.empty() || time.stride == 0)
                continue;
            uint32_t &stride = all.stride[id];
            stride = std::max(stride, time.stride);
            const double now_s = clocks.seconds_at(r, time.start_ticks);
            const auto [at, is_new] = all.of_comm[id][time.number].emplace(r, now_s);
            if (!is_new)
                at->second = std::min(at->second, now_s);
        }
    return all;
}

// Of each rank: how long the others waited for it, and in how many collectives it came last.
struct Late {
    double waited_s = 0;
    uint64_t times = 0;
};

void note_last(const ArrivalsByNumber &collectives, uint32_t stride, const RankMeasures &ranks,
               CommSum &sum)
{
    std::map<size_t, Late> late;
    double waited_s = 0;
    for (const auto &[number, arrivals] : collectives) {
        if (number % stride != 0 || arrivals.size() < 2 || arrivals.size() != sum.ranks.size())
            continue;
        const auto last =
            std::max_element(arrivals.begin(), arrivals.end(),
                             [](const auto &a, const auto &b) { return a.second < b.second; });
        double for_it_s = 0;
        for (const auto &[rank, when_s] : arrivals)
            for_it_s += last->second - when_s;
        late[last->first].waited_s += for_it_s;
        late[last->first].times++;
        waited_s += for_it_s;
        sum.row.compared++;
    }
    if (late.empty())
        return;
    const auto most = std::max_element(late.begin(), late.end(), [](const auto &a, const auto &b) {
        return a.second.waited_s < b.second.waited_s;
    });
    sum.row.waited_s = waited_s * stride;
    sum.row.last_rank = ranks[most->first].rank();
    sum.row.last_percent = waited_s > 0 ? 100 * most->second.waited_s / waited_s : 0;
    sum.row.last_calls_percent =
        100 * static_cast<double>(most->second.times) / static_cast<double>(sum.row.compared);
}

template <class Row>
void sort_by_time(std::vector<Row> &rows)
{
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row &a, const Row &b) { return a.time_s > b.time_s; });
}

}  // namespace

NcclRows analyse_nccl(const RankMeasures &ranks)
{
    std::map<std::tuple<std::string, std::string, std::string, bool, uint64_t>, NcclCallRow> calls;
    CommSums comms;
    bool has_times = false;
    for (const RankMeasure &rank : ranks) {
        has_times = has_times || !rank.file->nccl_times.empty();
        for (const mprof_nccl_call &call : rank.file->nccl_calls) {
            if (call.calls == 0)
                continue;
            const std::string id = id_of(*rank.file, call.comm);
            const std::string function = text_of_field(call.function);
            NcclCallRow &row = calls[{id, function, text_of_field(call.datatype),
                                      call.is_message != 0, function.empty() ? 0 : call.bytes}];
            row.communicator = id;
            row.function = function;
            row.datatype = text_of_field(call.datatype);
            row.message = call.is_message != 0;
            add_call(rank, call, row);
            CommSum &sum = comms[id];
            sum.row.id = id;
            add_to_comm(rank, call, sum);
        }
    }
    if (has_times) {
        const Arrived all = arrivals_of(ranks);
        for (const auto &[id, collectives] : all.of_comm)
            if (const auto sum = comms.find(id); sum != comms.end())
                note_last(collectives, all.stride.at(id), ranks, sum->second);
    }
    NcclRows rows;
    for (auto &[key, row] : calls)
        rows.calls.push_back(std::move(row));
    for (auto &[id, sum] : comms) {
        sum.row.ranks = sum.ranks.size();
        rows.communicators.push_back(std::move(sum.row));
    }
    sort_by_time(rows.calls);
    sort_by_time(rows.communicators);
    return rows;
}

}  // namespace mprof
