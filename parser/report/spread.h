// How figures are spread: quantile and median of values, mean and extremes over ranks, and a time
// over the ranks that have it. No state; any thread.
#pragma once

#include "report/place_rows.h"
#include "report/rank_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace mprof {

// The value that a part of all values does not exceed.

// `values` is not empty, and in another order afterwards; `part` is 0 to 1.
template <class T>
T quantile(std::vector<T> &values, double part)
{
    const auto at = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<size_t>(at)];
}

// Of two in the middle the smaller one: a value that one of them has.
template <class T>
T lower_median(std::vector<T> values)
{
    return quantile(values, 0.5);
}

// Of two in the middle the mean. `values` is not empty.
inline double median_of(std::vector<double> values)
{
    const double lower = quantile(values, 0.5);
    if (values.size() % 2 == 1)
        return lower;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    return (lower + *std::min_element(middle, values.end())) / 2;
}

// Mean and extremes of a figure over the ranks that have it.

// `row` is any row with mean, min, max, min_rank and max_rank; `value_of` gives std::nullopt for a
// rank without the figure. Returns the sum, or nothing if no rank has it.
template <class Row, class Value>
std::optional<double> spread_over_ranks(const std::vector<RankRow> &ranks, const Value &value_of,
                                        Row &row)
{
    size_t count = 0;
    double sum = 0;
    for (const RankRow &rank : ranks) {
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

// Collects what each rank has of a time, and tells how it is spread (Welford's method: no
// difference of large sums).
class TimeSpread {
public:
    void add(double seconds, uint32_t rank)
    {
        spread_.ranks++;
        if (spread_.ranks == 1 || seconds < spread_.min_s) {
            spread_.min_s = seconds;
            spread_.min_rank = rank;
        }
        if (spread_.ranks == 1 || seconds > spread_.max_s) {
            spread_.max_s = seconds;
            spread_.max_rank = rank;
        }
        const double before = seconds - spread_.mean_s;
        spread_.mean_s += before / static_cast<double>(spread_.ranks);
        squares_ += before * (seconds - spread_.mean_s);
    }

    Spread result() const
    {
        Spread spread = spread_;
        if (spread.ranks > 0 && spread.mean_s > 0)
            spread.variation =
                std::sqrt(squares_ / static_cast<double>(spread.ranks)) / spread.mean_s;
        return spread;
    }

private:
    Spread spread_;
    double squares_ = 0;  // of the differences from the mean
};

}  // namespace mprof
