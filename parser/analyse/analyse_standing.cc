// Where the ranks stand that have not ended: who is in which call since when, who is outside MPI,
// and who waits for whom. For jobs that hang, and for what is left of jobs that were killed.
//
// Every rank tells when it entered the call that it is in, or left the last one, by its own clock;
// its start on the clock of the day makes these comparable, as exactly as the nodes' clocks agree:
// good enough for seconds. A collective that some members of a communicator are in waits for those
// that are not.
#include "analyse/analysis_parts.h"
#include "measure/calls_in_progress.h"
#include "measure/function_facts.h"
#include "measure/tick_clock.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace mprof {
namespace {

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
    bool gone = false;   // its process is not there any more
};

// When the run began, and its last sign of life, by the time of day.
struct Moments {
    bool running = false;
    double begin_s = 0, now_s = 0;
};

bool has_ended(const RankMeasure &rank)
{
    return rank.file->run.end != MPROF_END_NONE;
}

double start_s(const RankFile &file)
{
    return seconds_of_ns(file.run.start_realtime_ns);
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

std::vector<Stand> find_stands(const RankMeasures &ranks, const Merged &merged,
                               const Observation &observation)
{
    std::vector<Stand> stands;
    for (size_t index = 0; index < ranks.size(); index++) {
        const mprof_thread *thread = last_seen_thread(*ranks[index].file);
        if (has_ended(ranks[index]) || thread == nullptr)
            continue;
        stands.push_back(stand_of(index, ranks[index], *thread, merged));
        stands.back().gone = observation.running && observation.gone.contains(stands.back().rank);
    }
    return stands;
}

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

// For how long, while the job runs. If the job has ended, its end is not known.
std::string time_text(const Moments &moments, double since_s, double longest_s, double shortest_s)
{
    if (!moments.running)
        return fmt::format("since {} after the start", duration_text(since_s));
    const std::string longest = duration_text(longest_s);
    const std::string shortest = duration_text(shortest_s);
    if (shortest == longest || shortest_s > 0.9 * longest_s)
        return "for " + longest;
    return fmt::format("for {} to {}", shortest, longest);
}

std::string time_text(const Moments &moments, const Stand &stand)
{
    const double length_s = std::max(0.0, moments.now_s - stand.since_s);
    return time_text(moments, stand.since_s - moments.begin_s, length_s, length_s);
}

// The relation to the peer: MPI_Recv is from it, MPI_Send to it, MPI_Sendrecv both.
std::string peer_words(const std::string &function, int64_t peer)
{
    const FunctionFacts facts = facts_of(function);
    const char *word = facts.sends == facts.receives ? "with" : facts.receives ? "from" : "to";
    return fmt::format(" {} rank {}", word, peer);
}

std::string whom(const StandingRow &row)
{
    if (row.ranks == 1)
        return fmt::format("rank {}", row.where.front().first);
    return plural(row.ranks, "rank");
}

std::string sentence_of(const StandingRow &row, bool in_call, const Moments &moments)
{
    std::string words = whom(row);
    if (row.state == RankState::gone)
        words += " without a process any more, last seen";
    if (in_call) {
        words += fmt::format(" in {}", row.function);
        if (row.peer)
            words += peer_words(row.function, *row.peer);
        if (!row.communicator.empty() && row.communicator != "MPI_COMM_WORLD")
            words += fmt::format("{} on {}", row.peer ? " of those" : "", row.communicator);
        words += at_place(row.place);
    } else {
        words += " outside MPI";
        if (!row.function.empty())
            words += fmt::format(", after {}{}", row.function, at_place(row.place));
    }
    words += ", " + time_text(moments, row.since_s, row.longest_s, row.shortest_s);
    if (row.ranks > 1)
        words += ": " + ranges_text(row.where);
    return words;
}

RankState state_of(const Stand &stand)
{
    if (stand.gone)
        return RankState::gone;
    return stand.in_call ? RankState::in_call : RankState::outside_mpi;
}

// Ranks in the same call at the same place are one row, whomever each waits for.
std::vector<StandingRow> group(const std::vector<Stand> &stands, const Merged &merged,
                               const Moments &moments)
{
    std::map<std::tuple<bool, RankState, std::string, std::string, uint32_t>, StandingRow> rows;
    for (const Stand &stand : stands) {
        StandingRow &row =
            rows[{stand.in_call, state_of(stand), stand.function, stand.place, stand.communicator}];
        const double length_s = std::max(0.0, moments.now_s - stand.since_s);
        const double since_s = std::max(0.0, stand.since_s - moments.begin_s);
        const bool first = row.ranks == 0;
        const std::optional<int64_t> peer =
            stand.in_call && stand.peer >= 0 ? std::optional<int64_t>(stand.peer) : std::nullopt;
        row.state = state_of(stand);
        row.function = stand.function;
        row.place = stand.place;
        row.communicator = merged.communicators.label(stand.communicator);
        row.peer = first || row.peer == peer ? peer : std::nullopt;
        row.shortest_s = first ? length_s : std::min(row.shortest_s, length_s);
        row.longest_s = std::max(row.longest_s, length_s);
        row.since_s = first ? since_s : std::min(row.since_s, since_s);
        row.ranks++;
        add_rank(row.where, stand.rank);
    }
    std::vector<StandingRow> sorted;
    for (auto &[key, row] : rows) {
        row.text = sentence_of(row, std::get<0>(key), moments);
        sorted.push_back(std::move(row));
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const StandingRow &a, const StandingRow &b) { return a.ranks > b.ranks; });
    return sorted;
}

