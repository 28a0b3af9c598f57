#include "measure/rank_measure.h"

#include "measure/for_all_ranks.h"
#include "measure/function_facts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace mprof {
namespace {

void add_extremes(mprof_entry &sum, const mprof_entry &entry)
{
    if (static_cast<int64_t>(entry.calls) <= 0 || entry.min_ticks > entry.max_ticks)
        return;
    const bool first = sum.min_ticks > sum.max_ticks;
    sum.min_ticks = first ? entry.min_ticks : std::min(sum.min_ticks, entry.min_ticks);
    sum.max_ticks = first ? entry.max_ticks : std::max(sum.max_ticks, entry.max_ticks);
}

// A sum of no entry yet.
mprof_entry empty_sum(const mprof_entry &key)
{
    mprof_entry sum = key;
    sum.calls = sum.bytes = sum.ticks = 0;
    if (sum.kind == MPROF_KIND_COMPLETION) {
        sum.span_ticks = sum.span_mpi_ticks = 0;
    } else {
        sum.min_ticks = UINT64_MAX;  // min above max: none seen yet
        sum.max_ticks = 0;
    }
    return sum;
}

void add_entry(mprof_entry &sum, const mprof_entry &entry)
{
    if (sum.kind == MPROF_KIND_COMPLETION) {
        sum.span_ticks += entry.span_ticks;
        sum.span_mpi_ticks += entry.span_mpi_ticks;
    } else {
        add_extremes(sum, entry);
    }
    sum.calls += entry.calls;
    sum.bytes += entry.bytes;
    sum.ticks += entry.ticks;
}

std::vector<mprof_entry> entries_of_threads(const RankFile &file)
{
    std::vector<mprof_entry> all;
    for (const ThreadRecord &thread : file.threads)
        for (const mprof_entry &entry : thread.entries)
            all.push_back(entry);
    sort_entries(all);
    std::vector<mprof_entry> sums;
    for (const mprof_entry &entry : all) {
        if (sums.empty() || order_of_entry(sums.back()) != order_of_entry(entry))
            sums.push_back(empty_sum(entry));
        add_entry(sums.back(), entry);
    }
    return sums;
}

// A receive may be posted on a thread that knows sizes and completed on one that had to fold its
// table. Then the same pending call is +1 in one row and -1 in another of the function:
// they cancel. The time of what was settled goes to the first row with calls: all of a function's
// pending time is one sum, wherever it is.
void settle_pending_of_function(std::span<mprof_entry> rows)
{
    const auto is_credit = [](const mprof_entry &e) { return static_cast<int64_t>(e.calls) > 0; };
    const auto heir = std::find_if(rows.begin(), rows.end(), is_credit);
    auto credit = heir;
    for (mprof_entry &debt : rows) {
        if (static_cast<int64_t>(debt.calls) >= 0)
            continue;
        while (debt.calls != 0 && credit != rows.end()) {
            const uint64_t calls = std::min(credit->calls, 0 - debt.calls);
            credit->calls -= calls;
            debt.calls += calls;
            if (credit->calls == 0)
                credit = std::find_if(credit, rows.end(), is_credit);
        }
        if (heir == rows.end())
            continue;
        heir->ticks += debt.ticks;
        debt.ticks = 0;
    }
}

// The rows are sorted by function, then by kind.
void settle_pending(std::vector<mprof_entry> &sums)
{
    const auto group_of = [](const mprof_entry &e) { return std::pair(e.function, e.kind); };
    for (auto begin = sums.begin(); begin != sums.end();) {
        const auto end = std::find_if(
            begin, sums.end(), [&](const auto &e) { return group_of(e) != group_of(*begin); });
        if (begin->kind == MPROF_KIND_PENDING)
            settle_pending_of_function({begin, end});
        begin = end;
    }
}

bool has_time(const mprof_entry &entry)
{
    return entry.kind == MPROF_KIND_CALL || entry.kind == MPROF_KIND_PENDING;
}

double thread_mpi_s(const ThreadRecord &thread, const TickClock &clock)
{
    double ticks = 0;
    for (const mprof_entry &entry : thread.entries)
        if (has_time(entry))
            ticks += net_ticks(entry.ticks, entry.calls, clock.read_ticks());
    return std::max(0.0, ticks * clock.seconds_per_tick());
}

ThreadTimes times_of(const ThreadRecord &thread, const RankFile &file, const TickClock &clock)
{
    ThreadTimes times;
    for (const mprof_entry &entry : thread.entries) {
        if (!has_time(entry))
            continue;
        const double seconds =
            net_ticks(entry.ticks, entry.calls, clock.read_ticks()) * clock.seconds_per_tick();
        const FunctionFacts facts = facts_of(file.function_name(entry.function));
        times.mpi_s += seconds;
        if (facts.begins_mpi || facts.ends_mpi)
            times.ends_s += seconds;
        else if (facts.call == WaitRule::message || facts.call == WaitRule::completion)
            times.message_s += seconds;
    }
    return times;
}

// Of some of the sums, how much time they hold, the thread recorded, and `parts` give it.
struct ThreadShare {
    double all = 0, own = 0, given = 0;

