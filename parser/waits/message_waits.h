// For whom ranks waited in messages, and how long that can have been. See message_waits.cc.
#pragma once

#include "waits/wait_context.h"

#include <map>
#include <vector>

namespace mprof {

struct MessageWaits {
    std::vector<double> caused_s;                        // by rank: what others waited for it
    std::vector<std::map<CallPlace, double>> caused_at;  // by rank: where others waited for it
    std::vector<std::map<size_t, double>> pairs;  // by waiter: for whom, before anything is passed
                                                  // on; empty with one program
};

// Takes the waiting of entries down to what the partners' absence allows.
MessageWaits limit_message_waits(WaitContext &context);

}  // namespace mprof
