// Waiting in MPI_Finalize, which needs no journal. Called by collective_waits.cc.
#pragma once

#include "analyse/collective_waits.h"

namespace mprof {

// In place of what a journal said of MPI_Finalize, which may have been thinned away.
void add_finalize_waits(WaitContext &context, CollectiveWaits &result);

}  // namespace mprof
