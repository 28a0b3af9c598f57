// The table of contents of the page's data, the lists that are short for any run, and places in the
// program. There is one function per key, and the names are those of the JSON report.
#include "render/html/data/html_data.h"

#include "measure/function_facts.h"
#include "read/printable_text.h"
#include "render/html/data/html_page.h"
#include "render/render_report.h"
#include "report/derived_figures.h"
#include "report/fields/fields_of_places.h"
#include "report/report_fields.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace mprof {

// Where in the program: call sites, segments and the places they refer to; and message sizes in
// powers of two.

namespace {

// How many are listed: those that nearly all of the time is spent at.
size_t callsites_listed(const Report &report)
{
    double all_s = 0;
    for (const CallsiteRow &row : report.callsites)
        all_s += row.time_s;
    double seen_s = 0;
    size_t listed = 0;
    while (listed < std::min(most_callsites, report.callsites.size()) &&
           (listed < fewest_callsites || seen_s < callsite_share * all_s))
        seen_s += report.callsites[listed++].time_s;
    return listed;
}

// What is beyond the list, in one row.
Json other_callsites(const Report &report, size_t listed)
{
    uint64_t calls = 0, bytes = 0;
    double time_s = 0;
    for (size_t i = listed; i < report.callsites.size(); i++) {
        calls += report.callsites[i].calls;
        bytes += report.callsites[i].bytes;
        time_s += report.callsites[i].time_s;
    }
    return {{"callsites", report.callsites.size() - listed},
            {"calls", calls},
            {"bytes", bytes},
            {"time_s", page_value(time_s)}};
}

}  // namespace

size_t FrameNumbers::number(const Frame &frame)
{
    const std::string key = fmt::format("{}\n{}\n{}\n{}\n{:x} {}", frame.symbol, frame.file,
                                        frame.module, frame.line, frame.offset, frame.inlined);
    const auto [at, is_new] = numbers_.try_emplace(key, frames_.size());
    if (is_new)
        frames_.push_back(frame);
    return at->second;
}

Json FrameNumbers::json() const
{
    TextNumbers texts;
    Json json = columns_of(frames_)
                    .add("place", &Frame::place)
                    // As sentences call it, where that is not the same.
                    .add("words",
                         [](const Frame &f) {
                             const std::string words = f.words();
                             return words == f.place() ? std::string() : words;
                         })
                    .add("symbol", &Frame::symbol)
                    .add("file", [&](const Frame &f) { return texts.number(f.file); })
                    .add("module", [&](const Frame &f) { return texts.number(f.module); })
                    .add("line", &Frame::line)
                    .add("offset", [](const Frame &f) { return fmt::format("{:#x}", f.offset); })
                    .add("inlined", &Frame::inlined)
                    .json();
    json["texts"] = texts.json();
    return json;
}

