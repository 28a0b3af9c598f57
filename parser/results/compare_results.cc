// The first difference between what two runs carried through MPI, and whose fault it is.
#include "results/results_comparison.h"

#include "measure/call_paths.h"
#include "read/rank_file.h"

#include <algorithm>
#include <compare>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#ifndef MPROF_VERSION
#define MPROF_VERSION "unknown"
#endif

namespace mprof {
namespace {

// The hashes of one rank in two runs, laid side by side.
//
// A group is what both runs can be compared in: a single hash, or the sum of several whose numbers
// in the channel follow each other (mprof_result). If one run was folded more often than the other
// one, the finer hashes are added up.

struct ResultKey {
    uint16_t kind = 0;
    uint16_t communicator = 0;
    uint32_t rank = 0, tag = 0;
    uint16_t part = 0;  // BEFORE, REST or MIXED of mprof_result_flags
    uint64_t group = 0;

    // NOLINTNEXTLINE(modernize-use-nullptr): there is no pointer
    auto operator<=>(const ResultKey &other) const = default;
};

struct ResultGroup {
    // With hash and count of all, the rest of the first one; count 0 = not there.
    mprof_result a{}, b{};

    bool same_calls() const { return a.count == b.count; }
    bool differs() const { return !same_calls() || a.hash != b.hash; }
    const mprof_result &first() const { return a.count > 0 ? a : b; }
    uint64_t place() const { return first().place; }
    bool is_interval() const { return a.count > 1 || b.count > 1; }
};

class RankResults {
public:
    RankResults(const RankFile &a, const RankFile &b);

    const RankFile &file_a() const { return *a_; }
    const RankFile &file_b() const { return *b_; }
    const std::map<ResultKey, ResultGroup> &groups() const { return groups_; }
    // A group has the numbers from `group` << level on, 1 << level of them.
    uint32_t level() const { return level_; }
    // Does a group of the same channel that has one of these numbers differ?
    bool differs(ResultKey key, uint64_t first_number, uint64_t last_number) const;
    // The first group that differs, or nullptr.
    const std::pair<const ResultKey, ResultGroup> *first() const { return first_; }

private:
    void add(const RankFile &file, mprof_result ResultGroup::*side);

