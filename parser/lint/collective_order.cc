#include "lint/find_lints.h"

#include "report/verdict_thresholds.h"
#include "waits/journal_lineup.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace mprof {
namespace {

// What must be the same on all ranks.
using CallKey = std::pair<uint32_t, int32_t>;  // function, root
constexpr uint32_t unknown_function = UINT32_MAX, left_out = UINT32_MAX - 1;

struct Instance {
    CallKey key{unknown_function, MPROF_NO_PEER};
    CollectiveCall call;
};

// The large-count form of a function matches the other one, so both have the same number.
class FunctionNumbers {
public:
    explicit FunctionNumbers(const MergedNames &names) : names_(names), facts_(names)
    {
        std::map<std::string, uint32_t> by_name;
        for (uint32_t number = 0; number < names.function_count(); number++) {
            std::string name = names.function_name(number);
            if (name.ends_with("_c"))
                name.resize(name.size() - 2);
            numbers_.push_back(by_name.try_emplace(name, number).first->second);
        }
    }
    const FunctionFacts &facts(size_t rank, uint16_t function) const
    {
        return facts_.of(rank, function);
    }
    uint32_t of(size_t rank, uint16_t function) const
    {
        const FunctionFacts &known = facts(rank, function);
        if (known.on_window || known.opens_file || known.makes == Object::window ||
            known.ends == Object::window)
            return left_out;
        return numbers_[names_.function(rank, function)];
    }

private:
    const MergedNames &names_;
    FactsByNumber facts_;
    std::vector<uint32_t> numbers_;
};

Instance instance_of(const FunctionNumbers &numbers, const CollectiveCall &call)
{
    return {{numbers.of(call.rank, call.function), call.root}, call};
}

using Instances = std::vector<Instance>;

// What each operation slot of a rank is. Nearly always it is the same on all ranks.
class InstancesOfRanks {
public:
    explicit InstancesOfRanks(const FunctionNumbers &numbers) : numbers_(numbers) {}

    std::shared_ptr<const Instances> of(size_t rank, const RankFile &file)
    {
        auto &known = known_[{&file.operations.rows(), &file.functions.rows()}];
        if (known == nullptr)
            known = std::make_shared<const Instances>(make(rank, file));
        return known;
    }

private:
    Instances make(size_t rank, const RankFile &file) const
    {
        Instances instances(1);
        for (const OperationSlot &slot : file.operations) {
            if (slot.facts.in_use == 0 || slot.slot == 0)
                continue;
            instances.resize(std::max<size_t>(instances.size(), slot.slot + size_t{1}));
            instances[slot.slot] = instance_of(
                numbers_, {rank, slot.facts.function, slot.facts.callsite, slot.facts.root});
        }
        return instances;
    }

    const FunctionNumbers &numbers_;
    std::map<std::pair<const void *, const void *>, std::shared_ptr<const Instances>> known_;
};

// What one rank did on one communicator, in order: its journal, and the call that it is in.
class Sequence {
public:
    Sequence(size_t rank, uint32_t slot) : rank_(rank), slot_(slot) {}
    void set_journal(std::span<const uint32_t> items, std::shared_ptr<const Instances> instances)
    {
        items_ = items;
        instances_ = std::move(instances);
    }
    // A process that was killed while it wrote the call down has it in the journal already.
    void add_call_in_progress(const Instance &instance)
    {
        if (items_.empty() || !is_same_line(of_item(items_.back()), instance))
            last_ = instance;
    }
    bool has_left_out() const
    {
        return std::any_of(items_.begin(), items_.end(),
                           [this](uint32_t item) { return of_item(item).key.first == left_out; });
    }
    void drop_left_out()
    {
        if (last_ && last_->key.first == left_out)
            last_.reset();
        if (!has_left_out())
            return;
        for (const uint32_t item : items_)
            if (of_item(item).key.first != left_out)
                others_.push_back(item);
        items_ = others_;
    }
    size_t size() const { return items_.size() + (last_ ? 1 : 0); }
    const Instance &operator[](size_t place) const
    {
        return place < items_.size() ? of_item(items_[place]) : *last_;
    }
    // Something is known of that place.
    bool tells(size_t place) const
    {
        return place < size() && (*this)[place].key.first != unknown_function;
    }
    CollectiveCall call(size_t place) const
    {
        CollectiveCall call = (*this)[place].call;
        call.rank = rank_;
        return call;
    }
    uint32_t slot() const { return slot_; }

private:
    static bool is_same_line(const Instance &a, const Instance &b)
    {
        return a.key == b.key && a.call.callsite == b.call.callsite;
    }
    const Instance &of_item(uint32_t item) const
    {
        const uint32_t slot = item >> MPROF_JOURNAL_CODE_BITS;
        return slot < instances_->size() ? (*instances_)[slot] : instances_->front();
    }

    size_t rank_;
    uint32_t slot_;
    std::span<const uint32_t> items_;
    std::vector<uint32_t> others_;  // what `items_` refers to, where some were dropped
    std::shared_ptr<const Instances> instances_;
    std::optional<Instance> last_;
};

// Which code looks at the ranks, and when.
struct Look {
    const std::vector<RankMeasure> &ranks;
    const FunctionNumbers &numbers;
    uint64_t now_ns;