namespace {

Json html_callsites(const Report &report, FrameNumbers &frames)
{
    const size_t listed = callsites_listed(report);
    Json json = page_columns(report.callsites, report, listed)
                    .add("site", [&](const CallsiteRow &row) { return frames.number(row.site); })
                    .json();
    Json paths = Json::array();
    for (size_t i = 0; i < listed; i++) {
        Json path = Json::array();
        for (const Frame &frame : report.callsites[i].path)
            path.push_back(frames.number(frame));
        paths.push_back(path);
    }
    json["paths"] = paths;
    if (report.callsites.size() > listed)
        json["other"] = other_callsites(report, listed);
    return json;
}

Json html_segments(const Report &report, FrameNumbers &frames)
{
    return page_columns(report.segments, report, listed_segments)
        .add("from_function", &SegmentRow::from_function)
        .add("to_function", &SegmentRow::to_function)
        .add("from", [&](const SegmentRow &row) { return frames.number(row.from); })
        .add("to", [&](const SegmentRow &row) { return frames.number(row.to); })
        .json();
}

Json html_hot_spots(const Report &report, FrameNumbers &frames)
{
    return page_columns(report.hotspots, report, listed_hot_spots)
        .add("site", [&](const HotSpotRow &row) { return frames.number(row.site); })
        .json();
}

Json html_hot_places(const std::vector<HotPlaceRow> &rows, const Report &report,
                     FrameNumbers &frames)
{
    return page_columns(rows, report)
        .add("site", [&](const HotPlaceRow &row) { return frames.number(row.site); })
        .json();
}

Json html_sizes(const Report &report)
{
    struct Sum {
        size_t function = 0;
        int bin = 0;  // sizes below 2 ^ bin, from half of that on; -1: size not known
        uint64_t calls = 0, bytes = 0;
        double time_s = 0;
    };
    std::map<std::string, size_t> functions;
    for (const FunctionRow &row : report.functions)
        functions.emplace(row.function, functions.size());
    for (const NcclFunctionRow &row : report.nccl_functions)
        functions.emplace(row.function, functions.size());
    std::map<std::pair<size_t, int>, Sum> sums;
    for (const MessageRow &row : report.messages) {
        if (!functions.contains(row.function))
            continue;
        const size_t function = functions[row.function];
        const int bin =
            row.precision == Precision::function ? -1 : static_cast<int>(std::bit_width(row.bytes));
        Sum &sum = sums[{function, bin}];
        sum.function = function;
        sum.bin = bin;
        // A start is not another call of the function that made the request.
        sum.calls += row.kind == MessageKind::start ? 0 : row.calls;
        sum.bytes += row.sum_bytes;
        sum.time_s += row.time_s;
    }
    for (const NcclCallRow &row : report.nccl_calls) {
        const size_t function = functions[nccl_api_name(row.function, row.message)];
        const int bin = row.call_bytes == 0 ? -1 : static_cast<int>(std::bit_width(row.call_bytes));
        Sum &sum = sums[{function, bin}];
        sum.function = function;
        sum.bin = bin;
        sum.calls += row.calls;
        sum.bytes += row.bytes;
        sum.time_s += row.time_s;
    }
    std::vector<Sum> rows;
    for (const auto &[key, sum] : sums)
        rows.push_back(sum);
    return columns_of(rows)
        .add("function", &Sum::function)
        .add("bin", &Sum::bin)
        .add("calls", &Sum::calls)
        .add("bytes", &Sum::bytes)
        .add("time_s", &Sum::time_s)
        .json();
}

}  // namespace

// The table of contents of the page's data, and the lists that are short whatever the run.

namespace {

constexpr int schema = 1;

Json run_data(const Report &report)
{
    constexpr size_t listed_texts = 80, text_bytes = 2000;
    const RunFacts &run = report.run;
    Json texts = Json::object();
    for (const auto &[key, value] : run.texts)
        if (!value.empty() && texts.size() < listed_texts)
            texts[printable_utf8(key)] = printable_utf8(value.substr(0, text_bytes));
    Json json = page_object(run, report);
    json["program"] = page_value(program_label(run));
    json["start_text"] = page_value(run.start_text);
    json["stop_text"] = page_value(run.stop_text);
    json["texts"] = texts;
    return json;
}

// Functions of NCCL are beside those of MPI, and have no share of MPI time.
Json functions_data(const Report &report)
{
    constexpr int nccl_kind = 6;  // html/page/theme.js
    std::vector<FunctionRow> rows = report.functions;
    for (const NcclFunctionRow &row : report.nccl_functions)
        rows.push_back({.function = row.function,
                        .calls = row.calls,
                        .bytes = row.bytes,
                        .time_s = row.time_s,
                        .max_s = row.max_s,
                        .mpi_thread_s = row.time_s,
                        .wait_s = row.wait_s,
                        .mpi_percent = NAN,
                        .wall_percent = row.wall_percent,
                        .max_over_mean = row.max_over_mean,
                        .max_rank = row.max_rank});
    const FunctionRow *nccl = rows.data() + report.functions.size();
    return page_columns(rows, report)
        .add("kind",
             [nccl](const FunctionRow &row) {
                 return &row >= nccl ? nccl_kind : static_cast<int>(facts_of(row.function).kind);
             })
        .json();
}

Json ranges_data(const std::vector<MissingRanks> &ranges)
{
    Json rows = Json::array();
    for (size_t i = 0; i < std::min(listed_ranges, ranges.size()); i++)
        rows.push_back({ranges[i].first, ranges[i].last});
    return rows;
}

// "0-3, 7"
std::string ranges_text(const std::vector<MissingRanks> &ranges)
{
    constexpr size_t listed = 12;
    std::string text;
    for (size_t i = 0; i < std::min(listed, ranges.size()); i++) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", ranges[i].first);
        if (ranges[i].last != ranges[i].first)
            text += fmt::format("-{}", ranges[i].last);
    }
    return ranges.size() > listed ? text + " ..." : text;
}

