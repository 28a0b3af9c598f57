// Sections about places in the program: source lines, files that it opened with MPI, parallel
// regions of OpenMP.
#include "read/printable_text.h"
#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

namespace mprof {

// Tables of source lines: where the time goes, and what was overlapped.

namespace {

// Both tables of source lines begin alike: where, in which function if there is room, which call.
constexpr size_t place_width = 26;
constexpr size_t symbol_column = 30;

struct LineColumns {
    size_t call, size;
    std::array<size_t, 4> figures;
    size_t call_width = 24;
};

TextLine begin_line(bool wide, const CallLineRow &row, const LineColumns &at)
{
    TextLine line;
    // Without a source line a function says more than an offset.
    const bool use_symbol = !wide && !row.has_line && !row.symbol.empty();
    line.left(3, place_text(use_symbol ? without_arguments(row.symbol) : row.place, place_width));
    if (wide)
        line.left(symbol_column, shortened(row.symbol, at.call - symbol_column - 1));
    line.left(at.call, shortened(row.function, at.call_width));
    return line.right(at.size, row.size ? bytes_text(*row.size) : "-");
}

TextLine line_head(bool wide, const char *title, const LineColumns &at)
{
    TextLine head;
    head.left(3, title);
    if (wide)
        head.left(symbol_column, "in");
    return head.left(at.call, "MPI call").right(at.size, "size");
}

}  // namespace

// There is no call at the beginning and the end of the program.
std::string segment_end(const Frame &frame, const std::string &function, const char *without)
{
    const bool use_symbol = frame.line == 0 && !frame.symbol.empty();
    const std::string place = use_symbol ? without_arguments(frame.symbol) : frame.place();
    if (!place.empty())
        return place_text(place, 22);
    return function.empty() ? without : function;
}

std::string place_text(const std::string &place, size_t width)
{
    if (place.empty())
        return "(not recorded)";
    const std::string safe = printable_text(place);
    return columns_of_text(safe) <= width ? safe : "..." + last_columns(safe, width - 3);
}

namespace {

// In a short text calls of which a place is known: of the others the table of functions says as
// much.
std::vector<const CallLineRow *> shown_lines(const Report &report, const TextScope &scope)
{
    const double least_s = text_rules.run_percent / 100 * report.totals.wallclock_s;
    const size_t most = scope.most(text_rules.call_sites, 8, 12);
    std::vector<const CallLineRow *> rows;
    for (const CallLineRow &row : report.call_lines) {
        const bool matters = scope.is_short() ? row.time_s >= least_s && !row.place.empty()
                                              : rows.empty() || row.mpi_percent >= least_percent;
        if (matters && rows.size() < most)
            rows.push_back(&row);
    }
    return rows;
}

}  // namespace

std::string callsites_section(const Report &report, const TextScope &scope)
{
    const std::vector<const CallLineRow *> lines = shown_lines(report, scope);
    if (lines.empty())
        return "";
    const bool wide = scope.wide();
    const LineColumns at =
        wide ? LineColumns{62, 86, {98, 108, 118}} : LineColumns{30, 54, {64, 72, 80}};
    const bool waits = std::any_of(lines.begin(), lines.end(),
                                   [](const CallLineRow *row) { return row->wait_s.has_value(); });
    TextLine head = line_head(wide, "top call sites", at);
    head.right(at.figures[0], "[time]").right(at.figures[1], "<%mpi>");
    if (waits)
        head.right(at.figures[2], "<%wait>");
    std::string text = head.finished();
    const int decimals = decimals_for_seconds(lines.front()->time_s);
    for (const CallLineRow *shown : lines) {
        const CallLineRow &row = *shown;
        TextLine line = begin_line(wide, row, at);
        line.right(at.figures[0], fixed_text(row.time_s, decimals))
            .right(at.figures[1], fixed_text(row.mpi_percent, 1));
        if (row.wait_s && row.time_s > 0)
            line.right(at.figures[2], fixed_text(100 * *row.wait_s / row.time_s, 1));
        text += line.finished();
    }
    return text + "#\n";
}

namespace {

// In a short text those that take time, and that computing hides little of.
bool is_operation_shown(const CallLineRow &row, const Report &report, const TextScope &scope)
{
    if (!scope.is_short())
        return row.completions > 0;
    const bool is_hidden = row.overlapped_s && row.span_s > 0 &&
                           *row.overlapped_s >= text_rules.little_overlap * row.span_s;
    return row.completions > 0 && !is_hidden &&
           row.completion_s >= text_rules.operation_mpi_percent / 100 * report.totals.mpi_s &&
           row.completion_s >= text_rules.run_percent / 100 * report.totals.wallclock_s;
}

}  // namespace

std::string overlap_section(const Report &report, const TextScope &scope)
{
    std::vector<const CallLineRow *> rows;
    for (const CallLineRow &row : report.call_lines)
        if (is_operation_shown(row, report, scope))
            rows.push_back(&row);
    if (rows.empty())
        return "";
    const bool wide = scope.wide();
    std::stable_sort(rows.begin(), rows.end(), [](const CallLineRow *a, const CallLineRow *b) {
        return a->completion_s > b->completion_s;
    });
    const LineColumns at =
        wide ? LineColumns{62, 86, {95, 105, 113, 120}} : LineColumns{30, 51, {59, 66, 74, 80}, 14};
    std::string text = line_head(wide, "nonblocking operations", at)
                           .right(at.figures[0], "[done]")
                           .right(at.figures[1], "[time]")
                           .right(at.figures[2], "<span>")
                           .right(at.figures[3], "<%ov>")
                           .finished();
    const int decimals = decimals_for_seconds(rows.front()->completion_s);
    for (size_t i = 0; i < std::min(scope.most(text_rules.operations, 6, 10), rows.size()); i++) {
        const CallLineRow &row = *rows[i];
        const bool known = row.overlapped_s && row.spans > 0;
        const double mean_s = known ? row.span_s / static_cast<double>(row.spans) : 0;
        const double share = known && row.span_s > 0 ? *row.overlapped_s / row.span_s : 0;
        TextLine line = begin_line(wide, row, at);
        text += line.right(at.figures[0], count_text(row.completions))
                    .right(at.figures[1], fixed_text(row.completion_s, std::min(decimals, 4)))
                    .right(at.figures[2], known ? duration_text(mean_s) : "-")
                    .right(at.figures[3], row.span_s > 0 ? fixed_text(100 * share, 0) : "-")
                    .finished();
    }
    return text + "#\n";
}

// Who called a function, where that is not the one that computes between the two calls itself.
std::string callers_line(const Report &report, const HotSpotRow &row, size_t percent_column)
{
    constexpr uint64_t least_samples = 5;
    if (row.path.empty() || row.path_samples < least_samples)
        return "";
    const std::string &caller = row.path.front().symbol;
    if (row.segment && !caller.empty() && caller == report.segments[*row.segment].from.symbol)
        return "";
    return TextLine()
        .left(8, "by " + shortened(row.caller_words(), percent_column - 19))
        .finished();
}

// Of one segment, or of the short ones: the functions that the CPU was in most.
std::string hot_spot_lines(const Report &report, std::optional<size_t> segment,
                           size_t percent_column, const TextScope &scope)
{
    const size_t most = scope.most(text_rules.functions_in_segment, 3, 3);
    const auto &limits = verdict_thresholds;
    std::string text;
    size_t listed = 0;
    if (segment && report.segments[*segment].samples < limits.hot_spot_samples)
        return "";
    for (const HotSpotRow &row : report.hotspots) {
        const std::string words = row.site.function_words();
        if (row.segment != segment || row.percent < limits.hot_spot_percent || words.empty() ||
            listed++ >= most)
            continue;
        text += TextLine()
                    .left(5, "in " + shortened(words, percent_column - 16))
                    .right(percent_column, percent_text(row.percent))
                    .finished();
        if (!scope.is_short())
            text += callers_line(report, row, percent_column);
    }
    return text;
}

// Where calls follow each other too fast to say between which two a sample was taken.
std::string short_segments(const Report &report, size_t percent_column, const TextScope &scope)
{
    uint64_t samples = 0;
    for (const HotSpotRow &row : report.hotspots)
        samples += row.segment ? 0 : row.samples;
    const std::string lines = hot_spot_lines(report, std::nullopt, percent_column, scope);
    if (samples < verdict_thresholds.hot_spot_samples || lines.empty())
        return "";
    return TextLine()
               .left(3, fmt::format("between short calls, by {} samples", samples))
               .finished() +
           lines;
}

// Functions in which the kernel has to find pages of memory, or those of the time before MPI_Init.
template <class Row>
std::string place_lines(const std::vector<Row> &rows, const char *head, size_t percent_column)
{
    std::string text;
    for (const Row &row : rows) {
        const std::string words = row.site.function_words();
        if (row.percent >= verdict_thresholds.hot_spot_percent && !words.empty())
            text += TextLine()
                        .left(5, "in " + shortened(words, percent_column - 16))
                        .right(percent_column, percent_text(row.percent))
                        .finished();
    }
    if (text.empty())
        return "";
    return TextLine().left(3, head).finished() + text;
}

namespace {

double all_seconds(const std::vector<SegmentRow> &segments)
{
    double all_s = 0;
    for (const SegmentRow &row : segments)
        all_s += row.time_s;
    return all_s;
}

}  // namespace

std::string segments_section(const Report &report, const TextScope &scope)
{
    const auto &segments = report.segments;
    const double all_s = all_seconds(segments);
    if (all_s <= 0)
        return "";
    const double least_s = all_s / (scope.is_short() ? 100 / text_rules.segment_percent : 1000);
    const size_t shift = scope.wide() ? 30 : 0;
    const size_t to_column = 26 + shift / 2;
    std::string text = TextLine()
                           .left(3, "computing, from")
                           .left(to_column, "to")
                           .right(54 + shift, "[time]")
                           .right(62 + shift, "<%comp>")
                           .right(71 + shift, "max/mean")
                           .right(80 + shift, "of rank")
                           .finished();
    const int decimals = decimals_for_seconds(segments.front().time_s);
    for (size_t i = 0; i < std::min(scope.most(text_rules.segments, 5, 8), segments.size()); i++) {
        const SegmentRow &row = segments[i];
        const Spread &spread = row.spread;
        if (row.time_s < least_s)
            break;
        TextLine line;
        line.left(3, segment_end(row.from, row.from_function, "(begin)"))
            .left(to_column, segment_end(row.to, row.to_function, "(end)"))
            .right(54 + shift, fixed_text(row.time_s, decimals))
            .right(62 + shift, fixed_text(100 * row.time_s / all_s, 1));
        if (spread.ranks > 1 && spread.mean_s > 0)
            line.right(71 + shift, fixed_text(spread.max_s / spread.mean_s, 2))
                .right(80 + shift, std::to_string(spread.max_rank));
        text += line.finished() + hot_spot_lines(report, i, 62 + shift, scope);
    }
    if (!scope.is_short())
        text += short_segments(report, 62 + shift, scope) +
                place_lines(report.fault_places, "page faults, by samples", 62 + shift) +
                place_lines(report.early_places, "before MPI starts, by samples", 62 + shift);
    return text + "#\n";
}

// Files that the program opened with MPI: a row each, and below it how it was opened and what else
// is worth a word.

namespace {

constexpr size_t files_narrow = 6, files_wide = 12;

std::string rate_text(const FileRow &row)
{
    const auto rate = row.rate();
    return rate ? fixed_text(*rate / 1e6, *rate < 1e8 ? 1 : 0) : "-";
}

// "4.0 KiB a call, 8 B to 1.0 MiB"
std::string size_words(const FileRow &row)
{
    const auto mean = row.mean_bytes();
    if (!mean)
        return "";
    if (!row.min_bytes || row.min_bytes == row.max_bytes)
        return bytes_text(*mean) + " a call";
    return fmt::format("{} a call ({} to {})", bytes_text(*mean), bytes_text(*row.min_bytes),
                       bytes_text(*row.max_bytes));
}

std::string collective_words(const FileRow &row)
{
    const auto percent = row.collective_percent();
    if (!percent)
        return "";
    if (*percent == 0 || *percent == 100)
        return *percent == 0 ? "independent" : "collective";
    return percent_text(*percent) + " of the calls collective";
}

std::string often_words(const char *what, uint64_t count, double seconds)
{
    return count == 0 ? ""
                      : fmt::format("{} {}, {}", count_text(count), what, duration_text(seconds));
}

// "write, create; collective; 4.0 KiB a call; opened 4 times, 2.1 ms"
std::string words_of(const FileRow &row)
{
    std::string text = row.mode;
    for (const std::string &part :
         {row.files > 1 ? plural(row.files, "file") : "", collective_words(row), size_words(row),
          often_words(row.opens == 1 ? "open" : "opens", row.opens, row.open_s),
          often_words(row.syncs == 1 ? "sync" : "syncs", row.syncs, row.sync_s)})
        if (!part.empty())
            text += (text.empty() ? "" : "; ") + part;
    return text;
}

std::string file_lines(const FileRow &row, int decimals, const TextScope &scope)
{
    const size_t shift = scope.wide() ? 38 : 0;
    std::string text =
        TextLine()
            .left(3, shortened(row.name, 23 + shift))
            .right(32 + shift, std::to_string(row.ranks))
            .right(42 + shift, fixed_text(row.time_s(), decimals))
            .right(52 + shift, row.reads.calls > 0 ? bytes_text(row.reads.bytes) : "-")
            .right(62 + shift, row.writes.calls > 0 ? bytes_text(row.writes.bytes) : "-")
            .right(71 + shift, count_text(row.calls()))
            .right(80 + shift, rate_text(row))
            .finished();
    for (const std::string &line : fold_words(words_of(row), scope.width - 4))
        text += TextLine().left(5, line).finished();
    return text;
}

}  // namespace

std::string files_section(const Report &report, const TextScope &scope)
{
    const double least_s = text_rules.run_percent / 100 * report.totals.wallclock_s;
    std::vector<const FileRow *> rows;
    for (const FileRow &row : report.files)
        if (!scope.is_short() || row.time_s() >= least_s)
            rows.push_back(&row);
    if (rows.empty())
        return "";
    const size_t shift = scope.wide() ? 38 : 0;
    std::string text = TextLine()
                           .left(3, "files, by MPI-IO")
                           .right(32 + shift, "ranks")
                           .right(42 + shift, "[time]")
                           .right(52 + shift, "read")
                           .right(62 + shift, "written")
                           .right(71 + shift, "[calls]")
                           .right(80 + shift, "MB/s")
                           .finished();
    const int decimals = decimals_for_seconds(report.totals.mpi_s);
    const size_t listed =
        std::min(scope.most(text_rules.files, files_narrow, files_wide), rows.size());
    for (size_t i = 0; i < listed; i++)
        text += file_lines(*rows[i], decimals, scope);
    return text + more_line(rows.size(), listed) + "#\n";
}

// Files that the program reads or writes itself: a row each, as far as positions tell which file it
// was.

namespace {

// "read; likely: it was the only file open for it"
std::string words_of(const PlainFileRow &row)
{
    std::string text = row.mode;
    const auto add = [&](const std::string &part) {
        if (!part.empty())
            text += (text.empty() ? "" : "; ") + part;
    };
    add(row.files > 1 ? plural(row.files, "file") : "");
    if (const auto mean = row.mean_bytes())
        add(bytes_text(*mean) + " a call");
    if (row.ranks > 1 && row.most_rank)
        add(fmt::format("most on rank {}, {}", *row.most_rank, bytes_text(row.most_bytes)));
    if (row.name.empty())
        add("at given offsets, a file opened for a moment, a pipe or a socket");
    else if (row.likely_bytes > 0)
        add(fmt::format("{} of that is likely: no other file was open for it, or none was seen yet",
                        percent_text(100 * static_cast<double>(row.likely_bytes) /
                                     static_cast<double>(row.bytes()))));
    return text;
}

std::string file_lines(const PlainFileRow &row, const TextScope &scope)
{
    const size_t shift = scope.wide() ? 38 : 0;
    const auto rate = row.rate();
    std::string text =
        TextLine()
            .left(3, row.name.empty() ? "(not known)" : shortened(row.name, 33 + shift))
            .right(42 + shift, std::to_string(row.ranks))
            .right(52 + shift, row.read_bytes > 0 ? bytes_text(row.read_bytes) : "-")
            .right(62 + shift, row.written_bytes > 0 ? bytes_text(row.written_bytes) : "-")
            .right(71 + shift, row.calls() > 0 ? count_text(row.calls()) : "-")
            .right(80 + shift, rate ? fixed_text(*rate / 1e6, *rate < 1e8 ? 1 : 0) : "-")
            .finished();
    for (const std::string &line : fold_words(words_of(row), scope.width - 4))
        text += TextLine().left(5, line).finished();
    return text;
}

}  // namespace

std::string plain_files_section(const Report &report, const TextScope &scope)
{
    const std::vector<PlainFileRow> &rows = report.plain_files;
    if (rows.empty())
        return "";
    const size_t shift = scope.wide() ? 38 : 0;
    std::string text = TextLine()
                           .left(3, "files, without MPI-IO")
                           .right(42 + shift, "ranks")
                           .right(52 + shift, "read")
                           .right(62 + shift, "written")
                           .right(71 + shift, "[calls]")
                           .right(80 + shift, "MB/s")
                           .finished();
    const size_t listed =
        std::min(scope.most(text_rules.files, files_narrow, files_wide), rows.size());
    for (size_t i = 0; i < listed; i++)
        text += file_lines(rows[i], scope);
    return text + more_line(rows.size(), listed) + "#\n";
}

// OpenMP: how busy the threads are, in a few lines, and a row per place with a parallel region.

namespace {

constexpr size_t places_narrow = 5, places_wide = 10;

// "62% in parallel regions, 8% computing and 30% MPI outside them"
std::string shares_text(const OpenmpFacts &facts)
{
    const double parallel_s = *facts.parallel_s + *facts.parallel_mpi_s;
    const double all_s = parallel_s + *facts.serial_s + *facts.serial_mpi_s;
    if (all_s <= 0)
        return "";
    return fmt::format("first thread: {} in parallel regions, {} computing and {} MPI outside "
                       "them",
                       percent_text(100 * parallel_s / all_s),
                       percent_text(100 * *facts.serial_s / all_s),
                       percent_text(100 * *facts.serial_mpi_s / all_s));
}

std::string efficiency_text(const OpenmpFacts &facts)
{
    if (!facts.openmp_efficiency)
        return "";
    return fmt::format(
        "POP: hybrid efficiency {} = MPI {} x OpenMP {}; thread balance {}",
        percent_text(100 * *facts.hybrid_efficiency), percent_text(100 * *facts.mpi_efficiency),
        percent_text(100 * *facts.openmp_efficiency), percent_text(100 * *facts.thread_balance));
}

std::string row_text(const ParallelRow &row, size_t shift, int decimals)
{
    TextLine line;
    line.left(3, shortened(row.place.empty() ? "unknown" : row.place, 27 + shift))
        .right(40 + shift, count_text(row.regions))
        .right(49 + shift, std::to_string(row.threads))
        .right(60 + shift, fixed_text(row.time_s, decimals))
        .right(70 + shift, row.busy_threads ? fixed_text(*row.busy_threads, 1) : "-")
        .right(80 + shift, row.thread_balance ? fixed_text(100 * *row.thread_balance, 1) : "-");
    return line.finished();
}

}  // namespace

std::string openmp_section(const Report &report, const TextScope &scope)
{
    const OpenmpFacts &facts = report.openmp;
    if (facts.source == OpenmpSource::none)
        return "";
    std::string text = keyed_sentence("openmp", facts.sentence, scope.width);
    if (!facts.threads)
        return text + "#\n";
    for (const std::string &words : {shares_text(facts), efficiency_text(facts)})
        if (!words.empty())
            text += keyed_sentence("", words, scope.width);
    const size_t shift = scope.wide() ? 38 : 0;
    text += TextLine()
                .left(3, "parallel regions")
                .right(40 + shift, "[runs]")
                .right(49 + shift, "threads")
                .right(60 + shift, "[time]")
                .right(70 + shift, "busy")
                .right(80 + shift, "%balance")
                .finished();
    const int decimals = decimals_for_seconds(report.run.wallclock_s);
    const auto &rows = report.parallel_regions;
    const size_t listed =
        std::min(scope.most(text_rules.parallel_regions, places_narrow, places_wide), rows.size());
    for (size_t i = 0; i < listed; i++)
        text += row_text(rows[i], shift, decimals);
    return text + more_line(rows.size(), listed) + "#\n";
}

}  // namespace mprof
