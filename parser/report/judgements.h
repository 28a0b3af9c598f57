// How good figures of the Report are, by the limits of verdict_thresholds.h.
#pragma once

#include "report/states.h"
#include "report/verdict_thresholds.h"

namespace mprof {

// On the good side of the first limit a figure is good, beyond the second one a problem. Limits
// that fall mean that more is better.
inline Judgement judgement_of(double value, double first, double second)
{
    const bool more_is_better = first > second;
    const auto is_within = [&](double limit) {
        return more_is_better ? value >= limit : value < limit;
    };
    if (is_within(first))
        return Judgement::good;
    return is_within(second) ? Judgement::watch : Judgement::problem;
}

// Of a load balance, and of a communication efficiency.
inline Judgement judgement_of_balance(double balance)
{
    return judgement_of(balance, verdict_thresholds.poor_load_balance,
                        verdict_thresholds.bad_load_balance);
}

}  // namespace mprof
