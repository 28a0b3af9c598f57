// Raw values beside converted ones: ticks stay ticks in the tables, because this is where one looks
// when the conversion itself is in doubt. Sums of threads are not added up here.
#include "render/render_show.h"

#include "analyse/number_text.h"
#include "analyse/tick_clock.h"
#include "read/printable_text.h"

#include <fmt/format.h>
#include <iterator>

namespace mprof {
namespace {

using Out = std::back_insert_iterator<std::string>;

const char *entry_kind(uint8_t kind)
{
    static constexpr const char *names[] = {"call", "pending", "start", "received"};
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

void show_header(const RankFile &rank, Out out)
{
    const mprof_file_header &h = rank.header();
    fmt::format_to(out, "file          {}\n", printable_ascii(rank.file));
    fmt::format_to(out, "format        {}.{}, {}\n", h.major, h.minor,
                   rank.finished() ? "finished" : "live");
    fmt::format_to(out, "rank          {} of {} in world {} of run {:016x}\n", h.rank, h.ranks,
                   h.world, h.run_id);
    fmt::format_to(out, "file bytes    {}\n", h.file_bytes);
    fmt::format_to(out, "\n{:>7} {:<14} {:>8} {:>10} {:>12} {:>12} {:>7} {:>5} checksum\n",
                   "section", "type", "instance", "offset", "stored", "content", "record", "zstd");
    for (size_t i = 0; i < rank.layout.sections.size(); i++) {
        const mprof_section &s = rank.layout.sections[i];
        if (s.type == MPROF_SECTION_FREE)
            continue;
        fmt::format_to(out, "{:>7} {:<14} {:>8} {:>10} {:>12} {:>12} {:>7} {:>5} {:08x}\n", i,
                       section_type_name(s.type), s.instance, s.offset, s.stored_bytes,
                       s.content_bytes, s.record_bytes,
                       s.compression == MPROF_COMPRESSION_ZSTD ? "yes" : "no", s.checksum);
    }
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
    fmt::format_to(out, "\ntexts\n");
    for (const auto &[key, value] : rank.texts)
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
    fmt::format_to(out, "\n{:>12} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8} {:<16} made by, name\n",
                   "communicator", "flags", "size", "rank", "remote", "parent", "created",
                   "identity");
    for (const CommunicatorSlot &slot : rank.communicators) {
        const mprof_communicator &c = slot.facts;
        fmt::format_to(out, "{:>12} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8} {:016x} {} {}\n", slot.slot,
                       c.flags, c.size, c.rank, c.remote_size, c.parent, c.created, c.identity,
                       c.made_by == 0 ? "-" : printable_ascii(rank.function_name(c.made_by - 1U)),
                       printable_ascii(slot.name));
    }
}

void show_thread(const RankFile &rank, const ThreadRecord &thread, Out out)
{
    const mprof_thread &t = thread.facts;
    const TickClock clock(rank.clock);
    fmt::format_to(out, "\nthread {}: used by {}, entries in section {}, partners in section {}\n",
                   thread.instance, t.threads, t.entries_section, t.partners_section);
    if (t.in_call == 0)
        fmt::format_to(out, "  outside MPI since {:.9f} s\n", clock.seconds_at(t.ticks));
    else
        fmt::format_to(out, "  in {} since {:.9f} s, communicator {}, peer {}\n",
                       printable_ascii(rank.function_name(t.in_call - 1)),
                       clock.seconds_at(t.ticks), t.call_communicator,
                       t.call_peer == MPROF_NO_PEER ? "-" : fmt::format("{}", t.call_peer));
    fmt::format_to(
        out, "  binned calls {}, folded calls {}, folded messages {}, untracked requests {}\n",
        t.binned_calls, t.folded_calls, t.folded_messages, t.untracked_requests);
    fmt::format_to(
        out, "  {:<26} {:<8} {:<8} {:>12} {:>4} {:>6} {:>8} {:>10} {:>14} {:>14} {:>10} {:>12}\n",
        "entry", "kind", "precision", "size", "comm", "region", "callsite", "calls", "bytes",
        "ticks", "min", "max");
    for (const mprof_entry &e : thread.entries)
        fmt::format_to(
            out,
            "  {:<26} {:<8} {:<8} {:>13} {:>4} {:>6} {:>8} {:>10} {:>14} {:>14} {:>10} {:>12}\n",
            printable_ascii(rank.function_name(e.function)), entry_kind(e.kind),
            precision(e.precision), e.size, e.communicator, e.region, e.callsite,
            static_cast<int64_t>(e.calls), static_cast<int64_t>(e.bytes),
            static_cast<int64_t>(e.ticks), e.min_ticks, e.max_ticks);
    fmt::format_to(out, "  {:<10} {:>10} {:>12} {:>16}\n", "partner", "rank", "messages", "bytes");
    for (const mprof_partner &p : thread.partners)
        fmt::format_to(out, "  {:<10} {:>10} {:>12} {:>16}\n", partner_kind(p.kind),
                       partner_rank(p.rank), p.messages, p.bytes);
}

}  // namespace

std::string render_show(const RankFile &rank)
{
    std::string text;
    const Out out(text);
    show_header(rank, out);
    show_run(rank, out);
    show_communicators(rank, out);
    for (const ThreadRecord &thread : rank.threads)
        show_thread(rank, thread, out);
    return text;
}

}  // namespace mprof
