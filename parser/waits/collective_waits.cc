// Waiting in collectives without clocks.
//
// In an operation in which everyone waits for everyone, the last rank to arrive waits for nobody:
// its duration is what the operation itself takes. So of each instance the shortest duration is
// transfer, what others spent beyond it they waited, and they waited for the rank with the shortest
// one. In MPI_Scan a rank waits for lower ones only, so it is compared with those. In rooted
// operations the durations of one instance tell little (a leaf of MPI_Reduce leaves at once, a leaf
// of MPI_Bcast leaves late): there only who was in the waiting role is noted here, and what goes
// beyond the operation's best case is waiting (entry_waits.cc). But who gives more than the MPI
// keeps for it cannot leave before that is taken: what it spends beyond the time of those who take
// it, it waits for them.
//
// Limits, each of which makes waiting smaller than it was or has a correction:
// - A rank whose file is missing may have been the last: then the others' shortest duration
//   contains waiting. What goes beyond a message to each rank, one after the other, is waiting for
//   the missing ones; no MPI is that slow.
// - Below the operation's own cost, differences are chance: they are reported as transfer. Where
//   the mean waiting is less than that, the place has none.
// - A rank that is descheduled inside MPI looks as if it waited, and the others as if they waited
//   for it, though nobody computes. But nobody can be later than the time that he spends away from
//   these collectives: what is waited for a rank is scaled down to that (`limit_to_absence`).
// - Where more ranks than cores compute, descheduling looks like computing, and waiting for such a
//   rank is true waiting; the report says that the node is oversubscribed.
// - Instances that were thinned away are taken to be like those that were kept. MPI_Finalize, which
//   every rank calls once, needs no journal.
#include "waits/wait_parts.h"

#include "measure/for_all_ranks.h"
#include "report/spread.h"
#include "waits/journal_lineup.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mprof {
namespace {

constexpr double best_quantile = 0.05;
constexpr size_t codes = size_t{1} << MPROF_JOURNAL_CODE_BITS;

const std::array<double, codes> &ticks_of_codes()
{
    static const auto table = [] {
        std::array<double, codes> ticks{};
        for (uint32_t code = 0; code < codes; code++)
            ticks[code] = mprof_duration_ticks(code);
        return ticks;
    }();
    return table;
}

// An instance of a rooted operation, as far as one place took part in it.
struct RootedInstance {
    size_t blamed = nobody;  // member
    float longest_s = 0;     // of those that wait
    float sum_s = 0;
    uint32_t waiters = 0;
    size_t taker = nobody;  // who lets givers wait; the next are theirs
    float giver_longest_s = 0, giver_sum_s = 0;
};

bool is_rooted(WaitRule rule)
{
    return rule == WaitRule::root || rule == WaitRule::at_root;
}

// One place in one communicator, for the ranks of one program.
struct Place {
    ProgramPlace key;
    double members = 0;  // that took part, over all instances
    double wait_s = 0;
    double missing_s = 0;                // of it for ranks whose files are missing
    std::vector<float> transfers;        // shortest duration of each instance
    std::vector<RootedInstance> rooted;  // of operations with a root, instead of `transfers`
    std::map<size_t, LastRank> last;     // by member; weight = seconds
    std::vector<LateInstance> late;      // `last` is a member
    uint64_t instances = 0, waited = 0;
    double now_s = 0;  // waiting of the instance that is being added
    double now_longest_s = 0;
    uint64_t stamp = 0;  // 1 + number of that instance
};

// An operation slot of one member.
struct Operation {
    WaitRule rule = WaitRule::not_known;  // not_known: no such slot, or no collective
    uint32_t form_of = 0, place = 0;
    int32_t root = MPROF_NO_PEER;
    CollectiveKey key;
    CollectiveShare share;
};

// Payload of collectives, by place.
struct ByteSum {
    double bytes = 0, calls = 0;
    uint64_t mean() const { return calls > 0 ? static_cast<uint64_t>(bytes / calls) : 0; }
};
using MeanBytes = std::map<CallPlace, ByteSum>;

MeanBytes mean_bytes(WaitContext &context)
{
    MeanBytes sums;
    for (size_t r = 0; r < context.ranks.size(); r++)
        for (const MeasuredEntry &entry : context.ranks[r].entries) {
            const FunctionFacts &rules = context.facts_of_entry(r, entry);
            const WaitRule rule = is_collective(rules.call) ? rules.call : rules.completion;
            if (entry.key.kind != MPROF_KIND_CALL || entry.bytes == 0 || !is_collective(rule))
                continue;
            ByteSum &sum = sums[context.place_of(r, entry)];
            sum.bytes += static_cast<double>(entry.bytes);
            sum.calls += static_cast<double>(entry.calls);
        }
    return sums;
}

// What a member does in the instance that is being added.
struct Presence {
    Operation *operation = nullptr;  // nullptr: it is not in it
    double seconds = 0;
    double wait_s = 0;       // of `seconds`; in operations with a root: all of a waiter's
    uint32_t place = 0;      // as `operation` has it
    uint32_t form_of = 0;    // likewise
    bool is_waiter = false;  // in an operation with a root
};

// Instances come one after the other, so fewer members are not worth starting a thread.
constexpr size_t members_of_thread = 16384;

struct Member {
    const LinedJournal *journal = nullptr;
    double per_tick_s = 0, read_s = 0;
    std::vector<Operation> operations;  // by slot, from first_slot on
    size_t first_slot = 0;
    double lateness_s = 0;  // sum of what the longest waiting for it was
    WaitBins bins;
};

class LineupWaits {
public:
    LineupWaits(WaitContext &context, const Lineup &lineup, const MeanBytes &bytes)
        : context_(context),
          lineup_(lineup),
          bytes_(bytes),
          misses_(lineup.of.size() < lineup.size &&
                  context.ranks.size() < context.ranks[0].file->header().ranks),
          kept_(lineup.thinning),
          present_(lineup.of.size())
    {
        members_.reserve(lineup.of.size());
        for (const LinedJournal &journal : lineup.of)
            add_member(journal);
        kept_.count(lineup.instances, lineup.kept);
        for_all_ranks(members_.size(), [&](size_t m) {
            const LinedJournal &journal = lineup.of[m];
            members_[m].bins = WaitBins(*context.ranks[journal.rank].file, journal, kept_);
        });
    }

