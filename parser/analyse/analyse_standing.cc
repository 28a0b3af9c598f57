// Where the ranks stand that have not ended: who is in which call since when, who is outside MPI,
// and who waits for whom. For jobs that hang, and for what is left of jobs that were killed.
//
// Every rank tells when it entered the call that it is in, or left the last one, by its own clock;
// its start on the clock of the day makes these comparable, as exactly as the nodes' clocks agree:
// good enough for seconds. A collective that some members of a communicator are in waits for those
// that are not.
#include "analyse/analysis_parts.h"
#include "analyse/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace mprof {
namespace {

constexpr double ns = 1e-9;

// One rank that has not ended.
struct Stand {
    size_t index = 0;  // into the ranks
    uint32_t rank = 0;
    bool in_call = false;
    std::string function, place;
    uint32_t communicator = 0;  // row; 0 = none
    bool in_world = false;      // peers are world ranks
    int64_t peer = MPROF_NO_PEER;
    double since_s = 0;  // on the clock of the day
};

bool has_ended(const RankMeasure &rank)
{
    return rank.file->run.end != MPROF_END_NONE;
}

double start_s(const RankFile &file)
{
    return static_cast<double>(file.run.start_realtime_ns) * ns;
}

Stand stand_of(size_t index, const RankMeasure &rank, const mprof_thread &thread,
               const Merged &merged)
{
    Stand stand;
    stand.index = index;
    stand.rank = rank.rank();
    stand.in_call = thread.in_call != 0;
    const uint32_t function = stand.in_call ? thread.in_call : thread.last_function;
    if (function != 0)
        stand.function = rank.file->function_name(function - 1);
    stand.place = merged.paths.site_of(merged.paths.node_of(index, thread.call_callsite)).words();
    stand.since_s = start_s(*rank.file) + rank.clock.seconds_at(thread.ticks);
    if (stand.in_call) {
        stand.communicator = merged.communicators.row_of(index, thread.call_communicator);
        stand.in_world = thread.call_communicator == MPROF_COMM_SLOT_WORLD;
        stand.peer = thread.call_peer;
    }
    return stand;
}

std::vector<Stand> find_stands(const RankMeasures &ranks, const Merged &merged)
{
    std::vector<Stand> stands;
    for (size_t index = 0; index < ranks.size(); index++) {
        const mprof_thread *thread = last_seen_thread(*ranks[index].file);
        if (!has_ended(ranks[index]) && thread != nullptr)
            stands.push_back(stand_of(index, ranks[index], *thread, merged));
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

std::string time_text(const StandingRow &row)
{
    const std::string longest = duration_text(row.longest_s);
    const std::string shortest = duration_text(row.shortest_s);
    if (row.ranks == 1 || shortest == longest || row.shortest_s > 0.9 * row.longest_s)
        return "for " + longest;
    return fmt::format("for {} to {}", shortest, longest);
}

std::string whom(const StandingRow &row)
{
    if (row.ranks == 1)
        return fmt::format("rank {}", row.where.front().first);
    return plural(row.ranks, "rank");
}

std::string sentence_of(const StandingRow &row)
{
    std::string words = whom(row);
    if (row.state == "in call") {
        words += fmt::format(" in {}{}", row.function, at_place(row.place));
        if (row.peer)
            words += fmt::format(", peer {}", *row.peer);
        if (!row.communicator.empty() && row.communicator != "MPI_COMM_WORLD")
            words += " on " + row.communicator;
    } else {
        words += " outside MPI";
        if (!row.function.empty())
            words += fmt::format(", after {}{}", row.function, at_place(row.place));
    }
    words += " " + time_text(row);
    if (row.ranks > 1)
        words += ": " + ranges_text(row.where);
    return words;
}

// Ranks in the same call at the same place are one row, whomever each waits for.
std::vector<StandingRow> group(const std::vector<Stand> &stands, const Merged &merged, double now_s)
{
    std::map<std::tuple<bool, std::string, std::string, uint32_t>, StandingRow> rows;
    for (const Stand &stand : stands) {
        StandingRow &row = rows[{stand.in_call, stand.function, stand.place, stand.communicator}];
        const double length_s = std::max(0.0, now_s - stand.since_s);
        const bool first = row.ranks == 0;
        const std::optional<int64_t> peer =
            stand.in_call && stand.peer >= 0 ? std::optional<int64_t>(stand.peer) : std::nullopt;
        row.state = stand.in_call ? "in call" : "outside MPI";
        row.function = stand.function;
        row.place = stand.place;
        row.communicator = merged.communicators.label(stand.communicator);
        row.peer = first || row.peer == peer ? peer : std::nullopt;
        row.shortest_s = first ? length_s : std::min(row.shortest_s, length_s);
        row.longest_s = std::max(row.longest_s, length_s);
        row.ranks++;
        add_rank(row.where, stand.rank);
    }
    std::vector<StandingRow> sorted;
    for (auto &[key, row] : rows) {
        row.text = sentence_of(row);
        sorted.push_back(std::move(row));
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const StandingRow &a, const StandingRow &b) { return a.ranks > b.ranks; });
    return sorted;
}

bool is_collective(const std::string &function)
{
    static const std::set<std::string> names = {
        "MPI_Allgather",   "MPI_Allgatherv",     "MPI_Allreduce",  "MPI_Alltoall",
        "MPI_Alltoallv",   "MPI_Alltoallw",      "MPI_Barrier",    "MPI_Bcast",
        "MPI_Exscan",      "MPI_Gather",         "MPI_Gatherv",    "MPI_Reduce",
        "MPI_Scan",        "MPI_Reduce_scatter", "MPI_Scatter",    "MPI_Reduce_scatter_block",
        "MPI_Scatterv",    "MPI_Comm_dup",       "MPI_Comm_split", "MPI_Comm_create",
        "MPI_Cart_create", "MPI_Win_create",     "MPI_Win_fence",  "MPI_Win_allocate",
        "MPI_File_open",   "MPI_Finalize"};
    return names.contains(function);
}

// What a rank does instead of what others wait for.
std::string doing(const Stand &stand, double now_s)
{
    const std::string length = duration_text(std::max(0.0, now_s - stand.since_s));
    if (!stand.in_call && stand.function.empty())
        return fmt::format("outside MPI for {}", length);
    if (!stand.in_call)
        return fmt::format("outside MPI for {}, after {}{}", length, stand.function,
                           at_place(stand.place));
    return fmt::format("in {}{} for {}", stand.function, at_place(stand.place), length);
}

// The largest collective that some of its communicator's ranks are not in.
std::string collective_headline(const RankMeasures &ranks, const Merged &merged,
                                const std::vector<Stand> &stands, double now_s)
{
    std::map<std::pair<uint32_t, std::string>, std::vector<const Stand *>> calls;
    for (const Stand &stand : stands)
        if (stand.in_call && stand.communicator != 0 && is_collective(stand.function))
            calls[{stand.communicator, stand.function}].push_back(&stand);
    const std::vector<const Stand *> *inside = nullptr;
    for (const auto &[key, members] : calls)
        if (inside == nullptr || members.size() > inside->size())
            inside = &members;
    if (inside == nullptr)
        return "";
    const Stand &first = *inside->front();
    std::vector<MissingRanks> absent;
    const Stand *example = nullptr;
    for (const Stand &stand : stands) {
        const auto &slots = ranks[stand.index].file->communicators;
        const bool member = std::any_of(slots.begin(), slots.end(), [&](const CommunicatorSlot &s) {
            return merged.communicators.row_of(stand.index, s.slot) == first.communicator;
        });
        const bool is_in = stand.in_call && stand.communicator == first.communicator &&
                           stand.function == first.function;
        if (!member || is_in)
            continue;
        add_rank(absent, stand.rank);
        if (example == nullptr || stand.since_s < example->since_s)
            example = &stand;
    }
    if (example == nullptr)
        return "";
    const bool one = absent.size() == 1 && absent[0].first == absent[0].last;
    return fmt::format("{} in {}{} wait{} for {} {}, {} {}", plural(inside->size(), "rank"),
                       first.function, at_place(first.place), inside->size() == 1 ? "s" : "",
                       one ? "rank" : "ranks", ranges_text(absent),
                       one ? "which is" : fmt::format("of which rank {} is", example->rank),
                       doing(*example, now_s));
}

// Ranks that wait for each other in a ring: each names the next one as its peer.
std::string ring_headline(const std::vector<Stand> &stands)
{
    std::map<int64_t, const Stand *> by_rank;
    for (const Stand &stand : stands)
        by_rank[stand.rank] = &stand;
    for (const Stand &start : stands) {
        std::string words;
        std::set<int64_t> seen;
        const Stand *at = &start;
        while (at != nullptr && at->in_call && at->in_world && at->peer >= 0 &&
               seen.insert(at->rank).second) {
            words += fmt::format("{}rank {} in {}{} waits for rank {}", words.empty() ? "" : ", ",
                                 at->rank, at->function, at_place(at->place), at->peer);
            const auto next = by_rank.find(at->peer);
            at = next == by_rank.end() ? nullptr : next->second;
            if (at == &start && seen.size() > 1)
                return "a ring of ranks that wait for each other: " + words;
        }
    }
    return "";
}

std::string ended_text(const RankMeasures &ranks)
{
    static constexpr const char *ends[] = {"", "returned from MPI_Finalize", "called MPI_Abort",
                                           "exited without MPI_Finalize"};
    std::string words;
    for (uint32_t end = MPROF_END_FINALIZE; end <= MPROF_END_EXIT; end++) {
        std::vector<MissingRanks> where;
        uint64_t count = 0;
        for (const RankMeasure &rank : ranks)
            if (rank.file->run.end == end) {
                add_rank(where, rank.rank());
                count++;
            }
        if (count > 0)
            words += fmt::format("{}{} {}: {}", words.empty() ? "" : "; ", plural(count, "rank"),
                                 ends[end], ranges_text(where));
    }
    return words;
}

}  // namespace

void analyse_standing(const RankMeasures &ranks, const Merged &merged,
                      const Observation &observation, Report &report)
{
    const std::vector<Stand> stands = find_stands(ranks, merged);
    if (stands.empty())
        return;
    double now_s = static_cast<double>(observation.realtime_ns) * ns;
    if (!observation.running) {
        now_s = 0;
        for (const RankMeasure &rank : ranks)
            now_s = std::max(now_s, start_s(*rank.file) + rank.wallclock_s);
    }
    Standing &standing = report.standing;
    standing.running = observation.running;
    standing.rows = group(stands, merged, now_s);
    standing.ended = ended_text(ranks);
    standing.headline = ring_headline(stands);
    if (standing.headline.empty())
        standing.headline = collective_headline(ranks, merged, stands, now_s);
}

}  // namespace mprof
