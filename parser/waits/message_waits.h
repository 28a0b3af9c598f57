// For whom ranks waited in messages, and how long that can have been. See message_waits.cc.
#pragma once

#include "waits/wait_context.h"

#include <functional>
#include <map>
#include <vector>

namespace mprof {

struct MessageWaits {
    std::vector<double> caused_s;                             // by rank: what others waited for it
    std::map<size_t, std::map<CallPlace, double>> caused_at;  // where, for some of the ranks
    std::vector<std::map<size_t, double>> pairs;  // by waiter: for whom, before anything is passed
                                                  // on; empty with one program
};

// Of which ranks shall be told where others waited for them, by what they waited (`caused_s`)?
using ChooseRanks = std::function<std::vector<size_t>(const std::vector<double> &caused_s)>;

// Takes the waiting of entries down to what the partners' absence allows.
MessageWaits limit_message_waits(WaitContext &context, const ChooseRanks &choose);

}  // namespace mprof
