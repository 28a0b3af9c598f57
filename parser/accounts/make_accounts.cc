// Each account is a function here; the order of what adds up is in account_order.cc.
#include "accounts/make_accounts.h"

#include "accounts/account_limits.h"
#include "accounts/account_order.h"
#include "accounts/node_facts.h"
#include "accounts/threads_account.h"
#include "accounts/whole_run.h"
#include "measure/function_facts.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <numeric>

namespace mprof {
namespace {

using Seconds = std::vector<double>;  // by rank, as report.ranks

double sum_of(const Seconds &values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// Of all ranks of all nodes.
template <class Value>
Seconds by_rank(const RunTimes &times, size_t ranks, const Value &value)
{
    Seconds values(ranks);
    for (const NodeTime &node : times.nodes)
        for (size_t i = 0; i < node.ranks.size(); i++)
            values[node.ranks[i].rank] = value(node.whole[i], node.ranks[i]);
    return values;
}

struct UnevenSum {
    Seconds held;  // by the rank that works longest in a window
    double gain_s = 0, high_s = 0;
};

class AccountMaker {
public:
    AccountMaker(const RunTimes &times, const Report &report)
        : times_(times), report_(report), run_(times.nodes), ranks_(report.ranks.size())
    {
        for (const RankRow &row : report.ranks)
            caused_s_.push_back(row.caused_wait_s.value_or(0) + row.gpu->nccl_caused_s.value_or(0));
    }

    Accounts make()
    {
        result_.span_s = run_.all_s();
        result_.known = result_.span_s > 0;
        if (!result_.known)
            return std::move(result_);
        describe_run();
        add_uneven();
        add_parts();
        add_waiting();
        add_threads();
        add_slow_cpu();
        add_gpus();
        add_around();
        add_start_up();
        add_windows();
        result_.order = order_of_accounts(run_, result_);
        name_hidden_uneven();
        std::erase_if(result_.rows, [&](const AccountRow &row) {
            return row.gain_s < verdict_thresholds.account_row_share * result_.span_s &&
                   !is_in_order(row.kind);
        });
        std::stable_sort(
            result_.rows.begin(), result_.rows.end(),
            [](const AccountRow &a, const AccountRow &b) { return a.gain_low_s > b.gain_low_s; });
        return std::move(result_);
    }

private:
    void describe_run();
    void add_uneven();
    void add_parts();
    void add_transfer(AccountKind kind, double short_s);
    void add_waiting();
    void add_threads();
    void add_slow_cpu();
    void add_gpus();
    void add_uneven_gpus();
    void add_around();
    void add_start_up();
    void add_windows();
    bool is_in_order(AccountKind kind) const;
    void name_hidden_uneven();
    AccountRow &add(AccountKind kind, double gain_s);
    void name_rank(const Seconds &held, const Seconds &of_ranks, AccountRow &row) const;
    double removed_s(AccountKind kind) const;
    double waited_for_s(const Seconds &of_ranks) const;
    double removed_s(AccountKind kind, const Seconds &of_ranks) const;
    UnevenSum sum_of_uneven(const std::vector<StretchModel> &windows,
                            const std::vector<std::optional<size_t>> &busiest,
                            double chance_s) const;
    Seconds sum_windows_of_uneven(AccountRow &row) const;
    void name_busiest(const Seconds &work, AccountRow &row) const;
    double mixed_s() const;
    bool takes_tasks(const Seconds &work) const;
    double turns_s() const;
    double switches_s() const;
    double uneven_queue_s() const;
    double taken_s() const;
    bool lacks_cpus() const;
    double crowded_work_s() const;

    const RunTimes &times_;
    const Report &report_;
    const WholeRun run_;
    const size_t ranks_;
    Seconds caused_s_;       // what others waited for a rank
    double in_turn_s_ = 0;   // of the account, with what is lost to switching between ranks
    double taken_s_ = 0;     // of what all ranks wait at once, while other programs have the CPUs
    double taken_part_ = 0;  // of it
    Accounts result_;
};

AccountRow &AccountMaker::add(AccountKind kind, double gain_s)
{
    AccountRow &row = result_.rows.emplace_back();
    row.kind = kind;
    row.gain_s = row.gain_low_s = row.gain_high_s = std::clamp(gain_s, 0.0, result_.span_s);
    row.wall_without_s = report_.run.wallclock_s - row.gain_s;
    return row;
}

// The rank that holds most of an account, and beside it the one with the next most.
void AccountMaker::name_rank(const Seconds &held, const Seconds &of_ranks, AccountRow &row) const
{
    const auto most = std::max_element(held.begin(), held.end());
    if (most == held.end() || *most <= 0 ||
        *most < verdict_thresholds.account_holder_share * sum_of(held))
        return;
    const auto rank = static_cast<size_t>(most - held.begin());
    row.rank = report_.ranks[rank].rank;
    row.rank_s = of_ranks[rank];
    for (size_t r = 0; r < of_ranks.size(); r++)
        if (r != rank)
            row.next_s = std::max(row.next_s, of_ranks[r]);
}

void AccountMaker::describe_run()
{
    double work_s = 0, queue_s = 0;
    for (const NodeTime &node : times_.nodes) {
        for (const RankTime &time : node.whole) {
            work_s += time.work_s;
            queue_s += time.queue_s;
        }
        result_.polls = result_.polls || node.polls;
        result_.other_threads = std::max(result_.other_threads, node.other_threads);
    }
    result_.crowded = queue_s > account_limits.crowded * (work_s + queue_s);
}

// Without the cause: in the whole run, or in windows.
double AccountMaker::removed_s(AccountKind kind) const
{
    double of_windows_s = 0;
    for (const StretchModel &window : times_.windows)
        of_windows_s += window.saves(kind);
    return std::max(run_.saves_s(only(kind)), of_windows_s);
}

// As far as others waited for the ranks that have it.
double AccountMaker::waited_for_s(const Seconds &of_ranks) const
{
    const double others = std::max(1.0, static_cast<double>(ranks_) - 1);
    double waited_s = 0;
    for (size_t r = 0; r < ranks_; r++)
        waited_s += std::min(of_ranks[r], caused_s_[r] / others);
    return waited_s;
}

// Between steps, too.
double AccountMaker::removed_s(AccountKind kind, const Seconds &of_ranks) const
{
    return std::max(removed_s(kind), waited_for_s(of_ranks));
}

// Of windows, what evenness saves in each beyond what it saves by chance.
UnevenSum AccountMaker::sum_of_uneven(const std::vector<StretchModel> &windows,
                                      const std::vector<std::optional<size_t>> &busiest,
                                      double chance_s) const
{
    UnevenSum sum;
    sum.held.resize(ranks_);
    for (size_t w = 0; w < windows.size(); w++) {
        const double saves_s = std::max(0.0, windows[w].even_saves() - chance_s);
        sum.gain_s += saves_s;
        sum.high_s += std::max(0.0, windows[w].surplus_saves() - chance_s);
        if (busiest[w])
            sum.held[*busiest[w]] += saves_s;
    }
    sum.high_s = std::max(sum.gain_s, sum.high_s);
    return sum;
}

// By rank: what evenness saves in the windows in which it works longest. Where CPUs are short, the
// CPU times of short windows differ by the turns that ranks take on them; but work that moves from
// rank to rank shows only there.
Seconds AccountMaker::sum_windows_of_uneven(AccountRow &row) const
{
    const UnevenSum of_short =
        sum_of_uneven(times_.windows, times_.busiest, result_.crowded ? account_limits.slice_s : 0);
    UnevenSum most = of_short;
    if (result_.crowded) {
        const UnevenSum of_long = sum_of_uneven(times_.long_windows, times_.long_busiest, 0);
        most = of_long.gain_s >= of_short.gain_s ? of_long : of_short;
    }
    row.gain_s = most.gain_s;
    row.gain_high_s = most.high_s;
    return most.held;
}

// Of ranks that poll without a CPU, CPU time of MPI and of computing are not separated. What calls
// that only ask take is measured by a clock that goes on while there is no CPU.
double AccountMaker::mixed_s() const
{
    if (!result_.crowded)
        return 0;
    double polls = 0, local_s = 0;
    for (const RankRow &row : report_.ranks)
        local_s = std::max(local_s, row.local_s);
    for (const FunctionRow &row : report_.functions)
        if (facts_of(row.function).poll)
            polls += static_cast<double>(row.calls);
    return polls / static_cast<double>(ranks_) * account_limits.poll_s + local_s;
}

// A rank that takes the next task when it is done with one has more of them where it is faster, or
// has its CPU more often. All tasks are alike, so it makes more calls as well; or who gives them
// out makes as many calls as all the others.
bool AccountMaker::takes_tasks(const Seconds &work) const
{
    const double most_s = *std::max_element(work.begin(), work.end());
    double least_s = most_s, shortest_s = most_s, longest_s = 0;
    size_t workers = 0;
    double idle_calls = 0, worker_calls = 0;
    for (size_t r = 0; r < ranks_; r++) {
        const auto calls = static_cast<double>(report_.ranks[r].calls);
        if (work[r] < account_limits.hardly_works * most_s || calls <= 0) {
            idle_calls = std::max(idle_calls, calls);
            continue;
        }
        workers++;
        worker_calls += calls;
        least_s = std::min(least_s, work[r]);
        shortest_s = std::min(shortest_s, work[r] / calls);
        longest_s = std::max(longest_s, work[r] / calls);
    }
    const bool are_served = idle_calls >= account_limits.served_calls * worker_calls;
    return workers > 1 && workers < ranks_ &&
           longest_s <= (1 + account_limits.same_task) * shortest_s &&
           (are_served || most_s > (1 + account_limits.same_task) * least_s);
}

// Several ranks may share what one window or another has too much of. Where the sums of the whole
// run are as uneven as its windows, the busiest rank does not change: any of those with most work
// stands for them. Of several programs nobody knows how much work each rank has to have.
void AccountMaker::name_busiest(const Seconds &work, AccountRow &row) const
{
    if (row.rank || ranks_ < 2 || report_.programs.size() > 1 ||
        run_.saves_s(only(AccountKind::uneven)) <
            verdict_thresholds.account_holder_share * row.gain_s)
        return;
    const auto most =
        static_cast<size_t>(std::max_element(work.begin(), work.end()) - work.begin());
    Seconds only_most(ranks_);
    only_most[most] = work[most];
    name_rank(only_most, work, row);
}

void AccountMaker::add_uneven()
{
    AccountRow &row = add(AccountKind::uneven, 0);
    const Seconds work =
        by_rank(times_, ranks_, [](const RankTime &time, const RankPart &) { return time.work_s; });
    result_.takes_tasks = takes_tasks(work);
    if (result_.takes_tasks)
        return;
    const Seconds held = sum_windows_of_uneven(row);
    row.gain_low_s = std::max(0.0, row.gain_s - mixed_s());
    row.wall_without_s -= row.gain_s;
    name_rank(held, work, row);
    name_busiest(work, row);
    // Where CPUs are short, the CPU times of windows differ by chance.
    const double others_s =
        ranks_ > 1 ? (sum_of(work) - row.rank_s) / static_cast<double>(ranks_ - 1) : 0;
    if (result_.crowded && row.rank_s < verdict_thresholds.works_more_factor * others_s) {
        row.rank.reset();
        row.rank_s = row.next_s = 0;
    }
    row.changes = ranks_ > 1 && !row.rank;
    // A rank that lacks a CPU longer than the others works where they wait already: so far as it
    // does, that windows differ is not the program's.
    if (row.changes)
        row.gain_low_s = std::max(0.0, row.gain_low_s - uneven_queue_s());
}

double AccountMaker::uneven_queue_s() const
{
    const Seconds queue_s = by_rank(
        times_, ranks_, [](const RankTime &time, const RankPart &) { return time.queue_s; });
    if (!result_.crowded || queue_s.empty())
        return 0;
    return *std::max_element(queue_s.begin(), queue_s.end()) -
           sum_of(queue_s) / static_cast<double>(queue_s.size());
}

void AccountMaker::add_parts()
{
    const Seconds blocked = by_rank(
        times_, ranks_, [](const RankTime &time, const RankPart &) { return time.blocked_s; });
    name_rank(blocked, blocked,
              add(AccountKind::blocked, removed_s(AccountKind::blocked, blocked)));
    const Seconds kernel = by_rank(times_, ranks_, [](const RankTime &time, const RankPart &rank) {
        return time.work_s * rank.kernel;
    });
    name_rank(kernel, kernel, add(AccountKind::kernel, removed_s(AccountKind::kernel, kernel)));
    const Seconds pickling =
        by_rank(times_, ranks_, [](const RankTime &time, const RankPart &rank) {
            return time.work_s * rank.pickling;
        });
    // Of windows it is not known.
    name_rank(pickling, pickling,
              add(AccountKind::pickling,
                  std::max(run_.saves_s(only(AccountKind::pickling)), waited_for_s(pickling))));
    const Seconds files = by_rank(
        times_, ranks_, [](const RankTime &time, const RankPart &) { return time.files_s; });
    name_rank(files, files, add(AccountKind::files, removed_s(AccountKind::files)));
}

// What the scheduler takes of a program whose ranks wait for each other on a crowded node.
double AccountMaker::turns_s() const
{
    double most = 0;
    for (const NodeTime &node : times_.nodes) {
        // Who gives way while it waits gets its CPU back when another program's slice is over.
        const bool wants_always =
            node.polls || node.other_threads > 0 || node.taken > account_limits.crowded;
        double wanted_s = 0;
        for (const RankTime &time : node.whole)
            wanted_s += time.work_s + time.queue_s + (wants_always ? time.wait_s : 0);
        const double threads = wanted_s / result_.span_s + node.other_threads;
        most = std::max(most, threads / node.cpus - 1);
    }
    return times_.calls * account_limits.slice_s * most + switches_s();
}

// What it takes until ranks that waited in MPI have their CPU back from others that wait there.
double AccountMaker::switches_s() const
{
    return lacks_cpus() ? times_.calls * account_limits.switch_s : 0;
}

// In which others have the CPUs and no rank has anything to do but to wait in MPI, if ranks never
// do so at the same time: at least so long others wait for ranks that lack a CPU.
double AccountMaker::taken_s() const
{
    double taken = 0, own_s = 0;
    for (const NodeTime &node : times_.nodes) {
        taken = std::max(taken, node.taken);
        for (const RankTime &time : node.whole)
            own_s += time.own_s() - time.transfer_s;
    }
    return std::max(0.0, std::min(taken * result_.span_s, result_.span_s - own_s));
}

bool AccountMaker::lacks_cpus() const
{
    return std::any_of(times_.nodes.begin(), times_.nodes.end(), [](const NodeTime &node) {
        return static_cast<double>(node.ranks.size()) > node.cpus;
    });
}

// No run is shorter than the work of all ranks on their CPUs. Where CPUs are short, for ranks that
// take turns on them or beside other programs, messages wait for one: only what they take elsewhere
// is surely theirs.
void AccountMaker::add_transfer(AccountKind kind, double short_s)
{
    const Causes gone = only(kind) | only(AccountKind::other_program);
    const double most_s = std::max(0.0, result_.span_s - run_.model_s(gone));
    AccountRow &row = add(kind, std::min(most_s, removed_s(kind) + short_s));
    if (kind == AccountKind::latency && times_.nodes.size() == 1 &&
        (lacks_cpus() || result_.other_threads > 0))
        row.gain_low_s = std::min(row.gain_s, times_.messages() * account_limits.fast_call_s);
}

// What all ranks wait at once: for latency where calls follow each other fast, else in turn. No run
// is shorter than the work of all ranks on their CPUs.
void AccountMaker::add_waiting()
{
    double rest_s = 0;
    for (const StretchModel &window : times_.windows)
        rest_s += window.least_wait_s;
    taken_s_ = std::min(rest_s, taken_s());
    taken_part_ = rest_s > 0 ? taken_s_ / rest_s : 0;
    rest_s -= taken_s_;
    const double short_s = std::min(rest_s, times_.short_wait_s);
    add_transfer(AccountKind::latency, short_s);
    add_transfer(AccountKind::bandwidth, 0);
    const double floor_s = run_.model_s(only(AccountKind::other_program));
    AccountRow &row =
        add(AccountKind::in_turn, std::min(rest_s - short_s, result_.span_s - floor_s));
    row.gain_low_s = std::clamp(std::min(row.gain_s - turns_s(), result_.span_s - run_.model_s({})),
                                0.0, row.gain_s);
    in_turn_s_ = row.gain_s;
    // For whom ranks wait is not known of all calls: then a small part of it names nobody.
    if (sum_of(caused_s_) >= verdict_thresholds.account_holder_share * row.gain_s)
        name_rank(caused_s_, caused_s_, row);
}

// What it would save if threads shared the work of their rank.
void AccountMaker::add_threads()
{
    const ThreadsSaving saving = find_threads_saving(times_, report_, result_);
    AccountRow &row = add(AccountKind::threads, saving.gain_s);
    row.gain_low_s = std::min(row.gain_s, saving.low_s);
    if (!saving.by_rank_s.empty())
        name_rank(saving.by_rank_s, saving.by_rank_s, row);
}

// What it explains of unequal work is not for the program to divide evenly.
void AccountMaker::add_slow_cpu()
{
    const double gain_s = run_.saves_s(only(AccountKind::slow_cpu));
    const Seconds lost = by_rank(times_, ranks_, [](const RankTime &time, const RankPart &rank) {
        return time.work_s * (1 - rank.speed);
    });
    name_rank(lost, lost, add(AccountKind::slow_cpu, gain_s));
    AccountRow &uneven = result_.rows.front();
    for (double *part : {&uneven.gain_s, &uneven.gain_low_s, &uneven.gain_high_s})
        *part = std::max(0.0, *part - gain_s);
    uneven.wall_without_s = report_.run.wallclock_s - uneven.gain_s;
}

// Waiting for a GPU and copying, divided evenly: no rank distinguishes a wait hidden in a copy.
void AccountMaker::add_uneven_gpus()
{
    AccountRow &row = add(AccountKind::gpu_uneven, 0);
    const auto &windows = result_.crowded ? times_.long_windows : times_.windows;
    const auto &busiest = result_.crowded ? times_.long_busiest_gpu : times_.busiest_gpu;
    Seconds held(ranks_);
    double gain_s = 0;
    for (size_t w = 0; w < windows.size(); w++) {
        const double saves_s = windows[w].even_gpu_saves();
        gain_s += saves_s;
        if (busiest[w])
            held[*busiest[w]] += saves_s;
    }
    row.gain_s = row.gain_low_s = row.gain_high_s = gain_s;
    row.wall_without_s -= gain_s;
    name_rank(held,
              by_rank(times_, ranks_,
                      [](const RankTime &time, const RankPart &) { return time.gpu_s(); }),
              row);
    row.changes = ranks_ > 1 && !row.rank;
}

// What GPUs work may all be needed, so without waiting for them has no low. While a rank launches
// its GPU works: only what it launches longer than it waits afterwards is surely saved.
void AccountMaker::add_gpus()
{
    const auto of_ranks = [&](double RankTime::*part) {
        return by_rank(times_, ranks_,
                       [part](const RankTime &time, const RankPart &) { return time.*part; });
    };
    const Seconds waits = of_ranks(&RankTime::gpu_wait_s), copies = of_ranks(&RankTime::gpu_copy_s);
    const Seconds launches =
        by_rank(times_, ranks_, [](const RankTime &time, const RankPart &rank) {
            return rank.launching * time.gpu_launch_s;
        });
    if (sum_of(waits) + sum_of(copies) + sum_of(launches) <= 0)
        return;
    add_uneven_gpus();
    AccountRow &waiting = add(AccountKind::gpu_wait, removed_s(AccountKind::gpu_wait, waits));
    waiting.gain_low_s = 0;
    name_rank(waits, waits, waiting);
    name_rank(copies, copies, add(AccountKind::gpu_copy, removed_s(AccountKind::gpu_copy, copies)));
    AccountRow &launching =
        add(AccountKind::gpu_launch, removed_s(AccountKind::gpu_launch, launches));
    const double most_wait_s = *std::max_element(waits.begin(), waits.end());
    launching.gain_low_s = std::max(0.0, launching.gain_s - most_wait_s);
    name_rank(launches, launches, launching);
}

// What more CPUs save of the time in which surely all of them are at work for the ranks.
double AccountMaker::crowded_work_s() const
{
    double most_s = 0;
    for (const NodeTime &node : times_.nodes) {
        const auto ranks = static_cast<double>(node.ranks.size());
        double work_s = 0;
        for (const RankTime &time : node.whole)
            work_s += time.work_s;
        const double together_s = work_s - (node.cpus - 1) * result_.span_s;
        if (ranks > node.cpus)
            most_s = std::max(most_s, together_s * (1 - node.cpus / ranks));
    }
    return most_s;
}

void AccountMaker::add_around()
{
    const Causes other = only(AccountKind::other_program);
    const double alone_s = run_.model_s(other);
    const double queued_s =
        result_.other_threads > 0 ? std::max(0.0, run_.longest_s() - alone_s) : 0;
    const double taken_s = std::min(taken_s_, result_.span_s - alone_s - queued_s);
    add(AccountKind::other_program, queued_s + std::max(0.0, taken_s));
    const double enough_s = run_.model_s(other | only(AccountKind::few_cpus));
    const double most_s = std::min(result_.span_s, alone_s) - enough_s;
    const double lacking_s = std::max(std::min(run_.longest_s(), alone_s) - enough_s,
                                      std::min(most_s, crowded_work_s()));
    const double switching_s = std::min(in_turn_s_, switches_s());
    add(AccountKind::few_cpus,
        std::min(lacking_s + switching_s, std::max(lacking_s, result_.span_s - enough_s)));
}

// At least: what a rank that enters MPI late lets the others wait. It waits least itself.
void AccountMaker::add_start_up()
{
    double most_s = 0;
    const RankRow *late = nullptr;
    for (const RankRow &rank : report_.ranks) {
        most_s = std::max(most_s, rank.startup_s.value_or(0));
        if (rank.startup_s && (late == nullptr || *rank.startup_s < *late->startup_s))
            late = &rank;
    }
    AccountRow &row = add(AccountKind::start_up, 0);
    row.gain_s = row.gain_high_s = most_s;
    row.gain_low_s = late != nullptr ? most_s - *late->startup_s : 0;
    row.wall_without_s -= most_s;
    if (row.gain_low_s > verdict_thresholds.account_holder_share * row.gain_s)
        row.rank = late->rank;
}

void AccountMaker::add_windows()
{
    if (times_.window_s <= 0)
        return;
    for (size_t w = 0; w < times_.windows.size(); w++) {
        const StretchModel &model = times_.windows[w];
        AccountWindow &window = result_.windows.emplace_back();
        window.from_s = static_cast<double>(w) * times_.window_s;
        window.to_s = window.from_s + times_.window_s;
        window.uneven_s = model.even_saves();
        window.blocked_s = model.saves(AccountKind::blocked);
        window.kernel_s = model.saves(AccountKind::kernel);
        window.files_s = model.saves(AccountKind::files);
        window.in_turn_s = (1 - taken_part_) * model.least_wait_s;
        window.latency_s = model.saves(AccountKind::latency);
        window.bandwidth_s = model.saves(AccountKind::bandwidth);
        if (times_.busiest[w])
            window.rank = report_.ranks[*times_.busiest[w]].rank;
    }
}

bool AccountMaker::is_in_order(AccountKind kind) const
{
    return std::any_of(result_.order.begin(), result_.order.end(), [kind](const AccountStep &step) {
        return std::find(step.kinds.begin(), step.kinds.end(), kind) != step.kinds.end();
    });
}

// Where another cause hides it, the rank with most work has it.
void AccountMaker::name_hidden_uneven()
{
    AccountRow &row = result_.rows.front();
    if (row.gain_s >= verdict_thresholds.account_row_share * result_.span_s ||
        !is_in_order(AccountKind::uneven))
        return;
    const Seconds work =
        by_rank(times_, ranks_, [](const RankTime &time, const RankPart &) { return time.work_s; });
    const auto most =
        static_cast<size_t>(std::max_element(work.begin(), work.end()) - work.begin());
    row.rank = report_.ranks[most].rank;
    row.rank_s = work[most];
    row.changes = false;
}

}  // namespace

Accounts make_accounts(RunTimes times, const Report &report)
{
    note_speeds(report.ranks, times.nodes);
    note_pickling(report.ranks, times.nodes);
    return AccountMaker(times, report).make();
}

}  // namespace mprof
