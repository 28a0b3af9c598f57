// Next steps where ranks wait for each other.
#include "measure/function_facts.h"
#include "report/number_text.h"
#include "verdict/step_rules.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

bool is_barrier(const std::string &function)
{
    return facts_of(function).barrier;
}

// What barriers cost when nobody is late. The rest is waiting, which may move to the next call.
double barrier_transfer_s(const Report &report)
{
    double seconds = 0;
    for (const FunctionRow &row : report.functions)
        if (is_barrier(row.function) && row.wait_s)
            seconds += row.time_s - *row.wait_s;
    return seconds;
}

const CauseRow *cause_of(const Report &report, uint32_t rank)
{
    for (const CauseRow &row : report.causes)
        if (row.rank == rank)
            return &row;
    return nullptr;
}

// Ranks wait in messages for each other, and hardly two of them compute at the same time.
bool is_chain(const StepContext &c)
{
    return c.is(VerdictClass::synchronisation_bound) && !c.facts.one_is_late &&
           !c.is_particular(AccountKind::in_turn) && c.facts.partner_waited &&
           c.facts.partner_wait_percent >= cause_limits.chain_wait_percent &&
           c.facts.computing_ranks <= limits.chain_computing_ranks;
}

// The rank that all wait for is the root: what they wait for is what it does before.
bool is_late_root(const StepContext &c)
{
    const auto &place = c.facts.most_waited;
    return place && c.facts.same_is_last && facts_of(place->function).call == WaitRule::root;
}

// Where ranks share CPUs, the same work takes some of them up to two fifths more CPU time: a core
// runs slower beside a busy one.
bool surely_works_more(const Report &report, const AccountRow &row)
{
    constexpr double surely = 1.5;
    return !report.accounts.crowded || row.rank_s >= surely * row.next_s;
}

}  // namespace

Proposal propose_slow_node(const StepContext &c)
{
    const SlowHost &host = c.facts.slow_host;
    Proposal step;
    const bool is_cpu = c.facts.slow_cpu > 1;
    const AccountKind account =
        c.facts.is_first(AccountKind::slow_cpu) ? AccountKind::slow_cpu : AccountKind::uneven;
    step.of_class = c.is(VerdictClass::load_imbalance_bound);
    step.matches = (is_cpu || !host.name.empty()) && c.tells(account);
    step.confidence = is_cpu ? Confidence::high : Confidence::medium;
    step.account = account;
    step.worth_s = c.gain_s(account);
    step.least_s = c.least_gain_s(account);
    if (is_cpu) {
        step.action = fmt::format("Leave {} out, or check its clock, load and temperature.",
                                  c.facts.slow_cpu_host);
        step.evidence = fmt::format("the same arithmetic takes its rank {} {:.2f}x as long as the "
                                    "others",
                                    c.facts.slowest_rank, c.facts.slow_cpu);
        return step;
    }
    step.action = fmt::format("Leave {} out, or check its clock, load and temperature.", host.name);
    step.evidence = fmt::format(
        "its {} {:.2f}x as long as all others",
        host.ranks == 1 ? "rank computes" : plural(host.ranks, "rank") + " compute", host.factor);
    return step;
}

Proposal propose_slow_rank(const StepContext &c)
{
    Proposal step;
    step.account = AccountKind::uneven;
    step.of_class = c.is(VerdictClass::load_imbalance_bound);
    step.matches = c.tells(AccountKind::uneven) && !c.is_particular(AccountKind::uneven) &&
                   c.facts.slow_host.name.empty() && c.facts.slow_cpu <= 1;
    if (!step.matches)
        return step;
    const AccountRow &row = *c.facts.account(AccountKind::uneven);
    const CauseRow *cause = cause_of(c.report, row.rank.value_or(c.facts.slowest_rank));
    step.confidence =
        row.rank && surely_works_more(c.report, row) ? Confidence::high : Confidence::medium;
    step.by_waiting = !c.report.totals.on_cpu_s;
    step.worth_s = row.gain_s;
    step.least_s = row.gain_low_s;
    step.action =
        row.changes
            ? "Rebalance the work while the program runs: the busiest rank changes."
            : fmt::format("Give {} less work: look at how the work is divided.",
                          row.rank ? fmt::format("rank {}", *row.rank) : c.facts.slow_rank_words);
    step.evidence =
        fmt::format("load balance {:.2f} (mean / max compute time{})", c.facts.load_balance,
                    c.facts.of_program.empty() ? "" : ", ranks" + c.facts.of_program);
    if (cause != nullptr && !cause->segment.empty())
        step.evidence +=
            fmt::format("; rank {} computes longer between {}", cause->rank, cause->segment);
    if (cause != nullptr && !cause->reason.empty())
        step.evidence += "; it " + cause->reason;
    return step;
}

