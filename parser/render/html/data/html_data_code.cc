// Where in the program: call sites, segments and the places they refer to; and message sizes in
// powers of two.
#include "render/html/data/html_data.h"

#include "render/html/data/row_page.h"
#include "report/fields/fields_of_places.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace mprof {
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
    for (size_t i = 0; i < report.functions.size(); i++)
        functions[report.functions[i].function] = i;
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

}  // namespace mprof