    void add_instances()
    {
        for (size_t i = 0; i < lineup_.kept; i++) {
            gather(i);
            if (here_.size() < 2)
                continue;
            const uint32_t form_of = present_[here_[0]].form_of;
            const bool agree = std::all_of(here_.begin(), here_.end(), [&](size_t m) {
                return present_[m].form_of == form_of;
            });
            if (agree)
                add_instance();
            else
                disagreements_++;
        }
    }

    void finish(CollectiveWaits &result)
    {
        for (Place &place : places_)
            blame_roots(place);
        const std::vector<double> limits = limit_to_absence();
        std::vector<double> kept_share(places_.size());
        for (size_t p = 0; p < places_.size(); p++)
            kept_share[p] = share_that_counts(places_[p], limits);
        for_all_ranks(members_.size(), [&](size_t m) {
            Member &member = members_[m];
            for (const Operation &operation : member.operations)
                add_share(operation, kept_share, result.shares[member.journal->rank]);
            std::vector<Operation>().swap(member.operations);  // of many ranks, that is a lot
            member.bins.add_to(result.by_bin[member.journal->rank], scale_of_kept());
        });
        for (size_t p = 0; p < places_.size(); p++) {
            const ProgramPlace &key = places_[p].key;
            add_place(places_[p], kept_share[p], limits, result.places[key.second]);
            if (context_.programs.several())
                add_place(places_[p], kept_share[p], limits, result.of_programs[key]);
        }
        result.disagreements += disagreements_;
    }

private:
    void add_member(const LinedJournal &journal)
    {
        const RankMeasure &rank = context_.ranks[journal.rank];
        Member member;
        member.journal = &journal;
        member.per_tick_s = rank.clock.seconds_per_tick();
        member.read_s = rank.clock.read_s();
        if (!rank.file->operations.empty())
            member.first_slot = rank.file->operations[0].slot;
        if (!members_.empty() && is_alike(*members_.back().journal, journal))
            member.operations = members_.back().operations;
        else
            for (const OperationSlot &slot : rank.file->operations) {
                const size_t at = slot.slot - member.first_slot;
                if (member.operations.size() <= at)
                    member.operations.resize(at + 1);
                member.operations[at] = make_operation(journal, slot.facts);
            }
        members_.push_back(std::move(member));
    }

