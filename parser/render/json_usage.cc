// What ranks used and where they ran: counters, metrics, memory, placement.
#include "render/json_parts.h"

#include <cmath>

namespace mprof {
namespace {

template <class Row>
void add_spread(const Row &row, Json &json)
{
    json["mean"] = row.mean;
    json["min"] = row.min;
    json["max"] = row.max;
    json["min_rank"] = row.min_rank;
    json["max_rank"] = row.max_rank;
}

Json samples_json(const RankRow &row)
{
    Json rows = Json::array();
    for (const MemorySample &sample : row.samples)
        rows.push_back({{"moment", sample.moment},
                        {"time_s", sample.time_s},
                        {"resident_bytes", sample.resident_bytes},
                        {"shared_bytes", sample.shared_bytes}});
    return rows;
}

template <class Row>
Json named_values(const std::vector<Row> &rows, const std::vector<double> &values)
{
    Json named = Json::object();
    for (size_t i = 0; i < rows.size() && i < values.size(); i++)
        named[rows[i].name] = std::isnan(values[i]) ? Json(nullptr) : Json(values[i]);
    return named;
}

}  // namespace

Json counters_json(const Report &report)
{
    Json rows = Json::array();
    for (const CounterRow &row : report.counters) {
        Json json = {{"counter", row.name},
                     {"unit", or_null(row.unit)},
                     {"source", row.source},
                     {"multiplexed", row.multiplexed},
                     {"total", row.total},
                     {"in_mpi", row.in_mpi},
                     {"outside_mpi", row.outside_mpi}};
        add_spread(row, json);
        rows.push_back(std::move(json));
    }
    return rows;
}

Json metrics_json(const Report &report)
{
    Json rows = Json::array();
    for (const MetricRow &row : report.metrics) {
        Json json = {{"metric", row.name},
                     {"unit", or_null(row.unit)},
                     {"formula", row.formula},
                     {"value", row.value}};
        add_spread(row, json);
        rows.push_back(std::move(json));
    }
    return rows;
}

Json counter_values_json(const Report &report, const std::vector<double> &values)
{
    return named_values(report.counters, values);
}

void add_usage_json(const Report &report, const RankRow &row, Json &json)
{
    json["cpu_list"] = or_null(row.cpu_list);
    json["cpus_allowed"] = or_null(row.cpus_allowed);
    json["numa_node"] = or_null(row.numa_node);
    json["migrations"] = or_null(row.migrations);
    json["minor_faults"] = or_null(row.minor_faults);
    json["major_faults"] = or_null(row.major_faults);
    json["voluntary_switches"] = or_null(row.voluntary_switches);
    json["involuntary_switches"] = or_null(row.involuntary_switches);
    json["init_memory_bytes"] = or_null(row.init_memory_bytes);
    json["shared_memory_bytes"] = or_null(row.shared_memory_bytes);
    json["numa_own_bytes"] = or_null(row.numa_own_bytes);
    json["numa_other_bytes"] = or_null(row.numa_other_bytes);
    json["samples"] = samples_json(row);
    json["counters"] = counter_values_json(report, row.counters);
    json["counters_in_mpi"] = counter_values_json(report, row.counters_in_mpi);
    json["metrics"] = named_values(report.metrics, row.metrics);
}

}  // namespace mprof
