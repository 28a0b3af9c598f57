// Collects what each rank has of a time, and tells how it is spread (Welford's method: no
// difference of large sums).
#pragma once

#include "report/report.h"

#include <cmath>

namespace mprof {

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
