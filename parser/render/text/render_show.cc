// Raw values beside converted ones: ticks stay ticks in the tables, because this is where one looks
// when the conversion itself is in doubt. Sums of threads are not added up here.
#include "render/text/render_show.h"

#include "measure/clocks.h"
#include "read/printable_text.h"
#include "report/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <iterator>
#include <numeric>

namespace mprof {
namespace {

using Out = std::back_insert_iterator<std::string>;

const char *entry_kind(uint8_t kind)
{
    static constexpr const char *names[] = {"call", "pending", "start", "received", "completion"};
    return kind < std::size(names) ? names[kind] : "unknown";
}

const char *precision(uint8_t value)
{
    static constexpr const char *names[] = {"exact", "bin", "function"};
    return value < std::size(names) ? names[value] : "unknown";
}

const char *partner_kind(uint16_t kind)
{
    static constexpr const char *names[] = {"sent", "received", "put", "get"};
    return kind < std::size(names) ? names[kind] : "unknown";
}

std::string partner_rank(uint32_t rank)
{
    if (rank == MPROF_RANK_OTHER)
        return "others";
    if (rank == MPROF_RANK_OUTSIDE)
        return "outside";
    return fmt::format("{}", rank);
}

std::string peer_text(int32_t peer)
{
    if (peer == MPROF_ANY_PEER)
        return "any";
    return peer == MPROF_NO_PEER ? "-" : fmt::format("{}", peer);
}

std::string next_function_name(const RankFile &rank, uint32_t next_id)
{
    return next_id == 0 ? "-" : printable_ascii(rank.function_name(next_id - 1));
}

// Where each section lies in the file, and how.
void show_sections(const std::vector<mprof_section> &sections, Out out)
{
    fmt::format_to(out, "\n{:>7} {:<14} {:>8} {:>10} {:>12} {:>12} {:>7} {:>5} checksum\n",
                   "section", "type", "number", "offset", "stored", "content", "record", "zstd");
    for (size_t i = 0; i < sections.size(); i++) {
        const mprof_section &s = sections[i];
        if (s.type == MPROF_SECTION_FREE)
            continue;
        fmt::format_to(out, "{:>7} {:<14} {:>8} {:>10} {:>12} {:>12} {:>7} {:>5} {:08x}\n", i,
                       section_type_name(s.type), s.number, s.offset, s.stored_bytes,
                       s.content_bytes, s.record_bytes,
                       s.compression != MPROF_COMPRESSION_NONE ? "yes" : "no", s.checksum);
    }
}

// All are one piece there: packed, compressed, with one checksum.
void show_packed_sections(const RankFile &rank, Out out)
{
    fmt::format_to(
        out, "packed        {} bytes of sections in {} bytes, compressed in {}\n",
        std::transform_reduce(rank.layout.sections.begin(), rank.layout.sections.end(), uint64_t{0},
                              std::plus{}, [](const mprof_section &s) { return s.content_bytes; }),
        rank.header().content_bytes, rank.header().file_bytes - sizeof(mprof_file_header));
    fmt::format_to(out, "\n{:>7} {:<14} {:>8} {:>12} {:>7}\n", "section", "type", "number",
                   "content", "record");
    for (size_t i = 0; i < rank.layout.sections.size(); i++) {
        const mprof_section &s = rank.layout.sections[i];
        fmt::format_to(out, "{:>7} {:<14} {:>8} {:>12} {:>7}\n", i, section_type_name(s.type),
                       s.number, s.content_bytes, s.record_bytes);
    }
}

void show_header(const RankFile &rank, Out out)
{
    const mprof_file_header &h = rank.header();
    fmt::format_to(out, "file          {}\n", printable_ascii(rank.file));
    fmt::format_to(out, "format        {}.{}, {}\n", h.major, h.minor,
                   rank.finished() ? "finished" : "live");
    fmt::format_to(out, "rank          {} of {} in world {} of run {:016x}\n", h.rank, h.ranks,
                   h.world, h.run_id);
    fmt::format_to(out, "file bytes    {}\n", h.file_bytes);
    if (h.state == MPROF_FILE_PACKED)
        show_packed_sections(rank, out);
    else
        show_sections(rank.layout.sections, out);
}

void show_run(const RankFile &rank, Out out)
{
    const mprof_run &r = rank.run;
    fmt::format_to(out, "\nrun\n  start {} stop {}\n", iso_time(r.start_realtime_ns),
                   r.stop_realtime_ns == 0 ? "-" : iso_time(r.stop_realtime_ns));
    fmt::format_to(out,
                   "  user {} ns, system {} ns, peak memory {} bytes, own {} ns, record {} bytes\n",
                   r.user_ns, r.system_ns, r.peak_memory_bytes, r.own_ns, r.record_bytes);
    fmt::format_to(out, "  process {}, end {}, end code {}, abi {}, thread level {}\n",
                   r.process_id, r.end, r.end_code, r.abi, r.thread_level);
    fmt::format_to(out, "  lost calls {}, unjournaled collectives {}, untracked communicators {}\n",
                   r.lost_calls, r.unjournaled_collectives, r.untracked_communicators);
    fmt::format_to(out, "\ntexts\n");
    for (const auto &[key, value] : rank.texts.all())
        fmt::format_to(out, "  {:<16} {}\n", printable_ascii(key), printable_ascii(value));
    const mprof_clock &c = rank.clock;
    const TickClock clock(c);
    fmt::format_to(out, "\nclock\n  kind {}, read {} ticks, record {} ticks, {:.9g} ns per tick\n",
                   c.kind, c.read_ticks, c.record_ticks, clock.seconds_per_tick() * 1e9);
    for (const auto &[name, pair] : {std::pair("start ", c.start), std::pair("latest", c.latest)})
        fmt::format_to(out, "  {} ticks {} .. {}, monotonic {} ns\n", name, pair.ticks_before,
                       pair.ticks_after, pair.monotonic_ns);
}

void show_communicators(const RankFile &rank, Out out)
{
    fmt::format_to(out,
                   "\n{:>12} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8} {:>8} {:<16} made by, "
                   "name\n",
                   "communicator", "flags", "size", "rank", "remote", "parent", "created",
                   "callsite", "identity");
    for (const CommunicatorSlot &slot : rank.communicators) {
        const CommunicatorFacts &c = slot.facts;
        fmt::format_to(out, "{:>12} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8} {:>8} {:016x} {} {}\n",
                       slot.slot, c.flags, c.size, c.rank, c.remote_size, c.parent, c.created,
                       c.callsite, c.identity,
                       c.made_by == 0 ? "-" : printable_ascii(rank.function_name(c.made_by - 1U)),
                       printable_ascii(slot.name));
    }
}

void show_regions(const RankFile &rank, Out out)
{
    if (rank.regions.empty())
        return;
    fmt::format_to(out, "\n{:>12} {:>6} {:>6} {:>6} {:>10} {:>16} {:>8} {:>8} name\n", "region",
                   "flags", "open", "parent", "visits", "ticks", "no begin", "not kept");
    auto region = rank.regions.begin();
    for (const RegionFacts &r : rank.region_facts) {
        const auto &[slot, parent, name] = *region++;
        fmt::format_to(out, "{:>12} {:>6} {:>6} {:>6} {:>10} {:>16} {:>8} {:>8} {}\n", slot,
                       r.flags, r.open, parent, r.visits, r.ticks, r.unmatched_ends, r.not_kept,
                       printable_ascii(name));
    }
}

void show_callsites(const RankFile &rank, Out out)
{
    if (!rank.modules.empty())
        fmt::format_to(out, "\n{:>12} {:>6} {:<40} {:>12} {:>20} path\n", "module", "flags",
                       "build id", "file bytes", "modified ns");
    for (const ModuleSlot &slot : rank.modules)
        fmt::format_to(out, "{:>12} {:>6} {:<40} {:>12} {:>20} {}\n", slot.slot, slot.facts.flags,
                       slot.build_id.empty() ? "-" : slot.build_id, slot.facts.file_bytes,
                       slot.facts.modified_ns, printable_ascii(slot.path));
    if (!rank.scripts.empty())
        fmt::format_to(out, "\n{:>12} {:>6} {:>8} {:<40} file\n", "script", "flags", "line",
                       "function");
    for (const ScriptSlot &slot : rank.scripts)
        fmt::format_to(out, "{:>12} {:>6} {:>8} {:<40} {}\n", slot.slot, slot.facts.flags,
                       slot.facts.first_line, printable_ascii(slot.function),
                       printable_ascii(slot.file));
    if (!rank.callsites.empty())
        fmt::format_to(out, "\n{:>12} {:>6} {:>8} {:>8} {:>8} offset\n", "callsite", "flags",
                       "parent", "module", "script");
    for (const CallsiteSlot &slot : rank.callsites)
        fmt::format_to(out, "{:>12} {:>6} {:>8} {:>8} {:>8} {:#x}\n", slot.slot, slot.facts.flags,
                       slot.facts.parent, slot.facts.module, slot.facts.script, slot.facts.offset);
}

// The durations of a journal's items are not listed: there are thousands.
void show_journals(const RankFile &rank, Out out)
{
    if (!rank.operations.empty())
        fmt::format_to(out, "\n{:>12} {:>8} {:>8} {:>8} function\n", "operation", "region",
                       "callsite", "root");
    for (const OperationSlot &slot : rank.operations)
        fmt::format_to(out, "{:>12} {:>8} {:>8} {:>8} {}\n", slot.slot, slot.facts.region,
                       slot.facts.callsite, peer_text(slot.facts.root),
                       printable_ascii(rank.function_name(slot.facts.function)));
    if (!rank.journals.empty())
        fmt::format_to(out, "\n{:>12} {:>8} {:>8} {:>8} {:>12}\n", "journal of", "capacity",
                       "items", "thinning", "instances");
    for (const JournalRecord &journal : rank.journals)
        fmt::format_to(out, "{:>12} {:>8} {:>8} {:>8} {:>12}\n", journal.facts.communicator,
                       journal.facts.capacity, journal.facts.items, journal.facts.thinning,
                       journal.facts.instances);
}

void show_samples(const RankFile &rank, Out out)
{
    const TickClock clock(rank.clock);
    if (!rank.samples.empty())
        fmt::format_to(out, "\n{:>6} {:>14} {:>4} {:>4} {:>5} {:>12} {:>12} {:>12} more\n",
                       "sample", "seconds", "cpu", "node", "cpus", "resident", "peak", "shared");
    for (const mprof_sample &s : rank.samples) {
        fmt::format_to(out, "{:>6} {:>14.9f} {:>4} {:>4} {:>5} {:>12} {:>12} {:>12}", s.moment,
                       clock.seconds_at(s.ticks), s.cpu, s.numa_node, s.cpus_allowed,
                       s.resident_bytes, s.peak_resident_bytes, s.shared_bytes);
        fmt::format_to(out,
                       " faults {} minor, {} major, switches {} voluntary, {} involuntary, "
                       "migrations {}, user {} ns, system {} ns, numa {} local, {} other\n",
                       s.minor_faults, s.major_faults, s.voluntary_switches, s.involuntary_switches,
                       s.migrations, s.user_ns, s.system_ns, s.numa_local_bytes,
                       s.numa_other_bytes);
    }
    for (const mprof_condition &c : rank.conditions)
        fmt::format_to(out, "condition {}: work {} ns, read {} B, written {} B, throttled {} ns\n",
                       c.moment, c.work_ns, c.read_bytes, c.written_bytes, c.throttled_ns);
    for (const mprof_collective_time &c : rank.collective_times)
        fmt::format_to(out, "collective {}: began at {:.9f}, took {} ticks\n", c.number,
                       clock.seconds_at(c.start_ticks), c.ticks);
    if (rank.results)
        fmt::format_to(out,
                       "\nresults: {} hashes of {} bytes in {} ticks, level {}, from place {}, {} "
                       "threads\n",
                       rank.results->places, rank.results->hashed_bytes, rank.results->own_ticks,
                       rank.results->level, rank.results->from_place, rank.results->threads);
    for (const mprof_result &r : rank.result_hashes)
        fmt::format_to(out,
                       "result {:016x}: kind {}, flags {}, place {}, number {}, count {}, callsite "
                       "{}, instance {}, rank {}, tag {}, communicator {}, function {}\n",
                       r.hash, r.kind, r.flags, r.place, r.number, r.count, r.callsite, r.instance,
                       r.rank, r.tag, r.communicator, r.function);
    if (!rank.baselines.empty())
        fmt::format_to(out, "\n{:>16} {:>12} {:>12} {:>12} {:>8}\n", "baseline partner", "bytes",
                       "best", "median", "repeats");
    for (const mprof_baseline &b : rank.baselines)
        fmt::format_to(out, "{:>16} {:>12} {:>12} {:>12} {:>8}\n", b.partner, b.bytes, b.best_ticks,
                       b.median_ticks, b.repeats);
}

void show_lint(const RankFile &rank, Out out)
{
    if (rank.lint.in_use != 0)
        fmt::format_to(out, "\nlint: steps {}\n", rank.lint.is_cut != 0 ? "cut" : "to the end");
    uint32_t number = 0;
    for (const mprof_lint_step &s : rank.lint_steps)
        fmt::format_to(out,
                       "lint step {}: kind {}, flags {}, {} callsite {}, communicator {}, rank {}, "
                       "tag {}, started {}, type {}\n",
                       ++number, s.kind, s.flags, rank.function_name(s.function), s.callsite,
                       s.communicator, s.rank, s.tag, s.started, s.type);
    for (const mprof_lint_find &f : rank.lint_finds)
        fmt::format_to(
            out, "lint find: kind {}, {} callsite {}, with {} callsite {}, {} times {}\n", f.kind,
            rank.function_name(f.function), f.callsite, rank.function_name(f.other_function),
            f.other_callsite, f.count, printable_ascii(f.text));
}

void show_counters(const RankFile &rank, Out out)
{
    if (!rank.counters.empty())
        fmt::format_to(out, "\n{:>12} {:>6} {:>6} {:<6} {:>12} {:>12} name\n", "counter", "flags",
                       "source", "unit", "read growth", "read ticks");
    for (const CounterSlot &slot : rank.counters)
        fmt::format_to(out, "{:>12} {:>6} {:>6} {:<6} {:>12} {:>12} {}\n", slot.slot,
                       slot.facts.flags, slot.facts.source,
                       slot.unit.empty() ? "-" : printable_ascii(slot.unit), slot.facts.read_growth,
                       slot.facts.read_ticks, printable_ascii(slot.name));
}

// The classes in the order of mprof_time_class; the site is that with most of the ticks.
void show_time(const RankFile &rank, Out out)
{
    const mprof_time &t = rank.time;
    if (rank.time_bins.empty())
        return;
    fmt::format_to(out,
                   "\ntime bins: {} of {} ticks from {} on, told until {}, journals of "
                   "communicators {}\n",
                   t.bins, t.bin_ticks, t.begin_ticks, t.end_ticks,
                   fmt::join(t.communicators, " "));
    fmt::format_to(out, "{:>6} {:>10} {:>14} {:>12} {:>12} {:>10} {:>10} {:>8} {:<24} classes\n",
                   "bin", "calls", "bytes", "queue", "blocked", "callsite", "kiloticks", "region",
                   "function");
    size_t number = 0;
    for (const mprof_time_bin &b : rank.time_bins) {
        fmt::format_to(out, "{:>6} {:>10} {:>14} {:>12} {:>12} {:>10} {:>10} {:>8} {:<24} {}",
                       number++, b.calls, b.bytes, b.queue_ns, b.blocked_ns, b.callsite,
                       b.site_kiloticks, b.region, next_function_name(rank, b.function),
                       fmt::join(b.ticks, " "));
        fmt::format_to(out, ", read {} B, written {} B, instances {}\n", b.read_bytes,
                       b.written_bytes, fmt::join(b.instances, " "));
    }
}

// The two last columns of a completion are its span and the part of it in MPI.
void show_entries(const RankFile &rank, const ThreadRecord &thread, Out out)
{
    fmt::format_to(
        out, "  {:<26} {:<10} {:<9} {:>12} {:>4} {:>6} {:>8} {:>10} {:>14} {:>14} {:>10} {:>12}\n",
        "entry", "kind", "precision", "size", "comm", "region", "callsite", "calls", "bytes",
        "ticks", "min/span", "max/in MPI");
    for (const mprof_entry &e : thread.entries)
        fmt::format_to(
            out,
            "  {:<26} {:<10} {:<9} {:>12} {:>4} {:>6} {:>8} {:>10} {:>14} {:>14} {:>10} {:>12}\n",
            printable_ascii(rank.function_name(e.function)), entry_kind(e.kind),
            precision(e.precision), e.size, e.communicator, e.region, e.callsite,
            static_cast<int64_t>(e.calls), static_cast<int64_t>(e.bytes),
            static_cast<int64_t>(e.ticks), e.min_ticks, e.max_ticks);
}

void show_small_tables(const RankFile &rank, const ThreadRecord &thread, Out out)
{
    fmt::format_to(out, "  {:<10} {:>10} {:>12} {:>16} {:>14} {:>8}\n", "partner", "rank",
                   "messages", "bytes", "ticks", "callsite");
    for (const mprof_partner &p : thread.partners)
        fmt::format_to(out, "  {:<10} {:>10} {:>12} {:>16} {:>14} {:>8}\n", partner_kind(p.kind),
                       partner_rank(p.rank), p.messages, p.bytes, p.ticks, p.callsite);
    if (!thread.segments.empty())
        fmt::format_to(out, "  {:<26} {:>8}   {:<26} {:>8} {:>10} {:>16} counters\n",
                       "segment from", "callsite", "to", "callsite", "count", "ticks");
    for (const mprof_segment &s : thread.segments)
        fmt::format_to(out, "  {:<26} {:>8}   {:<26} {:>8} {:>10} {:>16} {}\n",
                       next_function_name(rank, s.from_function), s.from_callsite,
                       next_function_name(rank, s.to_function), s.to_callsite, s.count, s.ticks,
                       fmt::join(s.counters, " "));
    if (!thread.counter_values.empty())
        fmt::format_to(out, "  {:<10} {:>8} {:>12} values\n", "counted", "region", "reads");
    for (const mprof_counter_values &v : thread.counter_values)
        fmt::format_to(out, "  {:<10} {:>8} {:>12} {}\n", v.in_mpi != 0 ? "in MPI" : "outside",
                       v.region, v.reads, fmt::join(v.values, " "));
}

void show_last_calls(const RankFile &rank, const ThreadRecord &thread, Out out)
{
    const TickClock clock(rank.clock);
    if (!thread.last_calls.empty())
        fmt::format_to(out, "  {:<26} {:>16} {:>14} {:>4} {:>8} {:>8} {:>12}\n", "last call",
                       "began, s", "ticks", "comm", "peer", "callsite", "bytes");
    for (const mprof_last_call &c : thread.last_calls)
        fmt::format_to(out, "  {:<26} {:>16.9f} {:>14} {:>4} {:>8} {:>8} {:>12}\n",
                       next_function_name(rank, c.function), clock.seconds_at(c.start_ticks),
                       c.ticks, c.communicator, peer_text(c.peer), c.callsite, c.bytes);
}

// The rows of CPU_SAMPLES are too many to be read. These tell callers, the innermost first.
void show_sample_paths(const RankFile &rank, const ThreadRecord &thread, Out out)
{
    if (!thread.sample_paths.empty())
        fmt::format_to(out, "  {:<26} {:<26} {:>7}  module+offset of it, of its callers\n",
                       "samples from", "to", "samples");
    for (const mprof_sample_path &path : thread.sample_paths) {
        const mprof_cpu_sample &sample = path.sample;
        fmt::format_to(out, "  {:<26} {:<26} {:>7}  {}+{:#x}",
                       next_function_name(rank, sample.from_function),
                       next_function_name(rank, sample.to_function), sample.samples, sample.module,
                       sample.offset);
        for (size_t i = 0; i < MPROF_SAMPLE_CALLERS && path.modules[i] != 0; i++)
            fmt::format_to(out, " < {}+{:#x}", path.modules[i], path.offsets[i]);
        fmt::format_to(out, "\n");
    }
}

void show_thread(const RankFile &rank, const ThreadRecord &thread, Out out)
{
    const mprof_thread &t = thread.facts;
    const TickClock clock(rank.clock);
    fmt::format_to(out,
                   "\nthread {}: used by {}, entries in section {}, partners in section {}, "
                   "segments in section {}, counter values in section {}\n",
                   thread.number, t.threads, t.entries_section, t.partners_section,
                   t.segments_section, t.counter_values_section);
    if (t.in_call == 0)
        fmt::format_to(out, "  outside MPI since {:.9f} s, last in {}, callsite {}\n",
                       clock.seconds_at(t.ticks), next_function_name(rank, t.last_function),
                       t.call_callsite);
    else
        fmt::format_to(out, "  in {} since {:.9f} s, communicator {}, peer {}, callsite {}\n",
                       next_function_name(rank, t.in_call), clock.seconds_at(t.ticks),
                       t.call_communicator, peer_text(t.call_peer), t.call_callsite);
    fmt::format_to(
        out,
        "  binned calls {}, folded calls {}, lost calls {}, folded messages {}, unplaced messages "
        "{}, untracked requests {}, untold receives {}\n",
        t.binned_calls, t.folded_calls, t.lost_calls, t.folded_messages, t.unplaced_messages,
        t.untracked_requests, t.untold_receives);
    fmt::format_to(out,
                   "  callsites: {} walks, {} checks, {} disagreements, {} blind frames, {} calls "
                   "folded; {} segments folded\n",
                   t.callsite_walks, t.callsite_checks, t.callsite_disagreements,
                   t.callsite_blind_frames, t.folded_callsites, t.folded_segments);
    fmt::format_to(
        out,
        "  polls: {} calls untimed, {} ticks estimated of {}; {} ticks timed, squares of "
        "errors {}\n",
        t.untimed_calls, t.untimed_poll_ticks, t.untimed_ticks, t.timed_poll_ticks,
        t.poll_error_squares);
    show_entries(rank, thread, out);
    show_small_tables(rank, thread, out);
    show_last_calls(rank, thread, out);
    show_sample_paths(rank, thread, out);
}

}  // namespace

std::string render_show(const MergedFile &merged, size_t number,
                        const std::vector<MergedMember> &members)
{
    std::string text;
    const Out out(text);
    const mprof_merged_block &block = merged.block(number);
    fmt::format_to(out, "block {}: {} files, {} bytes", number, block.members, block.stored_bytes);
    if (!merged.is_of_node())
        fmt::format_to(out, " at {}, decompressed {}, checksum {:08x}", block.offset,
                       block.content_bytes, block.checksum);
    fmt::format_to(out, "\n");
    for (const MergedMember &member : members)
        fmt::format_to(out, "{:>12} {}\n", member.bytes.size(), printable_ascii(member.name));
    return text;
}

std::string render_show(const RankFile &rank)
{
    std::string text;
    const Out out(text);
    show_header(rank, out);
    show_run(rank, out);
    show_communicators(rank, out);
    show_regions(rank, out);
    show_callsites(rank, out);
    show_journals(rank, out);
    show_lint(rank, out);
    show_counters(rank, out);
    show_samples(rank, out);
    show_time(rank, out);
    for (const ThreadRecord &thread : rank.threads)
        show_thread(rank, thread, out);
    return text;
}

}  // namespace mprof
