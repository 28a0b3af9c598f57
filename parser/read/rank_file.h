// One rank file, live or finished, as values. This is all that the rest of the parser sees of the
// byte format.
//
// What holds for a RankFile: every function id is an index into `functions`; every partner is a
// rank of the world or one of the two special values; kinds and precisions are known ones (but in
// a newer minor version); each table belongs to exactly one thread. A callsite that is referred to
// is in `callsites` or 0, its parent has a smaller slot, its module is in `modules` or 0, its
// script is a function in `scripts` or 0. What a record lacks is 0. Times are still ticks: the
// clock that converts them is in `clock` (measure/clocks.h).
#pragma once

#include "mprof/format/format.h"
#include "read/file_layout.h"
#include "read/file_result.h"
#include "read/tables/entry_list.h"
#include "read/tables/packed_table.h"
#include "read/tables/rare.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mprof {

// Keys and values, in the order of the file. Equal texts are shared with another rank: most differ
// between nodes only, or not at all.
class RankTexts {
public:
    using Pair = std::pair<std::string, std::string>;

    using PairView = std::pair<std::string_view, std::string_view>;

    RankTexts() = default;
    explicit RankTexts(std::vector<Pair> all) : shared_(std::move(all)) {}
    // If `other` has the same keys, only the values that differ are kept; it may be null.
    RankTexts(const std::vector<PairView> &all, const RankTexts *other);

    // "" when there is no such text.
    const std::string &find(std::string_view key) const;
    std::vector<Pair> all() const;
    bool is_shared_with(const RankTexts &other) const
    {
        return shared_.is_shared_with(other.shared_);
    }
    // As if it had been made with the other one.
    void share_with(const RankTexts &other);

private:
    struct Own {
        size_t place;  // index in `shared_`, whose value there belongs to another rank
        std::string value;
    };
    const std::string &value_at(size_t place) const;

    SharedTable<Pair> shared_;
    std::vector<Own> own_;
};

struct ThreadRecord {
    uint32_t number = 0;
    mprof_thread facts{};
    EntryList entries;                    // those that add something, as sort_entries() puts them
    PackedTable<mprof_partner> partners;  // only slots that are in use, as all of these
    PackedTable<mprof_segment> segments;
    PackedTable<mprof_counter_values> counter_values;
    PackedTable<mprof_off_cpu> off_cpu;
    PackedTable<mprof_cpu_sample> cpu_samples;
    PackedTable<mprof_sample_path> sample_paths;
    PackedTable<mprof_sample_path> fault_paths;  // `samples` counts page faults
    PackedTable<mprof_sample_path> early_paths;  // before MPI_Init; tenths of a second
    std::vector<mprof_last_call> last_calls;     // the one that began first first
};

// The fields of mprof_communicator and of mprof_region but for the name, which takes most of them.
struct CommunicatorFacts {
    uint32_t flags = 0, size = 0, rank = 0, remote_size = 0;
    uint16_t made_by = 0, parent = 0;
    uint32_t callsite = 0;
    uint64_t identity = 0, created = 0;
};

struct RegionFacts {
    uint32_t flags = 0, open = 0;
    uint64_t visits = 0, ticks = 0, unmatched_ends = 0, not_kept = 0;
    mprof_folded_sums folded{};
};

// Of a slot of which entries were folded: few have any.
struct FoldedCommunicator {
    uint32_t slot = 0;
    mprof_folded_sums sums{};
};

struct CommunicatorSlot {
    uint32_t slot = 0;
    CommunicatorFacts facts;
    std::string name;
};

// What is the same on all ranks. RankFile::region_facts has the rest.
struct RegionSlot {
    uint32_t slot = 0;
    uint64_t parent = 0;
    std::string name;

    bool operator==(const RegionSlot &other) const = default;
};

struct FileSlot {
    uint32_t slot = 0;
    mprof_file facts{};
    std::string name;
};

struct PlainFileSlot {
    uint32_t slot = 0;
    mprof_plain_file facts{};
    std::string name;
};

struct CallsiteSlot {
    uint32_t slot = 0;
    mprof_callsite facts{};

