// Most of these tables come in pieces of equal length, numbered by section.number: slot = piece *
// records per piece + place in it. A finished file has one piece that holds all slots.
#include "read/file_layout.h"
#include "read/record_checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace mprof {
namespace {

using Bytes = std::span<const std::byte>;
using Problem = std::optional<FileError>;

template <size_t size>
std::string text_of(const char (&field)[size])
{
    const std::string_view text(std::begin(field), size);
    return std::string(text.substr(0, text.find('\0')));
}

// The record that a slot is filled from.
template <class Slot>
struct RecordOf {
    using Type = decltype(Slot::facts);
};
// A communicator as it is in the file, likewise.
struct CommunicatorRecord {
    uint32_t slot = 0;
    CommunicatorSlot communicator;
    mprof_folded_sums folded{};
};
template <>
struct RecordOf<CommunicatorRecord> {
    using Type = mprof_communicator;
};
// A region as it is in the file: RankFile has its two halves.
struct RegionRecord {
    uint32_t slot = 0;
    RegionSlot region;
    RegionFacts facts;
};
template <>
struct RecordOf<RegionRecord> {
    using Type = mprof_region;
};

void fill(CommunicatorRecord &record, const mprof_communicator &r)
{
    CommunicatorSlot &slot = record.communicator;
    slot.slot = record.slot;
    slot.facts = {r.flags,  r.size,     r.rank,     r.remote_size, r.made_by,
                  r.parent, r.callsite, r.identity, r.created};
    slot.name = text_of(r.name);
    record.folded = r.folded;
}
void fill(RegionRecord &record, const mprof_region &r)
{
    record.region = {record.slot, r.parent, text_of(r.name)};
    record.facts = {r.flags, r.open, r.visits, r.ticks, r.unmatched_ends, r.not_kept, r.folded};
}
void fill(FileSlot &slot, const mprof_file &record)
{
    slot.facts = record;
    slot.name = text_of(record.name);
}
void fill(PlainFileSlot &slot, const mprof_plain_file &record)
{
    slot.facts = record;
    slot.name = text_of(record.name);
}
void fill(CallsiteSlot &slot, const mprof_callsite &record)
{
    slot.facts = record;
}
void fill(OperationSlot &slot, const mprof_operation &record)
{
    slot.facts = record;
}
void fill(CounterSlot &slot, const mprof_counter &record)
{
    slot.facts = record;
    slot.name = text_of(record.name);
    slot.unit = text_of(record.unit);
}
void fill(ModuleSlot &slot, const mprof_module &record)
{
    slot.facts = record;
    slot.path = text_of(record.path);
    for (uint32_t i = 0; i < slot.facts.build_id_bytes; i++)
        slot.build_id += fmt::format("{:02x}", slot.facts.build_id[i]);
}

void fill(ScriptSlot &slot, const mprof_script &record)
{
    slot.facts = record;
    slot.function = text_of(record.function);
    slot.file = text_of(record.file);
}

// All these have flag 1 for "in use", or a field of that name.
template <class Record>
bool is_in_use(const Record &record)
{
    if constexpr (requires { record.in_use; })
        return record.in_use != 0;
    else if constexpr (requires { record.moment; })
        return record.moment != MPROF_SAMPLE_NONE;
    else
        return (record.flags & 1U) != 0;
}

template <class Record>
size_t count_in_use(const std::vector<Record> &records)
{
    return static_cast<size_t>(std::count_if(records.begin(), records.end(),
                                             [](const Record &r) { return is_in_use(r); }));
}

// What is wrong with a record that is in use, references included. The sections that came before
// are in `rank`.
template <class Record>
Problem check_slot(Record &record, const RecordPlace &place)
{
    if constexpr (requires { check_record(record, place); })
        if (auto bad = check_record(record, place))
            return bad;
    if constexpr (requires { settle_callsites(record, place); })
        return settle_callsites(record, place);
    return {};
}

template <class Slot>
Problem read_slots_of(Bytes bytes, const RankFile &rank, const mprof_section &section,
                      std::vector<Slot> &slots)
{
    auto records = read_section_records<typename RecordOf<Slot>::Type>(bytes, section, rank.file);
    if (!records.ok())
        return records.error();
    const uint64_t first = uint64_t{section.number} * records.value().size();
    slots.reserve(slots.size() + count_in_use(records.value()));
    for (size_t i = 0; i < records.value().size(); i++) {
        if (!is_in_use(records.value()[i]))
            continue;
        const RecordPlace place{rank, section, i};
        Slot slot;
        slot.slot = static_cast<uint32_t>(first + i);
        auto &record = records.value()[i];
        auto bad = place.check_below("slot", first + i, UINT32_MAX);
        if (!bad)
            bad = check_slot(record, place);
        if (bad && rank.finished())
            return bad;
        if (bad)
            continue;
        fill(slot, record);
        slots.push_back(std::move(slot));
    }
    return {};
}

template <class Slot>
Problem read_slots(Bytes bytes, const RankFile &rank, uint32_t type, std::vector<Slot> &slots)
{
    for (const mprof_section &section : rank.layout.sections)
        if (section.type == type)
            if (auto bad = read_slots_of(bytes, rank, section, slots))
                return bad;
    std::stable_sort(slots.begin(), slots.end(),
                     [](const Slot &a, const Slot &b) { return a.slot < b.slot; });
    const auto twice = std::unique(slots.begin(), slots.end(),
                                   [](const Slot &a, const Slot &b) { return a.slot == b.slot; });
    if (twice != slots.end() && rank.finished())
        return FileError{rank.file, rank.header().directory_offset,
                         fmt::format("each slot of {} once", section_type_name(type)),
                         "one that is there twice"};
    slots.erase(twice, slots.end());
    return {};
}

bool is_in_script(const RankFile &rank, const mprof_callsite &callsite)
{
    const ScriptSlot *script = find_slot(rank.scripts, callsite.script);
    return script != nullptr && script->is_function() && callsite.module == 0;
}

// Parents have smaller slots, so a path cannot be a circle. A path without its parent is
// incomplete.
Problem check_paths(RankFile &rank)
{
    std::vector<CallsiteSlot> sound;
    sound.reserve(rank.callsites.size());
    for (const CallsiteSlot &slot : rank.callsites) {
        const mprof_callsite &facts = slot.facts;
        const bool parent = facts.parent == 0 ||
                            (facts.parent < slot.slot && find_slot(sound, facts.parent) != nullptr);
        const bool module = facts.module == 0 || find_slot(rank.modules, facts.module) != nullptr;
        const bool script = facts.script == 0 || is_in_script(rank, facts);
        if (parent && module && script && slot.slot != 0)
            sound.push_back(slot);
        else if (rank.finished())
            return FileError{rank.file, rank.header().directory_offset,
                             fmt::format("a callsite {} with a smaller callsite as parent and a "
                                         "module or script that is there",
                                         slot.slot),
                             fmt::format("parent {}, module {}, script {}", facts.parent,
                                         facts.module, facts.script)};
    }
    sound.shrink_to_fit();
    rank.callsites = std::move(sound);
    return {};
}

// Into a table that is shared.
template <class Slot, template <class> class Table>
Problem read_slots(Bytes bytes, const RankFile &rank, uint32_t type, Table<Slot> &table)
{
    std::vector<Slot> slots;
    auto bad = read_slots(bytes, rank, type, slots);
    table = std::move(slots);
    return bad;
}

Problem read_communicators(Bytes bytes, RankFile &rank)
{
    std::vector<CommunicatorRecord> records;
    auto bad = read_slots(bytes, rank, MPROF_SECTION_COMMUNICATORS, records);
    rank.communicators.reserve(records.size());
    std::vector<FoldedCommunicator> all_folded;
    for (CommunicatorRecord &record : records) {
        rank.communicators.push_back(std::move(record.communicator));
        const mprof_folded_sums &sums = record.folded;
        if ((sums.calls | sums.bytes | sums.ticks) != 0)
            all_folded.push_back({record.slot, sums});
    }
    rank.folded_communicators = std::move(all_folded);
    return bad;
}

Problem read_regions(Bytes bytes, RankFile &rank)
{
    std::vector<RegionRecord> records;
    auto bad = read_slots(bytes, rank, MPROF_SECTION_REGIONS, records);
    std::vector<RegionSlot> regions;
    std::vector<RegionFacts> facts;
    regions.reserve(records.size());
    facts.reserve(records.size());
    for (RegionRecord &record : records) {
        regions.push_back(std::move(record.region));
        facts.push_back(record.facts);
    }
    rank.regions = std::move(regions);
    rank.region_facts = facts;
    return bad;
}

// Records whose place means nothing.
template <class Record>
Problem read_list(Bytes bytes, const RankFile &rank, uint32_t type, std::vector<Record> &list)
{
    for (const mprof_section &section : rank.layout.sections) {
        if (section.type != type)
            continue;
        auto records = read_section_records<Record>(bytes, section, rank.file);
        if (!records.ok())
            return records.error();
        list.reserve(list.size() + count_in_use(records.value()));
        for (size_t i = 0; i < records.value().size(); i++) {
            Record record = records.value()[i];
            auto bad = check_slot(record, RecordPlace{rank, section, i});
            if (bad && rank.finished())
                return bad;
            if (!bad && is_in_use(record))
                list.push_back(record);
        }
    }
    return {};
}

template <class Record, template <class> class Table>
Problem read_list(Bytes bytes, const RankFile &rank, uint32_t type, Table<Record> &table)
{
    std::vector<Record> list;
    auto bad = read_list(bytes, rank, type, list);
    table = std::move(list);
    return bad;
}

// The pieces of a live file may be in any order. Behind a step that is not there yet the number of
// a step would not be its place.
Problem read_lint_steps(Bytes bytes, RankFile &rank)
{
    std::vector<const mprof_section *> pieces;
    for (const mprof_section &section : rank.layout.sections)
        if (section.type == MPROF_SECTION_LINT_STEPS)
            pieces.push_back(&section);
    std::stable_sort(
        pieces.begin(), pieces.end(),
        [](const mprof_section *a, const mprof_section *b) { return a->number < b->number; });
    std::vector<mprof_lint_step> steps;
    for (const mprof_section *piece : pieces) {
        auto records = read_section_records<mprof_lint_step>(bytes, *piece, rank.file);
        if (!records.ok())
            return records.error();
        for (mprof_lint_step &step : records.value()) {
            auto bad = check_slot(step, RecordPlace{rank, *piece, steps.size()});
            if (bad && rank.finished())
                return bad;
            if (bad || !is_in_use(step)) {
                rank.lint_steps = steps;
                return {};
            }
            steps.push_back(step);
        }
    }
    rank.lint_steps = steps;
    return {};
}

Problem read_lint(Bytes bytes, RankFile &rank)
{
    std::vector<mprof_lint> facts;
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_LINT, facts))
        return bad;
    rank.lint = facts.empty() ? mprof_lint{} : facts.front();
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_LINT_FINDS, rank.lint_finds))
        return bad;
    return read_lint_steps(bytes, rank);
}

