// The time of the call goes into a row of its own (rank_measure.h). A call that takes so long
// waits, if it is one that can: all of it counts as waiting, where waiting is known at all. Each
// thread may be in one.
#include "measure/rank_measure.h"

#include "measure/function_facts.h"

#include <algorithm>

namespace mprof {
namespace {

uint64_t start_ns(const RankMeasure &rank)
{
    return rank.file->run.start_realtime_ns;
}

// Of the time of day, since the first rank's start: small, so that no digits are lost.
double seconds_after(uint64_t begin_ns, uint64_t ns)
{
    return ns > begin_ns ? seconds_of_ns(ns - begin_ns) : 0;
}

bool is_under_way(const RankMeasure &rank)
{
    return rank.file->run.end == MPROF_END_NONE && !rank.file->finished();
}

bool knows_waiting(const std::vector<RankMeasure> &ranks)
{
    return std::any_of(ranks.begin(), ranks.end(), [](const RankMeasure &rank) {
        return std::any_of(rank.entries.begin(), rank.entries.end(),
                           [](const MeasuredEntry &entry) { return entry.wait_s.has_value(); });
    });
}

MeasuredEntry entry_of(const RankMeasure &rank, const mprof_thread &thread, double seconds)
{
    MeasuredEntry entry;
    entry.key.function = static_cast<uint16_t>(thread.in_call - 1);
    entry.key.kind = MPROF_KIND_CALL;
    entry.key.precision = MPROF_PRECISION_FUNCTION;
    entry.key.callsite = thread.call_callsite;
    entry.key.communicator = static_cast<uint16_t>(thread.call_communicator);
    entry.time_s = seconds;
    const FunctionFacts facts = facts_of(rank.file->function_name(entry.key.function));
    if (facts.call != WaitRule::never)
        entry.wait_s = seconds;
    return entry;
}

void add_call(RankMeasure &rank, size_t number, double until_s, bool with_waiting)
{
    const mprof_thread &thread = rank.file->threads[number].facts;
    const double seconds = until_s - rank.clock.seconds_at(thread.ticks);
    if (thread.in_call == 0 || seconds <= 0)
        return;
    MeasuredEntry entry = entry_of(rank, thread, seconds);
    if (!with_waiting)
        entry.wait_s = {};
    rank.mpi_s += seconds;
    if (number == rank.mpi_thread)
        rank.mpi_thread_s = std::min(rank.mpi_thread_s + seconds, until_s);
    else
        entry.mpi_thread_part = 0;
    rank.entries.push_back(entry);
}

// The rank's MPI thread is in it.
void add_gpu_call(RankMeasure &rank, const mprof_gpu &call, double until_s)
{
    GpuMeasure &gpu = rank.gpu.own();
    const double seconds = std::max(0.0, until_s - rank.clock.seconds_at(call.call_ticks));
    gpu.is_used = true;
    switch (call.in_call - 1) {
    case MPROF_GPU_WAIT:
    case MPROF_GPU_POLL:
        gpu.wait_s += seconds;
        break;
    case MPROF_GPU_COPY:
        gpu.copy_s += seconds;
        break;
    case MPROF_GPU_MEMORY:
    case MPROF_GPU_LOAD:
        gpu.setup_s += seconds;
        gpu.launch_s += seconds;
        break;
    default:
        gpu.launch_s += seconds;
        break;
    }
}

// `until_s`: after the rank's own start.
void extend(RankMeasure &rank, double until_s, bool is_running, bool with_waiting)
{
    const mprof_thread *thread = last_seen_thread(*rank.file);
    if (thread == nullptr)
        return;
    const mprof_gpu *gpu = gpu_call_in_progress(*rank.file, rank.file->threads[rank.mpi_thread]);
    if (thread->in_call == 0 && !is_running && gpu == nullptr)
        return;
    until_s = std::max(until_s, rank.wallclock_s);
    const std::vector<ThreadRecord> &threads = rank.file->threads;
    for (size_t number = 0; number < threads.size(); number++)
        add_call(rank, number, until_s, with_waiting);
    if (gpu != nullptr)
        add_gpu_call(rank, *gpu, until_s);
    else if (threads[rank.mpi_thread].facts.in_call == 0)
        rank.split.unread_s += until_s - rank.wallclock_s;
    rank.wallclock_s = until_s;
    rank.own_s = std::clamp(until_s - rank.mpi_thread_s, 0.0, rank.own_s);
    rank.compute_s = std::max(0.0, until_s - rank.mpi_thread_s - rank.own_s);
    limit_split(rank);
}

}  // namespace

const mprof_thread *last_seen_thread(const RankFile &file)
{
    const mprof_thread *best = nullptr;
    for (const ThreadRecord &thread : file.threads) {
        const mprof_thread &facts = thread.facts;
        const bool in_call = facts.in_call != 0;
        const bool other_in_call = best != nullptr && best->in_call != 0;
        if (best == nullptr || (in_call && !other_in_call) ||
            (in_call && facts.ticks < best->ticks) ||
            (!in_call && !other_in_call && facts.ticks > best->ticks))
            best = &facts;
    }
    return best;
}

const mprof_gpu *gpu_call_in_progress(const RankFile &file, const ThreadRecord &thread)
{
    if (file.run.end != MPROF_END_NONE || file.finished())
        return nullptr;
    // Behind a call that was left by a jump there may be later ones of MPI.
    const auto is_in = [&](const mprof_gpu &row) {
        return row.thread == thread.number && row.in_call != 0 && thread.facts.in_call == 0 &&
               row.call_ticks >= thread.facts.ticks;
    };
    const auto row = std::find_if(file.gpu.begin(), file.gpu.end(), is_in);
    return row == file.gpu.end() ? nullptr : &*row;
}

void count_calls_in_progress(std::vector<RankMeasure> &ranks, std::optional<uint64_t> now_ns,
                             const std::set<uint32_t> &gone)
{
    uint64_t begin_ns = UINT64_MAX;
    for (const RankMeasure &rank : ranks)
        begin_ns = std::min(begin_ns, start_ns(rank));
    double last_s = now_ns ? seconds_after(begin_ns, *now_ns) : 0;
    for (const RankMeasure &rank : ranks)
        if (!now_ns)
            last_s = std::max({last_s, seconds_after(begin_ns, start_ns(rank)) + rank.wallclock_s,
                               seconds_after(begin_ns, rank.file->run.stop_realtime_ns)});
    const bool with_waiting = knows_waiting(ranks);
    for (RankMeasure &rank : ranks)
        if (is_under_way(rank) && rank.clock.known() && !gone.contains(rank.rank()))
            extend(rank, last_s - seconds_after(begin_ns, start_ns(rank)), now_ns.has_value(),
                   with_waiting);
}

}  // namespace mprof