Json standing_data(const Report &report)
{
    const Standing &standing = report.standing;
    Json json = page_columns(standing.rows, report, listed_standing)
                    .add("where", [](const StandingRow &row) { return ranges_text(row.where); })
                    .add("first_rank",
                         [](const StandingRow &row) -> std::optional<uint32_t> {
                             if (row.where.empty())
                                 return std::nullopt;
                             return row.where.front().first;
                         })
                    .json();
    json["headline"] = page_value(standing.headline);
    json["ended"] = page_value(standing.ended);
    return json;
}

Json sentences_data(const std::vector<std::string> &sentences)
{
    Json rows = Json::array();
    for (const std::string &sentence : sentences)
        rows.push_back(page_value(with_signs(sentence)));
    return rows;
}

// Two of their columns are sentences.
Json causes_data(const Report &report)
{
    std::vector<CauseRow> causes = report.causes;
    for (CauseRow &row : causes) {
        row.segment = with_signs(row.segment);
        row.reason = with_signs(row.reason);
    }
    return page_columns(causes, report, listed_causes).json();
}

// Columns that are sentences are read out with signs.
template <class Row>
std::vector<Row> with_sentences(std::vector<Row> rows)
{
    for (Row &row : rows)
        row.sentence = with_signs(row.sentence);
    return rows;
}

void add_machine(const Report &report, Json &data)
{
    data["machine"] = page_object(report.machine, report);
    data["machine"]["sentences"] = sentences_data(report.machine.sentences);
    data["machine"]["remarks"] = sentences_data(report.machine.remarks);
    data["machine_times"] = page_columns(report.machine_times, report, listed_machine_times).json();
    data["eager_limits"] = page_columns(with_sentences(report.eager_limits), report).json();
    data["touch_rules"] =
        page_columns(with_sentences(report.touch_rules), report, listed_touch_rules).json();
}

Json accounts_data(const Report &report)
{
    std::vector<AccountRow> rows = told_accounts(report.accounts);
    for (AccountRow &row : rows) {
        row.step = with_signs(row.step);
        row.cause_words = with_signs(row.cause_words);
    }
    Json json = page_columns(rows, report).json();
    json["order"] = page_value(with_signs(order_words(report.accounts)));
    return json;
}

Json quality_data(const Report &report)
{
    const Quality &quality = report.quality;
    Json checks = Json::object();
    for (const QualityCheck &check : quality_checks(quality, report))
        checks[check.name] = {text_of(check.state), with_signs(check.badge)};
    return {{"ranks_expected", quality.ranks_expected},
            {"ranks_read", quality.ranks_read},
            {"ranks_finished", quality.ranks_finished},
            {"missing_ranks", ranges_data(quality.missing)},
            {"dropped_percent", page_value(quality.dropped_percent)},
            {"overhead", page_value(overhead_words(report))},
            {"clock_resolution_s", page_value(quality.clock_resolution_s)},
            {"wait_source", page_value(quality.wait_source)},
            {"checks", checks},
            {"remarks", sentences_data(quality.remarks)}};
}

