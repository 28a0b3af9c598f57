// Line ends are a single LF: RFC 4180 says CRLF, but every reader takes LF and every Unix tool
// wants it.
#include "render/render_csv.h"

#include "render/csv_tables.h"

#include <optional>

namespace mprof {
namespace {

CsvTable functions_csv(const Report &report)
{
    std::string text =
        "function,calls,bytes,received_bytes,time_s,min_s,max_s,wait_s,mpi_percent,wall_percent,"
        "max_over_mean,max_rank\n";
    for (const FunctionRow &r : report.functions)
        add_row(text, r.function, r.calls, r.bytes, r.received_bytes, r.time_s, r.min_s, r.max_s,
                r.wait_s, r.mpi_percent, r.wall_percent, r.max_over_mean, r.max_rank);
    return {"functions.csv", text};
}

CsvTable messages_csv(const Report &report)
{
    std::string text = "function,bytes,calls,time_s,precision,kind,sum_bytes\n";
    for (const MessageRow &r : report.messages)
        add_row(text, r.function, r.bytes, r.calls, r.time_s, r.precision, r.kind, r.sum_bytes);
    return {"messages.csv", text};
}

CsvTable received_csv(const Report &report)
{
    std::string text = "function,bytes,calls,precision,sum_bytes\n";
    for (const ReceivedRow &r : report.received)
        add_row(text, r.function, r.bytes, r.calls, r.precision, r.sum_bytes);
    return {"received.csv", text};
}

CsvTable ranks_csv(const Report &report)
{
    std::string text =
        "rank,host,cpu,wallclock_s,mpi_s,wait_s,compute_s,comm_percent,user_s,system_s,memory_"
        "bytes,calls,"
        "sent_bytes,threads,complete,end,end_code,in_call,in_call_since_s,in_call_peer,in_call_"
        "place,cpu_list,"
        "cpus_allowed,numa_node,migrations,minor_faults,major_faults,voluntary_switches,"
        "involuntary_switches,init_memory_bytes,shared_memory_bytes,numa_own_bytes,"
        "numa_other_bytes\n";
    for (const RankRow &r : report.ranks)
        add_row(text, r.rank, r.host, r.cpu, r.wallclock_s, r.mpi_s, r.wait_s, r.compute_s,
                r.comm_percent, r.user_s, r.system_s, r.memory_bytes, r.calls, r.sent_bytes,
                r.threads, r.complete, r.end, r.end_code, r.in_call, r.in_call_since_s,
                r.in_call_peer, r.in_call_place, r.cpu_list, r.cpus_allowed, r.numa_node,
                r.migrations, r.minor_faults, r.major_faults, r.voluntary_switches,
                r.involuntary_switches, r.init_memory_bytes, r.shared_memory_bytes,
                r.numa_own_bytes, r.numa_other_bytes);
    return {"ranks.csv", text};
}

CsvTable matrix_csv(const Report &report)
{
    std::string text =
        "source,destination,messages,bytes,time_s,one_sided_messages,one_sided_bytes\n";
    for (const MatrixCell &c : report.matrix)
        add_row(text, c.source, c.destination, c.messages, c.bytes, c.time_s, c.one_sided_messages,
                c.one_sided_bytes);
    return {"matrix.csv", text};
}

CsvTable communicators_csv(const Report &report)
{
    std::string text =
        "name,identity,kind,size,remote_size,made_by,made_at,created,ranks,calls,bytes,time_s\n";
    for (const CommunicatorRow &r : report.communicators)
        add_row(text, r.name, r.identity, r.kind, r.size, r.remote_size, r.made_by, r.made_at,
                r.created, r.ranks, r.calls, r.bytes, r.time_s);
    return {"communicators.csv", text};
}

CsvTable regions_csv(const Report &report)
{
    std::string text =
        "region,ranks,visits,time_s,compute_s,mpi_s,exclusive_mpi_s,calls,"
        "exclusive_calls,bytes,exclusive_bytes,load_balance,communication_efficiency,"
        "parallel_efficiency,max_compute_s,"
        "max_rank\n";
    for (const RegionRow &r : report.regions)
        add_row(text, r.path, r.ranks, r.visits, r.time_s, r.compute_s, r.inclusive.mpi_s,
                r.exclusive.mpi_s, r.inclusive.calls, r.exclusive.calls, r.inclusive.bytes,
                r.exclusive.bytes, r.load_balance, r.communication_efficiency,
                r.parallel_efficiency, r.max_compute_s, r.max_rank);
    return {"regions.csv", text};
}

CsvTable worlds_csv(const Report &report)
{
    std::string text = "world,ranks,ranks_read,command,wallclock_s,comm_percent,complete,end\n";
    for (const WorldRow &r : report.worlds)
        add_row(text, r.world, r.ranks, r.ranks_read, r.command, r.wallclock_s, r.comm_percent,
                r.complete, r.end);
    return {"worlds.csv", text};
}

}  // namespace

std::vector<CsvTable> render_csv(const Report &report)
{
    return {functions_csv(report),       messages_csv(report),  received_csv(report),
            ranks_csv(report),           matrix_csv(report),    communicators_csv(report),
            regions_csv(report),         worlds_csv(report),    samples_csv(report),
            counters_csv(report),        metrics_csv(report),   rank_counters_csv(report),
            region_counters_csv(report), callsites_csv(report), callsite_paths_csv(report),
            segments_csv(report),        nodes_csv(report),     node_pairs_csv(report),
            distances_csv(report)};
}

}  // namespace mprof
