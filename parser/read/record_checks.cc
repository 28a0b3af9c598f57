// Kinds, precisions and moments of a newer minor version may be unknown here: they are let pass,
// and not used.
#include "read/record_checks.h"

#include <fmt/format.h>

namespace mprof {
namespace {

using Problem = std::optional<FileError>;

bool is_newer(const RecordPlace &place)
{
    return place.rank.header().minor > MPROF_FORMAT_MINOR;
}

Problem check_in_use(uint64_t in_use, const RecordPlace &place)
{
    if (in_use > 1)
        return place.error("in_use 0 or 1", fmt::format("{}", in_use));
    return {};
}

Problem check_kind(const char *what, uint64_t value, uint64_t last, const RecordPlace &place)
{
    if (value > last && !is_newer(place))
        return place.error(fmt::format("{} of 0 to {}", what, last), fmt::format("{}", value));
    return {};
}

Problem check_function(uint64_t id, const RecordPlace &place)
{
    return place.check_below("function id", id, place.rank.functions.size());
}

// 0, or 1 + function id.
Problem check_next_function(uint64_t next_id, const RecordPlace &place)
{
    return next_id == 0 ? Problem() : check_function(next_id - 1, place);
}

Problem settle_callsite(uint32_t &callsite, const RecordPlace &place)
{
    if (callsite == 0 || find_slot(place.rank.callsites, callsite) != nullptr)
        return {};
    if (place.rank.finished())
        return place.error("a callsite that is there", fmt::format("callsite {}", callsite));
    callsite = 0;
    return {};
}

template <size_t size>
Problem check_text(const char *what, const char (&text)[size], const RecordPlace &place)
{
    if (std::find(std::begin(text), std::end(text), '\0') == std::end(text))
        return place.error(fmt::format("a {} that ends", what), "no NUL in it");
    return {};
}

}  // namespace

FileError RecordPlace::error(const std::string &expected, const std::string &found) const
{
    return FileError{rank.file, section.offset,
                     fmt::format("in section {} {}, record {}, {}", section_type_name(section.type),
                                 section.number, number, expected),
                     found};
}

Problem RecordPlace::check_below(const char *what, uint64_t value, uint64_t limit) const
{
    if (value < limit)
        return {};
    return error(fmt::format("a {} below {}", what, limit), fmt::format("{}", value));
}

Problem check_record(const mprof_clock &clock, const RecordPlace &place)
{
    if (clock.kind < MPROF_CLOCK_MONOTONIC || clock.kind > MPROF_CLOCK_CNTVCT)
        return place.error("clock kind 1, 2 or 3", fmt::format("{}", clock.kind));
    if (clock.start.ticks_after < clock.start.ticks_before)
        return place.error("a clock pair in order", "start.ticks_after before ticks_before");
    // A live file may be seen while the latest pair is being written; a finished one may not.
    if (!place.rank.finished())
        return {};
    if (clock.latest.ticks_after < clock.latest.ticks_before ||
        clock.latest.ticks_before < clock.start.ticks_after ||
        clock.latest.monotonic_ns < clock.start.monotonic_ns)
        return place.error("the latest clock pair after the first", "one before it");
    return {};
}

Problem check_record(const mprof_thread &thread, const RecordPlace &place)
{
    if (auto bad = check_next_function(thread.in_call, place))
        return bad;
    return check_next_function(thread.last_function, place);
}

Problem check_record(const mprof_entry &entry, const RecordPlace &place)
{
    if (auto bad = check_in_use(entry.in_use, place))
        return bad;
    if (entry.in_use == 0)
        return {};
    if (auto bad = check_function(entry.function, place))
        return bad;
    if (auto bad = check_kind("an entry kind", entry.kind, MPROF_KIND_COMPLETION, place))
        return bad;
    return check_kind("a precision", entry.precision, MPROF_PRECISION_FUNCTION, place);
}

Problem check_record(const mprof_partner &partner, const RecordPlace &place)
{
    if (auto bad = check_in_use(partner.in_use, place))
        return bad;
    if (partner.in_use == 0)
        return {};
    if (partner.rank < MPROF_RANK_OUTSIDE)
        if (auto bad = place.check_below("partner", partner.rank, place.rank.header().ranks))
            return bad;
    return check_kind("a partner kind", partner.kind, MPROF_PARTNER_ONE_OF, place);
}

Problem check_record(const mprof_segment &segment, const RecordPlace &place)
{
    if (auto bad = check_in_use(segment.in_use, place))
        return bad;
    if (segment.in_use == 0)
        return {};
    if (auto bad = check_next_function(segment.from_function, place))
        return bad;
    return check_next_function(segment.to_function, place);
}

Problem check_record(const mprof_off_cpu &off_cpu, const RecordPlace &place)
{
    if (auto bad = check_in_use(off_cpu.in_use, place))
        return bad;
    if (off_cpu.in_use == 0)
        return {};
    if (auto bad = check_next_function(off_cpu.from_function, place))
        return bad;
    return check_next_function(off_cpu.to_function, place);
}

Problem check_record(const mprof_cpu_sample &sample, const RecordPlace &place)
{
    if (auto bad = check_in_use(sample.in_use, place))
        return bad;
    if (sample.in_use == 0)
        return {};
    if (auto bad = check_next_function(sample.from_function, place))
        return bad;
    return check_next_function(sample.to_function, place);
}

Problem check_record(const mprof_sample_path &path, const RecordPlace &place)
{
    return check_record(path.sample, place);
}

Problem check_record(const mprof_time_bin &bin, const RecordPlace &place)
{
    return check_next_function(bin.function, place);
}

Problem check_record(const mprof_last_call &call, const RecordPlace &place)
{
    if (call.start_ticks == 0)
        return {};
    if (auto bad = check_next_function(call.function, place))
        return bad;
    if (!place.rank.finished() || call.communicator == MPROF_COMM_SLOT_NONE ||
        find_slot(place.rank.communicators, call.communicator) != nullptr)
        return {};
    return place.error("a communicator that is there", fmt::format("slot {}", call.communicator));
}

Problem check_record(const mprof_counter_values &values, const RecordPlace &place)
{
    if (auto bad = check_in_use(values.in_use, place))
        return bad;
    return values.in_use == 0 ? Problem() : check_kind("in_mpi", values.in_mpi, 1, place);
}

Problem check_record(const mprof_operation &operation, const RecordPlace &place)
{
    if (auto bad = check_in_use(operation.in_use, place))
        return bad;
    return operation.in_use == 0 ? Problem() : check_function(operation.function, place);
}

Problem check_record(const mprof_module &module, const RecordPlace &place)
{
    if (module.build_id_bytes > MPROF_BUILD_ID_BYTES)
        return place.error(fmt::format("a build id of at most {} bytes", +MPROF_BUILD_ID_BYTES),
                           fmt::format("{} bytes", module.build_id_bytes));
    return check_text("path", module.path, place);
}

Problem check_record(const mprof_script &script, const RecordPlace &place)
{
    if (auto bad = check_text("function", script.function, place))
        return bad;
    return check_text("file", script.file, place);
}

Problem check_record(const mprof_counter &counter, const RecordPlace &place)
{
    if (auto bad = place.check_below("counter number", place.number, MPROF_MAX_COUNTERS))
        return bad;
    if (auto bad = check_text("name", counter.name, place))
        return bad;
    return check_text("unit", counter.unit, place);
}

Problem check_record(const mprof_sample &sample, const RecordPlace &place)
{
    return check_kind("a moment", sample.moment, MPROF_SAMPLE_FINALIZE_ENTERED, place);
}

Problem check_record(const mprof_condition &condition, const RecordPlace &place)
{
    return check_kind("a moment", condition.moment, MPROF_SAMPLE_FINALIZE_ENTERED, place);
}

Problem check_record(const mprof_gpu &gpu, const RecordPlace &place)
{
    if (auto bad = check_in_use(gpu.in_use, place))
        return bad;
    return check_kind("a call of a GPU in progress", gpu.in_call, 1 + MPROF_GPU_LOAD, place);
}

Problem check_record(const mprof_gpu_site &site, const RecordPlace &place)
{
    if (auto bad = check_in_use(site.in_use, place))
        return bad;
    if (site.in_use == 0)
        return {};
    return check_kind("a class of GPU functions", site.kind, MPROF_GPU_LOAD, place);
}

Problem check_record(const mprof_gpu_kernel &kernel, const RecordPlace &place)
{
    return check_in_use(kernel.in_use, place);
}

Problem check_record(const mprof_gpu_buffer &buffer, const RecordPlace &place)
{
    if (auto bad = check_in_use(buffer.in_use, place))
        return bad;
    if (buffer.in_use == 0)
        return {};
    if (auto bad = check_kind("a kind of memory", buffer.memory, MPROF_MEMORY_DEVICE, place))
        return bad;
    return buffer.callsite == 0 ? Problem() : check_function(buffer.function, place);
}

Problem check_record(const mprof_gpu_activity &activity, const RecordPlace &place)
{
    if (auto bad = check_in_use(activity.in_use, place))
        return bad;
    return check_kind("a source of GPU activity", activity.source, MPROF_GPU_SOURCE_REFUSED, place);
}

Problem check_record(const mprof_gpu_work &work, const RecordPlace &place)
{
    if (auto bad = check_in_use(work.in_use, place))
        return bad;
    return check_kind("a kind of work", work.kind, MPROF_GPU_SYNCHRONIZATION, place);
}

// More bins than libmprof has by far would be a table of any length.
Problem check_record(const mprof_gpu_busy &busy, const RecordPlace &place)
{
    constexpr uint64_t most_bins = 65536;
    if (auto bad = check_in_use(busy.in_use, place))
        return bad;
    return place.check_below("bin", busy.index, most_bins);
}

Problem check_record(const mprof_nccl_comm &comm, const RecordPlace &place)
{
    return check_in_use(comm.in_use, place);
}

Problem check_record(const mprof_nccl_call &call, const RecordPlace &place)
{
    if (auto bad = check_in_use(call.in_use, place))
        return bad;
    return call.in_use == 0
               ? Problem()
               : place.check_below("communicator of NCCL", call.comm, place.rank.nccl_comms.size());
}

// Its row of calls also counts empty ones, which are not kept.
Problem check_record(const mprof_nccl_time &time, const RecordPlace &place)
{
    if (auto bad = check_in_use(time.in_use, place))
        return bad;
    return time.in_use == 0
               ? Problem()
               : place.check_below("communicator of NCCL", time.comm, place.rank.nccl_comms.size());
}

Problem check_record(const mprof_baseline &baseline, const RecordPlace &place)
{
    if (auto bad = check_in_use(baseline.in_use, place))
        return bad;
    if (baseline.in_use == 0)
        return {};
    return place.check_below("partner", baseline.partner, place.rank.header().ranks);
}

Problem check_record(const mprof_collective_time &time, const RecordPlace &place)
{
    return check_in_use(time.in_use, place);
}

Problem check_record(const mprof_lint &lint, const RecordPlace &place)
{
    return check_in_use(lint.in_use, place);
}

Problem check_record(const mprof_lint_step &step, const RecordPlace &place)
{
    if (auto bad = check_in_use(step.in_use, place))
        return bad;
    if (step.in_use == 0)
        return {};
    if (auto bad = check_function(step.function, place))
        return bad;
    if (step.kind == MPROF_LINT_COMPLETE && step.started > place.number)
        return place.error("a step that completes one before it",
                           fmt::format("step {}", step.started));
    return check_kind("a kind of step", step.kind, MPROF_LINT_COLLECTIVE, place);
}

Problem check_record(const mprof_lint_find &find, const RecordPlace &place)
{
    if (auto bad = check_in_use(find.in_use, place))
        return bad;
    if (find.in_use == 0)
        return {};
    if (auto bad = check_function(find.function, place))
        return bad;
    if (auto bad = check_function(find.other_function, place))
        return bad;
    if (auto bad = check_text("text", find.text, place))
        return bad;
    return check_kind("a kind of find", find.kind, MPROF_LINT_NOT_READY, place);
}

Problem check_record(const mprof_parallel_region &region, const RecordPlace &place)
{
    if (region.flags == 0)
        return {};
    return check_kind("a source of parallel regions", region.source, MPROF_PARALLEL_OTHER_TOOL,
                      place);
}

Problem check_record(const mprof_file &file, const RecordPlace &place)
{
    constexpr uint32_t known_modes = 2 * MPROF_MODE_DELETE_ON_CLOSE - 1;
    if (file.mode > known_modes && !is_newer(place))
        return place.error(fmt::format("a mode of at most {}", known_modes),
                           fmt::format("{}", file.mode));
    // A live file is seen between two additions.
    for (const mprof_file_moves &moves : file.moves)
        if (place.rank.finished() && moves.completed > moves.calls)
            return place.error(fmt::format("at most {} completed calls", moves.calls),
                               fmt::format("{}", moves.completed));
    return check_text("name", file.name, place);
}

Problem check_record(const mprof_plain_file &file, const RecordPlace &place)
{
    return check_text("name", file.name, place);
}

Problem check_record(const mprof_journal &journal, const RecordPlace &place)
{
    if (journal.items > journal.capacity)
        return place.error(fmt::format("at most {} items", journal.capacity),
                           fmt::format("{}", journal.items));
    if (journal.capacity % 2 != 0)
        return place.error("an even capacity", fmt::format("{}", journal.capacity));
    return place.check_below("thinning", journal.thinning, 64);
}

Problem check_record(const mprof_communicator &communicator, const RecordPlace &place)
{
    return check_next_function(communicator.made_by, place);
}

Problem settle_callsites(mprof_thread &thread, const RecordPlace &place)
{
    return settle_callsite(thread.call_callsite, place);
}

Problem settle_callsites(mprof_entry &entry, const RecordPlace &place)
{
    return settle_callsite(entry.callsite, place);
}

Problem settle_callsites(mprof_partner &partner, const RecordPlace &place)
{
    return settle_callsite(partner.callsite, place);
}

Problem settle_callsites(mprof_segment &segment, const RecordPlace &place)
{
    if (auto bad = settle_callsite(segment.from_callsite, place))
        return bad;
    return settle_callsite(segment.to_callsite, place);
}

Problem settle_callsites(mprof_off_cpu &off_cpu, const RecordPlace &place)
{
    if (auto bad = settle_callsite(off_cpu.from_callsite, place))
        return bad;
    return settle_callsite(off_cpu.to_callsite, place);
}

// A file that is being written may lack the module still: then the place is not known.
Problem settle_module(uint32_t &module, uint64_t &offset, const RecordPlace &place)
{
    if (module == 0 || find_slot(place.rank.modules, module) != nullptr)
        return {};
    if (place.rank.finished())
        return place.error("a module that is there", fmt::format("module {}", module));
    module = 0;
    offset = 0;
    return {};
}

Problem settle_callsites(mprof_cpu_sample &sample, const RecordPlace &place)
{
    if (auto bad = settle_callsite(sample.from_callsite, place))
        return bad;
    if (auto bad = settle_callsite(sample.to_callsite, place))
        return bad;
    return settle_module(sample.module, sample.offset, place);
}

Problem settle_callsites(mprof_sample_path &path, const RecordPlace &place)
{
    for (size_t i = 0; i < MPROF_SAMPLE_CALLERS; i++)
        if (auto bad = settle_module(path.modules[i], path.offsets[i], place))
            return bad;
    return settle_callsites(path.sample, place);
}

Problem settle_callsites(mprof_time_bin &bin, const RecordPlace &place)
{
    if (bin.region != 0 && find_slot(place.rank.regions, bin.region) == nullptr) {
        if (place.rank.finished())
            return place.error("a region that is there", fmt::format("region {}", bin.region));
        bin.region = 0;
    }
    return settle_callsite(bin.callsite, place);
}

Problem settle_callsites(mprof_last_call &call, const RecordPlace &place)
{
    return settle_callsite(call.callsite, place);
}

Problem settle_callsites(mprof_operation &operation, const RecordPlace &place)
{
    return settle_callsite(operation.callsite, place);
}

Problem settle_callsites(mprof_file &file, const RecordPlace &place)
{
    for (uint32_t *callsite : {&file.open_callsite, &file.sync_callsite})
        if (auto bad = settle_callsite(*callsite, place))
            return bad;
    for (mprof_file_moves &moves : file.moves)
        if (auto bad = settle_callsite(moves.callsite, place))
            return bad;
    return {};
}

Problem settle_callsites(mprof_lint_step &step, const RecordPlace &place)
{
    return settle_callsite(step.callsite, place);
}

Problem settle_callsites(mprof_gpu &gpu, const RecordPlace &place)
{
    return settle_callsite(gpu.call_callsite, place);
}

Problem settle_callsites(mprof_gpu_site &site, const RecordPlace &place)
{
    return settle_callsite(site.callsite, place);
}

Problem settle_callsites(mprof_nccl_call &call, const RecordPlace &place)
{
    return settle_callsite(call.callsite, place);
}

Problem settle_callsites(mprof_gpu_buffer &buffer, const RecordPlace &place)
{
    return settle_callsite(buffer.callsite, place);
}

Problem settle_callsites(mprof_lint_find &find, const RecordPlace &place)
{
    if (auto bad = settle_callsite(find.callsite, place))
        return bad;
    return settle_callsite(find.other_callsite, place);
}

Problem settle_callsites(mprof_communicator &communicator, const RecordPlace &place)
{
    return settle_callsite(communicator.callsite, place);
}

}  // namespace mprof