// Null: not asked for. Each file with its lines, as pairs of number and text.
Json sources_data(const Report &report)
{
    if (!report.sources)
        return nullptr;
    Json files = Json::array();
    for (const SourceRow &row : *report.sources) {
        Json lines = Json::array();
        for (const auto &[number, text] : row.lines)
            lines.push_back({number, page_value(text)});
        files.push_back({{"file", page_value(row.file)},
                         {"problem", page_value(row.problem)},
                         {"lines", row.problem.empty() ? lines : Json::array()}});
    }
    return files;
}

}  // namespace

Json html_data(const Report &report)
{
    TextNumbers hosts;
    FrameNumbers frames;
    Json data = {{"schema", schema}, {"mprof", page_value(report.version)}};
    data["run"] = run_data(report);
    data["totals"] = page_object(report.totals, report);
    data["functions"] = functions_data(report);
    data["sizes"] = html_sizes(report);
    data["ranks"] = html_ranks(report, hosts);
    data["bins"] = html_bins(report, hosts);
    data["quantiles"] = html_quantiles(report);
    data["accounts"] = accounts_data(report);
    data["causes"] = causes_data(report);
    data["callsites"] = html_callsites(report, frames);
    data["flame"] = html_flame(report);
    data["segments"] = html_segments(report, frames);
    data["hotspots"] = html_hot_spots(report, frames);
    data["hot_lines"] = html_hot_places(report.hot_lines, report, frames);
    data["hot_libraries"] = html_hot_places(report.hot_libraries, report, frames);
    data["sources"] = sources_data(report);
    data["regions"] = page_columns(report.regions, report, listed_regions).json();
    data["files"] = page_columns(report.files, report, listed_files).json();
    data["plain_files"] = page_columns(report.plain_files, report, listed_files).json();
    data["openmp"] = page_object(report.openmp, report);
    data["parallel_regions"] =
        page_columns(report.parallel_regions, report, listed_parallel).json();
    data["gpu_sites"] = page_columns(report.gpu_sites, report, listed_parallel).json();
    data["gpu_buffers"] = page_columns(report.gpu_buffers, report, listed_parallel).json();
    data["gpu_work"] = page_columns(report.gpu_work, report, listed_parallel).json();
    data["nccl_communicators"] =
        page_columns(report.nccl_communicators, report, listed_parallel).json();
    data["nccl_calls"] = page_columns(report.nccl_calls, report, listed_parallel).json();
    if (!report.nccl_partners.empty())
        data["nccl_matrix"] = html_nccl_matrix(report);
    data["communicators"] = page_columns(report.communicators, report, listed_communicators).json();
    data["matrix"] = html_matrix(report);
    data["node_matrix"] = html_node_matrix(report);
    data["partner_remarks"] = sentences_data(report.partner_remarks);
    data["distances"] = page_columns(report.distances, report, listed_distances).json();
    data["transfers"] = page_columns(report.transfers, report).json();
    add_machine(report, data);
    data["nodes"] = html_nodes(report);
    data["bindings"] = page_columns(report.bindings, report, listed_bindings).json();
    data["counters"] = page_columns(report.counters, report).json();
    data["metrics"] = page_columns(report.metrics, report).json();
    data["worlds"] = page_columns(report.worlds, report, listed_worlds).json();
    data["programs"] = page_columns(report.programs, report).json();
    data["program_waits"] = page_columns(report.program_waits, report).json();
    data["lints"] = page_columns(report.lints, report, listed_lints).json();
    data["standing"] = standing_data(report);
    data["time"] = html_time(report);
    data["quality"] = quality_data(report);
    data["hosts"] = hosts.json();
    data["frames"] = frames.json();
    return data;
}

}  // namespace mprof
