// The fields of places in the program: frames, call sites, lines, segments; of the files that it
// opened with MPI; and of OpenMP.
#pragma once

#include "report/field.h"
#include "report/place_rows.h"

#include <fmt/format.h>

namespace mprof {

// Not known: 0 in a Frame.
inline std::optional<uint32_t> known_line(const Frame &frame)
{
    return frame.line == 0 ? std::nullopt : std::optional(frame.line);
}
// A text: a number of JSON holds 53 bits, an address 64.
inline std::string offset_text(const Frame &frame)
{
    return frame.offset == 0 ? "" : fmt::format("{:#x}", frame.offset);
}

inline constexpr auto file_of_frame =
    field("file", &Frame::file, "",
          "source file; null if the debug data does not say; so are the next two");
inline constexpr auto line_of_frame = field("line", known_line, "", "line in it");
inline constexpr auto symbol_of_frame =
    field("symbol", &Frame::symbol, "",
          "function of the program (C++ names demangled, Fortran as `module::procedure`, "
          "`[OpenMP]` = the body of a parallel region, `[JIT code]` = code that was compiled while "
          "the program ran; the other fields are then of its caller)");
inline constexpr auto module_of_frame =
    field("module", &Frame::module, "",
          "executable or library, as the loader knew it; of a script its file");
inline constexpr auto offset_of_frame =
    field("offset", offset_text, "",
          "the return address in that module, hexadecimal, as a text; of a script the "
          "instruction in the function");
inline constexpr auto inlined_of_frame =
    field("inlined", &Frame::inlined, "",
          "the function has no call of its own here, it is part of the next frame");
inline constexpr auto place_fields =
    fields(file_of_frame, line_of_frame, symbol_of_frame, module_of_frame, offset_of_frame);

template <>
inline constexpr auto fields_of<Frame> = fields(place_fields, inlined_of_frame);

inline constexpr auto spread_fields = fields(
    field("ranks", &Spread::ranks, "", "ranks that have a part of `time_s`"),
    field("mean_s", &Spread::mean_s, "s", "mean of `time_s` over these ranks"),
    field("min_s", &Spread::min_s, "s", "least of these ranks"),
    field("max_s", &Spread::max_s, "s", "most of these ranks"),
    field("variation", &Spread::variation, "", "standard deviation / mean").only(in_json | in_csv),
    field("min_rank", &Spread::min_rank, "", "the rank with the least"),
    field("max_rank", &Spread::max_rank, "", "the rank with the most"));

// Of CallsiteRow and CallLineRow.
template <class Row>
inline std::optional<uint64_t> size_calls_if_known(const Row &row)
{
    return row.size ? std::optional(row.size_calls) : std::nullopt;
}
template <class Row>
inline constexpr auto size_fields = fields(
    field("size_bytes", &Row::size, "bytes",
          "bytes of one call, if over half of the time went into calls of that size; else null"),
    field("size_calls", size_calls_if_known<Row>, "", "of the calls, those of that size")
        .only(in_json | in_csv));
template <class Row>
inline constexpr auto request_fields = fields(
    field("completions", &Row::completions, "",
          "of calls that start requests: how many of these were completed"),
    field("completion_s", &Row::completion_s, "s",
          "their share of the time of the completing calls (MPI_Wait ...). It is in `time_s` of "
          "those calls, and not in this row's"),
    field("spans", &Row::spans, "",
          "of `completions`, those on the thread that started the request: for the others, the "
          "overlap is not known")
        .only(in_json | in_csv),
    field("span_s", &Row::span_s, "s",
          "from the end of the starting call to the start of the completing one, summed over "
          "`spans`"),
    field("overlapped_s", &Row::overlapped_s, "s",
          "the part of it that the thread was outside MPI: computing hid at most that much of the "
          "transfer. Null if there are completions and no `spans`"));

inline size_t callsite_number(const CallsiteRow &row, const Report &report)
{
    return static_cast<size_t>(&row - report.callsites.data());
}
inline std::optional<double> if_partner(const CallsiteRow &row)
{
    return row.top_partner ? std::optional(row.top_partner_s) : std::nullopt;
}
inline std::optional<double> last_percent_if_known(const CallsiteRow &row)
{
    return row.last_rank ? std::optional(row.last_percent) : std::nullopt;
}
inline std::optional<double> caused_wait_if_known(const CallsiteRow &row)
{
    return row.last_rank ? std::optional(row.caused_wait_s) : std::nullopt;
}

template <>
inline constexpr auto fields_of<CallsiteRow> = fields(
    field("callsite", callsite_number, "",
          "its number in this list, from 0, to which `callsite_paths.csv` refers")
        .only(in_csv),
    field("function", &CallsiteRow::function, "", "the MPI function").always_known(),
    field("place", Through{&CallsiteRow::site, &Frame::place}, "",
          "where it is called: `file:line`, without folders; where no line is known, "
          "`module+offset`; null if there is no path")
        .only(in_json),
    part_of(&CallsiteRow::site, only_in(in_json | in_csv, place_fields)),
    field("calls", &CallsiteRow::calls, "", "as in functions"),
    field("bytes", &CallsiteRow::bytes, "bytes", "as in functions"),
    field("time_s", &CallsiteRow::time_s, "s", "as in functions"),
    field("mpi_thread_s", &CallsiteRow::mpi_thread_s, "s", "as in functions"),
    field("wait_s", &CallsiteRow::wait_s, "s", "as in totals, of these calls"),
    field("mpi_percent", &CallsiteRow::mpi_percent, "%", "`time_s` / `totals.mpi_s`"),
    size_fields<CallsiteRow>, part_of(&CallsiteRow::spread, spread_fields),
    field("region", &CallsiteRow::region, "",
          "path of the region in which most of the time is spent"),
    field("communicator", &CallsiteRow::communicator, "",
          "the communicator with most of the time: its name, or how it was made"),
    request_fields<CallsiteRow>,
    field("top_partner", &CallsiteRow::top_partner, "",
          "point to point: the rank of MPI_COMM_WORLD that most of the time went to, over all "
          "calling ranks"),
    field("top_partner_s", if_partner, "s", "that time"),
    field("inside_messages", &CallsiteRow::inside_messages, "",
          "of its messages, those to or from other ranks of the same node")
        .only(in_json | in_csv),
    field("inside_bytes", &CallsiteRow::inside_bytes, "bytes", "their bytes")
        .only(in_json | in_csv),
    field("inside_s", &CallsiteRow::inside_s, "s",
          "their time, requests included, with the waiting")
        .only(in_json | in_csv),
    field(
        "load_s", &CallsiteRow::load_s, "s",
        "estimate: what direct loads in shared memory would cost instead at most, a flag for each "
        "message and its bytes at the speed of the machine's messages; null if that or waiting "
        "is not known, as the next two")
        .only(in_json | in_csv),
    field("load_saves_low_s", &CallsiteRow::load_saves_low_s, "s",
          "estimate: `inside_s` without waiting and `load_s`")
        .only(in_json | in_csv),
    field("load_saves_high_s", &CallsiteRow::load_saves_high_s, "s",
          "estimate: the same if the data is read in place, so that its bytes cost nothing more")
        .only(in_json | in_csv),
    field("last_rank", &CallsiteRow::last_rank, "",
          "collectives: the rank that the others waited for most often here; null if that is not "
          "known, as the next two")
        .only(in_json | in_page),
    field("last_percent", last_percent_if_known, "%",
          "in how many of the instances in which anybody waited that rank was the last")
        .only(in_json | in_page),
    field("caused_wait_s", caused_wait_if_known, "s",
          "how long the others waited for it, summed over them")
        .only(in_json | in_page),
    field("path_cut", &CallsiteRow::path_cut, "", "there are more frames around")
        .only(in_json | in_page),
    field("path_unsure", &CallsiteRow::path_unsure, "",
          "and mprof could not tell which: calls by several paths may be in this row")
        .only(in_json | in_page),
    field("path", &CallsiteRow::path, "", "frames, the call first, outwards to main()"));

template <>
inline constexpr auto fields_of<CallLineRow> =
    fields(field("place", &CallLineRow::place, "", "as in callsites"),
           field("function", &CallLineRow::function, "", "the MPI function").always_known(),
           field("symbol", &CallLineRow::symbol, "", "as in callsites"),
           field("paths", &CallLineRow::paths, "", "rows of callsites"),
           field("calls", &CallLineRow::calls, "", "as in functions"),
           field("bytes", &CallLineRow::bytes, "bytes", "as in functions"),
           field("time_s", &CallLineRow::time_s, "s", "as in functions"),
           field("mpi_thread_s", &CallLineRow::mpi_thread_s, "s", "as in functions"),
           field("wait_s", &CallLineRow::wait_s, "s", "as in totals, of these calls"),
           field("mpi_percent", &CallLineRow::mpi_percent, "%", "`time_s` / `totals.mpi_s`"),
           size_fields<CallLineRow>, request_fields<CallLineRow>);

// One of the two calls that a segment is between.
struct SegmentEnd {
    const std::string &function;
    const Frame &frame;
};
inline SegmentEnd segment_begin(const SegmentRow &row)
{
    return {row.from_function, row.from};
}
inline SegmentEnd segment_end(const SegmentRow &row)
{
    return {row.to_function, row.to};
}
inline const std::string &function_of_end(const SegmentEnd &end)
{
    return end.function;
}
inline const Frame &frame_of_end(const SegmentEnd &end)
{
    return end.frame;
}

template <>
inline constexpr auto fields_of<SegmentEnd> = fields(
    field("function", function_of_end, "",
          "the MPI function; null in `from`: the start of the recording; all null: there was no "
          "room"),
    field("place", Through{frame_of_end, &Frame::place}, "", "as in callsites").only(in_json),
    part_of(frame_of_end, place_fields));

inline std::optional<double> mostly_percent_if_known(const SegmentRow &row)
{
    return row.mostly_in.empty() ? std::nullopt : std::optional(row.mostly_percent);
}

template <>
inline constexpr auto fields_of<SegmentRow> =
    fields(field("from", segment_begin, "", "the call that was left"),
           field("to", segment_end, "", "the call that was entered"),
           field("count", &SegmentRow::count, "", "how often"),
           field("time_s", &SegmentRow::time_s, "s", "how long in all"),
           field("contention_s", &SegmentRow::contention_s, "s",
                 "the part of it without a CPU, where that was recorded by place"),
           field("blocked_s", &SegmentRow::blocked_s, "s", "the part of it blocked, likewise"),
           part_of(&SegmentRow::spread, spread_fields),
           field("samples", &SegmentRow::samples, "", "CPU samples taken in it; see hotspots"),
           field("mostly_in", &SegmentRow::mostly_in, "",
                 "the function with most of these, and its hottest line; null with fewer than 20"),
           field("mostly_percent", mostly_percent_if_known, "%", "the share of that function"),
           field("counters", &SegmentRow::counters, "",
                 "growth of the first counters, in the order of counters"));

inline LibraryKind kind_of_site(const HotPlaceRow &row)
{
    return library_kind(row.site.module_name());
}

template <>
inline constexpr auto fields_of<HotPlaceRow> =
    fields(field("place", Through{&HotPlaceRow::site, &Frame::place}, "",
                 "the line with most samples, as in callsites; null of a library")
               .only(in_json),
           part_of(&HotPlaceRow::site, only_in(in_json | in_csv, place_fields)),
           field("kind", kind_of_site, "", "what the library does, if its name says so"),
           field("samples", &HotPlaceRow::samples, "", "how often the CPU was there"),
           field("percent", &HotPlaceRow::percent, "%",
                 "of the samples of the list, of hotspots of that segment"),
           field("time_s", &HotPlaceRow::time_s, "s", "CPU time that the samples represent"),
           part_of(&HotPlaceRow::spread, spread_fields));

inline const HotPlaceRow &place_of_spot(const HotSpotRow &row)
{
    return row;
}

inline double share_of_spot(const HotSpotRow &row)
{
    return row.percent / 100;
}

inline uint64_t path_samples_of_spot(const HotSpotRow &row)
{
    return row.path_samples;
}
inline const std::vector<Frame> &path_of_spot(const HotSpotRow &row)
{
    return row.path;
}
inline std::string callers_of_spot(const HotSpotRow &row)
{
    return row.caller_words();
}
inline std::optional<double> path_percent_if_known(const HotSpotRow &row)
{
    return row.path.empty() ? std::nullopt : std::optional(row.path_percent);
}

template <>
inline constexpr auto fields_of<HotSpotRow> = fields(
    field("segment", &HotSpotRow::segment, "",
          "the row of segments, from 0; null: of short segments that were not kept apart"),
    field("from", &HotSpotRow::from, "",
          "where the segment begins, such as `heat.c:61`; the MPI function if its place is "
          "not known; null as `segment`")
        .only(in_json | in_csv),
    field("to", &HotSpotRow::to, "", "where it ends, likewise").only(in_json | in_csv),
    field("function", Through{&HotSpotRow::site, &Frame::symbol}, "", "the same as `symbol`")
        .only(in_json),
    part_of(place_of_spot, fields_of<HotPlaceRow>),
    field("share", share_of_spot, "0..1", "`percent` / 100").only(in_json),
    field("path_samples", path_samples_of_spot, "",
          "samples of the function whose callers are known; there are fewer of these")
        .only(in_json),
    field("path_percent", path_percent_if_known, "%", "of these, by way of `path`").only(in_json),
    field("path", path_of_spot, "",
          "the way with most samples: the callers' frames, the innermost first")
        .only(in_json),
    field("called_by", callers_of_spot, "",
          "the same in words, and its share; null if no way is known"),
    field("slowest_rank", Through{&HotSpotRow::spread, &Spread::max_rank}, "",
          "the same as `max_rank`")
        .only(in_json));

inline const HotPlaceRow &place_of_fault(const FaultRow &row)
{
    return row;
}

template <>
inline constexpr auto fields_of<FaultRow> = fields(part_of(
    place_of_fault,
    fields(field("place", Through{&HotPlaceRow::site, &Frame::place}, "",
                 "the line with most faults, as in callsites")
               .only(in_json),
           part_of(&HotPlaceRow::site, only_in(in_json | in_csv, place_fields)),
           field("faults", &HotPlaceRow::samples, "",
                 "page faults in the function, of those that were watched: a ninth of the time"),
           field("percent", &HotPlaceRow::percent, "%", "of the page faults of the list"),
           field("ranks", Through{&HotPlaceRow::spread, &Spread::ranks}, "",
                 "ranks that have some of them"),
           field("max_rank", Through{&HotPlaceRow::spread, &Spread::max_rank}, "",
                 "the rank that has most"),
           field("path", &HotPlaceRow::path, "",
                 "the way with most faults: the callers' frames, the innermost first")
               .only(in_json),
           field("called_by", &HotPlaceRow::caller_words, "",
                 "the same in words, and its share; null if no way is known"))));

inline const HotPlaceRow &early_place(const EarlyRow &row)
{
    return row;
}

template <>
inline constexpr auto fields_of<EarlyRow> = fields(
    part_of(early_place,
            fields(field("place", Through{&HotPlaceRow::site, &Frame::place}, "",
                         "the line with most of the time, as in callsites")
                       .only(in_json),
                   part_of(&HotPlaceRow::site, only_in(in_json | in_csv, place_fields)),
                   field("time_s", &HotPlaceRow::time_s, "s",
                         "CPU time in the function before MPI_Init, in steps of 0.1 s, over all "
                         "ranks"),
                   field("percent", &HotPlaceRow::percent, "%", "of the time of the list"),
                   field("ranks", Through{&HotPlaceRow::spread, &Spread::ranks}, "",
                         "ranks that have some of it"),
                   field("max_s", Through{&HotPlaceRow::spread, &Spread::max_s}, "s",
                         "of the rank with most"),
                   field("max_rank", Through{&HotPlaceRow::spread, &Spread::max_rank}, "",
                         "the rank that has most"),
                   field("path", &HotPlaceRow::path, "",
                         "the way with most samples: the callers' frames, the innermost first")
                       .only(in_json),
                   field("called_by", &HotPlaceRow::caller_words, "",
                         "the same in words, and its share; null if no way is known"))));

// The fields of the files that the program opened with MPI.

template <>
inline constexpr auto fields_of<FileRow> = fields(
    field("name", &FileRow::name, "",
          "as the program named it. `out.#.dat`: more than eight files whose names differ only in "
          "numbers. `(other files)`: those that the record had no room for, or whose opening mprof "
          "did not see"),
    field("mode", &FileRow::mode, "",
          "how it was opened: `read`, `write`, `create`, `new` (it must not exist), `append`, "
          "`sequential`, `unique`, `deleted on close`"),
    field("files", &FileRow::files, "", "how many files are in the row"),
    field("ranks", &FileRow::ranks, "", "ranks that opened it"),
    field("communicator_size", &FileRow::communicator_size, "",
          "size of the largest communicator that it was opened on; 1: each rank alone"),
    field("time_s", &FileRow::time_s, "s",
          "time in all calls that are given it; of nonblocking ones also their share of the calls "
          "that completed them"),
    field("calls", &FileRow::calls, "", "`read_calls` + `write_calls`").only(in_json | in_csv),
    field("read_calls", through(&FileRow::reads, &FileRow::Moves::calls), "",
          "calls that read. A split collective counts where it ends"),
    field("read_bytes", through(&FileRow::reads, &FileRow::Moves::bytes), "bytes",
          "bytes that actually arrived"),
    field("read_s", through(&FileRow::reads, &FileRow::Moves::time_s), "s", "time of these calls"),
    field("write_calls", through(&FileRow::writes, &FileRow::Moves::calls), "", "calls that write"),
    field("written_bytes", through(&FileRow::writes, &FileRow::Moves::bytes), "bytes",
          "bytes that were actually written"),
    field("write_s", through(&FileRow::writes, &FileRow::Moves::time_s), "s",
          "time of these calls"),
    field("mean_bytes", &FileRow::mean_bytes, "bytes", "of a call that reads or writes"),
    field("min_bytes", &FileRow::min_bytes, "bytes", "of the smallest"),
    field("max_bytes", &FileRow::max_bytes, "bytes", "of the largest"),
    field("collective_percent", &FileRow::collective_percent, "%",
          "of the calls that read or write: those that all ranks make together"),
    field("rate_bytes_per_s", &FileRow::rate, "",
          "bytes per second of all ranks together: bytes read and written, divided by the time of "
          "the rank that read and wrote longest"),
    field("rank_rate_bytes_per_s", &FileRow::rank_rate, "",
          "bytes per second of one rank while it reads or writes, on average: the same bytes, by "
          "the sum of all ranks' times"),
    field("slowest_rank", &FileRow::slowest_rank, "", "the rank that read and wrote longest"),
    field("opens", &FileRow::opens, "", "how often it was opened, summed over ranks"),
    field("open_s", &FileRow::open_s, "s", "time to open and close it"),
    field("syncs", &FileRow::syncs, "", "how often it was synced, summed over ranks"),
    field("sync_s", &FileRow::sync_s, "s", "time of these calls"),
    field("other_calls", &FileRow::others, "",
          "other calls that are given it: seeks, views, sizes"),
    field("other_s", &FileRow::other_s, "s", "time of these calls"),
    field("open_place", &FileRow::open_place, "",
          "where it is opened: `file:line` or `module+offset` of the first such call; null if not "
          "recorded"),
    field("sync_place", &FileRow::sync_place, "", "where it is synced"),
    field("move_place", &FileRow::move_place, "", "where it is read or written"));

template <>
inline constexpr auto fields_of<PlainFileRow> = fields(
    field("name", &PlainFileRow::name, "",
          "as the kernel names it. `out.#.dat`: more than eight files whose names differ only in "
          "numbers. Null: the file is not known: read or written at given offsets (pread), opened "
          "and closed between two MPI calls, or a pipe or a socket"),
    field("mode", &PlainFileRow::mode, "", "how it was opened: `read`, `write`, `append`"),
    field("files", &PlainFileRow::files, "", "how many files are in the row"),
    field("ranks", &PlainFileRow::ranks, "", "ranks that read or wrote it"),
    field("read_bytes", &PlainFileRow::read_bytes, "bytes",
          "as far as its position moved on, and `likely_bytes`"),
    field("written_bytes", &PlainFileRow::written_bytes, "bytes", "likewise"),
    field("likely_bytes", &PlainFileRow::likely_bytes, "bytes",
          "of these two: bytes that moved no position, while no other file was open for it, or "
          "before it was seen to be open"),
    field("read_calls", &PlainFileRow::read_calls, "",
          "system calls that read, estimated by the share of these bytes in all that the process "
          "read meanwhile"),
    field("write_calls", &PlainFileRow::write_calls, "", "calls that write, likewise"),
    field("mean_bytes", &PlainFileRow::mean_bytes, "bytes", "of a call"),
    field("rate_bytes_per_s", &PlainFileRow::rate, "",
          "bytes per second of all ranks together, by `busy_s`"),
    field("busy_s", &PlainFileRow::busy_s, "s",
          "the time in which its bytes moved, on the rank with most: stretches of 10 ms or more "
          "between two looks"),
    field("opens", &PlainFileRow::opens, "",
          "how often it was found newly opened, summed over ranks: it was opened that often, or "
          "more"),
    field("most_rank", &PlainFileRow::most_rank, "", "the rank that moved most bytes"),
    field("most_bytes", &PlainFileRow::most_bytes, "bytes", "of that rank"));

// The fields of OpenMP: of the run, and of each place with a parallel region.

template <>
inline constexpr auto fields_of<OpenmpFacts> = fields(
    field("source", &OpenmpFacts::source, "",
          "the source of the parallel regions: `OMPT` (the tools interface of LLVM's and other "
          "runtimes), `libgomp` (GCC's), `another tool` (it uses the interface, so nothing is "
          "known), `none`"),
    field("sentence", &OpenmpFacts::sentence, "", "how busy the threads are, in words"),
    field("regions", &OpenmpFacts::regions, "",
          "how often parallel regions ran, summed over ranks. A region counts where the thread "
          "that started MPI met it outside other ones, until MPI ends")
        .only(in_json),
    field("threads", &OpenmpFacts::threads, "", "of the largest team").only(in_json),
    field("busy_threads", &OpenmpFacts::busy_threads, "",
          "threads of a rank that compute, on average over its wallclock: the busy time of all "
          "threads in parallel regions and `serial_s`, by the wallclock. Busy is neither waiting "
          "at a barrier of OpenMP nor in MPI")
        .only(in_json),
    field("parallel_s", &OpenmpFacts::parallel_s, "s",
          "of the average rank's first thread, in parallel regions and outside MPI; with the next "
          "three and `quality.overhead_s`, it adds up to the wallclock")
        .page_digits(total_digits),
    field("parallel_mpi_s", &OpenmpFacts::parallel_mpi_s, "s", "in MPI, in parallel regions")
        .page_digits(total_digits),
    field("serial_s", &OpenmpFacts::serial_s, "s", "outside parallel regions and outside MPI")
        .page_digits(total_digits),
    field("serial_mpi_s", &OpenmpFacts::serial_mpi_s, "s",
          "in MPI, outside parallel regions: the other threads are idle")
        .page_digits(total_digits),
    field("imbalance_s", &OpenmpFacts::imbalance_s, "s",
          "of `parallel_s`: for how much longer than the average the busiest thread of each region "
          "is busy")
        .only(in_json),
    field("thread_balance", &OpenmpFacts::thread_balance, "0..1",
          "mean / longest busy time of a region's threads, each summed over regions")
        .page_digits(total_digits),
    field("region_efficiency", &OpenmpFacts::region_efficiency, "0..1",
          "busy time / (threads x time) of parallel regions")
        .only(in_json),
    field("mpi_efficiency", &OpenmpFacts::mpi_efficiency, "0..1",
          "MPI parallel efficiency of POP's hybrid metrics: `totals.parallel_efficiency`")
        .page_digits(total_digits),
    field("openmp_efficiency", &OpenmpFacts::openmp_efficiency, "0..1",
          "OpenMP parallel efficiency (POP): `hybrid_efficiency` / `mpi_efficiency`")
        .page_digits(total_digits),
    field("hybrid_efficiency", &OpenmpFacts::hybrid_efficiency, "0..1",
          "hybrid parallel efficiency (POP, multiplicative model): the time in which threads "
          "compute / (`run.wallclock_s` x threads of all ranks)")
        .page_digits(total_digits),
    field("unseen_task_regions", &OpenmpFacts::unseen_task_regions, "",
          "places where it is not known how busy the threads are: explicit tasks of libgomp "
          "run unseen. Figures of busy threads leave them out, and the efficiencies are null if "
          "they take more than 5 % of the time in parallel regions")
        .only(in_json));

template <>
inline constexpr auto fields_of<ParallelRow> = fields(
    field("place", &ParallelRow::place, "", "`file:line` or `module+offset` of the region"),
    field("function", &ParallelRow::function, "", "the program's function that it is in"),
    field("source", &ParallelRow::source, "", "as in openmp").only(in_json | in_csv),
    field("ranks", &ParallelRow::ranks, "", "ranks that ran it").only(in_json | in_csv),
    field("regions", &ParallelRow::regions, "", "how often it ran, summed over ranks"),
    field("threads", &ParallelRow::threads, "", "of the largest team"),
    field("time_s", &ParallelRow::time_s, "s", "of the ranks' first threads in it"),
    field("wall_percent", &ParallelRow::wall_percent, "%", "`time_s` / `totals.wallclock_s`")
        .only(in_json | in_csv),
    field("mpi_s", &ParallelRow::mpi_s, "s", "of `time_s`, in MPI").only(in_json | in_csv),
    field("busy_s", &ParallelRow::busy_s, "s",
          "of all threads; null if it is not known (explicit tasks of libgomp), as the next ones")
        .only(in_json | in_csv),
    field("busy_threads", &ParallelRow::busy_threads, "", "how many are busy at a time"),
    field("thread_balance", &ParallelRow::thread_balance, "0..1", "as in openmp"),
    field("imbalance_s", &ParallelRow::imbalance_s, "s",
          "for how much longer than the average the busiest thread is busy, summed over ranks"));

template <>
inline constexpr auto fields_of<GpuBufferRow> = fields(
    field("function", &GpuBufferRow::function, "",
          "of MPI; empty for calls that were not kept apart"),
    field("place", &GpuBufferRow::place, "", "line of the program"),
    field("memory", &GpuBufferRow::memory, "",
          "`host` (memory that the GPU's driver does not know), `pinned`, `managed`, `device`"),
    field("received", &GpuBufferRow::received, "", "the call writes to it; else it reads it"),
    field("ranks", &GpuBufferRow::ranks, "", "ranks with such buffers"),
    field("calls", &GpuBufferRow::calls, "", "summed over ranks, as all that follow"),
    field("bytes", &GpuBufferRow::bytes, "bytes", "of received ones, that there was room for"),
    field("staged_copies", &GpuBufferRow::staged_copies, "",
          "copies from the device to the buffer before it was sent, or from it to the device after "
          "it was received"),
    field("staged_bytes", &GpuBufferRow::staged_bytes, "bytes", "of the buffers, in these copies"),
    field("staged_s", &GpuBufferRow::staged_s, "s", "that these copies took"));

template <>
inline constexpr auto fields_of<GpuWorkRow> = fields(
    field("use", &GpuWorkRow::use, "",
          "`kernel`, `NCCL` (a kernel of it), `copy to the GPU`, `copy from the GPU`, `copy on the "
          "GPU`, `copy between GPUs`, `other copy`, `fill`, or `synchronization`: the host waited"),
    field("kernel", &GpuWorkRow::kernel, "",
          "its name without arguments; empty: no kernel, or all that are not listed"),
    field("ranks", &GpuWorkRow::ranks, "", "that ran it"),
    field("count", &GpuWorkRow::count, "", "how often, summed over ranks, as all that follow"),
    field("time_s", &GpuWorkRow::time_s, "s", "on the GPU"),
    field("percent", &GpuWorkRow::percent, "%", "of the time of all kernels, copies and fills"),
    field("longest_s", &GpuWorkRow::longest_s, "s", "of one"),
    field("max_s", &GpuWorkRow::max_s, "s", "of `time_s`, of the rank with most"),
    field("max_rank", &GpuWorkRow::max_rank, "", "this rank"),
    field("bytes", &GpuWorkRow::bytes, "bytes", "of copies and fills"),
    field("pageable_bytes", &GpuWorkRow::pageable_bytes, "bytes",
          "of copies, from or to memory of the host that is not pinned"));

template <>
inline constexpr auto fields_of<GpuTimeRow> = fields(
    field("begin_s", &GpuTimeRow::begin_s, "s", "since MPI_Init"),
    field("length_s", &GpuTimeRow::length_s, "s", "of the bin"),
    field("computing_percent", &GpuTimeRow::computing_percent, "%",
          "of it, the average GPU runs a kernel of the program's"),
    field("communicating_percent", &GpuTimeRow::communicating_percent, "%",
          "a kernel of NCCL's, and none of the program's"),
    field("moving_percent", &GpuTimeRow::moving_percent, "%", "copies or fills, and no kernel"));

template <>
inline constexpr auto fields_of<NcclCommRow> = fields(
    field("id", &NcclCommRow::id, "",
          "in hexadecimal; empty: all communicators that were not kept apart"),
    field("name", &NcclCommRow::name, "", "that the program gave it"),
    field("size", &NcclCommRow::size, "", "its ranks, as NCCL tells; 0: not known"),
    field("nodes", &NcclCommRow::nodes, "", "that they are on; 0: not known"),
    field("ranks", &NcclCommRow::ranks, "", "ranks of MPI that called it"),
    field("calls", &NcclCommRow::calls, "", "summed over ranks, as all that follow"),
    field("bytes", &NcclCommRow::bytes, "bytes", "elements of each call times their size"),
    field("time_s", &NcclCommRow::time_s, "s",
          "from each call until its last part was seen to end; calls overlap"),
    field("compared", &NcclCommRow::compared, "",
          "collectives of which it is known when each rank came"),
    field("waited_s", &NcclCommRow::waited_s, "s",
          "for the rank that came last, in all collectives, estimated from those compared. Null if "
          "there are none"),
    field("waited_percent", &NcclCommRow::waited_percent, "%",
          "`waited_s`, of the time that these collectives take on all ranks from when a rank came. "
          "Null if their end is not known"),
    field("last_rank", &NcclCommRow::last_rank, "",
          "the rank of MPI that the others waited for most"),
    field("last_percent", &NcclCommRow::last_percent, "%", "of `waited_s`, for it"),
    field("last_calls_percent", &NcclCommRow::last_calls_percent, "%",
          "of the collectives that were compared: it came last"));

template <>
inline constexpr auto fields_of<NcclCallRow> = fields(
    field("communicator", &NcclCallRow::communicator, "", "its `id`"),
    field("function", &NcclCallRow::function, "",
          "as NCCL names it, such as `AllReduce`; empty: what was not kept apart"),
    field("datatype", &NcclCallRow::datatype, "", "such as `ncclFloat32`"),
    field("place", &NcclCallRow::place, "",
          "the line that calls it, or that ends its group; empty: not known"),
    field("message", &NcclCallRow::message, "", "point-to-point; else a collective"),
    field("call_bytes", &NcclCallRow::call_bytes, "bytes",
          "of one call: elements times their size; 0: not known, or of all sizes"),
    field("ranks", &NcclCallRow::ranks, "", "that make such calls"),
    field("calls", &NcclCallRow::calls, "", "summed over ranks, as all that follow"),
    field("bytes", &NcclCallRow::bytes, "bytes", "of all calls"),
    field("time_s", &NcclCallRow::time_s, "s",
          "from each call until its last part was seen to end"),
    field("longest_s", &NcclCallRow::longest_s, "s", "of one call"),
    field("ended", &NcclCallRow::ended, "", "calls that were seen to end"),
    field(
        "device_s", &NcclCallRow::device_s, "s",
        "of it, on the GPU: from its first kernel's begin to its last one's end. Null if NCCL does "
        "not tell"),
    field("waited_s", &NcclCallRow::waited_s, "s",
          "of collectives, for the rank that came last: estimated, as of the communicator. Null if "
          "it is not known"));

template <>
inline constexpr auto fields_of<NcclFunctionRow> = fields(
    field("function", &NcclFunctionRow::function, "",
          "as the program calls it, such as `ncclAllReduce`; `other NCCL collectives` and `other "
          "NCCL messages`: what was not kept apart")
        .always_known(),
    field("ranks", &NcclFunctionRow::ranks, "", "that call it"),
    field("calls", &NcclFunctionRow::calls, "", "summed over ranks; none is a call of MPI"),
    field("bytes", &NcclFunctionRow::bytes, "bytes", "elements of each call times their size"),
    field("ended", &NcclFunctionRow::ended, "", "calls that were seen to end"),
    field("time_s", &NcclFunctionRow::time_s, "s",
          "from each call until its last part was seen to end, summed over ranks. Calls run beside "
          "the program and each other: this is no part of `totals.mpi_s` or of the wallclock"),
    field("max_s", &NcclFunctionRow::max_s, "s", "longest single call"),
    field("device_s", &NcclFunctionRow::device_s, "s",
          "of it, on the GPU. Null if NCCL does not tell"),
    field("wait_s", &NcclFunctionRow::wait_s, "s",
          "of collectives, for the rank that came last, estimated. Null if it is not known"),
    field("wall_percent", &NcclFunctionRow::wall_percent, "%",
          "`time_s` / `totals.wallclock_s`: above 100 where calls overlap"),
    field("max_over_mean", &NcclFunctionRow::max_over_mean, "",
          "time of the rank that spent most in it / mean over all ranks"),
    field("max_rank", &NcclFunctionRow::max_rank, "", "the rank that spent most time in it"));

template <>
inline constexpr auto fields_of<NcclTimeRow> = fields(
    field("begin_s", &NcclTimeRow::begin_s, "s", "since MPI_Init"),
    field("length_s", &NcclTimeRow::length_s, "s", "of the bin"),
    field("running_percent", &NcclTimeRow::running_percent, "%",
          "of it, the average rank is in a collective of NCCL: from when it comes until the end, "
          "from those of which this is known"),
    field("waiting_percent", &NcclTimeRow::waiting_percent, "%",
          "of it, the average rank waits there for the rank that comes last"));

template <>
inline constexpr auto fields_of<NcclPartnerRow> =
    fields(field("rank", &NcclPartnerRow::rank, "", "of MPI, that sends"),
           field("partner", &NcclPartnerRow::partner, "", "the rank of MPI that it sends to"),
           field("messages", &NcclPartnerRow::messages, "", "calls of `ncclSend`"),
           field("bytes", &NcclPartnerRow::bytes, "bytes", "of these"),
           field("time_s", &NcclPartnerRow::time_s, "s",
                 "from each call until its last part was seen to end"),
           field("same_node", &NcclPartnerRow::same_node, "", "both ranks are on one node"));

template <>
inline constexpr auto fields_of<GpuSiteRow> = fields(
    field("use", &GpuSiteRow::use, "",
          "`wait`: for the GPU, or asking whether it has come so far; `copy`; `other`: launching, "
          "memory, loading code"),
    field("place", &GpuSiteRow::place, "",
          "`file:line` of the program's code that is nearest to the call, or `module+offset`; "
          "empty: not kept apart"),
    field("function", &GpuSiteRow::function, "", "the function that it is in"),
    field("ranks", &GpuSiteRow::ranks, "", "ranks that call from there"),
    field("calls", &GpuSiteRow::calls, "", "summed over ranks and threads, as the next two"),
    field("bytes", &GpuSiteRow::bytes, "bytes", "of copies"),
    field("pageable_bytes", &GpuSiteRow::pageable_bytes, "bytes",
          "of `bytes`, from or to pageable memory of the host, which is not pinned"),
    field("time_s", &GpuSiteRow::time_s, "s", "in the driver"),
    field("max_s", &GpuSiteRow::max_s, "s", "of the rank with most"),
    field("max_rank", &GpuSiteRow::max_rank, "", "that rank"),
    field("longest_call_s", &GpuSiteRow::longest_call_s, "s", "of one call"),
    field("kernel", &GpuSiteRow::kernel, "",
          "of `wait`: the kernel that was launched before most of the waiting, `(graph)` for a "
          "graph; empty where that is not known"));

}  // namespace mprof
