// What of the time of calls that counts as transfer is waiting all the same: for the accounts.
#pragma once

#include "measure/function_facts.h"
#include "measure/rank_measure.h"

#include <algorithm>

namespace mprof {

// Of an entry of calls: all of it in calls that move nothing, or of which waiting is not known.
// Where all wait for the root, what is longer than a slow network takes: the root may be late each
// time.
inline double idle_seconds(const MeasuredEntry &entry, const FunctionFacts &facts)
{
    constexpr double most_call_s = 5e-5, most_byte_s = 1e-8;
    const double own_s =
        std::max(0.0, entry.mpi_thread_s() - entry.mpi_thread_wait_s().value_or(0));
    if (facts.moves_nothing() || !entry.mpi_thread_wait_s())
        return own_s;
    if (facts.call != WaitRule::root)
        return 0;
    return std::max(0.0, own_s - most_call_s * static_cast<double>(entry.calls) -
                             most_byte_s * static_cast<double>(entry.counted_bytes()));
}

}  // namespace mprof
