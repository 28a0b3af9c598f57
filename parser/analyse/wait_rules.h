// For whom a rank can wait in each MPI function: a table of the standard's facts.
//
// A form of a function (MPI_Ibcast, MPI_Bcast_init, MPI_Bcast_c) has the rule of the function that
// it is a form of. Calls that only start something never wait; the call that completes it does.
#pragma once

#include "analyse/merged_names.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mprof {

enum class WaitRule : uint8_t {
    never,       // it does not block, or only for its own work
    everyone,    // collective: each rank waits for the last one
    root,        // collective: all others wait for the root
    at_root,     // collective: the root waits for all others
    lower,       // collective: each rank waits for those below it
    neighbours,  // collective: each rank waits for its neighbours
    message,     // for the other side of a message
    completion,  // for what was started before (MPI_Wait and relatives)
    not_known    // it may block, and nothing recorded tells whether somebody was waited for
};

struct FunctionRules {
    WaitRule call = WaitRule::never;        // of the call itself
    WaitRule completion = WaitRule::never;  // of what completing calls spend for its requests
    std::string family;                     // the function that it is a form of
};

// Only what lies behind a started request: MPI_Ibcast, MPI_Send_init; not MPI_Wait.
inline bool is_collective(WaitRule rule)
{
    return rule >= WaitRule::everyone && rule <= WaitRule::neighbours;
}

FunctionRules rules_of(const std::string &function);

// By the numbers of `names`.
class RulesByNumber {
public:
    explicit RulesByNumber(const MergedNames &names) : names_(names) {}
    const FunctionRules &of(size_t rank, uint32_t function);

private:
    const MergedNames &names_;
    std::vector<FunctionRules> rules_;
    std::vector<bool> known_;
};

}  // namespace mprof