// Nodes' clocks are compared by all pairs of them, so a file must not have any number of them.
Problem read_collective_times(Bytes bytes, RankFile &rank)
{
    constexpr size_t most = MPROF_COLLECTIVE_TIMES_MOST;
    uint64_t records = 0;
    for (const mprof_section &section : rank.layout.sections) {
        if (section.type != MPROF_SECTION_COLLECTIVE_TIMES)
            continue;
        records += section.stored_bytes / std::max(1U, section.record_bytes);
        if (records > most && rank.finished() && rank.header().minor <= MPROF_FORMAT_MINOR)
            return FileError{rank.file, section.offset,
                             fmt::format("at most {} records in section {}", most,
                                         section_type_name(section.type)),
                             fmt::format("{}", records)};
    }
    std::vector<mprof_collective_time> times;
    auto bad = read_list(bytes, rank, MPROF_SECTION_COLLECTIVE_TIMES, times);
    times.resize(std::min(times.size(), most));
    rank.collective_times = times;
    return bad;
}

}  // namespace

Problem read_program_tables(Bytes bytes, RankFile &rank)
{
    if (auto bad = read_slots(bytes, rank, MPROF_SECTION_MODULES, rank.modules))
        return bad;
    if (auto bad = read_slots(bytes, rank, MPROF_SECTION_SCRIPTS, rank.scripts))
        return bad;
    if (auto bad = read_slots(bytes, rank, MPROF_SECTION_CALLSITES, rank.callsites))
        return bad;
    if (auto bad = check_paths(rank))
        return bad;
    return read_slots(bytes, rank, MPROF_SECTION_OPERATIONS, rank.operations);
}

