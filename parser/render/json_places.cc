// Offsets are strings: a number of JSON holds 53 bits, an address 64.
#include "render/json_parts.h"

#include <fmt/format.h>

namespace mprof {
namespace {

Json line_json(uint32_t line)
{
    return line == 0 ? Json(nullptr) : Json(line);
}

Json offset_json(const Frame &frame)
{
    return frame.offset == 0 ? Json(nullptr) : Json(fmt::format("{:#x}", frame.offset));
}

Json path_json(const std::vector<Frame> &path)
{
    Json frames = Json::array();
    for (const Frame &frame : path) {
        Json row = Json::object();
        add_frame_json(frame, row);
        row["inlined"] = frame.inlined;
        frames.push_back(std::move(row));
    }
    return frames;
}

void add_spread(const Spread &spread, Json &row)
{
    row["ranks"] = spread.ranks;
    row["mean_s"] = spread.mean_s;
    row["min_s"] = spread.min_s;
    row["max_s"] = spread.max_s;
    row["variation"] = spread.variation;
    row["min_rank"] = spread.min_rank;
    row["max_rank"] = spread.max_rank;
}

template <class Row>
void add_requests(const Row &source, Json &row)
{
    row["completions"] = source.completions;
    row["completion_s"] = source.completion_s;
    row["span_s"] = source.span_s;
    row["overlapped_s"] = source.overlapped_s;
}

Json end_json(const Frame &frame, const std::string &function)
{
    Json end = {{"function", or_null(function)}, {"place", or_null(frame.place())}};
    add_frame_json(frame, end);
    return end;
}

}  // namespace

void add_frame_json(const Frame &frame, Json &row)
{
    row["file"] = or_null(frame.file);
    row["line"] = line_json(frame.line);
    row["symbol"] = or_null(frame.symbol);
    row["module"] = or_null(frame.module);
    row["offset"] = offset_json(frame);
}

Json callsites_json(const Report &report)
{
    Json rows = Json::array();
    for (const CallsiteRow &source : report.callsites) {
        Json row = {{"function", source.function}, {"place", or_null(source.site.place())}};
        add_frame_json(source.site, row);
        row["calls"] = source.calls;
        row["bytes"] = source.bytes;
        row["time_s"] = source.time_s;
        row["wait_s"] = or_null(source.wait_s);
        row["mpi_percent"] = source.mpi_percent;
        row["size_bytes"] = or_null(source.size);
        add_spread(source.spread, row);
        row["region"] = or_null(source.region);
        row["communicator"] = or_null(source.communicator);
        add_requests(source, row);
        const bool partner = source.top_partner.has_value();
        row["top_partner"] = or_null(source.top_partner);
        row["top_partner_s"] = partner ? Json(source.top_partner_s) : Json(nullptr);
        const bool last = source.last_rank.has_value();
        row["last_rank"] = or_null(source.last_rank);
        row["last_percent"] = last ? Json(source.last_percent) : Json(nullptr);
        row["caused_wait_s"] = last ? Json(source.caused_wait_s) : Json(nullptr);
        row["path_cut"] = source.path_cut;
        row["path"] = path_json(source.path);
        rows.push_back(std::move(row));
    }
    return rows;
}

Json call_lines_json(const Report &report)
{
    Json rows = Json::array();
    for (const CallLineRow &source : report.call_lines) {
        Json row = {{"place", or_null(source.place)},
                    {"function", source.function},
                    {"symbol", or_null(source.symbol)},
                    {"paths", source.paths},
                    {"calls", source.calls},
                    {"bytes", source.bytes},
                    {"time_s", source.time_s},
                    {"wait_s", or_null(source.wait_s)},
                    {"mpi_percent", source.mpi_percent},
                    {"size_bytes", or_null(source.size)}};
        add_requests(source, row);
        rows.push_back(std::move(row));
    }
    return rows;
}

Json segments_json(const Report &report)
{
    Json rows = Json::array();
    for (const SegmentRow &source : report.segments) {
        Json row = {{"from", end_json(source.from, source.from_function)},
                    {"to", end_json(source.to, source.to_function)},
                    {"count", source.count},
                    {"time_s", source.time_s}};
        add_spread(source.spread, row);
        row["counters"] = source.counters;
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace mprof
