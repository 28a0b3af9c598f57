#include "planted_ranks.h"

#include <algorithm>

namespace mprof_test {
namespace {

uint32_t operation_slot(RankFileContent &rank, uint16_t function, int32_t root)
{
    auto &operations = rank.operations;
    if (operations.empty())
        operations.push_back({});
    const auto same = [&](const mprof_operation &of) {
        return of.in_use != 0 && of.function == function && of.root == root;
    };
    const auto at = std::find_if(operations.begin(), operations.end(), same);
    const auto slot = static_cast<uint32_t>(at - operations.begin());
    if (at == operations.end()) {
        mprof_operation operation = {};
        operation.in_use = 1;
        operation.function = function;
        operation.root = root;
        operations.push_back(operation);
    }
    return slot;
}

}  // namespace

std::vector<RankFileContent> planted_ranks(uint32_t ranks, uint64_t wallclock_ns)
{
    std::vector<RankFileContent> all;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        all.push_back(sample_rank(rank, ranks, wallclock_ns));
        all.back().functions = {
            "MPI_Init",      "MPI_Send",           "MPI_Recv",       "MPI_Allreduce",
            "MPI_Irecv",     "MPI_Finalize",       "MPI_Barrier",    "MPI_Bcast",
            "MPI_Reduce",    "MPI_Scan",           "MPI_Iallreduce", "MPI_Isend",
            "MPI_Wait",      "MPI_Waitall",        "MPI_Test",       "MPI_Sendrecv",
            "MPI_Comm_rank", "MPI_File_write",     "MPI_Put",        "MPI_File_open",
            "MPI_File_sync", "MPI_File_write_all", "MPI_Abort",      "MPI_T_pvar_read"};
        all.back().communicators.push_back({});  // slot 3: all others
        all.back().clock.read_ticks = 0;
    }
    return all;
}

void PlantedJournal::add(uint16_t function, uint64_t ticks, int32_t root)
{
    note(function, ticks, root);
    const auto same = [&](const mprof_entry &of) { return of.function == function; };
    auto at = std::find_if(sums_.begin(), sums_.end(), same);
    if (at == sums_.end()) {
        sums_.push_back(make_entry(function, 0, 0, 0));
        at = sums_.end() - 1;
        at->min_ticks = ticks;
        at->max_ticks = ticks;
    }
    at->calls++;
    at->ticks += ticks;
    at->min_ticks = std::min(at->min_ticks, ticks);
    at->max_ticks = std::max(at->max_ticks, ticks);
}

void PlantedJournal::note(uint16_t function, uint64_t ticks, int32_t root)
{
    const uint64_t instance = journal_.facts.instances++;
    if (mprof_journal_keeps(instance, thinning_) == 0)
        return;
    const uint32_t code = ticks == 0 ? 0 : mprof_duration_code(ticks);
    journal_.items.push_back(operation_slot(rank_, function, root) << MPROF_JOURNAL_CODE_BITS |
                             code);
}

void PlantedJournal::close(uint64_t bytes)
{
    for (mprof_entry &sum : sums_) {
        sum.communicator = static_cast<uint16_t>(slot_);
        sum.size = sum.function == f_barrier || sum.function == f_finalize ? 0 : bytes;
        sum.bytes = sum.calls * sum.size;
        rank_.threads[0].entries.push_back(sum);
    }
    rank_.journals.push_back(journal_);
}

uint32_t add_communicator(std::vector<RankFileContent> &ranks, const std::vector<uint32_t> &members,
                          uint64_t identity)
{
    size_t slot = 0;
    for (const uint32_t member : members)
        slot = std::max(slot, ranks[member].communicators.size());
    for (uint32_t i = 0; i < members.size(); i++) {
        auto &table = ranks[members[i]].communicators;
        table.resize(slot);
        table.push_back(make_communicator(static_cast<uint32_t>(members.size()), i, ""));
        table.back().identity = identity;
    }
    return static_cast<uint32_t>(slot);
}

mprof_entry calls_of(uint16_t function, uint64_t size, uint64_t calls, uint64_t ticks,
                     uint64_t min_ticks)
{
    mprof_entry entry = make_entry(function, size, calls, ticks);
    entry.min_ticks = min_ticks;
    entry.max_ticks = std::max(min_ticks, ticks);
    return entry;
}

mprof_partner messages_with(mprof_partner_kind kind, uint32_t rank, uint64_t messages,
                            uint64_t bytes, uint64_t ticks)
{
    mprof_partner partner = make_partner(kind, rank, messages, bytes);
    partner.ticks = ticks;
    return partner;
}

void add_baseline(RankFileContent &rank, uint64_t latency_ticks, uint64_t mib_ticks)
{
    for (const auto &[bytes, ticks] :
         {std::pair(uint64_t{8}, latency_ticks), std::pair(uint64_t{1} << 20U, mib_ticks)}) {
        mprof_baseline row = {};
        row.in_use = 1;
        row.partner = 1;
        row.bytes = bytes;
        row.best_ticks = ticks;
        row.median_ticks = ticks;
        row.repeats = 10;
        rank.baselines.push_back(row);
    }
}

}  // namespace mprof_test
