// Ranks with planted waiting, for the tests of waiting, causes and verdict. The journals, entries
// and partners of these rank files are composed so that the waiting is known by arithmetic.
//
// Ticks are ns and reading the clock costs nothing. So 1000 ticks are 1 us everywhere.
#pragma once

#include "rank_file_writer.h"

#include <cstdint>
#include <vector>

namespace mprof_test {

enum PlantedFunction : uint16_t {
    f_init,
    f_send,
    f_recv,
    f_allreduce,
    f_irecv,
    f_finalize,
    f_barrier,
    f_bcast,
    f_reduce,
    f_scan,
    f_iallreduce,
    f_isend,
    f_wait,
    f_waitall,
    f_test,
    f_sendrecv,
    f_comm_rank,
    f_file_write,
    f_put,
    f_file_open,
    f_file_sync,
    f_file_write_all,
    f_abort,
    f_pvar_read
};

constexpr uint64_t us = 1000, ms = 1000 * us;

// Ranks of MPI_COMM_WORLD that ran for `wallclock_ns` and did nothing yet.
std::vector<RankFileContent> planted_ranks(uint32_t ranks, uint64_t wallclock_ns);

// What a rank does in collectives of one communicator, in order: writes journal and entries.
class PlantedJournal {
public:
    // With `thinning`, about one in 2^thinning instances is kept.
    explicit PlantedJournal(RankFileContent &rank, uint32_t slot = MPROF_COMM_SLOT_WORLD,
                            uint32_t thinning = 0)
        : rank_(rank), slot_(slot), thinning_(thinning)
    {
        journal_.facts.communicator = slot;
        journal_.facts.thinning = thinning;
    }
    // One call; `root` is a rank of the communicator.
    void add(uint16_t function, uint64_t ticks, int32_t root = MPROF_NO_PEER);
    // In the journal alone; ticks 0 = duration not known.
    void note(uint16_t function, uint64_t ticks, int32_t root = MPROF_NO_PEER);
    // Adds the journal to the rank. `bytes`: of each call in the entries.
    void close(uint64_t bytes = 8);

private:
    RankFileContent &rank_;
    uint32_t slot_;
    uint32_t thinning_;
    JournalContent journal_;
    std::vector<mprof_entry> sums_;
};

// A communicator of these members, the same on each of them; returns its slot on all of them.
uint32_t add_communicator(std::vector<RankFileContent> &ranks, const std::vector<uint32_t> &members,
                          uint64_t identity);

// Calls that took `ticks` in all and `min_ticks` at least.
mprof_entry calls_of(uint16_t function, uint64_t size, uint64_t calls, uint64_t ticks,
                     uint64_t min_ticks);

// Messages with a partner that took `ticks`.
mprof_partner messages_with(mprof_partner_kind kind, uint32_t rank, uint64_t messages,
                            uint64_t bytes, uint64_t ticks);

// Of rank 0 with rank 1: 8 B in `latency_ticks`, 1 MiB in `mib_ticks`.
void add_baseline(RankFileContent &rank, uint64_t latency_ticks, uint64_t mib_ticks);

}  // namespace mprof_test
