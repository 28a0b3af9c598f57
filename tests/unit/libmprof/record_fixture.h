// What the tests of the record share: the C headers, a fresh record, and sums over it by hand.
#ifndef MPROF_RECORD_FIXTURE_H
#define MPROF_RECORD_FIXTURE_H

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <unistd.h>

extern "C" {
#include "base/clock.h"
#include "base/options.h"
#include "record/calls/attach.h"
#include "record/calls/call.h"
#include "record/calls/requests.h"
#include "record/objects/communicators.h"
#include "record/objects/handles.h"
#include "record/paths/callsites.h"
#include "record/state/record.h"
#include "record/state/recorder.h"
#include "record/tables/entry_table.h"
#include "record/tables/pair_tables.h"
#include "record/time/journals.h"
#include "store/arena.h"
}

namespace mprof_test {

// A folder of this test's own, which goes with it: mprof makes no file in one that
// belongs to another user, as /tmp does.
class OwnFolder {
public:
    OwnFolder() { std::filesystem::create_directory(path_); }
    ~OwnFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    OwnFolder(const OwnFolder &) = delete;
    OwnFolder &operator=(const OwnFolder &) = delete;
    [[nodiscard]] std::string file(const char *name) const { return path_ + "/" + name; }

private:
    const std::string path_ = testing::TempDir() + "mprof-unit." + std::to_string(getpid());
};

/* Sums over all entries of `recorder` that `wanted` accepts. */
struct Sums {
    uint64_t calls = 0;
    uint64_t bytes = 0;
    uint64_t ticks = 0;
    uint64_t entries = 0;
};
Sums sum_entries(
    const recorder *recorder, const std::function<bool(const mprof_entry &)> &wanted =
                                  [](const mprof_entry &) { return true; });

/* The partner row, or one with in_use 0. */
mprof_partner find_partner(const recorder *recorder, uint32_t rank, mprof_partner_kind kind);

/* One call, one message, without the details that most tests do not look at. */
void add_call(recorder *recorder, const entry_key &key, uint64_t ticks);
void add_message(recorder *recorder, mprof_partner_kind kind, uint32_t rank, uint64_t bytes);

/* comm_enter() of a communicator that was made by this function (1 + id, or 0). */
comm *enter_comm(uint64_t handle, uint32_t made_by, const comm *parent);

/* A path to call from: callsite 5. */
path *some_path();

/* A world of 8 ranks of which this is rank 3, and communicators whose ranks count backwards. */
void use_fake_mpi();
uint64_t reversed_comm_handle();

/* Takes all of the arena that is for detail, down to pieces of so many bytes. */
void fill_arena(size_t least_bytes = 64);

/* A record with this ceiling and one recorder. */
recorder *open_record(size_t ceiling_bytes);

}  // namespace mprof_test

#endif