    // Ranks of a large run nearly always have the same tables of what operations are.
    bool is_alike(const LinedJournal &a, const LinedJournal &b) const
    {
        const RankFile &file = *context_.ranks[a.rank].file;
        const RankFile &other = *context_.ranks[b.rank].file;
        return a.slot == b.slot &&
               context_.programs.of_rank[a.rank] == context_.programs.of_rank[b.rank] &&
               file.operations.is_shared_with(other.operations) &&
               file.functions.is_shared_with(other.functions) &&
               file.callsites.is_shared_with(other.callsites) &&
               file.modules.is_shared_with(other.modules) &&
               file.scripts.is_shared_with(other.scripts);
    }

    Operation make_operation(const LinedJournal &journal, const mprof_operation &facts)
    {
        Operation operation;
        const FunctionFacts &rules = context_.rules.of(journal.rank, facts.function);
        operation.rule = is_collective(rules.call) ? rules.call : rules.completion;
        if (!is_collective(operation.rule))
            operation.rule = WaitRule::not_known;
        operation.form_of = forms_.number_of(std::string(rules.form_of));
        operation.root = facts.root;
        operation.key = {journal.slot, facts.function, facts.region, facts.callsite};
        operation.share.rule = operation.rule;
        operation.share.comm_size = lineup_.size;
        operation.share.one_node = lineup_.one_node;
        const ProgramPlace place{context_.programs.of_rank[journal.rank],
                                 {context_.names.function(journal.rank, facts.function),
                                  context_.paths.node_of(journal.rank, facts.callsite)}};
        const auto [at, is_new] =
            place_numbers_.try_emplace(place, static_cast<uint32_t>(places_.size()));
        if (is_new)
            places_.emplace_back().key = place;
        operation.place = at->second;
        return operation;
    }

    // Who took part in the instance, in which operation and how long.
    void gather(size_t instance)
    {
        instance_ = instance;
        for_all_ranks(
            members_.size(), [&](size_t m) { present_[m] = presence_of(members_[m]); },
            members_of_thread);
        here_.clear();
        for (size_t m = 0; m < members_.size(); m++)
            if (present_[m].operation != nullptr)
                here_.push_back(m);
    }

    Presence presence_of(Member &member) const
    {
        if (instance_ >= member.journal->items.size())
            return {};
        const uint32_t item = member.journal->items[instance_];
        const size_t slot = item >> MPROF_JOURNAL_CODE_BITS;
        const size_t at = slot - member.first_slot;  // far beyond the last one if it is lower
        const uint32_t code = item & (codes - 1);
        if (code == 0 || at >= member.operations.size() ||
            member.operations[at].rule == WaitRule::not_known)
            return {};
        Presence presence;
        presence.operation = &member.operations[at];
        presence.seconds =
            std::max(0.0, ticks_of_codes()[code] * member.per_tick_s - member.read_s);
        presence.place = presence.operation->place;
        presence.form_of = presence.operation->form_of;
        return presence;
    }

    void add_instance()
    {
        touched_.clear();
        for (const size_t m : here_) {
            Place &place = places_[present_[m].place];
            place.members++;
            if (place.stamp == instance_ + 1)
                continue;
            place.stamp = instance_ + 1;
            place.instances++;
            place.now_s = place.now_longest_s = 0;
            touched_.push_back(present_[m].place);
        }
        const WaitRule rule = present_[here_[0]].operation->rule;
        if (rule == WaitRule::everyone)
            add_everyone();
        else if (rule == WaitRule::lower)
            add_lower();
        else
            add_rooted(rule);
        for_all_ranks(
            here_.size(), [&](size_t i) { note(present_[here_[i]], members_[here_[i]]); },
            members_of_thread);
    }

