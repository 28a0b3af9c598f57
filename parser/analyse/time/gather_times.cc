// A node with very many ranks is taken in pieces, each with its part of the CPUs, so that few
// ranks' windows are in memory at once.
#include "analyse/time/gather_times.h"

#include "accounts/account_limits.h"
#include "accounts/make_accounts.h"
#include "accounts/node_facts.h"
#include "analyse/analysis_parts.h"
#include "measure/function_facts.h"
#include "report/derived_figures.h"
#include "report/time_window.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace mprof {
namespace {

constexpr size_t most_ranks_at_once = 1024;

// Callsite and function left, callsite and function entered.
using PollKey = std::tuple<uint32_t, uint16_t, uint32_t, uint16_t>;

template <class Record>
PollKey poll_key(const Record &record)
{
    return {record.from_callsite, record.from_function, record.to_callsite, record.to_function};
}

// MPI_Startall starts many messages with one call.
double messages_per_call(const RankMeasure &rank)
{
    double calls = 0, started = 0;
    for (const MeasuredEntry &entry : rank.entries) {
        calls += entry.key.kind == MPROF_KIND_CALL ? static_cast<double>(entry.calls) : 0;
        started += entry.key.kind == MPROF_KIND_START ? static_cast<double>(entry.calls) : 0;
    }
    return calls > 0 ? 1 + started / calls : 1;
}

// A program that asks for a message, sleeps, and asks again waits for it. Of what the rank is
// blocked, the part between two polls between which it does hardly anything else.
double part_between_polls(const RankMeasure &rank)
{
    const auto polls = [&](uint16_t next_id) {
        return next_id != 0 && facts_of(rank.file->function_name(next_id - 1U)).poll;
    };
    double all_s = 0, polling_s = 0;
    std::map<PollKey, double> blocked_s;  // between polls
    for (const ThreadRecord &thread : rank.file->threads)
        for (const mprof_off_cpu &row : thread.off_cpu) {
            all_s += seconds_of_ns(row.blocked_ns);
            if (row.blocked_ns > 0 && polls(row.from_function) && polls(row.to_function))
                blocked_s[poll_key(row)] += seconds_of_ns(row.blocked_ns);
        }
    if (blocked_s.empty())
        return 0;
    std::map<PollKey, double> lasts_s;
    for (const ThreadRecord &thread : rank.file->threads)
        for (const mprof_segment &segment : thread.segments)
            lasts_s[poll_key(segment)] +=
                static_cast<double>(segment.ticks) * rank.clock.seconds_per_tick();
    for (const auto &[key, seconds] : blocked_s)
        if (seconds >= account_limits.asleep * lasts_s[key])
            polling_s += seconds;
    return polling_s / all_s;
}

void count_poll_waiting(double part, RankTime &time)
{
    const double polling_s = part * time.blocked_s;
    time.wait_s += polling_s;
    time.blocked_s -= polling_s;
}

}  // namespace

TimesGatherer::TimesGatherer(const std::vector<RankMeasure> &ranks, const TimeAxis &axis,
                             const Waits &waits, const Report &report)
    : ranks_(ranks),
      axis_(axis),
      nccl_(waits.nccl),
      report_(report),
      programs_(find_programs(ranks)),
      grid_(axis.bins),
      work_(no_work())
{
    const double transfer_s = waits.short_transfer_s + waits.large_transfer_s;
    small_part_ = transfer_s > 0 ? waits.short_transfer_s / transfer_s : 1;
    find_nodes();
}

double TimesGatherer::cpus_of(const std::vector<size_t> &ranks) const
{
    CpuSet masks;
    std::string last;
    for (const size_t rank : ranks) {
        const std::string list = ranks_[rank].file->text("cpus_allowed");
        if (list == last)
            continue;
        const CpuSet cpus = parse_cpus(list);
        masks.insert(cpus.begin(), cpus.end());
        last = list;
    }
    const RankFile &file = *ranks_[ranks.front()].file;
    return usable_cpus(static_cast<double>(masks.size()), file.number("cgroup_cpus").value_or(0),
                       file.number("node.cpus").value_or(0), ranks.size());
}

