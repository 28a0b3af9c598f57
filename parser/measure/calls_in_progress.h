// The calls that ranks are in which have not ended: counted as far as they are known to have
// lasted.
//
// Records hold calls that returned. A rank that has been in MPI_Recv for an hour would look as if
// it had ended an hour ago.
#pragma once

#include "measure/rank_measure.h"

#include <optional>
#include <set>

namespace mprof {

// The thread that has been in an MPI call longest; if none is in one, the one whose last call ended
// last. nullptr if there is no thread.
const mprof_thread *last_seen_thread(const RankFile &file);

// Adds to each rank that is in a call the time until the job's last sign of life: `now_ns`, by the
// time of day, if it is running, else the last one of any rank, or the job's end as `mprof run` has
// noted it. While it runs, ranks that are in no
// call have computed until now. Ranks in `gone` have no process any more and stay as they are.
// A call in progress is time without a call: it counts when it returns.
void count_calls_in_progress(std::vector<RankMeasure> &ranks, std::optional<uint64_t> now_ns,
                             const std::set<uint32_t> &gone);

}  // namespace mprof