    double mended(double part) const
    {
        if (given > std::max(0.0, own))
            return part * std::max(0.0, own) / given;
        return all > given ? part + (1 - part) * std::clamp((own - given) / (all - given), 0.0, 1.0)
                           : part;
    }
};

// The time of a receive is that of the thread that called it, and its size was recorded by the
// thread that completed it. If these are two, parts row by row say neither's time. `group_of` says
// which rows are one in this.
template <class GroupOf>
void mend_parts(std::vector<float> &parts, const std::vector<mprof_entry> &sums,
                const EntryList &own, const TickRate &rate, double kept, GroupOf group_of)
{
    std::map<decltype(group_of(sums[0])), ThreadShare> groups;
    for (const mprof_entry &entry : own)
        if (entry.kind == MPROF_KIND_PENDING && (entry.calls | entry.ticks) != 0)
            groups[group_of(entry)];
    if (groups.empty())
        return;
    const auto for_each_of_a_group = [&](const auto &entries, auto use) {
        size_t row = 0;
        for (const mprof_entry &entry : entries) {
            const auto group = has_time(entry) ? groups.find(group_of(entry)) : groups.end();
            if (group != groups.end())
                use(group->second, net_ticks(entry.ticks, entry.calls, rate.read_ticks), row);
            row++;
        }
    };
    for_each_of_a_group(
        own, [&](ThreadShare &share, double ticks, size_t) { share.own += kept * ticks; });
    for_each_of_a_group(sums, [&](ThreadShare &share, double ticks, size_t row) {
        share.all += std::max(0.0, ticks);
        share.given += static_cast<double>(parts[row]) * std::max(0.0, ticks);
    });
    for_each_of_a_group(sums, [&](const ThreadShare &share, double, size_t row) {
        parts[row] = static_cast<float>(share.mended(static_cast<double>(parts[row])));
    });
}

// Of each sum, the part that the thread has of its time; `kept` of what it recorded is its own.
std::vector<float> parts_of(const ThreadRecord &thread, const std::vector<mprof_entry> &sums,
                            const TickRate &rate, double kept)
{
    std::vector<float> parts;
    parts.reserve(sums.size());
    auto at = thread.entries.begin();
    const auto end = thread.entries.end();
    for (const mprof_entry &sum : sums) {
        while (at != end && order_of_entry(*at) < order_of_entry(sum))
            ++at;
        double ticks = 0;
        for (; at != end && order_of_entry(*at) == order_of_entry(sum); ++at)
            ticks += net_ticks((*at).ticks, (*at).calls, rate.read_ticks);
        const double all = net_ticks(sum.ticks, sum.calls, rate.read_ticks);
        parts.push_back(all > 0 ? static_cast<float>(std::clamp(kept * ticks / all, 0.0, 1.0)) : 0);
    }
    const auto mend = [&](auto group_of) {
        mend_parts(parts, sums, thread.entries, rate, kept, group_of);
    };
    mend([](const mprof_entry &e) {
        return std::tuple(e.function, e.communicator, e.region, e.callsite);
    });
    // Where one of the threads folded its table the two are in different places.
    mend([](const mprof_entry &e) { return e.function; });
    return parts;
}

ComputeSplit split_of(const ThreadRecord &thread)
{
    ComputeSplit split;
    split.known = thread.facts.read_computing_ns > 0;
    for (const mprof_off_cpu &row : thread.off_cpu) {
        split.contention_s += seconds_of_ns(row.queue_ns);
        split.blocked_s += seconds_of_ns(row.blocked_ns);
        split.blocked_file_s += seconds_of_ns(row.file_ns);
        split.blocked_fault_s += seconds_of_ns(row.fault_ns);
    }
    return split;
}

GpuMeasure gpu_of(const RankMeasure &rank)
{
    GpuMeasure gpu;
    const auto &threads = rank.file->threads;
    for (const mprof_gpu &row : rank.file->gpu) {
        const auto seconds = [&](mprof_gpu_class kind) {
            return static_cast<double>(row.ticks[kind]) * rank.clock.seconds_per_tick();
        };
        const double wait_s = seconds(MPROF_GPU_WAIT) + seconds(MPROF_GPU_POLL);
        const double copy_s = seconds(MPROF_GPU_COPY);
        const double setup_s = seconds(MPROF_GPU_MEMORY) + seconds(MPROF_GPU_LOAD);
        const double launch_s = seconds(MPROF_GPU_LAUNCH) + setup_s;
        if (!threads.empty() && row.thread == threads[rank.mpi_thread].number) {
            gpu.wait_s += wait_s;
            gpu.copy_s += copy_s;
            gpu.launch_s += launch_s;
            gpu.setup_s += setup_s;
            gpu.off_cpu_s += seconds_of_ns(row.off_ns);
            gpu.pageable_s +=
                static_cast<double>(row.pageable_ticks) * rank.clock.seconds_per_tick();
        } else {
            gpu.other_threads_s += wait_s + copy_s + launch_s;
        }
        gpu.is_used = true;
        gpu.waits += row.calls[MPROF_GPU_WAIT];
        gpu.polls += row.calls[MPROF_GPU_POLL];
        gpu.copies += row.calls[MPROF_GPU_COPY];
        gpu.launches +=
            row.calls[MPROF_GPU_LAUNCH] + row.calls[MPROF_GPU_MEMORY] + row.calls[MPROF_GPU_LOAD];
        for (size_t i = 0; i < MPROF_GPU_DIRECTIONS; i++)
            gpu.bytes[i] += row.bytes[i];
        for (size_t to = 0; to < gpu.host_bytes.size(); to++)
            for (size_t kind = 0; kind < MPROF_GPU_HOST_KINDS; kind++)
                gpu.host_bytes[to][kind] += row.host_bytes[to][kind];
        gpu.not_seen += row.not_seen;
    }
    return gpu;
}

// The parts of the GPUs' time add up to the wall time of each of them.
GpuActivity gpu_activity_of(const RankMeasure &rank)
{
    GpuActivity sum;
    for (const mprof_gpu_activity &row : rank.file->gpu_activity) {
        const auto seconds = [&](uint64_t ticks) {
            return static_cast<double>(ticks) * rank.clock.seconds_per_tick();
        };
        const auto busy_s = [&](mprof_gpu_layer layer) { return seconds(row.busy_ticks[layer]); };
        sum.source = static_cast<mprof_gpu_source>(row.source);
        sum.error = row.error;
        sum.devices = row.devices;
        sum.dropped = row.dropped;
        sum.computing_s = busy_s(MPROF_GPU_COMPUTES);
        sum.communicating_s =
            std::max(0.0, busy_s(MPROF_GPU_COMMUNICATES) - busy_s(MPROF_GPU_COMPUTES));
        sum.moving_s = std::max(0.0, busy_s(MPROF_GPU_MOVES) - busy_s(MPROF_GPU_COMMUNICATES));
        sum.idle_s = std::max(0.0, static_cast<double>(row.devices) * rank.wallclock_s -
                                       busy_s(MPROF_GPU_MOVES));
        sum.idle_mpi_s = std::min(sum.idle_s, seconds(row.between_mpi_ticks));
        sum.idle_between_s =
            std::max(0.0, std::min(sum.idle_s, seconds(row.between_ticks)) - sum.idle_mpi_s);
    }
    return sum;
}

// From MPI_Init to the end of MPI_Finalize; of a live file to the last sign of life.
double wallclock_of(const RankFile &file, const TickClock &clock)
{
    double wallclock_s = clock.latest_s();
    if (!file.finished())
        for (const ThreadRecord &thread : file.threads)
            wallclock_s = std::max(wallclock_s, clock.seconds_at(thread.facts.ticks));
    if (!file.finished())
        for (const mprof_gpu &row : file.gpu)
            if (const uint64_t ticks = std::max(row.last_ticks, row.call_ticks); ticks != 0)
                wallclock_s = std::max(wallclock_s, clock.seconds_at(ticks));
    return wallclock_s;
}

bool is_empty(const MeasuredEntry &entry)
{
    return entry.calls == 0 && entry.bytes == 0 && entry.time_s <= 0;
}

// Most ranks have one thread, and nothing to add up.
bool is_added_up(const EntryList &list, const TickRate &rate)
{
    std::optional<mprof_entry> last;
    for (const mprof_entry &entry : list) {
        const MeasuredEntry seen = measured(entry, rate);
        const bool is_owed = seen.counts_calls() && seen.calls == 0;
        if (is_owed || is_empty(seen) || (last && !(order_of_entry(*last) < order_of_entry(entry))))
            return false;
        last = entry;
    }
    return true;
}

MeasuredEntries add_up(const RankMeasure &rank, double kept, KeyLists &lists)
{
    const RankFile &file = *rank.file;
    const TickRate rate = rank.clock;
    std::vector<mprof_entry> sums = entries_of_threads(file);
    settle_pending(sums);
    sums.erase(
        std::remove_if(sums.begin(), sums.end(),
                       [&](const mprof_entry &sum) { return is_empty(measured(sum, rate)); }),
        sums.end());
    std::vector<float> parts;
    if (file.threads.size() > 1 || (kept < 1 && !file.threads.empty()))
        parts = parts_of(file.threads[rank.mpi_thread], sums, rate, kept);
    return MeasuredEntries(EntryList(sums, lists), rate, std::move(parts));
}

// How long the call that the thread is in has taken when the rank was last seen.
double in_progress_s(const ThreadRecord &thread, const RankMeasure &rank)
{
    if (rank.file->finished() || thread.facts.in_call == 0)
        return 0;
    return std::max(0.0, rank.wallclock_s - rank.clock.seconds_at(thread.facts.ticks));
}

// That of the thread, with the call that it is in: that call is added later (rank_measure.h).
// Returns which part of what it recorded is in the wallclock: threads that share a record, because
// there was no memory for more, may be in MPI for longer.
double find_mpi_thread(RankMeasure &rank)
{
    const std::vector<ThreadRecord> &threads = rank.file->threads;
    double most_s = -1;
    for (size_t t = 0; t < threads.size(); t++) {
        const double mpi_s = thread_mpi_s(threads[t], rank.clock);
        const double until_now_s = mpi_s + in_progress_s(threads[t], rank);
        if (until_now_s > most_s) {
            most_s = until_now_s;
            rank.mpi_thread = t;
            rank.mpi_thread_s = mpi_s;
        }
        if (threads.size() > 1)
            rank.threads.push_back(times_of(threads[t], *rank.file, rank.clock));
    }
    const double recorded_s = rank.mpi_thread_s;
    rank.mpi_thread_s = std::min(recorded_s, rank.wallclock_s);
    constexpr double rounding = 1.0001;
    return recorded_s > rounding * rank.wallclock_s ? rank.wallclock_s / recorded_s : 1;
}

void measure_rank(RankMeasure &rank, RankFile &file, KeyLists &lists)
{
    rank.wallclock_s = wallclock_of(file, rank.clock);
    const double kept = find_mpi_thread(rank);
    rank.own_s = std::min(seconds_of_ns(file.run.own_ns), rank.wallclock_s - rank.mpi_thread_s);
    rank.compute_s = rank.wallclock_s - rank.mpi_thread_s - rank.own_s;
    if (!file.threads.empty()) {
        const ThreadRecord &thread = file.threads[rank.mpi_thread];
        rank.split = split_of(thread);
        if (!file.gpu.empty())
            rank.gpu = gpu_of(rank);
        if (!file.gpu_activity.empty())
            rank.gpu_activity = gpu_activity_of(rank);
        rank.split.unread_s =
            std::max(0.0, rank.compute_s - seconds_of_ns(thread.facts.read_computing_ns));
        limit_split(rank);
    }

    const bool is_alone = file.threads.size() == 1 && kept == 1;
    if (is_alone && is_added_up(file.threads[0].entries, rank.clock))
        rank.entries = MeasuredEntries(std::exchange(file.threads[0].entries, {}), rank.clock);
    else
        rank.entries = add_up(rank, kept, lists);
    for (ThreadRecord &thread : file.threads)
        thread.entries = {};
    for (const MeasuredEntry &entry : rank.entries) {
        rank.mpi_s += entry.time_s;
        rank.calls += entry.counted_calls();
    }
}

// A rank that was killed inside MPI_Init has no rate of its own: one of the same host, else of any
// rank, serves.
void borrow_missing_rates(std::vector<RankMeasure> &ranks)
{
    std::map<std::pair<uint32_t, std::string>, const TickClock *> lenders;  // host "" = any
    for (const RankMeasure &rank : ranks) {
        if (!rank.clock.known())
            continue;
        lenders.try_emplace({rank.clock.kind(), rank.file->text("host")}, &rank.clock);
        lenders.try_emplace({rank.clock.kind(), ""}, &rank.clock);
    }
    for (RankMeasure &rank : ranks) {
        if (rank.clock.known())
            continue;
        auto lender = lenders.find({rank.clock.kind(), rank.file->text("host")});
        if (lender == lenders.end())
            lender = lenders.find({rank.clock.kind(), ""});
        if (lender != lenders.end())
            rank.clock.borrow_rate(*lender->second);
    }
}

}  // namespace