Proposal propose_late_in_turn(const StepContext &c)
{
    const auto &place = c.facts.most_waited;
    Proposal step;
    step.matches = step.of_class = c.is(VerdictClass::synchronisation_bound) && place &&
                                   !c.is_particular(AccountKind::in_turn) && !is_chain(c) &&
                                   !is_barrier(place->function) && !is_late_root(c);
    step.by_waiting = true;
    step.confidence = Confidence::medium;
    step.account = AccountKind::in_turn;
    step.worth_s = c.gain_s(AccountKind::in_turn);
    if (!step.matches)
        return step;
    if (c.facts.same_is_last) {
        step.action = fmt::format("Find out what makes rank {} late for {}.", *place->last_rank,
                                  place->words());
        step.evidence =
            fmt::format("it is last in {} of the calls, and the others waited {} for it",
                        percent_text(place->last_percent), duration_text(place->caused_wait_s));
        if (!c.facts.one_is_late)
            step.evidence += "; elsewhere it waits for others";
    } else {
        step.action = fmt::format(
            "Find out why the slowest rank changes from step to step (at {}).", place->words());
        step.evidence =
            place->last_rank
                ? fmt::format("rank {} is last most often, in {} of the calls", *place->last_rank,
                              percent_text(place->last_percent))
                : fmt::format("load balance {:.2f} over the whole run", c.facts.load_balance);
    }
    return step;
}

Proposal propose_chain(const StepContext &c)
{
    const auto &place = c.facts.partner_waited;
    Proposal step;
    step.matches = step.of_class = is_chain(c);
    step.by_waiting = true;
    step.confidence = Confidence::medium;
    step.account = AccountKind::in_turn;
    step.worth_s = c.gain_s(AccountKind::in_turn);
    if (!step.matches)
        return step;
    step.action = "Let ranks work at the same time, not one after the other: send smaller pieces "
                  "earlier, or change the order.";
    step.evidence =
        fmt::format("{} waiting for partners at {}; of {}, only {:.1f} compute at a time",
                    duration_text(place->wait_s), place->words(),
                    plural(c.report.ranks.size(), "rank"), c.facts.computing_ranks);
    return step;
}

// That of the first account, else of the largest one that is told.
Proposal propose_particular(const StepContext &c)
{
    Proposal step;
    const ParticularFinding *most = nullptr;
    for (const ParticularFinding &found : c.facts.particular)
        if (c.tells(found.account) && c.is_particular(found.account) &&
            (most == nullptr || c.facts.is_first(found.account) ||
             (!c.facts.is_first(most->account) && found.gain_s > most->gain_s)))
            most = &found;
    step.matches = most != nullptr;
    if (!step.matches)
        return step;
    step.of_class = c.facts.is_first(most->account);
    step.account = most->account;
    step.confidence = most->confidence;
    step.worth_s = most->gain_s;
    step.action = most->action;
    step.evidence = most->evidence;
    return step;
}

Proposal propose_late_root(const StepContext &c)
{
    const auto &place = c.facts.most_waited;
    Proposal step;
    step.matches = is_late_root(c) && c.is_worth(place->wait_s);
    step.of_class = c.is(VerdictClass::synchronisation_bound);
    step.by_waiting = true;
    step.confidence = Confidence::medium;
    if (!step.matches)
        return step;
    step.account = c.account_of_waiting();
    step.worth_s = c.at_most_waited(place->wait_s);
    step.action =
        fmt::format("Let rank {}, the root of {}, start earlier, or let the others work meanwhile.",
                    *place->last_rank, place->words());
    step.evidence = fmt::format("the others waited {} for it", duration_text(place->caused_wait_s));
    return step;
}

Proposal propose_barriers(const StepContext &c)
{
    const Heaviest of = heaviest(
        c.report, [](const auto &row) { return is_barrier(row.function) ? row.time_s : 0; });
    Proposal step;
    step.matches = c.is_worth(of.sum) &&
                   static_cast<double>(of.calls) >= limits.barriers_per_rank * c.facts.ranks;
    step.of_class = c.is(VerdictClass::synchronisation_bound) && c.facts.most_waited &&
                    is_barrier(c.facts.most_waited->function);
    step.by_waiting = true;
    step.confidence = Confidence::medium;
    step.account = c.account_of_waiting();
    step.worth_s = c.per_rank(of.sum);
    step.least_s = c.per_rank(barrier_transfer_s(c.report));
    step.action = fmt::format("Remove the {} if only timing needs it.", of.words);
    step.evidence =
        fmt::format("{} in barriers; messages and other collectives keep their order without them",
                    duration_text(of.sum));
    return step;
}

}  // namespace mprof
