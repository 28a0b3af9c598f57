// What ranks used: samples of memory, counters and metrics.
#include "render/csv_tables.h"

#include <cmath>

namespace mprof {
namespace {

std::optional<double> if_counted(const std::vector<double> &values, size_t i)
{
    if (i >= values.size() || std::isnan(values[i]))
        return std::nullopt;
    return values[i];
}

}  // namespace

CsvTable samples_csv(const Report &report)
{
    std::string text = "rank,moment,time_s,resident_bytes,shared_bytes\n";
    for (const RankRow &rank : report.ranks)
        for (const MemorySample &s : rank.samples)
            add_row(text, rank.rank, s.moment, s.time_s, s.resident_bytes, s.shared_bytes);
    return {"samples.csv", text};
}

CsvTable counters_csv(const Report &report)
{
    std::string text =
        "counter,unit,source,multiplexed,total,in_mpi,outside_mpi,mean,min,max,min_rank,max_rank\n";
    for (const CounterRow &r : report.counters)
        add_row(text, r.name, r.unit, r.source, r.multiplexed, r.total, r.in_mpi, r.outside_mpi,
                r.mean, r.min, r.max, r.min_rank, r.max_rank);
    return {"counters.csv", text};
}

CsvTable metrics_csv(const Report &report)
{
    std::string text = "metric,unit,formula,value,mean,min,max,min_rank,max_rank\n";
    for (const MetricRow &r : report.metrics)
        add_row(text, r.name, r.unit, r.formula, r.value, r.mean, r.min, r.max, r.min_rank,
                r.max_rank);
    return {"metrics.csv", text};
}

// Long tables, because their columns would depend on the run.
CsvTable rank_counters_csv(const Report &report)
{
    std::string text = "rank,counter,total,in_mpi\n";
    for (const RankRow &rank : report.ranks)
        for (size_t i = 0; i < report.counters.size(); i++)
            add_row(text, rank.rank, report.counters[i].name, if_counted(rank.counters, i),
                    if_counted(rank.counters_in_mpi, i));
    return {"rank_counters.csv", text};
}

CsvTable region_counters_csv(const Report &report)
{
    std::string text = "region,counter,total\n";
    for (const RegionRow &region : report.regions)
        for (size_t i = 0; i < report.counters.size(); i++)
            add_row(text, region.path, report.counters[i].name, if_counted(region.counters, i));
    return {"region_counters.csv", text};
}

}  // namespace mprof
