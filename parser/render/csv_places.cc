// A callsite's path is a table of its own: `callsite` in it is the row's number in callsites.csv.
#include "render/csv_tables.h"

namespace mprof {
namespace {

std::optional<uint32_t> line_of(const Frame &frame)
{
    return frame.line == 0 ? std::nullopt : std::optional(frame.line);
}

std::string offset_of(const Frame &frame)
{
    return frame.offset == 0 ? "" : fmt::format("{:#x}", frame.offset);
}

}  // namespace

CsvTable callsites_csv(const Report &report)
{
    std::string text =
        "callsite,function,file,line,symbol,module,offset,calls,bytes,time_s,wait_s,mpi_percent,"
        "size_bytes,ranks,mean_s,min_s,max_s,variation,min_rank,max_rank,region,communicator,"
        "completions,completion_s,span_s,overlapped_s,top_partner,top_partner_s\n";
    size_t number = 0;
    for (const CallsiteRow &r : report.callsites) {
        const auto partner_s =
            r.top_partner ? std::optional(r.top_partner_s) : std::optional<double>();
        add_row(text, number++, r.function, r.site.file, line_of(r.site), r.site.symbol,
                r.site.module, offset_of(r.site), r.calls, r.bytes, r.time_s, r.wait_s,
                r.mpi_percent, r.size, r.spread.ranks, r.spread.mean_s, r.spread.min_s,
                r.spread.max_s, r.spread.variation, r.spread.min_rank, r.spread.max_rank, r.region,
                r.communicator, r.completions, r.completion_s, r.span_s, r.overlapped_s,
                r.top_partner, partner_s);
    }
    return {"callsites.csv", text};
}

CsvTable callsite_paths_csv(const Report &report)
{
    std::string text = "callsite,depth,symbol,file,line,module,offset,inlined\n";
    size_t number = 0;
    for (const CallsiteRow &row : report.callsites) {
        size_t depth = 0;
        for (const Frame &f : row.path)
            add_row(text, number, depth++, f.symbol, f.file, line_of(f), f.module, offset_of(f),
                    f.inlined);
        number++;
    }
    return {"callsite_paths.csv", text};
}

CsvTable segments_csv(const Report &report)
{
    std::string text = "from_function,from_file,from_line,from_symbol,from_module,from_offset,"
                       "to_function,to_file,to_line,to_symbol,to_module,to_offset,count,time_s,"
                       "ranks,mean_s,min_s,max_s,variation,min_rank,max_rank\n";
    for (const SegmentRow &r : report.segments)
        add_row(text, r.from_function, r.from.file, line_of(r.from), r.from.symbol, r.from.module,
                offset_of(r.from), r.to_function, r.to.file, line_of(r.to), r.to.symbol,
                r.to.module, offset_of(r.to), r.count, r.time_s, r.spread.ranks, r.spread.mean_s,
                r.spread.min_s, r.spread.max_s, r.spread.variation, r.spread.min_rank,
                r.spread.max_rank);
    return {"segments.csv", text};
}

CsvTable nodes_csv(const Report &report)
{
    std::string text = "host,first_rank,ranks,compute_s,mpi_s,wait_s,memory_bytes,inside_messages,"
                       "inside_bytes,outside_messages,outside_bytes\n";
    for (const NodeRow &r : report.nodes)
        add_row(text, r.host, r.first_rank, r.ranks, r.compute_s, r.mpi_s, r.wait_s, r.memory_bytes,
                r.inside_messages, r.inside_bytes, r.outside_messages, r.outside_bytes);
    return {"nodes.csv", text};
}

CsvTable node_pairs_csv(const Report &report)
{
    std::string text = "source,destination,messages,bytes,time_s\n";
    for (const NodePair &r : report.node_pairs)
        add_row(text, report.nodes[r.source].host, report.nodes[r.destination].host, r.messages,
                r.bytes, r.time_s);
    return {"node_pairs.csv", text};
}

CsvTable distances_csv(const Report &report)
{
    std::string text = "distance,pairs,messages,bytes,time_s\n";
    for (const DistanceRow &r : report.distances)
        add_row(text, r.distance, r.pairs, r.messages, r.bytes, r.time_s);
    return {"distances.csv", text};
}

}  // namespace mprof
