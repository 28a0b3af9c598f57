// Next steps where messages and reductions take the time.
#include "measure/function_facts.h"
#include "report/number_text.h"
#include "verdict/step_rules.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

// The least that the MPIs of today have, unless --machine tells more.
uint64_t eager_limit(const Report &report)
{
    uint64_t limit = limits.least_eager_bytes;
    for (const EagerLimitRow &row : report.eager_limits)
        limit = std::max(limit, row.limit_bytes);
    return limit;
}

bool is_tiny(const std::optional<uint64_t> &size)
{
    return size && *size <= limits.tiny_bytes;
}

}  // namespace

Proposal propose_tiny_reductions(const StepContext &c)
{
    const Heaviest of = heaviest(c.report, [](const auto &row) {
        return facts_of(row.function).reduces ? row.time_s - row.wait_s.value_or(0) : 0;
    });
    Proposal step;
    step.matches = c.is_worth(of.most) && is_tiny(of.size) && c.facts.is_made_often(of.calls);
    step.of_class = c.is(VerdictClass::latency_bound);
    step.confidence = Confidence::medium;
    step.account = AccountKind::latency;
    step.worth_s = c.per_rank(of.most);
    step.least_s = step.worth_s / 2;  // two into one
    step.action = fmt::format("Put several values into one {}, or call it less often.", of.words);
    step.evidence = of.calls_words();
    return step;
}

Proposal propose_tiny_messages(const StepContext &c)
{
    const Heaviest of = heaviest(c.report, [](const auto &row) {
        const FunctionFacts rules = facts_of(row.function);
        const bool moves = rules.call == WaitRule::message || rules.completion == WaitRule::message;
        if (!moves)
            return 0.0;
        return row.time_s;  // where messages follow each other fast, waiting is latency
    });
    Proposal step;
    step.account = AccountKind::latency;
    step.of_class = c.is(VerdictClass::latency_bound);
    step.matches = c.tells(AccountKind::latency) && c.is_worth(of.most) && of.size &&
                   *of.size < limits.small_message_bytes;
    step.confidence = Confidence::medium;
    // Sending and receiving them: both sides have fewer calls.
    step.worth_s = c.per_rank(of.sum);
    step.least_s = c.per_rank(of.most) / 2;  // two into one
    step.action = fmt::format(
        "Send fewer, larger messages: combine what goes to the same rank at {}.", of.words);
    step.evidence = of.calls_words();
    return step;
}

Proposal propose_late_receives(const StepContext &c)
{
    const Heaviest of = heaviest(c.report, [](const auto &row) {
        const FunctionFacts function = facts_of(row.function);
        return function.standard_send && function.is_blocking_message() ? row.wait_s.value_or(0)
                                                                        : 0;
    });
    Proposal step;
    // What is sent eagerly waits for no receiver.
    step.matches = c.is_worth(of.most) && of.size && *of.size > eager_limit(c.report);
    // A sender that need not wait gains nothing where its receiver has more to do in all: what it
    // does gain is time in which ranks wait for each other in turn.
    step.account =
        c.is_worth(c.gain_s(AccountKind::in_turn)) ? AccountKind::in_turn : c.account_of_waiting();
    step.by_waiting = true;
    step.confidence = Confidence::medium;
    step.worth_s = c.at_most_waited(of.most);
    step.action =
        fmt::format("Let the receivers of {} post their receives earlier (MPI_Irecv){}.", of.words,
                    of.size && *of.size <= cause_limits.most_eager_bytes
                        ? ", or raise the MPI's eager limit above " + bytes_text(*of.size)
                        : "");
    step.evidence = fmt::format("sends of {} wait {} for their receivers",
                                bytes_text(of.size.value_or(0)), duration_text(of.most));
    return step;
}

