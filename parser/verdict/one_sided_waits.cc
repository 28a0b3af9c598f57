// Why ranks wait in calls for the memory of one other rank.
//
// Either somebody holds the lock of the window and computes meanwhile: what a rank computes between
// MPI_Win_lock and MPI_Win_unlock it does under the lock. A lock that nobody waits for, or that all
// may hold at once, costs nothing. Or the rank whose memory it is computes, and its MPI answers
// only in MPI calls.
#include "verdict/particular_causes.h"

#include "measure/function_facts.h"
#include "report/number_text.h"
#include "verdict/verdict_facts.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <string_view>

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

// nullptr = nobody works in turn.
const AccountRow *find_in_turn(const Report &report)
{
    for (const AccountRow &row : report.accounts.rows)
        if (row.kind == AccountKind::in_turn)
            return &row;
    return nullptr;
}

std::string words_of_call(const CallsiteRow &row)
{
    return row.function + (row.site.words().empty() ? "" : " at " + row.site.words());
}

// MPICH and what is made of it: a rank that computes answers nobody. Open MPI's ranks look into the
// memory of those on their node by themselves.
bool answers_in_calls_only(const std::string &library)
{
    constexpr std::array<std::string_view, 3> names = {"MPICH", "Intel(R) MPI", "MVAPICH"};
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
        return library.find(name) != std::string::npos;
    });
}

// Of the calls that move data.
struct OneSided {
    uint64_t bytes = 0;
    std::optional<uint32_t> owner;  // whose memory nearly all are for; none: that of several
};

OneSided find_one_sided(const Report &report)
{
    OneSided all;
    double seconds = 0;
    std::map<uint32_t, double> of_owner;
    for (const CallsiteRow &row : report.callsites) {
        if (facts_of(row.function).kind != FunctionKind::one_sided || !row.top_partner)
            continue;
        all.bytes += row.bytes;
        seconds += row.time_s;
        of_owner[*row.top_partner] += row.top_partner_s;
    }
    for (const auto &[rank, owner_s] : of_owner)
        if (owner_s >= cause_limits.owner_share * seconds)
            all.owner = rank;
    return all;
}

struct Unanswered {
    double seconds = 0;
    uint64_t calls = 0;
    uint64_t ranks = 0;  // that wait
    const CallsiteRow *most = nullptr;
};

// The owner's calls for its own memory take no time.
Unanswered find_unanswered(const Report &report, std::optional<uint32_t> owner)
{
    Unanswered waits;
    double most_s = 0;
    for (const CallsiteRow &row : report.callsites) {
        const FunctionFacts facts = facts_of(row.function);
        if (facts.kind != FunctionKind::synchronisation || !facts.memory_of_rank)
            continue;
        waits.seconds += row.time_s;
        const bool has_owners = owner && row.spread.ranks == report.ranks.size();
        const uint64_t ranks = row.spread.ranks - (has_owners ? 1 : 0);
        if (waits.most == nullptr || row.time_s > most_s) {
            waits.most = &row;
            waits.ranks = ranks;
            waits.calls = row.calls * ranks / std::max<uint64_t>(1, row.spread.ranks);
            most_s = row.time_s;
        }
    }
    return waits;
}

double each_s(const Unanswered &waits)
{
    return waits.most->time_s / static_cast<double>(std::max<uint64_t>(1, waits.calls));
}

void describe_unanswered(const Unanswered &waits, std::optional<uint32_t> owner,
                         ParticularFinding &found)
{
    const std::string rank = owner ? fmt::format("rank {}", *owner) : "its owner";
    found.sentence = fmt::format(
        "{} {} for the memory of {} in {}, {} at a time: {} computes meanwhile, and this MPI "
        "answers only in MPI calls. Entering MPI more often would save {}.",
        waits.ranks == 1 ? fmt::format("Rank {} waits", waits.most->spread.max_rank) : "Ranks wait",
        duration_text(waits.seconds), owner ? rank : "another rank", words_of_call(*waits.most),
        duration_text(each_s(waits)), rank, duration_text(found.gain_s));
    found.action = fmt::format(
        "Let {} enter MPI about once a millisecond while computing; MPI_Iprobe serves. Where CPUs "
        "are free, a thread of the MPI can answer instead (MPICH: MPIR_CVAR_ASYNC_PROGRESS=1, "
        "Intel MPI: I_MPI_ASYNC_PROGRESS=1).",
        owner ? rank : "each rank");
    found.evidence =
        fmt::format("{} waits of {} on average", waits.calls, duration_text(each_s(waits)));
}

}  // namespace

std::optional<ParticularFinding> find_absent_owner(const Report &report)
{
    const AccountRow *account = find_in_turn(report);
    if (account == nullptr || report.ranks.size() < 2 ||
        !answers_in_calls_only(report.run.mpi_library))
        return std::nullopt;
    const OneSided moved = find_one_sided(report);
    const Unanswered waits = find_unanswered(report, moved.owner);
    if (waits.most == nullptr || waits.ranks == 0 || each_s(waits) < cause_limits.answer_s ||
        2 * static_cast<double>(moved.bytes) / cause_limits.moved_bytes_per_s > waits.seconds)
        return std::nullopt;
    ParticularFinding found;
    found.cause = ParticularCause::absent_owner;
    found.account = AccountKind::in_turn;
    found.rank = moved.owner;
    found.place = waits.most->site.place();
    found.gain_s = std::min(account->gain_s, waits.seconds / static_cast<double>(waits.ranks));
    describe_unanswered(waits, moved.owner, found);
    return found;
}

std::optional<ParticularFinding> find_held_lock(const Report &report)
{
    const auto ranks = static_cast<double>(report.ranks.size());
    const AccountRow *account = find_in_turn(report);
    const Held held = find_held(report);
    if (account == nullptr || held.most == nullptr || ranks < 2)
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
