// Collectives that do not fit together: what the journals tell (find_lints.h), and how many
// bytes each rank gave the same function.
#include "lint/lint_checks.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

const std::string &name_of(const LintContext &context, const CollectiveCall &call)
{
    return context.merged.names.function_name(
        context.merged.names.function(call.rank, call.function));
}

// "MPI_Bcast (root 0)"
std::string named_call(const LintContext &context, const CollectiveCall &call)
{
    const std::string &name = name_of(context, call);
    return call.root >= 0 ? fmt::format("{} (root {})", name, call.root) : name;
}

std::string mismatch_words(const LintContext &context, const CollectiveMismatch &mismatch,
                           const CollectiveCall &other)
{
    const CollectiveCall &usual = mismatch.usual;
    const uint32_t row = context.merged.communicators.row_of(usual.rank, mismatch.slot);
    const uint32_t node = context.merged.paths.node_of(usual.rank, usual.callsite);
    const std::string number =
        mismatch.number == 0 ? "a collective" : fmt::format("collective {}", mismatch.number);
    const std::string place = node == 0 ? "" : " at " + context.merged.paths.site_of(node).place();
    return fmt::format("{} of {} is {} here, but {}{} on rank {}", number,
                       context.merged.communicators.label(row), named_call(context, other),
                       named_call(context, usual), place, context.ranks[usual.rank].rank());
}

// How often a rank called a function with each size, on a communicator.
using Sizes = std::map<uint64_t, uint64_t>;
// The ranks (indices, in their order) that have the same: mostly all of them.
using RanksBySizes = std::map<Sizes, std::vector<uint32_t>>;
// Of a communicator, by the function's number.
using SizesByFunction = std::map<uint32_t, RanksBySizes>;
struct SizedCommunicator {
    uint32_t size = 0;
    uint64_t ranks = 0;
    bool is_certain = true;  // the same communicator on all ranks, all of which tell
    SizesByFunction functions;
};

// Which sizes are in the entry: of persistent requests those of the starts.
bool tells_size(const MeasuredEntry &entry, const FunctionFacts &facts)
{
    const auto kind =
        facts.makes == Object::persistent_request ? MPROF_KIND_START : MPROF_KIND_CALL;
    return facts.same_size && entry.key.kind == kind && entry.calls > 0;
}

using Communicators = std::map<uint32_t, SizedCommunicator>;  // by row

void add_rank(const LintContext &context, size_t rank, Communicators &communicators)
{
    const RankFile &file = *context.ranks[rank].file;
    const bool fits = context.fits(rank, LintRule::collective_size);
    std::map<uint32_t, SizedCommunicator *> by_slot;
    std::map<std::pair<SizedCommunicator *, uint32_t>, Sizes> found;  // with the function
    for (const CommunicatorSlot &slot : file.communicators) {
        if (slot.facts.size < 2 || (slot.facts.flags & MPROF_COMM_INTER) != 0)
            continue;
        const uint32_t row = context.merged.communicators.row_of(rank, slot.slot);
        SizedCommunicator &of = communicators[row];
        of.size = slot.facts.size;
        of.ranks++;
        of.is_certain = of.is_certain && fits && row != 0 && is_one_communicator(slot, file);
        by_slot[slot.slot] = &of;
    }
    for (const MeasuredEntry &entry : context.ranks[rank].entries) {
        const auto at = by_slot.find(entry.key.communicator);
        if (at == by_slot.end() || !tells_size(entry, context.facts(rank, entry.key.function)))
            continue;
        const uint32_t function = context.merged.names.function(rank, entry.key.function);
        found[{at->second, function}][entry.key.size] += entry.calls;
    }
    for (const auto &[key, sizes] : found)
        key.first->functions[key.second][sizes].push_back(static_cast<uint32_t>(rank));
}

uint64_t calls_in(const Sizes &sizes)
{
    uint64_t calls = 0;
    for (const auto &[size, count] : sizes)
        calls += count;
    return calls;
}

// What most ranks have; of as many, the lowest rank.
const RanksBySizes::value_type &usual_sizes(const RanksBySizes &ranks)
{
    return *std::max_element(ranks.begin(), ranks.end(), [](const auto &a, const auto &b) {
        if (a.second.size() != b.second.size())
            return a.second.size() < b.second.size();
        return a.second.front() > b.second.front();
    });
}

// A size that a rank has more often than the usual one, and how much more often.
struct OddSize {
    uint64_t size = 0, calls = 0;
};
OddSize odd_size(const Sizes &sizes, const Sizes &usual)
{
    for (const auto &[size, calls] : sizes) {
        const auto at = usual.find(size);
        const uint64_t expected = at == usual.end() ? 0 : at->second;
        if (calls > expected)
            return {size, calls - expected};
    }
    return {};
}

// A call of the rank with that size.
std::optional<MeasuredEntry> entry_with(const LintContext &context, size_t rank, uint32_t function,
                                        uint64_t size)
{
    for (const MeasuredEntry &entry : context.ranks[rank].entries)
        if (context.merged.names.function(rank, entry.key.function) == function &&
            entry.key.size == size && tells_size(entry, context.facts(rank, entry.key.function)))
            return entry;
    return std::nullopt;
}

void compare_sizes(LintContext &context, uint32_t row, uint32_t function, const RanksBySizes &ranks)
{
    const auto &[usual, usual_ranks] = usual_sizes(ranks);
    std::map<uint32_t, const Sizes *> odd_ranks;
    for (const auto &[sizes, of_sizes] : ranks)
        if (sizes != usual && calls_in(sizes) == calls_in(usual))  // else the order is wrong
            for (const uint32_t rank : of_sizes)
                odd_ranks[rank] = &sizes;
    for (const auto &[rank, sizes] : odd_ranks) {
        const OddSize odd = odd_size(*sizes, usual);
        const std::optional<MeasuredEntry> entry = entry_with(context, rank, function, odd.size);
        if (!entry)
            continue;
        context.add(LintRule::collective_size, rank, {entry->key.function, entry->key.callsite},
                    odd.calls,
                    fmt::format("{} here, where rank {} gives {} ({})", bytes_text(odd.size),
                                context.ranks[usual_ranks.front()].rank(),
                                bytes_text(odd_size(usual, *sizes).size),
                                context.merged.communicators.label(row)));
    }
}

uint64_t ranks_in(const RanksBySizes &ranks)
{
    uint64_t count = 0;
    for (const auto &[sizes, of_sizes] : ranks)
        count += of_sizes.size();
    return count;
}

}  // namespace

void check_collective_order(LintContext &context, const std::vector<CollectiveMismatch> &found)
{
    for (const CollectiveMismatch &mismatch : found) {
        const LintRule rule =
            mismatch.root_alone ? LintRule::collective_root : LintRule::collective_order;
        if (!context.fits(mismatch.usual.rank, rule))
            continue;
        for (const CollectiveCall &other : mismatch.other)
            if (context.fits(other.rank, rule))
                context.add(rule, other.rank, {other.function, other.callsite}, 1,
                            mismatch_words(context, mismatch, other));
    }
}

void check_collective_sizes(LintContext &context)
{
    Communicators communicators;
    for (size_t r = 0; r < context.ranks.size(); r++)
        add_rank(context, r, communicators);
    for (const auto &[row, of] : communicators)
        if (of.is_certain && of.ranks == of.size)
            for (const auto &[function, ranks] : of.functions)
                if (ranks_in(ranks) == of.size)
                    compare_sizes(context, row, function, ranks);
}

}  // namespace mprof
