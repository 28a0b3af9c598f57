// For whom ranks waited in messages, and how long that can have been. See message_waits.cc.
#pragma once

#include "waits/wait_context.h"

#include <map>
#include <vector>

namespace mprof {

struct MessageWaits {
    std::vector<double> caused_s;                        // by rank: what others waited for it
    std::vector<std::map<CallPlace, double>> caused_at;  // by rank: where others waited for it
};

// Takes the waiting of entries down to what the partners' absence allows.
MessageWaits limit_message_waits(WaitContext &context);

}  // namespace mprof
