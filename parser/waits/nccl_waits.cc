// Ranks of one node have one clock, so whoever came last is seen. Clocks of nodes are compared in
// MPI's collectives only, of which a training job has few: there the rank with the shortest time
// came last, because all end at the same moment, as in journals. Who is the root of a Broadcast
// does not wait: nobody waits longer than its collective took, where that is known.
#include "waits/nccl_waits.h"

#include "measure/clocks.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace mprof {
namespace {

struct Arrival {
    double at_s = 0;
    double took_s = 0;  // 0 = not known
};

struct Collective {
    std::map<size_t, Arrival> ranks;
    NcclCallKey call;
};

struct Comm {
    std::map<uint64_t, Collective> collectives;  // by number
    std::set<size_t> ranks;                      // that call it
    uint32_t stride = 1;
};
using Comms = std::map<uint64_t, Comm>;

template <size_t bytes>
std::string text_in(const char (&field)[bytes])
{
    return {field, strnlen(field, bytes)};
}

// The first row of a process is none.
bool is_comm(const RankFile &file, uint32_t comm)
{
    return comm > 0 && comm < file.nccl_comms.size();
}

// Rows are in the order of their numbers, but empty ones are not in the file.
const mprof_nccl_call &call_of(const RankFile &file, const mprof_nccl_time &time)
{
    static const mprof_nccl_call none{};
    const auto at = std::lower_bound(
        file.nccl_calls.begin(), file.nccl_calls.end(), time.call,
        [](const mprof_nccl_call &call, uint32_t number) { return call.number < number; });
    return at != file.nccl_calls.end() && at->number == time.call ? *at : none;
}

// A process with several ranks of a communicator comes when the first of them does.
void add_time(const RankFile &file, size_t rank, const mprof_nccl_time &time, Arrival arrival,
              const CallPaths &paths, Comms &comms)
{
    if (!is_comm(file, time.comm) || time.stride == 0)
        return;
    Comm &comm = comms[file.nccl_comms[time.comm].id];
    comm.stride = std::max(comm.stride, time.stride);
    Collective &collective = comm.collectives[time.number];
    const auto [at, is_new] = collective.ranks.emplace(rank, arrival);
    if (!is_new && arrival.at_s < at->second.at_s)
        at->second = arrival;
    if (is_new && collective.ranks.size() == 1) {
        const mprof_nccl_call &call = call_of(file, time);
        collective.call = {text_in(call.function), text_in(call.datatype), call.bytes,
                           paths.node_of(rank, call.callsite)};
    }
}

Comms comms_of(const std::vector<RankMeasure> &ranks, const NodeClocks &clocks,
               const CallPaths &paths)
{
    Comms comms;
    for (size_t r = 0; r < ranks.size(); r++) {
        const RankFile &file = *ranks[r].file;
        for (const mprof_nccl_call &call : file.nccl_calls)
            if (call.calls > 0 && is_comm(file, call.comm))
                comms[file.nccl_comms[call.comm].id].ranks.insert(r);
        for (const mprof_nccl_time &time : file.nccl_times)
            add_time(file, r, time,
                     {clocks.seconds_at(r, time.start_ticks),
                      static_cast<double>(time.ticks) * ranks[r].clock.seconds_per_tick()},
                     paths, comms);
    }
    return comms;
}

bool has_one_clock(const Comm &comm, const NodeClocks &clocks)
{
    return std::all_of(comm.ranks.begin(), comm.ranks.end(), [&](size_t rank) {
        return clocks.node_of(rank) == clocks.node_of(*comm.ranks.begin());
    });
}

// How long a rank waits for the one that comes last.
struct Waiting {
    size_t last = 0;
    std::map<size_t, double> wait_s;
};

Waiting waiting_in(const Collective &collective, bool one_clock)
{
    const auto &ranks = collective.ranks;
    const bool has_ended = std::all_of(ranks.begin(), ranks.end(),
                                       [](const auto &at) { return at.second.took_s > 0; });
    const bool by_length = !one_clock && has_ended;
    const auto last =
        std::max_element(ranks.begin(), ranks.end(), [&](const auto &a, const auto &b) {
            return by_length ? a.second.took_s > b.second.took_s : a.second.at_s < b.second.at_s;
        });
    Waiting waiting;
    waiting.last = last->first;
    for (const auto &[rank, arrival] : ranks) {
        double wait_s =
            by_length ? arrival.took_s - last->second.took_s : last->second.at_s - arrival.at_s;
        if (arrival.took_s > 0)
            wait_s = std::min(wait_s, arrival.took_s);
        waiting.wait_s[rank] = wait_s;
    }
    return waiting;
}

void add_waiting(const Collective &collective, const Waiting &waiting, double weight,
                 NcclCommWaits &sum, NcclWaits &all)
{
    double waited_s = 0;
    for (const auto &[rank, wait_s] : waiting.wait_s) {
        const Arrival &arrival = collective.ranks.at(rank);
        waited_s += wait_s;
        sum.running_s += weight * arrival.took_s;
        if (wait_s > 0)
            all.of_rank[rank].push_back({arrival.at_s, arrival.at_s + wait_s, weight});
    }
    NcclLate &late = sum.late[waiting.last];
    late.waited_s += waited_s;
    late.times++;
    sum.compared++;
    sum.waited_s += weight * waited_s;
    sum.waited_in_s[collective.call] += weight * waited_s;
    all.caused_s[waiting.last] += weight * waited_s;
}

// What a rank does from a collective on: that one, or where it stands for several, those up to the
// next one that is kept.
void add_span(const Arrival &arrival, double wait_s, double stride, double next_s,
              std::vector<NcclSpan> &spans)
{
    const double running_s = stride * std::max(arrival.took_s, wait_s);
    NcclSpan span{arrival.at_s, arrival.at_s + running_s, 0, 0};
    if (stride > 1 && next_s > arrival.at_s)
        span.end_s = next_s;
    const double length_s = span.end_s - span.begin_s;
    if (running_s <= 0 || length_s <= 0)
        return;
    span.running = std::min(1.0, running_s / length_s);
    span.waiting = std::min(span.running, stride * wait_s / length_s);
    spans.push_back(span);
}

// A collective that a rank has come to, while the next one is looked for.
struct OpenSpan {
    Arrival arrival;
    double wait_s = 0;
};

void add_comm(const Comm &comm, bool one_clock, NcclCommWaits *sum, NcclWaits &all)
{
    std::map<size_t, OpenSpan> open;
    for (const auto &[number, collective] : comm.collectives) {
        if (number % comm.stride != 0)
            continue;
        Waiting waiting;
        if (sum != nullptr && collective.ranks.size() == comm.ranks.size()) {
            waiting = waiting_in(collective, one_clock);
            add_waiting(collective, waiting, comm.stride, *sum, all);
        }
        for (const auto &[rank, arrival] : collective.ranks) {
            const OpenSpan now{arrival, waiting.wait_s[rank]};
            const auto [before, is_first] = open.try_emplace(rank, now);
            if (!is_first)
                add_span(before->second.arrival, before->second.wait_s, comm.stride, arrival.at_s,
                         all.spans[rank]);
            before->second = now;
        }
    }
    for (const auto &[rank, last] : open)
        add_span(last.arrival, last.wait_s, comm.stride, 0, all.spans[rank]);
}

bool is_compared(const Comm &comm)
{
    return comm.ranks.size() > 1 &&
           std::any_of(comm.collectives.begin(), comm.collectives.end(), [&](const auto &at) {
               return at.first % comm.stride == 0 && at.second.ranks.size() == comm.ranks.size();
           });
}

}  // namespace

NcclWaits find_nccl_waits(const std::vector<RankMeasure> &ranks, const CallPaths &paths)
{
    NcclWaits all;
    if (std::all_of(ranks.begin(), ranks.end(),
                    [](const RankMeasure &rank) { return rank.file->nccl_times.empty(); }))
        return all;
    std::vector<const RankFile *> files;
    for (const RankMeasure &rank : ranks)
        files.push_back(rank.file);
    const NodeClocks clocks(files);
    all.of_rank.resize(ranks.size());
    all.caused_s.resize(ranks.size());
    all.spans.resize(ranks.size());
    for (const auto &[id, comm] : comms_of(ranks, clocks, paths))
        add_comm(comm, has_one_clock(comm, clocks), is_compared(comm) ? &all.comms[id] : nullptr,
                 all);
    return all;
}

}  // namespace mprof