// Messages that take several times as long as the machine needs, in blocking sends and receives.
Proposal propose_serial_exchange(const StepContext &c)
{
    double send_s = 0, receive_s = 0;
    for (const FunctionRow &row : c.report.functions) {
        const FunctionFacts function = facts_of(row.function);
        if (!function.is_blocking_message() || function.sends == function.receives)
            continue;
        (function.sends ? send_s : receive_s) += row.time_s - row.wait_s.value_or(0);
    }
    double observed_s = 0, possible_s = 0;
    for (const TransferRow &row : c.report.transfers)
        if (row.low_bytes >= limits.small_message_bytes) {
            observed_s += row.observed_s * static_cast<double>(row.messages);
            possible_s += row.possible_s * static_cast<double>(row.messages);
        }
    Proposal step;
    step.matches = c.is_worth(send_s) && c.is_worth(receive_s) && possible_s > 0 &&
                   observed_s >= limits.slow_transfer_factor * possible_s &&
                   c.is(VerdictClass::bandwidth_bound);
    step.of_class = true;
    step.confidence = Confidence::low;
    step.account = AccountKind::bandwidth;
    step.worth_s = std::min(c.per_rank(send_s + receive_s), c.per_rank(observed_s - possible_s));
    step.action = "Exchange with MPI_Sendrecv, or MPI_Irecv, MPI_Isend and MPI_Waitall: blocking "
                  "pairs run one after the other.";
    step.evidence = fmt::format("messages take {:.1f}x as long as they could",
                                possible_s > 0 ? observed_s / possible_s : 0);
    return step;
}

Proposal propose_overlap(const StepContext &c)
{
    Proposal step;
    step.account = AccountKind::bandwidth;
    step.of_class = c.is(VerdictClass::bandwidth_bound);
    step.matches = c.tells(AccountKind::bandwidth) && !c.is_particular(AccountKind::bandwidth);
    step.confidence = Confidence::low;
    step.worth_s = c.gain_s(AccountKind::bandwidth);
    step.action = "Send less, or start transfers earlier and compute meanwhile (MPI_Isend, "
                  "MPI_Irecv).";
    step.evidence =
        fmt::format("large messages take {} of the run, computing {}",
                    percent_text(c.facts.of_wallclock(c.facts.large_s)),
                    percent_text(100 * c.report.totals.compute_s / c.facts.rank_wallclock_s));
    return step;
}

namespace {

// Of all that is transfer, what an order of the ranks is about: messages, and no collectives. All
// of it where that is not known.
double message_part(const Report &report)
{
    double messages_s = 0, all_s = 0;
    for (const RankRow &row : report.ranks) {
        messages_s += row.message_s.value_or(0) - row.message_wait_s.value_or(0);
        all_s += row.message_s ? row.transfer_s.value_or(0) : 0;
    }
    return all_s > 0 ? std::clamp(messages_s / all_s, 0.0, 1.0) : 1;
}

}  // namespace

Proposal propose_nodes_apart(const StepContext &c)
{
    double inside = 0, outside = 0;
    for (const NodeRow &node : c.report.nodes) {
        inside += static_cast<double>(node.inside_bytes);
        outside += static_cast<double>(node.outside_bytes);
    }
    const double all = inside + outside;
    const double percent = all > 0 ? 100 * outside / all : 0;
    const double part = message_part(c.report);
    const double transfer_s = part * (c.facts.small_s + c.facts.large_s);
    Proposal step;
    step.matches = 100 * part >= limits.message_transfer_percent && c.report.nodes.size() > 1 &&
                   c.facts.ranks > 2 &&
                   c.facts.ranks > static_cast<double>(c.report.nodes.size()) &&
                   percent >= limits.between_nodes_percent && c.is_worth(transfer_s);
    step.confidence = Confidence::low;
    step.account = c.account_of_transfer();
    step.worth_s = c.per_rank(transfer_s) * percent / 100;
    step.of_class = c.is(VerdictClass::bandwidth_bound);
    step.action = "Place ranks that exchange much data on the same node: mprof place FOLDER looks "
                  "for an order and writes it for the launcher.";
    step.evidence =
        fmt::format("{} of the bytes go to other nodes, and {} of the transfer is point-to-point",
                    percent_text(percent), percent_text(100 * part));
    return step;
}

// Whether the objects are numbers nobody knows.
Proposal propose_arrays(const StepContext &c)
{
    const AccountRow *row = c.facts.account(AccountKind::pickling);
    Proposal step;
    step.matches = c.tells(AccountKind::pickling);
    if (!step.matches)
        return step;
    step.of_class = c.is(VerdictClass::pickling_bound);
    step.confidence = Confidence::medium;
    step.account = AccountKind::pickling;
    step.worth_s = row->gain_s;
    step.least_s = row->gain_low_s;
    step.action = fmt::format("Send arrays with the functions of mpi4py that begin with a capital "
                              "letter, at {}.",
                              c.report.pickling.place);
    step.evidence = fmt::format("{} of pickled objects go through {} there",
                                bytes_text(c.report.pickling.bytes), c.report.pickling.function);
    return step;
}

}  // namespace mprof