Problem read_gpu_activity(Bytes bytes, RankFile &rank)
{
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_GPU_ACTIVITY, rank.gpu_activity))
        return bad;
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_GPU_WORK, rank.gpu_work))
        return bad;
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_GPU_BUSY, rank.gpu_busy))
        return bad;
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_NCCL_COMMS, rank.nccl_comms))
        return bad;
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_NCCL_CALLS, rank.nccl_calls))
        return bad;
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_NCCL_TIMES, rank.nccl_times))
        return bad;
    return {};
}

Problem read_numbered_tables(Bytes bytes, RankFile &rank)
{
    if (auto bad = read_communicators(bytes, rank))
        return bad;
    if (auto bad = read_regions(bytes, rank))
        return bad;
    if (auto bad = read_slots(bytes, rank, MPROF_SECTION_FILES, rank.files))
        return bad;
    if (auto bad = read_slots(bytes, rank, MPROF_SECTION_PLAIN_FILES, rank.plain_files))
        return bad;
    if (auto bad = read_slots(bytes, rank, MPROF_SECTION_COUNTERS, rank.counters))
        return bad;
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_SAMPLES, rank.samples))
        return bad;
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_PARALLEL, rank.parallel_regions))
        return bad;
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_GPU, rank.gpu))
        return bad;
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_GPU_SITES, rank.gpu_sites))
        return bad;
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_GPU_KERNELS, rank.gpu_kernels))
        return bad;
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_GPU_BUFFERS, rank.gpu_buffers))
        return bad;
    if (auto bad = read_gpu_activity(bytes, rank))
        return bad;
    if (auto bad = read_list(bytes, rank, MPROF_SECTION_CONDITIONS, rank.conditions))
        return bad;
    if (auto bad = read_collective_times(bytes, rank))
        return bad;
    if (auto bad = read_lint(bytes, rank))
        return bad;
    return read_list(bytes, rank, MPROF_SECTION_BASELINE, rank.baselines);
}

