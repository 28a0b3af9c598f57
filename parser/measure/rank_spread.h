// Mean and extremes of a figure over the ranks that have it.
#pragma once

#include "report/report.h"

#include <optional>

namespace mprof {

// `row` is any row with mean, min, max, min_rank and max_rank; `value_of` gives std::nullopt for a
// rank without the figure. Returns the sum, or nothing if no rank has it.
template <class Row, class Value>
std::optional<double> spread_over_ranks(const Report &report, const Value &value_of, Row &row)
{
    size_t count = 0;
    double sum = 0;
    for (const RankRow &rank : report.ranks) {
        const std::optional<double> value = value_of(rank);
        if (!value)
            continue;
        if (count == 0 || *value < row.min) {
            row.min = *value;
            row.min_rank = rank.rank;
        }
        if (count == 0 || *value > row.max) {
            row.max = *value;
            row.max_rank = rank.rank;
        }
        sum += *value;
        count++;
    }
    if (count == 0)
        return std::nullopt;
    row.mean = sum / static_cast<double>(count);
    return sum;
}

}  // namespace mprof
