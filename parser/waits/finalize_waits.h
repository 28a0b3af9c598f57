// Waiting in MPI_Finalize, which needs no journal. Called by collective_waits.cc.
#pragma once

#include "waits/collective_waits.h"

namespace mprof {

// Replaces what a journal says of MPI_Finalize, because thinning may have dropped that instance.
void add_finalize_waits(WaitContext &context, CollectiveWaits &result);

}  // namespace mprof