    void note(const Presence &presence, Member &member) const
    {
        CollectiveShare &share = presence.operation->share;
        share.kept++;
        share.time_s += presence.seconds;
        member.bins.add(instance_, presence.wait_s);
        if (presence.is_waiter) {
            share.waiter_kept++;
            share.waiter_s += presence.seconds;
        } else if (is_rooted(share.rule)) {
            share.giver_wait_s += presence.wait_s;
        } else {
            share.wait_s += presence.wait_s;
        }
    }

    // `longest_s`: the longest that anybody waited for it.
    void blame(size_t last, double longest_s, bool long_wait)
    {
        for (const uint32_t p : touched_) {
            Place &place = places_[p];
            place.waited += long_wait ? 1 : 0;
            if (long_wait)
                place.late.push_back({last, longest_s});
            if (last == nobody || place.now_s <= 0)
                continue;
            LastRank &of_last = place.last[last];
            of_last.times += long_wait ? 1 : 0;
            of_last.weight += place.now_s;
            of_last.longest += place.now_longest_s;
        }
        if (last != nobody)
            members_[last].lateness_s += longest_s;
    }

    Place &note_wait(size_t m, double wait_s)
    {
        present_[m].wait_s += wait_s;
        Place &place = places_[present_[m].place];
        place.wait_s += wait_s;
        return place;
    }

    void add_wait(size_t m, double wait_s)
    {
        Place &place = note_wait(m, wait_s);
        place.now_s += wait_s;
        place.now_longest_s = std::max(place.now_longest_s, wait_s);
    }

    void add_everyone()
    {
        size_t last = here_[0];
        double longest_s = 0;
        for (const size_t m : here_) {
            last = present_[m].seconds < present_[last].seconds ? m : last;
            longest_s = std::max(longest_s, present_[m].seconds);
        }
        const double shortest_s = present_[last].seconds;
        for (const size_t m : here_)
            add_wait(m, present_[m].seconds - shortest_s);
        const double late_s = longest_s - shortest_s;
        blame(last, late_s, late_s > noise_seconds(shortest_s));
        const double missing_s = misses_ ? wait_for_missing(shortest_s) : 0;
        for (const uint32_t p : touched_)
            places_[p].transfers.push_back(static_cast<float>(shortest_s - missing_s));
    }

    // What even the last of those that are here waited for one that is not. It is added for all.
    double wait_for_missing(double shortest_s)
    {
        const uint64_t bytes = bytes_at(places_[present_[here_[0]].place]);
        const auto message_s =
            context_.cost.seconds(CallSide::receive, bytes, lineup_.one_node ? 0 : 1);
        const double slow_s = message_s.value_or(HUGE_VAL) * lineup_.size;
        const double missing_s = shortest_s - slow_s;
        if (missing_s <= noise_seconds(slow_s))
            return 0;
        for (const size_t m : here_)
            note_wait(m, missing_s).missing_s += missing_s;
        return missing_s;
    }

    uint64_t bytes_at(const Place &place) const
    {
        const auto bytes = bytes_.find(place.key.second);
        return bytes == bytes_.end() ? 0 : bytes->second.mean();
    }

    // The nearest lower rank that waited less than half as long caused the longest waiting.
    void add_lower()
    {
        double transfer_s = present_[here_[0]].seconds, longest_s = 0;
        size_t victim = 0;
        std::vector<double> waits;
        for (size_t i = 0; i < here_.size(); i++) {
            transfer_s = std::min(transfer_s, present_[here_[i]].seconds);
            waits.push_back(present_[here_[i]].seconds - transfer_s);
            add_wait(here_[i], waits[i]);
            victim = waits[i] > waits[victim] ? i : victim;
            longest_s = std::max(longest_s, waits[i]);
        }
        for (const uint32_t p : touched_)
            places_[p].transfers.push_back(static_cast<float>(transfer_s));
        size_t last = victim;
        while (last > 0 && waits[last] * 2 > longest_s)
            last--;
        blame(longest_s > 0 ? here_[last] : nobody, longest_s,
              longest_s > noise_seconds(transfer_s));
    }