void TimesGatherer::find_nodes()
{
    std::map<std::string, size_t> numbers;
    std::vector<std::vector<size_t>> hosts;
    for (size_t r = 0; r < ranks_.size(); r++) {
        const auto [at, is_new] = numbers.try_emplace(report_.ranks[r].host, hosts.size());
        if (is_new)
            hosts.emplace_back();
        hosts[at->second].push_back(r);
    }
    for (const std::vector<size_t> &ranks : hosts) {
        const double cpus = cpus_of(ranks);
        for (size_t first = 0; first < ranks.size(); first += most_ranks_at_once) {
            const size_t end = std::min(ranks.size(), first + most_ranks_at_once);
            Node &node = nodes_.emplace_back();
            node.ranks.assign(ranks.begin() + static_cast<std::ptrdiff_t>(first),
                              ranks.begin() + static_cast<std::ptrdiff_t>(end));
            node.cpus = cpus * static_cast<double>(end - first) / static_cast<double>(ranks.size());
        }
    }
    times_.nodes.resize(nodes_.size());
}

// Strides of collectives leave windows out and make others too full, but none gets more than the
// rank waits for its GPU there.
std::vector<double> TimesGatherer::nccl_waits(size_t rank,
                                              const std::vector<double> &gpu_wait_s) const
{
    if (nccl_.of_rank.empty())
        return {};
    std::vector<double> wait_s(grid_.windows());
    for (const NcclStretch &stretch : nccl_.of_rank[rank])
        for_each_part(axis_, stretch.begin_s, stretch.end_s, [&](size_t at, double part) {
            wait_s[grid_.of_bin(at)] += part * stretch.weight * (stretch.end_s - stretch.begin_s);
        });
    for (size_t w = 0; w < wait_s.size(); w++)
        wait_s[w] = std::clamp(gpu_wait_s[w], 0.0, wait_s[w]);
    return wait_s;
}

void TimesGatherer::move_nccl_waiting(size_t rank, std::vector<RankTime> &windows) const
{
    std::vector<double> gpu_wait_s;
    for (const RankTime &window : windows)
        gpu_wait_s.push_back(window.gpu_wait_s);
    const std::vector<double> nccl_s = nccl_waits(rank, gpu_wait_s);
    for (size_t w = 0; w < nccl_s.size(); w++) {
        windows[w].gpu_wait_s -= nccl_s[w];
        windows[w].wait_s += nccl_s[w];
    }
}

void TimesGatherer::end_first_walk(const std::vector<TimeBin> &bins)
{
    const auto ranks = static_cast<double>(ranks_.size());
    const auto nodes = static_cast<double>(nodes_.size());
    // Calls that only ask may follow each other as fast as they like: nothing travels meanwhile.
    const double moving = work_.calls > 0 ? work_.moving_calls / work_.calls : 1;
    for (const TimeBin &bin : bins) {
        is_crowded_.push_back(bin.split.contention_s * ranks >
                              account_limits.crowded * axis_.bin_s * nodes);
        const double calls = moving * bin.calls;
        is_short_.push_back(calls > 0 && axis_.bin_s < account_limits.short_call_s * calls);
        has_short_ = has_short_ || is_short_.back();
        times_.calls += calls;
    }
    times_.note_busiest(work_);
    times_.window_s = axis_.bin_s * static_cast<double>(grid_.bins_of_window());
}

// Ranks that take turns on CPUs, or share them with other programs, wait for one in MPI as well, if
// they give way there: also where nobody computes meanwhile.
bool TimesGatherer::lacks_cpus(const Node &node) const
{
    if (static_cast<double>(node.ranks.size()) > node.cpus)
        return true;
    double work_s = 0, queue_s = 0;
    for (const size_t rank : node.ranks) {
        work_s += report_.ranks[rank].on_cpu_s.value_or(0);
        queue_s += report_.ranks[rank].contention_s.value_or(0);
    }
    return queue_s > account_limits.crowded * (work_s + queue_s);
}

NodeWalk TimesGatherer::begin_node(size_t node) const
{
    NodeWalk walk;
    walk.node = node;
    walk.lacks_cpus = lacks_cpus(nodes_[node]);
    walk.time.cpus = nodes_[node].cpus;
    walk.time.small_part = small_part_;
    walk.windows.resize(grid_.windows());
    return walk;
}

