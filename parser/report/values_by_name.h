// Numbers of which only the run knows the names: values of counters and metrics.
#pragma once

#include "report/field.h"

#include <cmath>

namespace mprof {

// What was not counted has no value.
template <class Row>
NamedNumbers values_by_name(const std::vector<Row> &names, const std::vector<double> &values)
{
    NamedNumbers numbers;
    for (size_t i = 0; i < names.size() && i < values.size(); i++)
        numbers.emplace_back(
            names[i].name, std::isnan(values[i]) ? std::nullopt : std::optional<double>(values[i]));
    return numbers;
}

inline NamedNumbers region_counters(const RegionRow &row, const Report &report)
{
    return values_by_name(report.counters, row.counters);
}
inline NamedNumbers rank_counters(const RankRow &row, const Report &report)
{
    return values_by_name(report.counters, row.counters);
}
inline NamedNumbers rank_counters_in_mpi(const RankRow &row, const Report &report)
{
    return values_by_name(report.counters, row.counters_in_mpi);
}
inline NamedNumbers rank_metrics(const RankRow &row, const Report &report)
{
    return values_by_name(report.metrics, row.metrics);
}

}  // namespace mprof