    const RankFile *a_, *b_;
    uint32_t level_;
    std::map<ResultKey, ResultGroup> groups_;
    const std::pair<const ResultKey, ResultGroup> *first_ = nullptr;
};

inline bool is_given(uint16_t kind)
{
    return kind == MPROF_RESULT_SENT || kind == MPROF_RESULT_GIVEN || kind == MPROF_RESULT_REDUCING;
}

constexpr unsigned extreme_parts = MPROF_RESULT_BEFORE | MPROF_RESULT_REST | MPROF_RESULT_MIXED;

ResultKey key_of(const mprof_result &result, uint32_t level)
{
    ResultKey key{.kind = result.kind,
                  .communicator = result.communicator,
                  .rank = result.rank,
                  .tag = result.tag,
                  .part = static_cast<uint16_t>(result.flags & extreme_parts)};
    if (key.part == 0)
        key.group = result.number >> level;
    return key;
}

void add_to(mprof_result &sum, const mprof_result &result)
{
    if (sum.count == 0) {
        sum = result;
        return;
    }
    const uint64_t hash = sum.hash + result.hash;
    const uint32_t count = sum.count + result.count;
    const auto flags = static_cast<uint16_t>(sum.flags | result.flags);
    if (result.place < sum.place)
        sum = result;
    sum.hash = hash;
    sum.count = count;
    sum.flags = flags;
}

void RankResults::add(const RankFile &file, mprof_result ResultGroup::*side)
{
    for (const mprof_result &result : file.result_hashes)
        add_to(groups_[key_of(result, level_)].*side, result);
}

RankResults::RankResults(const RankFile &a, const RankFile &b)
    : a_(&a), b_(&b), level_(std::max(a.results->level, b.results->level))
{
    add(a, &ResultGroup::a);
    add(b, &ResultGroup::b);
    for (const auto &group : groups_)
        if (group.second.differs() &&
            (first_ == nullptr || group.second.place() < first_->second.place()))
            first_ = &group;
}

bool RankResults::differs(ResultKey key, uint64_t first_number, uint64_t last_number) const
{
    key.group = first_number >> level_;
    for (auto at = groups_.lower_bound(key); at != groups_.end(); ++at) {
        key.group = at->first.group;
        if (at->first != key || key.group > last_number >> level_)
            return false;
        if (at->second.differs())
            return true;
    }
    return false;
}

// The first difference, and whose fault it is.
//
// Each rank has a first group that differs, in the order of its program. If that is what the rank
// gave, its computing differs. If it is what the rank got, the cause may be elsewhere: with the
// sender of the message, or with a member of the communicator that gave something else. Their own
// first difference came no later, so following causes from rank to rank ends at one that has none:
// a rank that computed, a message that changed on its way, or a reduction in another order. Of
// several such ends the one is reported that comes first in its rank's program.

using Group = std::pair<const ResultKey, ResultGroup>;

// What comes of following a rank's first difference.
struct Cause {
    size_t rank = 0;  // index
    const Group *group = nullptr;
    DifferenceKind kind = DifferenceKind::compute;
};

class ResultsFinder {
public:
    ResultsFinder(const Profile &a, const Profile &b, const SymbolOptions &options)
        : symbols_a_(options, kept_of(a)),
          symbols_b_(options, kept_of(b)),
          paths_a_(measures(a), symbols_a_),
          paths_b_(measures(b), symbols_b_)
    {
        for (size_t r = 0; r < a.ranks.size(); r++)
            ranks_.emplace_back(a.ranks[r], b.ranks[r]);
        for (size_t r = 0; r < ranks_.size(); r++) {
            index_of_rank_[a.ranks[r].header().rank] = r;
            for (const CommunicatorSlot &slot : a.ranks[r].communicators)
                if (slot.facts.identity != 0)
                    members_[slot.facts.identity].emplace_back(r, static_cast<uint16_t>(slot.slot));
        }
    }

    void find(ResultsComparison &comparison);

private:
    static PlaceNames kept_of(const Profile &profile)
    {
        PlaceNames names;
        for (const std::vector<std::byte> &content : profile.names)
            names.decode(content);
        return names;
    }
    static std::vector<RankMeasure> measures(const Profile &profile)
    {
        std::vector<RankMeasure> ranks(profile.ranks.size());  // call paths need the file alone
        for (size_t r = 0; r < ranks.size(); r++)
            ranks[r].file = &profile.ranks[r];
        return ranks;
    }

    uint64_t identity_of(size_t rank, uint32_t communicator) const;
    Cause follow(size_t rank) const;
    // The rank to go on with, or nothing: the cause is here.
    std::optional<size_t> cause_of_message(size_t rank, const Group &group) const;
    std::optional<size_t> cause_of_collective(size_t rank, const Group &group) const;
    bool had_data_before(size_t rank, uint64_t place) const;
    std::optional<Cause> first_cause() const;
    bool same_collective(const Cause &one, const Cause &other) const;
    bool gave_other(size_t member, const ResultKey &key, size_t rank, const Group &got) const;

    ResultCall call_of(size_t rank, const ResultGroup &group);
    uint64_t instance_of(size_t rank, const mprof_result &result, bool in_a);
    std::optional<ResultCall> call_before(size_t rank, uint64_t place);
    void count(ResultsComparison &comparison) const;
    void find_ordered(ResultsComparison &comparison);
    void find_narrower(ResultsComparison &comparison) const;
    void remark(ResultsComparison &comparison) const;