// The collective returns only when all others are in it, or it may do so.
bool needs_all(const std::string &function)
{
    const FunctionFacts facts = facts_of(function);
    return facts.needs_all || is_collective(facts.call);
}

// What a rank does instead of joining the call that others wait in.
std::string doing(const Stand &stand, const Moments &moments)
{
    std::string words = stand.gone ? "without a process any more" : "outside MPI";
    if (stand.in_call && !stand.gone)
        words = fmt::format("in {}{}", stand.function, at_place(stand.place));
    words += ", " + time_text(moments, stand);
    if (!stand.in_call && !stand.function.empty())
        words += fmt::format(", after {}{}", stand.function, at_place(stand.place));
    return words;
}

// All known ranks are in one collective of MPI_COMM_WORLD, so it waits for the unknown ones.
std::string unknown_headline(const std::vector<const Stand *> &inside, const RankMeasures &ranks,
                             const std::vector<MissingRanks> &missing)
{
    const Stand &first = *inside.front();
    if (missing.empty() || !first.in_world || inside.size() != ranks.size())
        return "";
    const bool one = missing.size() == 1 && missing[0].first == missing[0].last;
    return fmt::format("{} in {}{} wait{} for {} {}, of which nothing is known",
                       plural(inside.size(), "rank"), first.function, at_place(first.place),
                       inside.size() == 1 ? "s" : "", one ? "rank" : "ranks", ranges_text(missing));
}

// The largest collective that some of its communicator's ranks are not in.
std::string collective_headline(const RankMeasures &ranks, const Merged &merged,
                                const std::vector<Stand> &stands, const Moments &moments,
                                const std::vector<MissingRanks> &missing)
{
    std::map<std::pair<uint32_t, std::string>, std::vector<const Stand *>> calls;
    for (const Stand &stand : stands)
        if (stand.in_call && !stand.gone && stand.communicator != 0 && needs_all(stand.function))
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
        const bool is_in = stand.in_call && !stand.gone &&
                           stand.communicator == first.communicator &&
                           stand.function == first.function;
        if (!member || is_in)
            continue;
        add_rank(absent, stand.rank);
        if (example == nullptr || stand.since_s < example->since_s)
            example = &stand;
    }
    if (example == nullptr)
        return unknown_headline(*inside, ranks, missing);
    const bool one = absent.size() == 1 && absent[0].first == absent[0].last;
    return fmt::format("{} in {}{} wait{} for {} {}, {} {}", plural(inside->size(), "rank"),
                       first.function, at_place(first.place), inside->size() == 1 ? "s" : "",
                       one ? "rank" : "ranks", ranges_text(absent),
                       one ? "which is" : fmt::format("of which rank {} is", example->rank),
                       doing(*example, moments));
}

// From one rank to the one that it waits for, and on: a ring, or a chain whose end is to blame.
struct Chain {
    std::vector<const Stand *> links;
    bool is_ring = false;
};