void TimesGatherer::add_rank(size_t rank, const std::vector<RankBin> &bins, NodeWalk &walk) const
{
    std::vector<RankTime> windows(grid_.windows());
    std::vector<double> wait_s(has_short_ ? axis_.bins : 0);
    const double offset_s = axis_.offset_s[rank];
    TransferLimit limit;
    const double per_call = messages_per_call(ranks_[rank]);
    walk.messages_per_call = std::max(walk.messages_per_call, per_call);
    for (const RankBin &bin : bins) {
        const double none_s = bin.idle_s + bin.local_s + bin.finalize_s;
        const double all_s = std::max(0.0, bin.split.transfer_s - none_s);
        const double possible_s = limit.of(per_call * bin.moving_calls, bin.bytes, all_s);
        for_each_part(
            axis_, offset_s + bin.begin_s, offset_s + bin.end_s, [&](size_t at, double part) {
                const bool is_limited = walk.lacks_cpus || is_crowded_[at];
                const double transfer_s = part * (is_limited ? possible_s : all_s);
                RankTime time;
                time.work_s = part * bin.work_s();
                time.queue_s = part * bin.queue_s();
                time.gpu_wait_s = part * bin.split.gpu_wait_s;
                time.gpu_copy_s = part * bin.split.gpu_copy_s;
                time.gpu_launch_s = part * bin.split.gpu_launch_s;
                time.blocked_s = part * bin.blocked_s();
                time.files_s = part * bin.split.file_s;
                time.quick_files_s = part * bin.quick_files_s;
                time.transfer_s = transfer_s;
                time.wait_s = part * (bin.split.wait_s + all_s + bin.idle_s + bin.asking.all_s()) -
                              transfer_s;
                windows[grid_.of_bin(at)].add(time);
                if (has_short_)
                    wait_s[at] += time.wait_s;
            });
    }
    move_nccl_waiting(rank, windows);
    RankTime whole;
    double blocked_s = 0;
    for (const RankTime &window : windows)
        blocked_s += window.blocked_s;
    const double of_team = team_part(report_.ranks[rank], blocked_s);
    const double of_polls = part_between_polls(ranks_[rank]);
    for (size_t w = 0; w < windows.size(); w++) {
        count_poll_waiting(of_polls, windows[w]);
        count_team_waiting(of_team, windows[w]);
        walk.windows[w].push_back(windows[w]);
        whole.add(windows[w]);
    }
    RankPart part;
    part.rank = rank;
    part.program = programs_.of_rank[rank];
    part.launching = report_.ranks[rank].gpu->launching();
    walk.time.ranks.push_back(part);
    walk.time.whole.push_back(whole);
    if (walk.least_wait_s.empty())
        walk.least_wait_s = std::move(wait_s);
    else
        for (size_t i = 0; i < wait_s.size(); i++)
            walk.least_wait_s[i] = std::min(walk.least_wait_s[i], wait_s[i]);
}

void TimesGatherer::end_node(NodeWalk walk)
{
    describe_node(walk.time, report_.ranks);
    const NodeModels models = model_node(walk.time, std::move(walk.windows), grid_, work_);
    const std::lock_guard lock(mutex_);
    times_.add(models);
    times_.messages_per_call = std::max(times_.messages_per_call, walk.messages_per_call);
    times_.nodes[walk.node] = std::move(walk.time);
    if (least_wait_s_.empty())
        least_wait_s_ = std::move(walk.least_wait_s);
    else
        for (size_t i = 0; i < least_wait_s_.size(); i++)
            least_wait_s_[i] = std::min(least_wait_s_[i], walk.least_wait_s[i]);
}

RunTimes TimesGatherer::finish()
{
    for (size_t i = 0; i < least_wait_s_.size(); i++)
        if (is_short_[i])
            times_.short_wait_s += least_wait_s_[i];
    return std::move(times_);
}

// ---- the accounts -------------------------------------------------------------------------------

// The accounts of the whole run, and their parts in each phase. Files without time bins have
// one window: the run.

void analyse_accounts(RunTimes times, Report &report)
{
    if (times.nodes.empty())
        times = times_of_rows(report);
    report.accounts = make_accounts(std::move(times), report);
    for (PhaseRow &phase : report.time.phases)
        phase.cost = cost_words(window_of(report, phase.from_s, phase.to_s));
}

}  // namespace mprof