void limit_split(RankMeasure &rank)
{
    ComputeSplit &split = rank.split;
    const double other_s = split.contention_s + split.blocked_s + rank.gpu->all_s();
    const double scale = other_s > rank.compute_s ? rank.compute_s / other_s : 1;
    for (double *part :
         {&split.contention_s, &split.blocked_s, &split.blocked_file_s, &split.blocked_fault_s})
        *part *= scale;
    split.unread_s =
        std::clamp(split.unread_s, 0.0, std::max(0.0, rank.compute_s - scale * other_s));
    if (!rank.gpu.has_value())
        return;
    GpuMeasure &gpu = rank.gpu.own();
    for (double *part :
         {&gpu.wait_s, &gpu.copy_s, &gpu.launch_s, &gpu.setup_s, &gpu.off_cpu_s, &gpu.pageable_s})
        *part *= scale;
    gpu.off_cpu_s = std::min(gpu.off_cpu_s, gpu.all_s());
}

double partner_seconds(const mprof_partner &partner, const RankMeasure &rank)
{
    const double ticks = net_ticks(partner.ticks, partner.messages, rank.clock.read_ticks());
    return std::max(0.0, ticks * rank.clock.seconds_per_tick());
}

std::vector<RankMeasure> measure_ranks(Profile &profile)
{
    std::vector<RankMeasure> ranks(profile.ranks.size());
    for (size_t i = 0; i < ranks.size(); i++) {
        ranks[i].file = &profile.ranks[i];
        ranks[i].clock = TickClock(profile.ranks[i].clock);
    }
    borrow_missing_rates(ranks);
    KeyLists lists;
    for_all_ranks(ranks.size(), [&](size_t i) { measure_rank(ranks[i], profile.ranks[i], lists); });
    return ranks;
}

}  // namespace mprof