// Each rank is visited once, so a chain that joins an earlier one is not reported again.
class ChainFinder {
public:
    explicit ChainFinder(const std::vector<Stand> &stands) : stands_(stands)
    {
        for (const Stand &stand : stands)
            by_rank_[stand.rank] = &stand;
    }

    // A ring, or else the longest chain; from ranks that nobody waits for, so that it is whole.
    Chain find()
    {
        std::set<const Stand *> waited_for;
        for (const Stand &stand : stands_)
            waited_for.insert(partner_of(stand));
        Chain best;
        for (const bool at_head : {true, false})
            for (const Stand &stand : stands_)
                if (waited_for.contains(&stand) != at_head && !best.is_ring)
                    keep_better(best, follow(stand));
        return best;
    }

private:
    const Stand *partner_of(const Stand &stand) const
    {
        const bool waits = stand.in_call && !stand.gone && stand.in_world && stand.peer >= 0;
        const auto partner = waits ? by_rank_.find(stand.peer) : by_rank_.end();
        return partner == by_rank_.end() ? nullptr : partner->second;
    }

    Chain follow(const Stand &start)
    {
        Chain chain;
        const Stand *at = &start;
        for (; at != nullptr && passed_.insert(at).second; at = partner_of(*at))
            chain.links.push_back(at);
        const auto begin = std::find(chain.links.begin(), chain.links.end(), at);
        chain.is_ring = begin != chain.links.end();
        if (chain.is_ring)
            chain.links.erase(chain.links.begin(), begin);
        else if (at != nullptr)
            chain.links.clear();
        return chain;
    }

    static void keep_better(Chain &best, Chain found)
    {
        if (found.is_ring || found.links.size() > std::max<size_t>(1, best.links.size()))
            best = std::move(found);
    }

    const std::vector<Stand> &stands_;
    std::map<int64_t, const Stand *> by_rank_;
    std::set<const Stand *> passed_;
};

std::string link_text(const Stand &stand)
{
    return fmt::format("rank {} in {}{} waits for rank {}", stand.rank, stand.function,
                       at_place(stand.place), stand.peer);
}

std::string chain_text(const Chain &chain, const Moments &moments)
{
    constexpr size_t most_links = 8;
    std::string words = chain.is_ring ? "a ring of ranks that wait for each other: " : "";
    const size_t links = chain.links.size() - (chain.is_ring ? 0 : 1);
    for (size_t i = 0; i < std::min(links, most_links); i++)
        words += (i == 0 ? "" : ", ") + link_text(*chain.links[i]);
    if (links > most_links)
        words += fmt::format(", and so on over {}", plural(links, "rank"));
    if (!chain.is_ring)
        words += fmt::format("{} is {}",
                             links > most_links ? fmt::format("; rank {}", chain.links.back()->rank)
                                                : ", which",
                             doing(*chain.links.back(), moments));
    return words;
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

// Their node was lost with their files, or they never reached the end of MPI_Init.
std::string missing_text(const Quality &quality)
{
    if (quality.missing.empty())
        return "";
    return fmt::format("{} without a readable file, of which nothing is known: {}",
                       plural(quality.ranks_expected - quality.ranks_read, "rank"),
                       ranges_text(quality.missing));
}

}  // namespace

void analyse_standing(const RankMeasures &ranks, const Merged &merged,
                      const Observation &observation, Report &report)
{
    Standing &standing = report.standing;
    standing.missing = missing_text(report.quality);
    const std::vector<Stand> stands = find_stands(ranks, merged, observation);
    if (stands.empty()) {
        standing.state = JobState::ended;
        return;
    }
    const Moments moments = find_moments(ranks, observation);
    standing.running = observation.running;
    standing.state = observation.running  ? JobState::running
                     : observation.looked ? JobState::stopped
                                          : JobState::unknown;
    standing.rows = group(stands, merged, moments);
    standing.ended = ended_text(ranks);
    const Chain chain = ChainFinder(stands).find();
    if (!chain.is_ring)
        standing.headline =
            collective_headline(ranks, merged, stands, moments, report.quality.missing);
    if (standing.headline.empty() && !chain.links.empty())
        standing.headline = chain_text(chain, moments);
}

}  // namespace mprof
