// Locks of windows that ranks hold while they compute, and others wait for: who holds them, how
// long, who waits. What a rank computes between MPI_Win_lock and MPI_Win_unlock it does under the
// lock. A lock that nobody waits for, or that all may hold at once, costs nothing.
#include "verdict/particular_causes.h"

#include "measure/function_facts.h"
#include "report/number_text.h"
#include "verdict/verdict_facts.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

// Seconds are sums over ranks.
struct Held {
    double seconds = 0;
    const SegmentRow *most = nullptr;
    std::optional<uint32_t> rank;  // that holds it most of the time; none: all do in turn
};

Held find_held(const Report &report)
{
    Held held;
    for (const SegmentRow &row : report.segments) {
        if (!facts_of(row.from_function).locks && facts_of(row.to_function).ends != Object::lock)
            continue;
        held.seconds += row.time_s;
        if (held.most == nullptr || row.time_s > held.most->time_s)
            held.most = &row;
    }
    if (held.most != nullptr &&
        100 * held.most->spread.max_s >= limits.lock_of_rank_percent * held.seconds)
        held.rank = held.most->spread.max_rank;
    return held;
}

// Some MPIs take the lock when it is needed: then the next calls for the window wait.
struct Waited {
    double seconds = 0;
    const CallsiteRow *most = nullptr;
};

// A rank that never waits, though all hold the lock in turn, may be the one whose memory it is:
// with some MPIs it has to be in MPI for others to get the lock, whoever holds it.
bool has_all_wait(const CallsiteRow &row, size_t ranks)
{
    return row.spread.ranks == ranks &&
           row.spread.min_s >= cause_limits.all_wait_share * row.spread.mean_s;
}

Waited find_waited(const Report &report, std::optional<uint32_t> holder)
{
    Waited waited;
    double most_s = 0;
    for (const CallsiteRow &row : report.callsites) {
        const FunctionFacts facts = facts_of(row.function);
        const bool is_holders = holder && row.spread.max_rank == *holder;
        const double seconds = row.time_s - (is_holders ? row.spread.max_s : 0);
        if (facts.kind != FunctionKind::synchronisation || !facts.memory_of_rank ||
            (!holder && !has_all_wait(row, report.ranks.size())))
            continue;
        waited.seconds += seconds;
        if (waited.most == nullptr || seconds > most_s) {
            waited.most = &row;
            most_s = seconds;
        }
    }
    return waited;
}

std::string words_of_call(const CallsiteRow &row)
{
    return row.function + (row.site.words().empty() ? "" : " at " + row.site.words());
}

}  // namespace

std::optional<ParticularFinding> find_held_lock(const Report &report)
{
    const auto ranks = static_cast<double>(report.ranks.size());
    const auto account =
        std::find_if(report.accounts.rows.begin(), report.accounts.rows.end(),
                     [](const AccountRow &row) { return row.kind == AccountKind::in_turn; });
    const Held held = find_held(report);
    if (account == report.accounts.rows.end() || held.most == nullptr || ranks < 2)
        return std::nullopt;
    const Waited waited = find_waited(report, held.rank);
    // Each that waits does so at most as long as all others hold it.
    if (waited.most == nullptr ||
        waited.seconds > limits.lock_wait_factor * held.seconds * (ranks - 1))
        return std::nullopt;
    ParticularFinding found;
    found.cause = ParticularCause::held_lock;
    found.account = AccountKind::in_turn;
    found.rank = held.rank;
    found.place = held.most->from.place();
    // The last one in turn waits for all others, the mean one half as long.
    found.gain_s = std::min(account->gain_s,
                            held.rank ? waited.seconds / (ranks - 1) : 2 * waited.seconds / ranks);
    const std::string working = held.most->mostly_in.empty() ? "" : " in " + held.most->mostly_in;
    const std::string calls =
        fmt::format("{} at {}", held.most->from_function, held.most->from.words());
    const double once_s =
        held.most->time_s / static_cast<double>(std::max<uint64_t>(1, held.most->count));
    const double rank_s = held.rank ? held.seconds : held.seconds / ranks;
    found.sentence = fmt::format(
        "{} holds the lock of a window for {}, {} at a time, while it computes{} after {}. "
        "Meanwhile {} wait {} for the lock in {}; computing before taking it would save {}.",
        held.rank ? fmt::format("Rank {}", *held.rank) : "Each rank", duration_text(rank_s),
        duration_text(once_s), working, calls, ranks > 2 ? "the others" : "others",
        duration_text(waited.seconds), words_of_call(*waited.most), duration_text(found.gain_s));
    found.action = fmt::format("Compute before {}, and hold the lock only for the data.", calls);
    found.evidence = fmt::format("{} with the lock and {} waiting for it, summed over ranks",
                                 duration_text(held.seconds), duration_text(waited.seconds));
    return found;
}

}  // namespace mprof