    SymbolLookup symbols_a_, symbols_b_;
    CallPaths paths_a_, paths_b_;
    std::vector<RankResults> ranks_;
    std::map<uint32_t, size_t> index_of_rank_;
    std::map<uint64_t, std::vector<std::pair<size_t, uint16_t>>> members_;  // by identity
};

uint64_t ResultsFinder::identity_of(size_t rank, uint32_t communicator) const
{
    if (communicator == MPROF_COMM_SLOT_OTHER || communicator == MPROF_COMM_SLOT_SELF)
        return 0;
    const auto &slots = ranks_[rank].file_a().communicators;
    const CommunicatorSlot *slot = find_slot(slots, communicator);
    return slot == nullptr ? 0 : slot->facts.identity;
}

std::optional<size_t> ResultsFinder::cause_of_message(size_t rank, const Group &group) const
{
    const auto sender = index_of_rank_.find(group.first.rank);
    if (sender == index_of_rank_.end() || group.first.part != 0)
        return {};
    ResultKey key = group.first;
    key.kind = MPROF_RESULT_SENT;
    key.rank = ranks_[rank].file_a().header().rank;
    if (sender->second != rank) {
        const auto members = members_.find(identity_of(rank, key.communicator));
        if (members == members_.end())
            return {};
        for (const auto &[member, communicator] : members->second)
            if (member == sender->second)
                key.communicator = communicator;
    }
    return gave_other(sender->second, key, rank, group) ? std::optional(sender->second)
                                                        : std::nullopt;
}

// Did `member`, whose channel is that of `key`, give something else to what `rank` got?
bool ResultsFinder::gave_other(size_t member, const ResultKey &key, size_t rank,
                               const Group &got) const
{
    const uint32_t level = ranks_[rank].level();
    const uint64_t first = got.first.group << level;
    return ranks_[member].differs(key, first, first + (uint64_t{1} << level) - 1);
}

std::optional<size_t> ResultsFinder::cause_of_collective(size_t rank, const Group &group) const
{
    const auto gave = [&](size_t member, uint16_t communicator) {
        ResultKey key = group.first;
        key.communicator = communicator;
        key.kind =
            group.first.kind == MPROF_RESULT_REDUCED ? MPROF_RESULT_REDUCING : MPROF_RESULT_GIVEN;
        return gave_other(member, key, rank, group);
    };
    const auto members = members_.find(identity_of(rank, group.first.communicator));
    if (members == members_.end())
        return gave(rank, group.first.communicator) ? std::optional(rank) : std::nullopt;
    for (const auto &[member, communicator] : members->second)
        if (gave(member, communicator))
            return member;
    return {};
}

bool ResultsFinder::had_data_before(size_t rank, uint64_t place) const
{
    const auto &groups = ranks_[rank].groups();
    return std::any_of(groups.begin(), groups.end(), [&](const Group &group) {
        return !is_given(group.first.kind) && group.second.place() < place;
    });
}

Cause ResultsFinder::follow(size_t rank) const
{
    std::set<size_t> seen;
    Cause cause{rank, ranks_[rank].first(), DifferenceKind::compute};
    for (;;) {
        const Group &group = *ranks_[cause.rank].first();
        cause.group = &group;
        if (is_given(group.first.kind)) {
            cause.kind = had_data_before(cause.rank, group.second.place()) ? DifferenceKind::compute
                                                                           : DifferenceKind::input;
            return cause;
        }
        const bool is_message = group.first.kind == MPROF_RESULT_ARRIVED;
        const auto next = is_message ? cause_of_message(cause.rank, group)
                                     : cause_of_collective(cause.rank, group);
        cause.kind = group.first.kind == MPROF_RESULT_REDUCED ? DifferenceKind::order
                                                              : DifferenceKind::message;
        // In intervals what was given may come later than what was got.
        if (!next || !seen.insert(cause.rank).second)
            return cause;
        cause.rank = *next;
    }
}

bool ResultsFinder::same_collective(const Cause &one, const Cause &other) const
{
    const ResultKey &left = one.group->first;
    const ResultKey &right = other.group->first;
    return one.kind == other.kind && left.kind == right.kind &&
           left.group << ranks_[one.rank].level() == right.group << ranks_[other.rank].level() &&
           identity_of(one.rank, left.communicator) == identity_of(other.rank, right.communicator);
}

std::optional<Cause> ResultsFinder::first_cause() const
{
    std::optional<Cause> best;
    for (size_t r = 0; r < ranks_.size(); r++) {
        if (ranks_[r].first() == nullptr)
            continue;
        const Cause cause = follow(r);
        const auto key = [](const Cause &c) {
            return std::make_tuple(c.group->second.place(), c.rank);
        };
        const bool is_one =
            best && cause.kind == DifferenceKind::order && same_collective(*best, cause);
        if (!best || (is_one ? cause.rank < best->rank : key(cause) < key(*best)))
            best = cause;
    }
    return best;
}

// Paths to one line have a count each: the calls of the others before this one are added.
uint64_t ResultsFinder::instance_of(size_t rank, const mprof_result &result, bool in_a)
{
    const RankFile &file = in_a ? ranks_[rank].file_a() : ranks_[rank].file_b();
    CallPaths &paths = in_a ? paths_a_ : paths_b_;
    const auto line_of = [&](uint32_t slot) { return paths.line_of(paths.node_of(rank, slot)); };
    if (result.instance == 0)
        return 0;
    std::map<uint32_t, uint64_t> others;  // by slot
    const uint32_t line = line_of(result.callsite);
    for (const mprof_result &other : file.result_hashes) {
        if (other.callsite == result.callsite || other.function != result.function ||
            other.place >= result.place || line_of(other.callsite) != line)
            continue;
        uint64_t &most = others[other.callsite];
        most = std::max<uint64_t>(most, other.instance);
    }
    uint64_t instance = result.instance;
    for (const auto &[slot, calls] : others)
        instance += calls;
    return instance;
}

ResultCall ResultsFinder::call_of(size_t rank, const ResultGroup &group)
{
    const bool in_a = group.a.count > 0;
    const mprof_result &result = group.first();
    const RankFile &file = in_a ? ranks_[rank].file_a() : ranks_[rank].file_b();
    CallPaths &paths = in_a ? paths_a_ : paths_b_;
    ResultCall call;
    call.rank = file.header().rank;
    call.function = result.function > 0 ? file.function_name(result.function - 1U) : "";
    call.frame = paths.site_of(paths.node_of(rank, result.callsite));
    call.instance = instance_of(rank, result, in_a);
    call.last_instance = call.instance + result.count - 1;
    return call;
}

std::optional<ResultCall> ResultsFinder::call_before(size_t rank, uint64_t place)
{
    const ResultGroup *before = nullptr;
    for (const Group &group : ranks_[rank].groups())
        if (group.second.a.count > 0 && group.second.place() < place &&
            (before == nullptr || group.second.place() > before->place()))
            before = &group.second;
    return before == nullptr ? std::nullopt : std::optional(call_of(rank, *before));
}

// A reduction counts once, though all of its ranks note it.
void ResultsFinder::count(ResultsComparison &comparison) const
{
    std::map<uint64_t, uint64_t> most;  // by identity of the communicator
    for (size_t r = 0; r < ranks_.size(); r++) {
        std::map<uint16_t, uint64_t> reductions;
        for (const Group &group : ranks_[r].groups()) {
            if (group.first.kind == MPROF_RESULT_SENT)
                comparison.messages += group.second.a.count;
            if (group.first.kind == MPROF_RESULT_REDUCING)
                reductions[group.first.communicator] += group.second.a.count;
        }
        for (const auto &[communicator, calls] : reductions) {
            const uint64_t identity = identity_of(r, communicator);
            if (identity == 0)
                comparison.reductions += calls;
            else
                most[identity] = std::max(most[identity], calls);
        }
    }
    for (const auto &[identity, calls] : most)
        comparison.reductions += calls;
}

void ResultsFinder::find_ordered(ResultsComparison &comparison)
{
    struct Line {
        OrderedReduction row;
        std::map<size_t, uint64_t> calls;  // by rank
    };
    std::map<std::pair<std::string, uint32_t>, Line> lines;
    for (size_t r = 0; r < ranks_.size(); r++)
        for (const auto &[key, group] : ranks_[r].groups()) {
            const bool reduces =
                key.kind == MPROF_RESULT_REDUCING || key.kind == MPROF_RESULT_REDUCED;
            if (!reduces || (group.a.flags & MPROF_RESULT_ORDERED) == 0 || group.a.function == 0)
                continue;
            const uint32_t node = paths_a_.node_of(r, group.a.callsite);
            const std::string function = ranks_[r].file_a().function_name(group.a.function - 1U);
            Line &line = lines[{function, paths_a_.line_of(node)}];
            line.row.function = function;
            line.row.frame = paths_a_.site_of(node);
            if (key.kind == MPROF_RESULT_REDUCING)
                line.calls[r] += group.a.count;
            else
                line.row.differs = line.row.differs || group.differs();
        }
    for (auto &[key, line] : lines) {
        for (const auto &[rank, calls] : line.calls)
            line.row.calls = std::max(line.row.calls, calls);
        comparison.ordered.push_back(std::move(line.row));
    }
}

void ResultsFinder::find_narrower(ResultsComparison &comparison) const
{
    for (const RankResults &rank : ranks_)
        if (rank.first() != nullptr && rank.first()->second.is_interval())
            comparison.narrow_from =
                std::min(comparison.narrow_from.value_or(UINT64_MAX), rank.first()->second.place());
}

void ResultsFinder::remark(ResultsComparison &comparison) const
{
    uint64_t on_device = 0, not_hashed = 0, not_followed = 0, threads = 0;
    for (const RankResults &rank : ranks_)
        for (const RankFile *file : {&rank.file_a(), &rank.file_b()}) {
            on_device += file->results->on_device;
            not_hashed += file->results->not_hashed;
            not_followed += file->results->not_followed;
            threads = std::max<uint64_t>(threads, file->results->threads);
        }
    add_remarks(comparison, {on_device, not_hashed, not_followed, threads});
}

void ResultsFinder::find(ResultsComparison &comparison)
{
    count(comparison);
    for (const RankResults &rank : ranks_) {
        comparison.differing_ranks += rank.first() != nullptr;
        comparison.same_calls =
            comparison.same_calls &&
            std::all_of(rank.groups().begin(), rank.groups().end(),
                        [](const Group &group) { return group.second.same_calls(); });
    }
    comparison.same = comparison.differing_ranks == 0;
    find_ordered(comparison);
    remark(comparison);
    const auto cause = first_cause();
    if (!cause)
        return;
    const ResultGroup &group = cause->group->second;
    if (!group.same_calls()) {
        comparison.unusable = other_calls_words(call_of(cause->rank, group), group.a.count > 0);
        return;
    }
    FirstDifference first;
    first.kind = cause->kind;
    first.call = call_of(cause->rank, group);
    if (cause->kind == DifferenceKind::compute || cause->kind == DifferenceKind::input)
        first.before = call_before(cause->rank, group.place());
    if (cause->group->first.kind == MPROF_RESULT_ARRIVED)
        first.sender = cause->group->first.rank;
    first.ordered = (group.a.flags & MPROF_RESULT_ORDERED) != 0;
    comparison.first = first;
    if (group.is_interval())
        find_narrower(comparison);
}

std::string why_not_comparable(const Profile &a, const Profile &b)
{
    for (const auto &[profile, name] : {std::pair{&a, "A"}, std::pair{&b, "B"}})
        for (const RankFile &rank : profile->ranks)
            if (!rank.results)
                return fmt::format("rank {} of {} has no hashes: record it with mprof run "
                                   "--results",
                                   rank.header().rank, name);
    if (a.ranks_expected != b.ranks_expected)
        return fmt::format("A has {} ranks and B has {}", a.ranks_expected, b.ranks_expected);
    if (a.missing_count() + b.missing_count() > 0)
        return fmt::format("ranks are missing: {} of A and {} of B", a.missing_count(),
                           b.missing_count());
    if (a.ranks.front().results->from_place != b.ranks.front().results->from_place)
        return fmt::format("A was recorded with --results-from {} and B with --results-from {}",
                           a.ranks.front().results->from_place,
                           b.ranks.front().results->from_place);
    return "";
}

}  // namespace

ResultsComparison compare_results(const Profile &a, const Profile &b, const SymbolOptions &symbols)
{
    ResultsComparison comparison;
    comparison.version = MPROF_VERSION;
    comparison.unusable = why_not_comparable(a, b);
    if (comparison.unusable.empty())
        ResultsFinder(a, b, symbols).find(comparison);
    add_settings(comparison, a.ranks.front().text("mpi_library"));
    add_words(comparison);
    return comparison;
}

}  // namespace mprof
