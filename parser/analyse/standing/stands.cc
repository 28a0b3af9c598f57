// Every rank tells when it entered the call that it is in, or left the last one, by its own clock;
// its start on the clock of the day makes these comparable, as exactly as the nodes' clocks agree:
// good enough for seconds.
#include "analyse/standing/stands.h"

#include "measure/clocks.h"
#include "measure/rank_measure.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace mprof {
namespace {

bool has_ended(const RankMeasure &rank)
{
    return rank.file->run.end != MPROF_END_NONE;
}

double start_s(const RankFile &file)
{
    return seconds_of_ns(file.run.start_realtime_ns);
}

std::string name_of(const RankFile &file, uint32_t number)
{
    return number == 0 ? "" : file.function_name(number - 1);
}

RankState state_seen(const Stand &stand, const Observation &observation)
{
    if (observation.running && observation.gone.contains(stand.rank))
        return RankState::gone;
    if (observation.stopped.contains(stand.rank))
        return RankState::stopped;
    if (observation.traced.contains(stand.rank))
        return RankState::traced;
    if (stand.polls)
        return RankState::polling;
    return stand.in_call ? RankState::in_call : RankState::outside_mpi;
}

// When the rank stood where its file says. Reading many files takes seconds, or little of a CPU.
double seen_s(const RankFile &file, const Moments &moments)
{
    return moments.running && file.read_realtime_ns != 0 ? seconds_of_ns(file.read_realtime_ns)
                                                         : moments.now_s;
}

// The last poll did not find what it looked for, and so it goes on. While a call that is no poll
// comes first, polls_ticks is of older ones.
void note_polls(Stand &stand, const RankMeasure &rank, const mprof_thread &thread,
                const Moments &moments)
{
    if (thread.polls_ticks == 0 || !facts_of(stand.function).poll ||
        !facts_of(name_of(*rank.file, thread.last_function)).poll)
        return;
    const double since_s = start_s(*rank.file) + rank.clock.seconds_at(thread.polls_ticks);
    const bool is_fresh =
        seen_s(*rank.file, moments) - stand.since_s < standing_limits.fresh_poll_s;
    stand.polls = is_fresh && moments.now_s - since_s > standing_limits.fresh_poll_s;
    if (stand.polls)
        stand.since_s = since_s;
}

// Its label tells only how it was made.
bool has_no_name(const RankFile &file, uint32_t communicator)
{
    return std::any_of(file.communicators.begin(), file.communicators.end(),
                       [&](const CommunicatorSlot &slot) {
                           return slot.slot == communicator && slot.name.empty() &&
                                  communicator > MPROF_COMM_SLOT_OTHER;
                       });
}

void note_partner(Stand &stand, const RankMeasure &rank, const mprof_thread &thread,
                  const Merged &merged, const Members &members)
{
    const FunctionFacts facts = facts_of(stand.function);
    const bool ends_requests = facts.call == WaitRule::completion || facts.poll;
    stand.requests = ends_requests ? thread.call_requests : 0;
    if (stand.requests == 1)
        stand.starter = name_of(*rank.file, thread.call_starter);
    stand.communicator = merged.communicators.row_of(stand.index, thread.call_communicator);
    stand.communicator_name = merged.communicators.label(stand.communicator);
    if (thread.call_communicator != MPROF_COMM_SLOT_WORLD)
        stand.on = (has_no_name(*rank.file, thread.call_communicator) ? "a communicator " : "") +
                   stand.communicator_name;
    stand.peer = thread.call_peer;
    stand.tag = thread.call_tag;
    if (stand.peer >= 0)
        stand.world_peer = members.world_rank(stand.communicator, stand.peer);
    if (stand.peer >= 0 && thread.call_communicator == MPROF_COMM_SLOT_WORLD)
        stand.world_peer = static_cast<uint32_t>(stand.peer);
}

const char *direction(const FunctionFacts &facts)
{
    return facts.sends == facts.receives ? "with" : facts.receives ? "from" : "to";
}

std::string peer_words(const Stand &stand)
{
    const FunctionFacts facts = facts_of(stand.what());
    if (facts.memory_of_rank)
        return stand.peer < 0 ? ""
                              : fmt::format(" for the memory of rank {}",
                                            stand.world_peer.value_or(stand.peer));
    if (stand.peer == MPROF_ANY_PEER)
        return fmt::format(" {} any rank", direction(facts));
    if (stand.world_peer)
        return fmt::format(" {} rank {}", direction(facts), *stand.world_peer);
    if (stand.peer >= 0)
        return fmt::format(" {} rank {} of its communicator", direction(facts), stand.peer);
    return "";
}

std::string tag_words(uint32_t tag)
{
    if (tag == 0)
        return "";
    return tag == MPROF_TAG_ANY ? ", any tag" : fmt::format(", tag {}", tag - 1);
}

// Nonblocking ones are counted when they complete, which need not be the order in which they began.
bool counts_all_collectives(const RankMeasure &rank)
{
    const auto is_nonblocking = [&](const MeasuredEntry &entry) {
        const FunctionFacts facts = facts_of(rank.file->function_name(entry.key.function));
        return facts.call == WaitRule::never && is_collective(facts.completion);
    };
    return rank.file->run.unjournaled_collectives == 0 &&
           std::none_of(rank.entries.begin(), rank.entries.end(), is_nonblocking);
}

uint64_t collectives_on(const RankFile &file, uint32_t slot)
{
    for (const JournalRecord &journal : file.journals)
        if (journal.facts.communicator == slot)
            return journal.facts.instances;
    return 0;
}

const char *gpu_words(uint32_t kind)
{
    switch (kind) {
    case MPROF_GPU_WAIT:
    case MPROF_GPU_POLL:
        return "waiting for its GPU";
    case MPROF_GPU_COPY:
        return "copying to or from its GPU";
    default:
        return "in the driver of its GPU";
    }
}

void note_gpu(Stand &stand, const RankMeasure &rank, const mprof_thread &thread,
              const Merged &merged)
{
    const auto &threads = rank.file->threads;
    const auto record = std::find_if(threads.begin(), threads.end(), [&](const ThreadRecord &each) {
        return &each.facts == &thread;
    });
    const mprof_gpu *call =
        record == threads.end() ? nullptr : gpu_call_in_progress(*rank.file, *record);
    if (call == nullptr)
        return;
    const uint32_t node = merged.paths.node_of(stand.index, call->call_callsite);
    const std::string kernel = gpu_kernel_name(*rank.file, call->call_kernel);
    stand.gpu = gpu_words(call->in_call - 1) + at_place(gpu_place(merged.paths, node));
    if (!kernel.empty())
        stand.gpu += kernel.front() == '(' ? " after a graph" : " after kernel " + kernel;
    stand.since_s = start_s(*rank.file) + rank.clock.seconds_at(call->call_ticks);
}

}  // namespace

