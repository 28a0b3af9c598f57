// One function for each pattern; it returns nothing where the report does not show all of it.
#include "verdict/particular_causes.h"

#include "accounts/first_account.h"
#include "measure/function_facts.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"
#include "verdict/verdict_facts.h"
#include "verdict/work_place.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace mprof {
namespace {

using Found = std::optional<ParticularFinding>;

double gain_of(const Report &report, AccountKind kind)
{
    const AccountRow *row = account_of(report.accounts, kind);
    return row == nullptr ? 0 : row->gain_s;
}

// " in plan_task (farm.c:21)"
std::string in_words(const Report &report, std::optional<uint32_t> rank)
{
    const std::string words = find_work_place(report, rank).words;
    return words.empty() ? "" : " in " + words;
}

// ---- master and workers -------------------------------------------------------------------------

// Messages of a rank with all others.
struct Star {
    uint64_t to_it = 0, from_it = 0;
    size_t served = 0;  // ranks that hear from it
};

std::map<uint32_t, Star> stars_of(const Report &report)
{
    std::map<uint32_t, Star> stars;
    for (const MatrixCell &cell : report.matrix) {
        const uint64_t messages = cell.messages - cell.one_sided_messages;
        if (cell.source == cell.destination || messages == 0)
            continue;
        stars[cell.destination].to_it += messages;
        stars[cell.source].from_it += messages;
        stars[cell.source].served++;
    }
    return stars;
}

uint64_t messages_of(const Report &report)
{
    uint64_t messages = 0;
    for (const MatrixCell &cell : report.matrix)
        messages += cell.source == cell.destination ? 0 : cell.messages - cell.one_sided_messages;
    return messages;
}

// It works for each answer, and not once in a step in which it answers all: of what it alone
// computes, most lies between calls that come as often as answers.
bool works_for_answers(const Report &report, uint32_t rank, uint64_t answers)
{
    double all_s = 0, for_answers_s = 0;
    for (const SegmentRow &row : report.segments) {
        if (row.spread.ranks != 1 || row.spread.max_rank != rank)
            continue;
        all_s += row.time_s;
        for_answers_s += static_cast<double>(row.count) >=
                                 cause_limits.answers_share * static_cast<double>(answers)
                             ? row.time_s
                             : 0;
    }
    return for_answers_s > 0 && for_answers_s >= cause_limits.answers_share * all_s;
}

// The account in which the master's work is: the largest one that it has most of.
const AccountRow *account_of_master(const Report &report, uint32_t rank)
{
    const AccountRow *most = nullptr;
    for (const AccountRow &row : report.accounts.rows)
        if (is_of_program(row.kind) && row.kind != AccountKind::slow_cpu && row.rank == rank &&
            (most == nullptr || row.gain_low_s > most->gain_low_s))
            most = &row;
    return most;
}

// Of those whom it serves.
struct Workers {
    double longest_s = 0, sum_s = 0;  // what they do themselves
    double wait_s = 0;                // mean, for messages
};

Workers workers_of(const Report &report, const RankRow &master)
{
    Workers workers;
    const auto count = static_cast<double>(report.ranks.size() - 1);
    for (const RankRow &row : report.ranks) {
        if (&row == &master)
            continue;
        workers.longest_s = std::max(workers.longest_s, row.compute_s);
        workers.sum_s += row.compute_s;
        workers.wait_s += row.message_wait_s.value_or(0) / count;
    }
    return workers;
}

Found describe_master(const Report &report, const RankRow &master, const Star &star,
                      const Workers &workers)
{
    const AccountRow *account = account_of_master(report, master.rank);
    if (account == nullptr)
        return std::nullopt;
    const auto answers = static_cast<double>(star.from_it);
    const double answer_s = master.compute_s / answers;
    ParticularFinding found;
    found.cause = ParticularCause::master;
    found.account = account->kind;
    found.rank = master.rank;
    // With half the answers its work is halved, as far as the workers' is not longer.
    found.gain_s = std::min(account->gain_s,
                            master.compute_s - std::max(master.compute_s / 2, workers.longest_s));
    // While one is served, the others work.
    const double can_serve = (workers.sum_s / answers + answer_s) / answer_s;
    found.sentence = fmt::format(
        "Rank {} is a master that cannot keep up: it gives {:.0f} answers a second, each takes "
        "{}{}, and that serves {:.1f} of {}. Two masters, or pieces twice as large, would save {}.",
        master.rank, answers / report.accounts.span_s, duration_text(answer_s),
        in_words(report, master.rank), can_serve, plural(report.ranks.size() - 1, "worker"),
        duration_text(found.gain_s));
    found.action = fmt::format("Let rank {} answer less often or faster: deal out pieces twice as "
                               "large, or let two masters share the workers.",
                               master.rank);
    found.evidence =
        fmt::format("the workers wait {} for messages on average, and it waits {}",
                    duration_text(workers.wait_s), duration_text(*master.message_wait_s));
    return found;
}

Found find_master(const Report &report)
{
    const auto all = static_cast<double>(messages_of(report));
    const double span_s = report.accounts.span_s;
    if (report.ranks.size() < 3 || all <= 0 || report.programs.size() > 1)
        return std::nullopt;
    for (const auto &[rank, star] : stars_of(report)) {
        const auto with_it = static_cast<double>(star.to_it + star.from_it);
        const auto others = static_cast<double>(report.ranks.size() - 1);
        if (100 * with_it < limits.master_message_percent * all ||
            static_cast<double>(std::min(star.to_it, star.from_it)) <
                limits.answers_per_rank * others ||
            2 * star.served < report.ranks.size())
            continue;
        const auto master =
            std::find_if(report.ranks.begin(), report.ranks.end(),
                         [of = rank](const RankRow &row) { return row.rank == of; });
        if (master == report.ranks.end() || !master->message_wait_s || master->compute_s <= 0)
            continue;
        const Workers workers = workers_of(report, *master);
        if (100 * *master->message_wait_s > limits.master_wait_percent * span_s ||
            100 * workers.wait_s < limits.served_wait_percent * span_s ||
            !works_for_answers(report, rank, star.from_it))
            continue;
        return describe_master(report, *master, star, workers);
    }
    return std::nullopt;
}

// ---- sizes --------------------------------------------------------------------------------------

// Collectives in which each rank gives as much as it wants, and nobody is a root: there the rank
// that gives most holds the others up. What a root takes from all is no less if it is even.
bool has_own_sizes(const std::string &function)
{
    const FunctionFacts facts = facts_of(function);
    return facts.kind == FunctionKind::collective && facts.call == WaitRule::everyone &&
           !facts.same_size && !facts.barrier && !facts.makes_comm;
}

double moving_s(const CallsiteRow &row)
{
    return row.time_s - row.wait_s.value_or(0);
}

// How many times as much as the average other rank; 0 = nothing to compare.
double times_of_others(const CallsiteRow &row, size_t ranks)
{
    const auto others = static_cast<double>(row.bytes - row.most_bytes);
    return others <= 0 || ranks < 2
               ? 0
               : static_cast<double>(row.most_bytes) * static_cast<double>(ranks - 1) / others;
}

Found find_uneven_sizes(const Report &report)
{
    const CallsiteRow *most = nullptr;
    for (const CallsiteRow &row : report.callsites)
        if (has_own_sizes(row.function) &&
            times_of_others(row, row.spread.ranks) >= limits.uneven_sizes_factor &&
            (most == nullptr || moving_s(row) > moving_s(*most)))
            most = &row;
    if (most == nullptr)
        return std::nullopt;
    const auto ranks = static_cast<double>(most->spread.ranks);
    const double mean_part =
        static_cast<double>(most->bytes) / ranks / static_cast<double>(most->most_bytes);
    ParticularFinding found;
    found.cause = ParticularCause::uneven_sizes;
    found.account = AccountKind::bandwidth;
    found.rank = most->most_bytes_rank;
    found.place = most->site.place();
    found.gain_s =
        std::min(gain_of(report, found.account),
                 moving_s(*most) / static_cast<double>(report.ranks.size()) * (1 - mean_part));
    const std::string where =
        most->function + (found.place.empty() ? "" : " at " + most->site.words());
    const auto calls = std::max<uint64_t>(1, most->calls / most->spread.ranks);
    found.sentence =
        fmt::format("Rank {} gives {:.0f} times as much data as the average other rank to {} ({} a "
                    "call), and all wait for it; an even split would save up to {}.",
                    *found.rank, times_of_others(*most, most->spread.ranks), where,
                    bytes_text(most->most_bytes / calls), duration_text(found.gain_s));
    found.action = fmt::format(
        "Divide the data that ranks give to {} evenly: rank {} holds up all the others.", where,
        *found.rank);
    found.evidence = fmt::format("{} of {} come from rank {}", bytes_text(most->most_bytes),
                                 bytes_text(most->bytes), *found.rank);
    return found;
}

// ---- no overlap ---------------------------------------------------------------------------------

// Large requests that are waited for at once.
bool waits_at_once(const CallsiteRow &row)
{
    return row.calls > 0 && row.completions > 0 && row.spans == row.completions &&
           row.bytes / row.calls >= limits.large_message_bytes && row.overlapped_s &&
           100 * *row.overlapped_s < limits.overlapped_percent * row.completion_s;
}

// What ranks wait for such requests is gone if they work meanwhile, as far as they have work.
Found find_wait_at_once(const Report &report)
{
    double waited_s = 0;
    const CallsiteRow *most = nullptr;
    for (const CallsiteRow &row : report.callsites) {
        if (!waits_at_once(row))
            continue;
        waited_s += row.completion_s;
        if (most == nullptr || row.completion_s > most->completion_s)
            most = &row;
    }
    if (most == nullptr ||
        100 * waited_s < limits.waiting_of_requests_percent * report.totals.wait_s.value_or(0))
        return std::nullopt;
    const auto ranks = static_cast<double>(report.ranks.size());
    ParticularFinding found;
    found.cause = ParticularCause::wait_at_once;
    found.account = AccountKind::in_turn;
    found.place = most->site.place();
    found.gain_s = std::min(
        {gain_of(report, found.account), waited_s / ranks, report.totals.compute_s / ranks});
    const std::string where =
        fmt::format("{} ({}){}", most->function, bytes_text(most->bytes / most->calls),
                    found.place.empty() ? "" : " at " + most->site.words());
    found.sentence =
        fmt::format("The wait comes right after {}, and ranks wait there for each other in turn. "
                    "Computing{} in between, where it needs no messages, would save {}.",
                    where, in_words(report, std::nullopt), duration_text(found.gain_s));
    found.action = fmt::format("Compute what needs no message between {} and its wait, and "
                               "test the requests now and then.",
                               where);
    found.evidence =
        fmt::format("ranks wait {} for these requests on average, after having them open for {}",
                    duration_text(waited_s / ranks), duration_text(*most->overlapped_s / ranks));
    found.confidence = Confidence::low;
    return found;
}

// ---- pipelines ----------------------------------------------------------------------------------

// What each rank hands on to the next one, upwards or downwards. 0 items: there is no chain
// through all ranks, or ranks send elsewhere, too.
struct ChainItems {
    double items = 0, bytes = 0;  // bytes of one
};

// Ranks that send in the call in which they receive do not wait for an item to hand it on.
bool exchanges(const Report &report)
{
    double all_s = 0, exchanging_s = 0;
    for (const FunctionRow &row : report.functions) {
        const FunctionFacts facts = facts_of(row.function);
        const double wait_s = waits_for_partner(row.function) ? row.wait_s.value_or(0) : 0;
        all_s += wait_s;
        exchanging_s += facts.sends && facts.receives ? wait_s : 0;
    }
    return exchanging_s > 0 && 2 * exchanging_s >= all_s;
}

ChainItems items_of_pipeline(const Report &report)
{
    const auto ranks = static_cast<int64_t>(report.ranks.size());
    std::vector<uint64_t> up(report.ranks.size()), down(report.ranks.size());
    uint64_t elsewhere = 0, up_bytes = 0, down_bytes = 0;
    for (const MatrixCell &cell : report.matrix) {
        const int64_t step = int64_t{cell.destination} - int64_t{cell.source};
        if (cell.source >= report.ranks.size() || cell.destination >= report.ranks.size())
            return {};
        const bool closes = step == ranks - 1 || step == 1 - ranks;
        if (step == 1) {
            up[cell.source] = cell.messages;
            up_bytes += cell.bytes;
        } else if (step == -1) {
            down[cell.destination] = cell.messages;
            down_bytes += cell.bytes;
        } else if (!closes && step != 0) {
            elsewhere += cell.messages;
        }
    }
    up.pop_back();
    down.pop_back();
    uint64_t items = 0, bytes = 0;
    for (const auto &[hops, all_bytes] : {std::pair(&up, up_bytes), std::pair(&down, down_bytes)}) {
        const auto [least, most] = std::minmax_element(hops->begin(), hops->end());
        if (*least > items &&
            static_cast<double>(*least) > limits.pipeline_even_share * static_cast<double>(*most)) {
            items = *least;
            bytes = all_bytes / std::accumulate(hops->begin(), hops->end(), uint64_t{0});
        }
    }
    // Of two ranks it is the answer.
    const uint64_t back = std::min(*std::min_element(up.begin(), up.end()),
                                   *std::min_element(down.begin(), down.end()));
    if (elsewhere > items || (ranks > 2 && 2 * back > items))
        return {};
    return {static_cast<double>(items), static_cast<double>(bytes)};
}

// Ranks that meet in a collective after each item cannot begin the next one earlier, unless it is
// data that can be cut in pieces. mpi4py makes one of messages and MPI_Bcast.
bool meets_after_items(const Report &report, double items)
{
    double calls = 0;
    for (const FunctionRow &row : report.functions)
        if (is_collective(facts_of(row.function).call))
            calls += static_cast<double>(row.calls);
    return 2 * calls >= items * static_cast<double>(report.ranks.size());
}

// " in stage (farm.c:21)"; of a script, where its ranks wait for the item: ", received at a.py:12".
std::string stage_words(const Report &report)
{
    std::string words = in_words(report, std::nullopt);
    if (!words.empty())
        return words;
    const CallsiteRow *most = nullptr;
    for (const CallsiteRow &row : report.callsites)
        if (waits_for_partner(row.function) && !row.site.words().empty() &&
            (most == nullptr || row.wait_s.value_or(0) > most->wait_s.value_or(0)))
            most = &row;
    return most == nullptr ? "" : ", received at " + most->site.words();
}

// Waiting for messages, of all ranks.
double message_wait_of(const Report &report)
{
    double seconds = 0;
    for (const RankRow &row : report.ranks)
        seconds += row.message_wait_s.value_or(0);
    return seconds;
}

ParticularFinding describe_pipeline(const Report &report, const ChainItems &chain, bool is_cut)
{
    const auto ranks = static_cast<double>(report.ranks.size());
    const double computing = report.totals.compute_s / report.accounts.span_s;
    ParticularFinding found;
    found.cause = ParticularCause::pipeline;
    found.account = AccountKind::in_turn;
    // It has to be filled first.
    const double at_once = is_cut ? limits.pipeline_pieces : chain.items;
    found.gain_s = gain_of(report, found.account) * (1 - (ranks - 1) / (at_once + ranks - 1));
    found.sentence = fmt::format(
        "Only one item at a time goes through the ranks: {:.0f} items pass {}, of which {:.1f} "
        "compute at a time{}. {} would save {}.",
        chain.items, plural(report.ranks.size(), "rank"), computing, stage_words(report),
        is_cut ? fmt::format("Cutting each item ({}) in pieces that follow each other",
                             bytes_text(static_cast<uint64_t>(chain.bytes)))
               : "Starting the next item earlier",
        duration_text(found.gain_s));
    found.action = is_cut ? "Cut each item in pieces that go through the ranks one behind the "
                            "other, so that no rank waits until a whole item has passed them all."
                          : "Let several items go through the ranks at once, so that no rank waits "
                            "until an item has passed them all.";
    found.evidence = fmt::format("ranks wait {} for messages on average, and compute {}",
                                 duration_text(message_wait_of(report) / ranks),
                                 duration_text(report.totals.compute_s / ranks));
    return found;
}

// Of ranks that meet behind each item, those that it has not reached, or has left, wait for it half
// of the time where they meet.
Found find_pipeline(const Report &report)
{
    const auto ranks = static_cast<double>(report.ranks.size());
    const double span_s = report.accounts.span_s;
    if (ranks < 2 || span_s <= 0 || report.programs.size() > 1)
        return std::nullopt;
    const double computing = report.totals.compute_s / span_s;
    if (computing >
        std::min(limits.chain_computing_ranks, 1 + limits.pipeline_computing_ranks * (ranks - 1)))
        return std::nullopt;
    const ChainItems chain = items_of_pipeline(report);
    const bool meets = meets_after_items(report, chain.items);
    const double each_s = report.totals.compute_s / ranks / std::max(1.0, chain.items);
    if (chain.items < limits.pipeline_items || each_s < limits.pipeline_item_s ||
        (meets && chain.bytes < static_cast<double>(limits.large_message_bytes)))
        return std::nullopt;
    if (exchanges(report) ||
        (meets ? 4 : 2) * message_wait_of(report) < report.totals.wait_s.value_or(0))
        return std::nullopt;
    return describe_pipeline(report, chain, meets);
}

}  // namespace

std::vector<ParticularFinding> find_particular_causes(const Report &report)
{
    std::vector<ParticularFinding> findings;
    for (const auto find : {find_master, find_uneven_sizes, find_held_lock, find_absent_owner,
                            find_pipeline, find_wait_at_once, find_rare_steps}) {
        Found found = find(report);
        if (!found ||
            found->gain_s < verdict_thresholds.told_account_percent / 100 * report.accounts.span_s)
            continue;
        // What a pipeline waits for is the item: there is nothing to do meanwhile.
        const bool is_known =
            std::any_of(findings.begin(), findings.end(), [&](const ParticularFinding &other) {
                return other.account == found->account;
            });
        if (!is_known)
            findings.push_back(std::move(*found));
    }
    return findings;
}

void note_particular_causes(const std::vector<ParticularFinding> &findings, Accounts &accounts)
{
    for (const ParticularFinding &found : findings)
        for (AccountRow &row : accounts.rows) {
            if (row.kind != found.account)
                continue;
            row.cause = found.cause;
            row.cause_gain_s = found.gain_s;
            row.cause_words = found.sentence;
            if (row.function.empty() && row.place.empty())
                row.place = found.place;
        }
}

}  // namespace mprof
