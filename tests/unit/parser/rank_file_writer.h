// Composes rank files for tests, straight from format.h and independently of libmprof. So the
// parser's tests need no MPI, and a mistake in libmprof cannot hide one in the parser. Only packed
// files are made by libmprof's packer.
//
// Fill in a RankFileContent and call compose(). Or take sample_rank() and change what the test is
// about.
#pragma once

#include "mprof/format/format.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mprof_test {

struct ThreadContent {
    mprof_thread facts{};  // the section indices are filled in by compose()
    std::vector<mprof_entry> entries;
    std::vector<mprof_partner> partners;
    std::vector<mprof_segment> segments;
    std::vector<mprof_counter_values> counter_values;
    std::vector<mprof_off_cpu> off_cpu;
    std::vector<mprof_cpu_sample> cpu_samples;
    std::vector<mprof_sample_path> sample_paths;
    std::vector<mprof_sample_path> fault_paths;
    std::vector<mprof_sample_path> early_paths;
    std::vector<mprof_last_call> last_calls;
};

struct JournalContent {
    mprof_journal facts{};  // capacity and items are filled in by compose()
    std::vector<uint32_t> items;
};

struct ExtraSection {
    uint32_t type = 0;
    std::vector<std::byte> content;
};

struct RankFileContent {
    uint16_t major = MPROF_FORMAT_MAJOR;
    uint16_t minor = MPROF_FORMAT_MINOR;
    uint64_t run_id = 0x1122334455667788;
    uint32_t world = 0;
    uint32_t rank = 0;
    uint32_t ranks = 1;
    mprof_run run{};
    mprof_clock clock{};
    std::vector<std::pair<std::string, std::string>> texts;
    std::vector<std::string> functions;
    std::vector<ThreadContent> threads;
    std::vector<mprof_communicator> communicators;        // index = slot
    std::vector<mprof_region> regions;                    // index = slot
    std::vector<mprof_file> files;                        // index = slot
    std::vector<mprof_plain_file> plain_files;            // index = slot
    std::vector<mprof_parallel_region> parallel_regions;  // index = slot
    std::vector<mprof_gpu> gpu;
    std::vector<mprof_gpu_site> gpu_sites;
    std::vector<mprof_gpu_kernel> gpu_kernels;
    std::vector<mprof_gpu_buffer> gpu_buffers;
    std::vector<mprof_gpu_activity> gpu_activity;
    std::vector<mprof_gpu_work> gpu_work;
    std::vector<mprof_gpu_busy> gpu_busy;
    std::vector<mprof_nccl_comm> nccl_comms;
    std::vector<mprof_nccl_call> nccl_calls;
    std::vector<mprof_nccl_time> nccl_times;
    std::vector<mprof_callsite> callsites;    // index = slot
    std::vector<mprof_module> modules;        // index = slot
    std::vector<mprof_script> scripts;        // index = slot
    std::vector<mprof_operation> operations;  // index = slot
    std::vector<JournalContent> journals;
    std::vector<mprof_counter> counters;
    std::vector<mprof_sample> samples;
    std::vector<mprof_condition> conditions;
    std::vector<mprof_collective_time> collective_times;
    std::vector<mprof_baseline> baselines;
    std::vector<mprof_lint> lint;
    std::vector<mprof_lint_step> lint_steps;
    std::vector<mprof_lint_find> lint_finds;
    mprof_time time{};  // is there if there are bins
    std::vector<mprof_time_bin> time_bins;
    std::vector<ExtraSection> extra;
    bool finished = true;
    bool compressed = true;  // of a finished file
    int compression_level = 19;
    bool columns = true;     // of a finished file; else records, as in a merged file
    int longer_records = 0;  // bytes that another minor version added to each record, or lacks
};

std::vector<std::byte> compose(const RankFileContent &content);

// Of a finished file that is not compressed the one that is.
std::vector<std::byte> compressed(const std::vector<std::byte> &plain, int level);

// Overwrites checksums and length of a finished file, so that a test can damage what they protect.
void seal(std::vector<std::byte> &file);

mprof_entry make_entry(uint16_t function, uint64_t size, uint64_t calls, uint64_t ticks,
                       mprof_entry_kind kind = MPROF_KIND_CALL);
mprof_partner make_partner(mprof_partner_kind kind, uint32_t rank, uint64_t messages,
                           uint64_t bytes);
mprof_region make_region(const std::string &name, uint64_t parent, uint64_t visits, uint64_t ticks);
// Opened once by this rank, on MPI_COMM_WORLD.
mprof_file make_file(const std::string &name, uint32_t mode);
// Calls of the same size.
mprof_file_moves make_moves(uint64_t calls, uint64_t size, uint64_t ticks);
mprof_counter make_counter(const std::string &name, const std::string &unit);
// `build_id` is in hexadecimal.
mprof_module make_module(const std::string &path, const std::string &build_id);
mprof_callsite make_callsite(uint32_t parent, uint32_t module, uint64_t offset);
mprof_script make_script(const std::string &file, const std::string &function, uint32_t first_line);
mprof_callsite make_script_callsite(uint32_t parent, uint32_t script, uint32_t line,
                                    uint32_t instruction);
// From function id to function id.
mprof_segment make_segment(uint16_t from, uint32_t from_callsite, uint16_t to, uint32_t to_callsite,
                           uint64_t count, uint64_t ticks);
mprof_entry make_completion(uint16_t function, uint64_t size, uint64_t count, uint64_t ticks,
                            uint64_t span_ticks, uint64_t span_mpi_ticks);
mprof_communicator make_communicator(uint32_t size, uint32_t rank, const std::string &name);

// A finished rank whose ticks are ns, from tick 1,000 on, that ran `wallclock_ns`. It has the
// functions MPI_Init (id 0), MPI_Send (1), MPI_Recv (2), MPI_Allreduce (3), MPI_Irecv (4),
// MPI_Finalize (5), one thread and no entries.
RankFileContent sample_rank(uint32_t rank, uint32_t ranks, uint64_t wallclock_ns);

// As the above, killed inside `function` at `tick`.
RankFileContent killed_rank(uint32_t rank, uint32_t ranks, uint16_t function, uint64_t tick);

void write_file(const std::string &path, const std::vector<std::byte> &bytes);

}  // namespace mprof_test