Moments find_moments(const RankMeasures &ranks, const Observation &observation)
{
    Moments moments = {observation.running, start_s(*ranks.front().file), 0};
    for (const RankMeasure &rank : ranks) {
        moments.begin_s = std::min(moments.begin_s, start_s(*rank.file));
        moments.now_s = std::max(moments.now_s, start_s(*rank.file) + rank.wallclock_s);
    }
    if (observation.running)
        moments.now_s = seconds_of_ns(observation.realtime_ns);
    return moments;
}

Members::Members(const RankMeasures &ranks, const Merged &merged)
{
    for (size_t index = 0; index < ranks.size(); index++) {
        const bool counts = counts_all_collectives(ranks[index]);
        for (const CommunicatorSlot &slot : ranks[index].file->communicators) {
            const uint32_t row = merged.communicators.row_of(index, slot.slot);
            if (row == 0)
                continue;
            Group &group = groups_[row];
            group.all.insert(ranks[index].rank());
            if ((slot.facts.flags & MPROF_COMM_INTER) == 0)
                group.world_ranks.emplace(slot.facts.rank, ranks[index].rank());
            if (counts)
                group.collectives[ranks[index].rank()] =
                    collectives_on(*ranks[index].file, slot.slot);
        }
    }
}

std::optional<uint64_t> Members::collectives(uint32_t communicator, uint32_t rank) const
{
    const auto group = groups_.find(communicator);
    if (group == groups_.end())
        return {};
    const auto count = group->second.collectives.find(rank);
    return count == group->second.collectives.end() ? std::nullopt : std::optional(count->second);
}

bool Members::counts_collectives(uint32_t communicator, uint32_t rank) const
{
    return collectives(communicator, rank).has_value();
}

bool Members::has_left(uint32_t communicator, uint32_t rank, uint32_t other) const
{
    const auto own = collectives(communicator, rank), others = collectives(communicator, other);
    return own && others && *others > *own;
}

bool Members::has_not_come(uint32_t communicator, uint32_t rank, uint32_t other) const
{
    const auto own = collectives(communicator, rank), others = collectives(communicator, other);
    return own && others && *others <= *own;
}

std::optional<uint32_t> Members::world_rank(uint32_t communicator, int64_t rank) const
{
    const auto group = groups_.find(communicator);
    if (group == groups_.end())
        return {};
    const auto at = group->second.world_ranks.find(rank);
    return at == group->second.world_ranks.end() ? std::nullopt : std::optional(at->second);
}

