// For those who read sections of a rank file: their functions, one per kind of section, and the
// checks of a record's values.
//
// The functions read into a RankFile; rank_file.cc calls them in the order in which they refer to
// each other. Each returns what is wrong, or nothing. FINISHED files are read strictly. A LIVE
// file may be read in the middle of a change. Incomplete records are left out, except those that
// totals are made of (entries, partners).
#pragma once

#include "read/rank_file.h"

#include <optional>

namespace mprof {

// Run, clock and texts: rank_file.cc. They refer to nothing.
std::optional<FileError> read_facts(std::span<const std::byte> bytes, RankFile &rank,
                                    const ReadMemory *memory);

// Modules, scripts, callsites and operations: numbered_tables.cc. They come before everything that
// refers to them.
std::optional<FileError> read_program_tables(std::span<const std::byte> bytes, RankFile &rank);

// Other tables whose records have slots, or just an order: numbered_tables.cc.
std::optional<FileError> read_numbered_tables(std::span<const std::byte> bytes, RankFile &rank);

// Threads with their tables: thread_tables.cc.
std::optional<FileError> read_threads(std::span<const std::byte> bytes, RankFile &rank,
                                      KeyLists &lists);

// Journals of collectives: journals.cc.
std::optional<FileError> read_journals(std::span<const std::byte> bytes, RankFile &rank);

// Hashes of what calls carried: numbered_tables.cc.
std::optional<FileError> read_results(std::span<const std::byte> bytes, RankFile &rank);

// The run over time, in at most so many bins: journals.cc.
std::optional<FileError> read_time(std::span<const std::byte> bytes, RankFile &rank,
                                   size_t most_bins);

// Are the values in a record possible? A checksum tells that a record was not changed. It does not
// tell that the record makes sense, and a live file has no checksum. Each function returns what is
// wrong, or nothing.
//
// settle_callsites() checks what a record refers to. A missing target is an error in a FINISHED
// file. In a LIVE file it has not been written yet, and the reference becomes 0.

// A record's place, for messages: in a compressed section no offset of the record itself exists.
struct RecordPlace {
    const RankFile &rank;
    const mprof_section &section;
    size_t number;

    FileError error(const std::string &expected, const std::string &found) const;
    // "a <what> below <limit>", unless it is.
    std::optional<FileError> check_below(const char *what, uint64_t value, uint64_t limit) const;
};

std::optional<FileError> check_record(const mprof_clock &clock, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_thread &thread, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_entry &entry, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_partner &partner, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_segment &segment, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_counter_values &values, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_off_cpu &off_cpu, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_cpu_sample &sample, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_sample_path &path, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_time_bin &bin, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_last_call &call, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_operation &operation, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_module &module, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_script &script, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_counter &counter, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_sample &sample, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_condition &condition, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_gpu &gpu, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_gpu_site &site, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_gpu_kernel &kernel, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_gpu_buffer &buffer, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_gpu_activity &activity, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_gpu_work &work, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_gpu_busy &busy, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_nccl_comm &comm, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_nccl_call &call, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_nccl_time &time, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_baseline &baseline, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_collective_time &time, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_lint &lint, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_lint_step &step, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_lint_find &find, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_parallel_region &region,
                                      const RecordPlace &place);
std::optional<FileError> check_record(const mprof_file &file, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_plain_file &file, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_communicator &communicator,
                                      const RecordPlace &place);
std::optional<FileError> check_record(const mprof_journal &journal, const RecordPlace &place);

std::optional<FileError> settle_callsites(mprof_thread &thread, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_entry &entry, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_partner &partner, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_segment &segment, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_off_cpu &off_cpu, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_cpu_sample &sample, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_sample_path &path, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_time_bin &bin, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_last_call &call, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_operation &operation, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_file &file, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_lint_step &step, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_lint_find &find, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_gpu &gpu, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_nccl_call &call, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_gpu_site &site, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_gpu_buffer &buffer, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_communicator &communicator,
                                          const RecordPlace &place);
// Refer to none.
inline std::optional<FileError> settle_callsites(mprof_counter_values & /*values*/,
                                                 const RecordPlace & /*place*/)
{
    return {};
}

}  // namespace mprof