    bool lasts(const RankMeasure &rank, const mprof_thread &thread) const
    {
        if (now_ns == 0)
            return true;
        const uint64_t start_ns = rank.file->run.start_realtime_ns;
        return rank.clock.known() && now_ns > start_ns &&
               seconds_of_ns(now_ns - start_ns) - rank.clock.seconds_at(thread.ticks) >=
                   lint_limits.stuck_s;
    }
};

// The collective on the communicator that a thread of the rank is in.
void add_call_in_progress(const Look &look, size_t rank, Sequence &sequence)
{
    const RankFile &file = *look.ranks[rank].file;
    for (const ThreadRecord &thread : file.threads) {
        const mprof_thread &facts = thread.facts;
        const auto function = static_cast<uint16_t>(facts.in_call - 1);
        if (facts.in_call == 0 || facts.call_communicator != sequence.slot() ||
            !is_collective(look.numbers.facts(rank, function).call) ||
            !look.lasts(look.ranks[rank], facts))
            continue;
        sequence.add_call_in_progress(
            instance_of(look.numbers, {rank, function, facts.call_callsite, facts.call_peer}));
        return;
    }
}

bool is_certain(const RankFile &file, uint32_t slot)
{
    const CommunicatorSlot *of = find_slot(file.communicators, slot);
    return slot == MPROF_COMM_SLOT_WORLD ||
           (of != nullptr && of->facts.created == 1 && file.threads.size() == 1);
}

// The key that most of the ranks have that are that far; of as many, that of the lowest rank.
CallKey usual_key(const std::vector<Sequence> &sequences, size_t place)
{
    std::map<CallKey, size_t> counts;
    for (const Sequence &sequence : sequences)
        if (sequence.tells(place))
            counts[sequence[place].key]++;
    CallKey usual;
    size_t most = 0;
    for (const Sequence &sequence : sequences)
        if (sequence.tells(place) && counts[sequence[place].key] > most) {
            usual = sequence[place].key;
            most = counts[usual];
        }
    return usual;
}

CollectiveMismatch mismatch_at(const std::vector<Sequence> &sequences, size_t place)
{
    const CallKey usual = usual_key(sequences, place);
    CollectiveMismatch mismatch;
    mismatch.root_alone = true;
    bool has_usual = false;
    for (const Sequence &sequence : sequences) {
        if (!sequence.tells(place))
            continue;
        const CallKey &key = sequence[place].key;
        if (key != usual) {
            mismatch.other.push_back(sequence.call(place));
            mismatch.root_alone = mismatch.root_alone && key.first == usual.first;
        } else if (!has_usual) {
            has_usual = true;
            mismatch.usual = sequence.call(place);
            mismatch.slot = sequence.slot();
        }
    }
    return mismatch;
}

bool differs_at(const std::vector<Sequence> &sequences, size_t place)
{
    const Instance *first = nullptr;
    for (const Sequence &sequence : sequences) {
        if (!sequence.tells(place))
            continue;
        if (first != nullptr && first->key != sequence[place].key)
            return true;
        first = &sequence[place];
    }
    return false;
}

void compare(std::vector<Sequence> &sequences, uint32_t thinning,
             std::vector<CollectiveMismatch> &found)
{
    const bool some_left_out =
        std::any_of(sequences.begin(), sequences.end(),
                    [](const Sequence &sequence) { return sequence.has_left_out(); });
    if (some_left_out && thinning > 0)
        return;  // it is not known which of the others are the same
    size_t longest = 0;
    for (Sequence &sequence : sequences) {
        sequence.drop_left_out();
        longest = std::max(longest, sequence.size());
    }
    for (size_t place = 0; place < longest; place++)
        if (differs_at(sequences, place)) {
            found.push_back(mismatch_at(sequences, place));
            found.back().number = thinning == 0 && !some_left_out ? place + 1 : 0;
            return;
        }
}

// Ranks that are in their first collective on MPI_COMM_WORLD have no journal entry for it.
void add_first_calls(const Look &look, std::vector<Sequence> &sequences)
{
    for (size_t r = 0; r < look.ranks.size(); r++) {
        const auto &journals = look.ranks[r].file->journals;
        const bool has_journal =
            std::any_of(journals.begin(), journals.end(), [](const JournalRecord &journal) {
                return journal.facts.communicator == MPROF_COMM_SLOT_WORLD;
            });
        if (has_journal)
            continue;
        Sequence sequence(r, MPROF_COMM_SLOT_WORLD);
        add_call_in_progress(look, r, sequence);
        if (sequence.size() > 0)
            sequences.push_back(std::move(sequence));
    }
}

}  // namespace

std::vector<CollectiveMismatch> find_mismatches(const std::vector<RankMeasure> &ranks,
                                                const MergedNames &names, uint64_t now_ns)
{
    std::vector<CollectiveMismatch> found;
    const FunctionNumbers numbers(names);
    const Look look{ranks, numbers, now_ns};
    InstancesOfRanks instances(numbers);
    const Lineups lineups = line_up_journals(ranks);
    bool has_world = false;
    for (const Lineup &lineup : lineups.all) {
        std::vector<Sequence> sequences;
        const bool certain =
            std::all_of(lineup.of.begin(), lineup.of.end(), [&](const LinedJournal &journal) {
                return is_certain(*ranks[journal.rank].file, journal.slot);
            });
        if (!certain)
            continue;
        for (const LinedJournal &journal : lineup.of) {
            const RankFile &file = *ranks[journal.rank].file;
            sequences.emplace_back(journal.rank, journal.slot);
            sequences.back().set_journal(journal.items, instances.of(journal.rank, file));
            if (lineup.thinning == 0)
                add_call_in_progress(look, journal.rank, sequences.back());
        }
        const bool is_world = lineup.of.front().slot == MPROF_COMM_SLOT_WORLD;
        has_world = has_world || is_world;
        if (is_world && lineup.thinning == 0)
            add_first_calls(look, sequences);
        compare(sequences, lineup.thinning, found);
    }
    if (!has_world) {
        std::vector<Sequence> sequences;
        add_first_calls(look, sequences);
        compare(sequences, 0, found);
    }
    return found;
}

}  // namespace mprof