bool Members::has(uint32_t communicator, uint32_t world_rank) const
{
    const auto group = groups_.find(communicator);
    return group != groups_.end() && group->second.all.contains(world_rank);
}

Stand stand_of(size_t index, const RankMeasure &rank, const mprof_thread &thread,
               const Merged &merged, const Members &members, const Moments &moments)
{
    Stand stand;
    stand.index = index;
    stand.rank = rank.rank();
    stand.in_call = thread.in_call != 0;
    stand.function = name_of(*rank.file, stand.in_call ? thread.in_call : thread.last_function);
    stand.place = merged.paths.site_of(merged.paths.node_of(index, thread.call_callsite)).words();
    stand.since_s = start_s(*rank.file) + rank.clock.seconds_at(thread.ticks);
    note_polls(stand, rank, thread, moments);
    note_gpu(stand, rank, thread, merged);
    if (stand.in_call || stand.polls)
        note_partner(stand, rank, thread, merged, members);
    stand.locked_window = merged.communicators.row_of(index, thread.locked_window);
    stand.locked_rank = thread.locked_rank;
    return stand;
}

std::vector<Stand> find_stands(const RankMeasures &ranks, const Merged &merged,
                               const Observation &observation, const Moments &moments)
{
    std::optional<Members> members;  // where all have ended, nobody needs them
    std::vector<Stand> stands;
    for (size_t index = 0; index < ranks.size(); index++) {
        const mprof_thread *thread = last_seen_thread(*ranks[index].file);
        if (has_ended(ranks[index]) || thread == nullptr)
            continue;
        if (!members)
            members.emplace(ranks, merged);
        stands.push_back(stand_of(index, ranks[index], *thread, merged, *members, moments));
        stands.back().state = state_seen(stands.back(), observation);
    }
    return stands;
}

void add_rank(std::vector<MissingRanks> &ranges, uint32_t rank)
{
    if (!ranges.empty() && ranges.back().last + 1 == rank)
        ranges.back().last = rank;
    else
        ranges.push_back({rank, rank});
}

std::string at_place(const std::string &place)
{
    return place.empty() ? "" : " at " + place;
}

std::string partner_words(const Stand &stand)
{
    if (stand.requests > 1)
        return fmt::format(" for {}", plural(stand.requests, "request"));
    std::string words = peer_words(stand) + tag_words(stand.tag);
    if (!stand.starter.empty())
        words = " for " + stand.starter + words;
    else if (stand.polls && !words.empty())
        words = " for a message" + words;
    if (!stand.on.empty())
        words += fmt::format("{} on {}", stand.tag != 0 ? "," : "", stand.on);
    return words;
}

std::string call_words(const Stand &stand)
{
    return stand.function + partner_words(stand) + at_place(stand.place);
}

std::string short_call_words(const Stand &stand)
{
    std::string words = stand.function;
    if (!stand.starter.empty())
        words += " for " + stand.starter;
    if (!stand.on.empty())
        words += " on " + stand.on;
    return words + at_place(stand.place);
}

std::string time_words(const Moments &moments, double since_s, double longest_s, double shortest_s)
{
    if (!moments.running)
        return fmt::format("since {} after the start", duration_text(since_s));
    const std::string longest = duration_text(longest_s);
    const std::string shortest = duration_text(shortest_s);
    if (shortest == longest || shortest_s > standing_limits.same_wait_share * longest_s)
        return "for " + longest;
    return fmt::format("for {} to {}", shortest, longest);
}

std::string time_words(const Moments &moments, const Stand &stand)
{
    const double length_s = std::max(0.0, moments.now_s - stand.since_s);
    return time_words(moments, stand.since_s - moments.begin_s, length_s, length_s);
}

std::string stopped_words(RankState state)
{
    return state == RankState::stopped  ? "stopped (signal)"
           : state == RankState::traced ? "stopped (debugger)"
                                        : "";
}

std::string doing(const Stand &stand, const Moments &moments)
{
    std::string words = stopped_words(stand.state);
    if (!words.empty())
        words += stand.in_call ? " " : ", ";
    if (stand.state == RankState::gone)
        words = "without a process any more";
    else if (stand.polls)
        words += fmt::format("polling with {}{}", stand.function, at_place(stand.place));
    else if (stand.in_call)
        words += fmt::format("in {}{}", stand.function, at_place(stand.place));
    else
        words += stand.gpu.empty() ? "outside MPI" : stand.gpu;
    words += ", " + time_words(moments, stand);
    if (!stand.in_call && !stand.polls && !stand.function.empty())
        words += fmt::format(", after {}{}", stand.function, at_place(stand.place));
    return words;
}

}  // namespace mprof
