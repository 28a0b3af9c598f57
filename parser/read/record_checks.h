// Are the values in a record possible? A checksum tells that a record was not changed. It does not
// tell that the record makes sense, and a live file has no checksum. Each function returns what is
// wrong, or nothing.
//
// settle_callsites() checks what a record refers to. A missing target is an error in a FINISHED
// file. In a LIVE file it has not been written yet, and the reference becomes 0.
#pragma once

#include "read/rank_file.h"

#include <optional>

namespace mprof {

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
std::optional<FileError> check_record(const mprof_baseline &baseline, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_collective_time &time, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_lint &lint, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_lint_step &step, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_lint_find &find, const RecordPlace &place);
std::optional<FileError> check_record(const mprof_parallel_region &region,
                                      const RecordPlace &place);
std::optional<FileError> check_record(const mprof_file &file, const RecordPlace &place);
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
std::optional<FileError> settle_callsites(mprof_gpu_site &site, const RecordPlace &place);
std::optional<FileError> settle_callsites(mprof_communicator &communicator,
                                          const RecordPlace &place);
// Refer to none.
inline std::optional<FileError> settle_callsites(mprof_counter_values & /*values*/,
                                                 const RecordPlace & /*place*/)
{
    return {};
}

}  // namespace mprof