    // Notes who was one to wait and for whom, not how long.
    void add_rooted(WaitRule rule)
    {
        size_t root = nobody, other = nobody;
        for (const uint32_t p : touched_)
            places_[p].rooted.emplace_back();
        for (const size_t m : here_) {
            Presence &presence = present_[m];
            const bool is_root =
                presence.operation->root == static_cast<int32_t>(members_[m].journal->comm_rank);
            (is_root ? root : other) = m;
            if (is_root == (rule == WaitRule::root))
                continue;
            presence.is_waiter = true;
            presence.wait_s = presence.seconds;
            RootedInstance &added = places_[presence.place].rooted.back();
            added.waiters++;
            added.sum_s += static_cast<float>(presence.seconds);
            added.longest_s = std::max(added.longest_s, static_cast<float>(presence.seconds));
        }
        // If there are several leaves, nothing tells for which of them the root waited.
        const size_t leaf = lineup_.size == 2 ? other : nobody;
        for (const uint32_t p : touched_)
            places_[p].rooted.back().blamed = rule == WaitRule::root ? root : leaf;
        if (root != nobody && is_rooted(rule))
            add_givers(rule == WaitRule::root ? leaf : root);
    }

    // Those that are not one to wait.
    void add_givers(size_t taker)
    {
        double taken_s = 0;  // how long those who take are there
        for (const size_t m : here_)
            if (present_[m].is_waiter)
                taken_s = std::max(taken_s, present_[m].seconds);
        for (const size_t m : here_) {
            Presence &presence = present_[m];
            const double wait_s = presence.seconds - taken_s;
            if (presence.is_waiter || taken_s <= 0 || wait_s <= noise_seconds(taken_s))
                continue;
            presence.wait_s = wait_s;
            RootedInstance &added = places_[presence.place].rooted.back();
            added.taker = taker;
            added.giver_sum_s += static_cast<float>(wait_s);
            added.giver_longest_s = std::max(added.giver_longest_s, static_cast<float>(wait_s));
        }
    }

    // Time beyond the best case is time spent waiting for the root.
    void blame_roots(Place &place) const
    {
        const double best_s =
            context_.cost.tree_seconds(bytes_at(place), lineup_.size, lineup_.one_node).value_or(0);
        for (const RootedInstance &instance : place.rooted) {
            if (instance.longest_s > best_s + noise_seconds(best_s))
                blame_one(instance.blamed, instance.sum_s - best_s * instance.waiters,
                          instance.longest_s - best_s, place);
            if (instance.giver_longest_s > 0)
                blame_one(instance.taker, instance.giver_sum_s, instance.giver_longest_s, place);
        }
    }

    static void blame_one(size_t member, double sum_s, double longest_s, Place &place)
    {
        place.waited++;
        if (member == nobody)
            return;
        LastRank &last = place.last[member];
        last.times++;
        last.weight += std::max(0.0, sum_s);
        last.longest += longest_s;
        place.late.push_back({member, longest_s});
    }

    // Instances that happened for each that is in the journals.
    double scale_of_kept() const
    {
        return lineup_.kept == 0
                   ? 1
                   : static_cast<double>(lineup_.instances) / static_cast<double>(lineup_.kept);
    }

    // For each member: the part of the waiting for it that its absence can explain.
    std::vector<double> limit_to_absence() const
    {
        std::vector<double> limits;
        const double scale = scale_of_kept();
        for (const Member &member : members_) {
            const RankMeasure &rank = context_.ranks[member.journal->rank];
            const RankTimes &times = context_.times[member.journal->rank];
            const auto here = times.collective_s.find(member.journal->slot);
            // On one communicator one thread at a time is in a collective.
            const double away_s = rank.wallclock_s - rank.own_s - times.init_s - times.finalize_s -
                                  (here == times.collective_s.end() ? 0 : here->second);
            const double late_s = member.lateness_s * scale;
            limits.push_back(late_s > 0 ? std::clamp(away_s / late_s, 0.0, 1.0) : 1);
        }
        return limits;
    }

