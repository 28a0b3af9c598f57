// The rules of next steps; next_steps.cc chooses among what they propose.
//
// Each looks at the report and proposes a step, or not. `worth_s` is an upper bound.
#pragma once

#include "report/report.h"
#include "report/verdict_thresholds.h"
#include "verdict/verdict_facts.h"

#include <algorithm>
#include <optional>
#include <string>

namespace mprof {

struct Proposal {
    bool matches = false;
    bool of_class = false;  // this is what the class of the verdict asks for
    bool by_waiting = false;
    Confidence confidence = Confidence::low;
    // What it saves is part of this account; none: no account is about it.
    std::optional<AccountKind> account;
    double worth_s = 0;        // of the run's wallclock, at most
    double least_s = 0;        // of that, saved for sure if it is done fully; 0 = nobody can tell
    bool is_guess = false;     // nobody can tell what part of worth_s can be saved
    bool is_recorded = false;  // by a rank that is there, whoever is missing
    bool saves = true;         // false: the run gets no shorter by it, so no worth is told
    std::string action, evidence;
    std::string try_it, otherwise;  // as in NextStep; "" = what the table of rules says
};

// What steps are sorted by: worth times confidence, twice for what the class asks for.
double expected_s(const Proposal &step, Confidence confidence);

struct StepContext {
    const Report &report;
    const VerdictFacts &facts;
    VerdictClass verdict_class;

    bool is(VerdictClass wanted) const { return verdict_class == wanted; }
    double per_rank(double seconds) const { return facts.per_rank(seconds); }
    // What ranks wait for at one place may be one rank's waiting, on which the whole run waits: at
    // most all of it, and at most what the rank waits that waits longest.
    double at_most_waited(double seconds_of_all) const
    {
        double longest_s = 0;
        for (const RankRow &rank : report.ranks)
            longest_s = std::max(longest_s, rank.wait_s.value_or(0));
        return std::max(per_rank(seconds_of_all),
                        facts.busiest_part * std::min(seconds_of_all, longest_s));
    }
    // The account is large enough to be told, or it is the first one.
    bool tells(AccountKind kind) const
    {
        const AccountRow *row = facts.account(kind);
        return row != nullptr && (facts.is_first(kind) || is_in_pair(kind) ||
                                  row->gain_low_s >= least_account_s(*facts.accounts));
    }
    // Of two that hide each other neither saves anything alone.
    bool is_in_pair(AccountKind kind) const
    {
        return facts.first && facts.first->kinds.size() > 1 &&
               std::find(facts.first->kinds.begin(), facts.first->kinds.end(), kind) !=
                   facts.first->kinds.end();
    }
    // The step against the pattern stands in place of those that hold for all of the account.
    bool is_particular(AccountKind kind) const { return facts.particular_of(kind) != nullptr; }
    double gain_s(AccountKind kind) const
    {
        const AccountRow *row = facts.account(kind);
        return row == nullptr ? 0 : row->gain_s;
    }
    double least_gain_s(AccountKind kind) const
    {
        const AccountRow *row = facts.account(kind);
        return row == nullptr ? 0 : row->gain_low_s;
    }
    // Of those that are a reason for waiting, the largest.
    AccountKind account_of_waiting() const;
    // Of small and of large messages, the larger one.
    AccountKind account_of_transfer() const;
    bool is_worth(double seconds) const
    {
        return facts.of_wallclock(seconds) >= verdict_thresholds.step_percent;
    }
};

// The line with the most of something, or, where no lines are known, the function.
struct Heaviest {
    double sum = 0;  // over all of them
    std::string words, function;
    std::optional<uint64_t> size;
    uint64_t calls = 0, size_calls = 0;
    double most = 0, time_s = 0;

    template <class Row>
    void add(const Row &row, double value, const std::string &place,
             const std::optional<uint64_t> &bytes, uint64_t calls_of_size)
    {
        sum += value;
        if (value <= most)
            return;
        most = value;
        words = row.function + (place.empty() ? "" : " at " + place);
        function = row.function;
        size = bytes;
        calls = row.calls;
        size_calls = calls_of_size;
        time_s = row.time_s;
    }
    // "486400 calls of 8 B, 64.8 us each", "198 of 16050 calls are of 1.9 MiB and take most time"
    std::string calls_words() const;
};

template <class Value>
Heaviest heaviest(const Report &report, const Value &value_of)
{
    Heaviest result;
    for (const CallLineRow &row : report.call_lines)
        result.add(row, value_of(row), row.place, row.size, row.size_calls);
    if (report.call_lines.empty())
        for (const FunctionRow &row : report.functions)
            result.add(row, value_of(row), "",
                       row.calls > 0 ? std::optional(row.bytes / row.calls) : std::nullopt,
                       row.calls);
    return result;
}

// Who is late: steps_of_waiting.cc.
Proposal propose_slow_node(const StepContext &c);
Proposal propose_slow_rank(const StepContext &c);
Proposal propose_late_in_turn(const StepContext &c);
Proposal propose_chain(const StepContext &c);
Proposal propose_late_root(const StepContext &c);
Proposal propose_barriers(const StepContext &c);

// A pattern that is known by name: steps_of_waiting.cc.
Proposal propose_particular(const StepContext &c);

// Programs that do not keep pace: steps_of_programs.cc.
Proposal propose_more_ranks(const StepContext &c);
Proposal propose_programs_at_once(const StepContext &c);

// How messages are sent: steps_of_messages.cc.
Proposal propose_tiny_reductions(const StepContext &c);
Proposal propose_tiny_messages(const StepContext &c);
Proposal propose_late_receives(const StepContext &c);
Proposal propose_serial_exchange(const StepContext &c);
Proposal propose_overlap(const StepContext &c);
Proposal propose_nodes_apart(const StepContext &c);
Proposal propose_arrays(const StepContext &c);

// How files are used: steps_of_files.cc.
Proposal propose_file_output(const StepContext &c);

// What the kernel does for the program: steps_of_kernel.cc.
Proposal propose_less_kernel_work(const StepContext &c);

// How the threads of OpenMP are used: steps_of_threads.cc.
Proposal propose_sharing_work(const StepContext &c);
Proposal propose_even_threads(const StepContext &c);
Proposal propose_shorter_locks(const StepContext &c);
Proposal propose_more_tasks(const StepContext &c);
Proposal propose_fewer_regions(const StepContext &c);
Proposal propose_more_parallel(const StepContext &c);
Proposal propose_larger_teams(const StepContext &c);

// Where the GPU holds the ranks: steps_of_gpus.cc.
Proposal propose_even_gpus(const StepContext &c);
Proposal propose_no_staging(const StepContext &c);
Proposal propose_pinned_memory(const StepContext &c);
Proposal propose_fewer_copies(const StepContext &c);
Proposal propose_fewer_launches(const StepContext &c);

// What is called too often, and how the program is run: steps_of_running.cc.
Proposal propose_polling(const StepContext &c);
Proposal propose_cheap_calls(const StepContext &c);
Proposal propose_fewer_ranks(const StepContext &c);
Proposal propose_free_cpus(const StepContext &c);
Proposal propose_unblocking(const StepContext &c);
Proposal propose_binding(const StepContext &c);
Proposal propose_keeping(const StepContext &c);
Proposal propose_start_up(const StepContext &c);
Proposal propose_shared_start(const StepContext &c);
Proposal propose_look_at_hang(const StepContext &c);
Proposal propose_look_at_end(const StepContext &c);
Proposal propose_compute(const StepContext &c);
Proposal propose_longest_call(const StepContext &c);

}  // namespace mprof