// Hashes of what calls carried. Nothing else refers to them, and they refer to callsites and
// functions, which are read before.
namespace {

std::optional<FileError> check_result(const mprof_result &result, const RecordPlace &place)
{
    if (auto bad = place.check_below("kind of a result", result.kind, MPROF_RESULT_KINDS))
        return bad;
    return place.check_below("function of a result", result.function,
                             place.rank.functions.size() + 1);
}

std::optional<FileError> add_results(std::span<const std::byte> bytes, const mprof_section &section,
                                     const RankFile &rank, std::vector<mprof_result> &list)
{
    auto records = read_section_records<mprof_result>(bytes, section, rank.file);
    if (!records.ok())
        return records.error();
    for (size_t i = 0; i < records.value().size(); i++) {
        mprof_result result = records.value()[i];
        if (result.kind == MPROF_RESULT_NONE)
            continue;
        auto bad = check_result(result, RecordPlace{rank, section, i});
        if (bad && rank.finished())
            return bad;
        if (bad)
            continue;
        if (find_slot(rank.callsites, result.callsite) == nullptr)
            result.callsite = 0;
        list.push_back(result);
    }
    return {};
}

}  // namespace

std::optional<FileError> read_results(std::span<const std::byte> bytes, RankFile &rank)
{
    std::vector<mprof_result> list;
    for (const mprof_section &section : rank.layout.sections) {
        if (section.type == MPROF_SECTION_RESULT_HASHES)
            if (auto bad = add_results(bytes, section, rank, list))
                return bad;
        if (section.type != MPROF_SECTION_RESULTS)
            continue;
        auto records = read_section_records<mprof_results>(bytes, section, rank.file);
        if (!records.ok())
            return records.error();
        if (!records.value().empty())
            rank.results = records.value().front();
    }
    if (rank.results && rank.results->level > 63)
        return FileError{rank.file, 0, "results of a level below 64",
                         fmt::format("{}", rank.results->level)};
    rank.result_hashes = list;
    return {};
}

}  // namespace mprof
