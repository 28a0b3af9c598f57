// What messages of a size took, against what they could have taken: Report.transfers.
#pragma once

#include "report/report.h"
#include "waits/wait_context.h"

#include <vector>

namespace mprof {

std::vector<TransferRow> transfer_rows(WaitContext &context);

}  // namespace mprof