    bool operator==(const CallsiteSlot &other) const
    {
        return slot == other.slot && std::memcmp(&facts, &other.facts, sizeof facts) == 0;
    }
};

struct ModuleSlot {
    uint32_t slot = 0;
    mprof_module facts{};
    std::string path;
    std::string build_id;  // in hexadecimal, "" = it has none

    bool operator==(const ModuleSlot &other) const
    {
        return slot == other.slot && std::memcmp(&facts, &other.facts, sizeof facts) == 0;
    }
};

// A function of a script, or why those of an interpreter are not recorded.
struct ScriptSlot {
    uint32_t slot = 0;
    mprof_script facts{};
    std::string function, file;

    bool is_function() const { return (facts.flags & MPROF_SCRIPT_UNREAD) == 0; }
    bool operator==(const ScriptSlot &other) const
    {
        return slot == other.slot && std::memcmp(&facts, &other.facts, sizeof facts) == 0;
    }
};

struct OperationSlot {
    uint32_t slot = 0;
    mprof_operation facts{};

    bool operator==(const OperationSlot &other) const
    {
        return slot == other.slot && std::memcmp(&facts, &other.facts, sizeof facts) == 0;
    }
};

struct CounterSlot {
    uint32_t slot = 0;  // index into the values of mprof_counter_values
    mprof_counter facts{};
    std::string name, unit;
};

struct JournalRecord {
    mprof_journal facts{};
    std::vector<uint32_t> items;  // only those that are in use
};

struct RankFile {
    std::shared_ptr<const PackedPool> bins_pool;  // of time_bins, in a large run
    std::string file;
    uint64_t read_realtime_ns = 0;  // when its bytes were read; 0 = not by read_rank_file()
    FileLayout layout;
    mprof_run run{};
    mprof_clock clock{};
    RankTexts texts;
    SharedTable<std::string> functions;  // index = function id, "" = not used
    std::vector<ThreadRecord> threads;
    std::vector<CommunicatorSlot> communicators;
    RareTable<FoldedCommunicator> folded_communicators;
    SharedTable<RegionSlot> regions;
    PackedTable<RegionFacts> region_facts;  // in the same order
    RareTable<FileSlot> files;  // slot 0 = what did not fit, or was not seen to be opened
    RareTable<PlainFileSlot> plain_files;  // slot 0 = what went to no file that is known
    SharedTable<CallsiteSlot> callsites;   // by slot, as all tables of slots
    SharedTable<ModuleSlot> modules;
    SharedTable<ScriptSlot> scripts;
    SharedTable<OperationSlot> operations;
    std::vector<JournalRecord> journals;  // by communicator, one each
    RareTable<CounterSlot> counters;
    PackedTable<mprof_sample> samples;                    // in the order in which they were taken
    RareTable<mprof_parallel_region> parallel_regions;    // only those that are in use
    RareTable<mprof_gpu_site> gpu_sites;                  // likewise
    RareTable<mprof_gpu_kernel> gpu_kernels;              // which gpu_sites name, from 1
    RareTable<mprof_gpu_buffer> gpu_buffers;              // likewise as gpu
    RareTable<mprof_gpu_activity> gpu_activity;           // by CUPTI: one row, or none
    RareTable<mprof_gpu_work> gpu_work;                   // likewise: kernels and copies
    RareTable<mprof_gpu_busy> gpu_busy;                   // likewise: bins
    RareTable<mprof_nccl_comm> nccl_comms;                // of this process, in order
    RareTable<mprof_nccl_call> nccl_calls;                // nccl_times name their numbers
    RareTable<mprof_nccl_time> nccl_times;                // of some collectives
    RareTable<mprof_gpu> gpu;                             // likewise, by thread
    PackedTable<mprof_condition> conditions;              // only those that were noted
    RareTable<mprof_baseline> baselines;                  // only those that are in use
    PackedTable<mprof_collective_time> collective_times;  // only those that are in use
    mprof_lint lint{};                                    // in_use 0: without MPROF_LINT
    PackedTable<mprof_lint_step> lint_steps;              // in their order
    RareTable<mprof_lint_find> lint_finds;                // only those that are in use
    mprof_time time{};                                    // of the next
    PackedTable<mprof_time_bin> time_bins;                // only those that are in use
    std::optional<mprof_results> results;                 // with MPROF_RESULTS
    PackedTable<mprof_result> result_hashes;              // likewise

