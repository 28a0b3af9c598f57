// Where the ranks stand that have not ended: who is in which call since when, who is outside MPI,
// and who waits for whom. For jobs that hang, and for what is left of jobs that were killed.
//
// A collective that some members of a communicator are in waits for those that are not.
#include "analyse/analysis_parts.h"
#include "analyse/standing/stands.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace mprof {
namespace {

std::string ranks_in_words(const StandingRow &row)
{
    if (row.ranks == 1)
        return fmt::format("rank {}", row.where.front().first);
    return plural(row.ranks, "rank");
}

// One per place: its row, and what all its ranks have in common.
struct Group {
    StandingRow row;
    Stand first;
    bool same_partner = true;
};

// "polls with MPI_Test ...", "in MPI_Recv ...", "outside MPI, after ..."
std::string place_words(const Group &group)
{
    Stand stand = group.first;
    if (!group.same_partner) {  // each has another one
        stand.peer = MPROF_NO_PEER;
        stand.world_peer.reset();
        stand.tag = 0;
        stand.requests = 0;
    }
    if (stand.polls)
        return fmt::format("{} with {}", group.row.ranks == 1 ? "polls" : "poll",
                           call_words(stand));
    if (stand.in_call)
        return "in " + call_words(stand);
    std::string words = stand.gpu.empty() ? "outside MPI" : "outside MPI, " + stand.gpu;
    if (!stand.function.empty())
        words += fmt::format(", after {}{}", stand.function, at_place(stand.place));
    return words;
}

std::string sentence_of(const Group &group, const Moments &moments)
{
    const StandingRow &row = group.row;
    std::string words = ranks_in_words(row);
    const std::string stopped = stopped_words(row.state);
    if (row.state == RankState::gone)
        words += " without a process any more, last seen";
    if (!stopped.empty())
        words += fmt::format(" {} {}{}", row.ranks == 1 ? "is" : "are", stopped,
                             group.first.in_call ? "" : ",");
    words += " " + place_words(group);
    words += ", " + time_words(moments, row.since_s, row.longest_s, row.shortest_s);
    if (row.ranks > 1)
        words += ": " + ranges_text(row.where);
    return words;
}

void add_to_group(Group &group, const Stand &stand, const Merged &merged, const Moments &moments)
{
    StandingRow &row = group.row;
    const double length_s = std::max(0.0, moments.now_s - stand.since_s);
    const double since_s = std::max(0.0, stand.since_s - moments.begin_s);
    const bool first = row.ranks == 0;
    if (first)
        group.first = stand;
    const std::optional<int64_t> peer =
        stand.peer >= 0 ? std::optional<int64_t>(stand.peer) : std::nullopt;
    row.state = stand.state;
    row.function = stand.function;
    row.place = stand.place;
    row.communicator = merged.communicators.label(stand.communicator);
    row.peer = first || row.peer == peer ? peer : std::nullopt;
    row.shortest_s = first ? length_s : std::min(row.shortest_s, length_s);
    row.longest_s = std::max(row.longest_s, length_s);
    row.since_s = first ? since_s : std::min(row.since_s, since_s);
    row.ranks++;
    group.same_partner = group.same_partner && partner_words(group.first) == partner_words(stand);
    add_rank(row.where, stand.rank);
}

// Ranks in the same call at the same place are one row, whomever each waits for.
std::vector<StandingRow> group_stands(const std::vector<Stand> &stands, const Merged &merged,
                                      const Moments &moments)
{
    std::map<
        std::tuple<bool, RankState, std::string, std::string, std::string, std::string, uint32_t>,
        Group>
        groups;
    for (const Stand &stand : stands)
        add_to_group(groups[{stand.in_call && !stand.polls, stand.state, stand.function,
                             stand.starter, stand.place, stand.gpu, stand.communicator}],
                     stand, merged, moments);
    std::vector<StandingRow> sorted;
    for (auto &[key, group] : groups) {
        group.row.text = sentence_of(group, moments);
        sorted.push_back(std::move(group.row));
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

// All known ranks are in one collective of MPI_COMM_WORLD, so it waits for the unknown ones.
std::string unknown_headline(const std::vector<const Stand *> &inside, const RankMeasures &ranks,
                             const std::vector<MissingRanks> &missing)
{
    const Stand &first = *inside.front();
    if (missing.empty() || !first.on.empty() || inside.size() != ranks.size())
        return "";
    const bool one = missing.size() == 1 && missing[0].first == missing[0].last;
    return fmt::format("{} in {} wait{} for {} {}, about which nothing is known",
                       plural(inside.size(), "rank"), short_call_words(first),
                       inside.size() == 1 ? "s" : "", one ? "rank" : "ranks", ranges_text(missing));
}

// The largest collective that some of its communicator's ranks are not in.
Waiting collective_headline(const RankMeasures &ranks, const Members &members,
                            const std::vector<Stand> &stands, const Moments &moments,
                            const std::vector<MissingRanks> &missing)
{
    std::map<std::pair<uint32_t, std::string>, std::vector<const Stand *>> calls;
    for (const Stand &stand : stands)
        if (stand.waits() && !stand.polls && stand.communicator != 0 && needs_all(stand.function))
            calls[{stand.communicator, stand.function}].push_back(&stand);
    const std::vector<const Stand *> *inside = nullptr;
    for (const auto &[key, callers] : calls)
        if (inside == nullptr || callers.size() > inside->size())
            inside = &callers;
    if (inside == nullptr)
        return {};
    const Stand &first = *inside->front();
    Waiting found;
    std::vector<MissingRanks> absent;
    const Stand *example = nullptr;
    for (const Stand &stand : stands) {
        const bool is_in = stand.in_call && stand.state != RankState::gone &&
                           stand.communicator == first.communicator &&
                           stand.function == first.function;
        if (is_in || !members.has(first.communicator, stand.rank))
            continue;
        add_rank(absent, stand.rank);
        found.blamed.push_back(stand.rank);
        if (example == nullptr || stand.since_s < example->since_s)
            example = &stand;
    }
    if (example == nullptr) {
        found.headline = unknown_headline(*inside, ranks, missing);
        return found;
    }
    found.last = inside->front();
    for (const Stand &stand : stands)
        if (stand.in_call && facts_of(stand.function).ends_mpi &&
            members.has(first.communicator, stand.rank))
            found.end = &stand;
    const bool one = absent.size() == 1 && absent[0].first == absent[0].last;
    std::stable_partition(found.blamed.begin(), found.blamed.end(),
                          [&](uint32_t rank) { return rank == example->rank; });
    found.headline = fmt::format(
        "{} in {} wait{} for {} {}, {} {}", plural(inside->size(), "rank"), short_call_words(first),
        inside->size() == 1 ? "s" : "", one ? "rank" : "ranks", ranges_text(absent),
        one ? "which is" : fmt::format("of which rank {} is", example->rank),
        doing(*example, moments));
    return found;
}

std::string ended_text(const RankMeasures &ranks)
{
    static constexpr const char *ends[] = {"", "returned from MPI_Finalize", "aborted",
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
    if (only_lacks_unprofiled(quality))
        return fmt::format("{} not profiled, so nothing is known about them: {}",
                           plural(count_ranks(quality.missing), "rank"),
                           ranges_text(quality.missing));
    return fmt::format("{} without a readable file, so nothing is known about them: {}",
                       plural(quality.ranks_expected - quality.ranks_read, "rank"),
                       ranges_text(quality.missing));
}

// Ranks that cannot go on, whatever they wait for.
std::string stopped_text(const std::vector<Stand> &stands)
{
    std::string words;
    for (const RankState state : {RankState::stopped, RankState::traced}) {
        std::vector<MissingRanks> where;
        for (const Stand &stand : stands)
            if (stand.state == state)
                add_rank(where, stand.rank);
        if (where.empty())
            continue;
        const bool one = where.size() == 1 && where[0].first == where[0].last;
        words += fmt::format("{}{} {} {} {}", words.empty() ? "" : "; ", one ? "rank" : "ranks",
                             ranges_text(where), one ? "is" : "are", stopped_words(state));
    }
    return words;
}

// A ring of messages that do not match is described by what does not match.
Waiting find_waiting(const RankMeasures &ranks, const Members &members,
                     const std::vector<Stand> &stands, const Moments &moments,
                     const std::vector<MissingRanks> &missing)
{
    const Waiting ring = waiting_of(find_ring(stands, members, moments), moments);
    Waiting found = find_mismatch(stands);
    if (found.headline.empty() && !ring.is_moment)
        found = ring;
    if (found.headline.empty())
        found = collective_headline(ranks, members, stands, moments, missing);
    if (found.headline.empty())
        found = waiting_of(find_chain(stands), moments);
    if (found.headline.empty())
        found = ring;
    std::string &words = found.headline;
    const std::string stopped = stopped_text(stands);
    if (words.find("stopped (") == std::string::npos && !stopped.empty())
        words += (words.empty() ? "" : "; ") + stopped;
    return found;
}

// Somebody saw when the job ended (mprof run), and by then the ranks had not waited for long: what
// ended it was not that they waited. Where a rank was killed, Open MPI's launcher gives the others
// a second to end.
bool were_ended_soon(const RankMeasures &ranks, const std::vector<Stand> &stands,
                     const Observation &observation)
{
    return !observation.running &&
           std::all_of(stands.begin(), stands.end(), [&](const Stand &stand) {
               const uint64_t seen_ns = ranks[stand.index].file->run.stop_realtime_ns;
               return seen_ns != 0 && (!stand.waits() || seconds_of_ns(seen_ns) - stand.since_s <
                                                             standing_limits.ended_soon_s);
           });
}

// Who alone was outside MPI, where the others waited for it, may be who ended them.
bool is_outside(const std::vector<Stand> &stands, const std::vector<uint32_t> &blamed)
{
    return blamed.size() == 1 && std::any_of(stands.begin(), stands.end(), [&](const Stand &stand) {
               return stand.rank == blamed[0] && !stand.in_call && !stand.polls;
           });
}

// What is reported instead of a hang.
Waiting ended_soon(const std::vector<Stand> &stands, const Waiting &found)
{
    Waiting soon;
    const auto first = std::find_if(stands.begin(), stands.end(),
                                    [](const Stand &stand) { return stand.waits(); });
    if (is_outside(stands, found.blamed)) {
        soon.headline = found.headline + ". Something ended the job then: an error or a signal. "
                                         "That is no sign of a hang. See what was printed";
        soon.blamed = found.blamed;
    } else if (first != stands.end()) {
        soon.headline =
            fmt::format("something ended the job while rank {} was in {}: an error in MPI or a "
                        "signal. That is no sign of a hang. See what was printed",
                        first->rank, call_words(*first));
    }
    return soon;
}

// `standing` of those that have not ended; returns whom the headline blames.
std::vector<uint32_t> tell_stands(const RankMeasures &ranks, const Merged &merged,
                                  const Observation &observation, const Moments &moments,
                                  const std::vector<Stand> &stands, Report &report)
{
    Standing &standing = report.standing;
    standing.running = observation.running;
    standing.state = observation.running  ? JobState::running
                     : observation.looked ? JobState::stopped
                                          : JobState::unknown;
    standing.rows = group_stands(stands, merged, moments);
    standing.ended = ended_text(ranks);
    const Members members(ranks, merged);
    Waiting found = find_waiting(ranks, members, stands, moments, report.quality.missing);
    standing.is_hung = is_hung(ranks, members, stands, found, observation, moments);
    if (!standing.is_hung && were_ended_soon(ranks, stands, observation))
        found = ended_soon(stands, found);
    standing.advice = advice_of(found);
    standing.headline = std::move(found.headline);
    return std::move(found.blamed);
}

}  // namespace

void analyse_standing(const RankMeasures &ranks, const Merged &merged,
                      const Observation &observation, Report &report)
{
    Standing &standing = report.standing;
    standing.missing = missing_text(report.quality);
    const Moments moments = find_moments(ranks, observation);
    const std::vector<Stand> stands = find_stands(ranks, merged, observation, moments);
    std::vector<uint32_t> blamed;
    if (stands.empty())
        standing.state = JobState::ended;
    else
        blamed = tell_stands(ranks, merged, observation, moments, stands, report);
    if (const auto found = find_ended_by(ranks, merged, observation, moments)) {
        standing.headline = found->words;
        standing.ended_by = found->rank;
        standing.ended_how = found->how;
        standing.is_hung = false;
        blamed = {found->rank};
    }
    standing.look_at = ranks_to_look_at(ranks, stands, standing.rows, blamed);
    report.last_calls = find_last_calls(ranks, merged, standing.look_at);
}

}  // namespace mprof
