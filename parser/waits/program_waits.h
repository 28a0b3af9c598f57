// For which program of the job the ranks of each program waited. See program_waits.cc for how.
#pragma once

#include "waits/collective_waits.h"
#include "waits/message_waits.h"

#include <vector>

namespace mprof {

// Of the ranks of one program, summed over them.
struct OfProgram {
    std::vector<double> wait_s;  // for each program, the own one included
    double unknown_wait_s = 0;   // nobody knows for whom: a rank without a file, an unknown partner
    double small_transfer_s = 0, large_transfer_s = 0;  // see verdict_thresholds.h
    double missing_s = 0;  // of unknown_wait_s, in collectives for ranks whose files are missing
};

struct ProgramWaits {
    JobPrograms programs;
    std::vector<OfProgram> of;  // one per program; with one program only the transfer is filled
};

// Runs when the waiting of all entries is known.
ProgramWaits find_program_waits(WaitContext &context, const CollectiveWaits &collectives,
                                const MessageWaits &messages);

}  // namespace mprof