    const mprof_file_header &header() const { return layout.header; }
    bool finished() const { return layout.finished(); }
    // "" when there is no such text.
    const std::string &text(std::string_view key) const { return texts.find(key); }
    // What the text says in digits.
    std::optional<double> number(std::string_view key) const;
    std::string function_name(uint32_t id) const;
};

// The slot of that number, nullptr if there is none; `slots` is one of the tables of a RankFile.
template <class Slot>
const Slot *find_slot(const std::vector<Slot> &slots, uint32_t number)
{
    const auto at = std::lower_bound(slots.begin(), slots.end(), number,
                                     [](const Slot &slot, uint32_t n) { return slot.slot < n; });
    return at == slots.end() || at->slot != number ? nullptr : &*at;
}
template <class Slot>
const Slot *find_slot(const SharedTable<Slot> &slots, uint32_t number)
{
    return find_slot(slots.rows(), number);
}
template <class Slot>
const Slot *find_slot(const RareTable<Slot> &slots, uint32_t number)
{
    return find_slot(slots.rows(), number);
}

// Adds neighbours of `time_bins` together until there are at most so many.
void thin_time_bins(RankFile &rank, size_t most_bins);

// `file` is what errors call it. `memory`: see below; without it all is read and kept.
// `is_checked`: as in open_rank_file().
struct ReadMemory;
Result<RankFile> parse_rank_file(std::span<const std::byte> bytes, const std::string &file,
                                 ReadMemory *memory = nullptr, bool is_checked = false);

Result<RankFile> read_rank_file(const std::string &path, ReadMemory *memory = nullptr);

// A rank without what it recorded: header, run, clock and texts; of a live file also the facts of
// its threads. All else is empty. It is in `file`, at `offset`. Of a live file, which may be large,
// only these sections are read; a finished one is compressed as a whole.
class OpenFile;
struct PlaceOfRank {
    uint64_t offset = 0, bytes = 0;
    std::string name;  // for errors
};
Result<RankFile> read_rank_head(const OpenFile &file, const PlaceOfRank &place);
Result<RankFile> parse_rank_head(std::span<const std::byte> bytes, const std::string &name);

// A live file that cannot be read may be in the middle of a change: how often it is read, and what
// passes in between.
inline constexpr int attempts_at_live_file = 3;
inline constexpr std::chrono::milliseconds pause_for_live_file(10);

// What one thread remembers while it reads ranks one after the other, and how much of a rank it
// keeps. What a program is made of (functions, call sites, modules, operations) is nearly always
// the same on all ranks: then it is neither read nor checked again, and all of them share it.

// The tables of the rank before, and the bytes that they were read from.
class KnownTables {
public:
    // Takes the tables over if the rank's are the same, byte by byte.
    bool give_to(RankFile &rank, std::span<const std::byte> bytes) const;
    void keep(const RankFile &rank, std::span<const std::byte> bytes);

private:
    uint16_t minor_ = 0;
    std::vector<mprof_section> sections_;  // offsets are those in `bytes_`
    std::vector<std::byte> bytes_;
    SharedTable<std::string> functions_;
    SharedTable<CallsiteSlot> callsites_;
    SharedTable<ModuleSlot> modules_;
    SharedTable<ScriptSlot> scripts_;
    SharedTable<OperationSlot> operations_;
};

struct ReadMemory {
    std::shared_ptr<KeyLists> lists;  // of all threads
    size_t most_bins = SIZE_MAX;      // of time, that are kept
    KnownTables tables;
    RankTexts texts;
    SharedTable<RegionSlot> regions;
    std::vector<std::byte> block;  // of a merged file: new memory for each costs as much as reading
};

}  // namespace mprof