    // 0 if all of it is chance.
    static double share_that_counts(Place &place, const std::vector<double> &limits)
    {
        if (place.wait_s <= 0 || place.transfers.empty())
            return 0;
        double limited_s = place.missing_s;
        for (const auto &[member, last] : place.last)
            limited_s += last.weight * limits[member];
        const double best_s = quantile(place.transfers, best_quantile);
        return limited_s > noise_seconds(best_s) * place.members ? limited_s / place.wait_s : 0;
    }

    static void add_share(const Operation &operation, const std::vector<double> &kept_share,
                          std::map<CollectiveKey, CollectiveShare> &shares)
    {
        if (operation.share.kept == 0)
            return;
        CollectiveShare &sum = shares.try_emplace(operation.key).first->second;
        const CollectiveShare &added = operation.share;
        sum.rule = added.rule;
        sum.comm_size = added.comm_size;
        sum.one_node = added.one_node;
        sum.kept += added.kept;
        sum.time_s += added.time_s;
        sum.wait_s += added.wait_s * kept_share[operation.place];
        sum.giver_wait_s += added.giver_wait_s;
        sum.waiter_kept += added.waiter_kept;
        sum.waiter_s += added.waiter_s;
    }

    // For all instances, by the ranks' numbers.
    RareInstances rare_of(const Place &place) const
    {
        const double scale = scale_of_kept();
        const double all = static_cast<double>(place.instances) * scale;
        const size_t first = members_[0].journal->rank;
        const double run_s = context_.ranks[first].wallclock_s - context_.times[first].init_s;
        RareInstances rare =
            find_rare_instances(place.late, place.instances, all > 0 ? run_s / all : 0);
        rare.instances *= scale;
        rare.all *= scale;
        rare.sum_s *= scale;
        rare.last = rare.last == nobody ? nobody : members_[rare.last].journal->rank;
        return rare;
    }

    void add_place(const Place &place, double kept_share, const std::vector<double> &limits,
                   CollectivePlace &result) const
    {
        const bool rooted = !place.rooted.empty();
        const double scale = scale_of_kept();
        result.instances += place.instances;
        if (!rooted && kept_share <= 0)
            return;
        result.waited += place.waited;
        result.missing_s += place.missing_s * scale;
        if (const RareInstances rare = rare_of(place); rare.sum_s > result.rare.sum_s)
            result.rare = rare;
        for (const auto &[member, last] : place.last) {
            LastRank &sum = result.last[members_[member].journal->rank];
            sum.times += last.times;
            const double part = (rooted ? 1 : limits[member]) * scale;
            sum.weight += last.weight * part;
            sum.longest += last.longest * part;
        }
    }

    WaitContext &context_;
    const Lineup &lineup_;
    const MeanBytes &bytes_;
    const bool misses_;  // members of this communicator, for lack of their files
    KeptInstances kept_;
    size_t instance_ = 0;
    std::vector<Member> members_;
    std::vector<Place> places_;
    std::map<ProgramPlace, uint32_t> place_numbers_;
    NameNumbers forms_;
    uint64_t disagreements_ = 0;
    // For the instance that is being added, by member. Only members in `here_` are valid.
    std::vector<size_t> here_;
    std::vector<Presence> present_;
    std::vector<uint32_t> touched_;
};

}  // namespace

CollectiveWaits find_collective_waits(WaitContext &context, const Lineups &lineups)
{
    CollectiveWaits result;
    const MeanBytes bytes = mean_bytes(context);
    result.shares.resize(context.ranks.size());
    result.by_bin.resize(context.ranks.size());
    for (const Lineup &lineup : lineups.all) {
        LineupWaits waits(context, lineup, bytes);
        waits.add_instances();
        waits.finish(result);
    }
    add_finalize_waits(context, result);
    return result;
}

}  // namespace mprof
