// The services that the record asks of MPI, answered without one. Also the helpers of
// record_fixture.h.
#include "record_fixture.h"

#include <array>

extern "C" {
#include "interpose/mpi_binding.h"
}

namespace mprof_test {
namespace {

constexpr int world_size = 8;
constexpr uint64_t world_handle = 0x44000000;
constexpr uint64_t self_handle = 0x44000001;
constexpr uint64_t reversed_handle = 0x84000001;
constexpr uint64_t reversed_group = 77;

void describe_comm(uint64_t comm, comm_facts *facts)
{
    *facts = comm_facts{};
    facts->size = comm == self_handle ? 1 : world_size;
    facts->rank = comm == self_handle ? 0 : 3;
    facts->world_ordered = comm == world_handle;
    facts->group = comm == world_handle ? 0 : reversed_group;
    facts->members = comm == self_handle ? 3 : comm == world_handle ? 76543210 : 1234567;
}

uint32_t world_rank(uint64_t group, int rank)
{
    return group == reversed_group ? static_cast<uint32_t>(world_size - 1 - rank)
                                   : MPROF_RANK_OUTSIDE;
}

void free_group(uint64_t) {}

}  // namespace

void use_fake_mpi()
{
    static struct mpi_services services {
    };
    services.comm_world = world_handle;
    services.comm_self = self_handle;
    services.describe_comm = describe_comm;
    services.world_rank = world_rank;
    services.free_group = free_group;
    ::mpi_services = &services;
    EXPECT_TRUE(handles_open(32 << 20));
    comms_open();
}

uint64_t reversed_comm_handle()
{
    return reversed_handle;
}

void fill_arena(size_t least_bytes)
{
    uint32_t index = 0;
    for (size_t bytes = 1 << 20; bytes >= least_bytes; bytes /= 2)
        while (arena_allocate(MPROF_SECTION_TEXT, 1, bytes, 1, false, &index) != nullptr)
            continue;
}

recorder *open_record(size_t ceiling_bytes)
{
    clock_choose();
    EXPECT_TRUE(arena_open(ceiling_bytes));
    EXPECT_TRUE(handles_open(32 << 20));
    return recorder_attach(recorder_give_back);
}

void add_call(recorder *recorder, const entry_key &key, uint64_t ticks)
{
    record_call(recorder, &key, ticks);
}

void add_message(recorder *recorder, mprof_partner_kind kind, uint32_t rank, uint64_t bytes)
{
    exchange exchange{};
    exchange.kind = kind;
    exchange.world_rank = rank;
    exchange.messages = 1;
    exchange.bytes = bytes;
    record_exchange(recorder, &exchange);
}

comm *enter_comm(uint64_t handle, uint32_t made_by, const comm *parent)
{
    const comm_origin origin{made_by, parent, 0};
    return comm_enter(handle, &origin);
}

path *some_path()
{
    alignas(path) thread_local std::array<std::byte, sizeof(path)> memory{};  // has no words
    auto *found = reinterpret_cast<path *>(memory.data());
    found->callsite = 5;
    return found;
}

Sums sum_entries(const recorder *recorder, const std::function<bool(const mprof_entry &)> &wanted)
{
    Sums sums;
    for (uint32_t i = 0; i <= recorder->entry_mask; i++) {
        const mprof_entry &entry = recorder->entries[i];
        if (entry.in_use == 0 || !wanted(entry))
            continue;
        sums.calls += entry.calls;
        sums.bytes += entry.bytes;
        sums.ticks += entry.ticks;
        sums.entries++;
    }
    return sums;
}

mprof_partner find_partner(const recorder *recorder, uint32_t rank, mprof_partner_kind kind)
{
    for (uint32_t i = 0; i <= recorder->partner_mask; i++) {
        const mprof_partner &partner = recorder->partners[i];
        if (partner.in_use != 0 && partner.rank == rank && partner.kind == kind)
            return partner;
    }
    return mprof_partner{};
}

}  // namespace mprof_test
