// What ranks did last, of those that have not ended normally: for jobs that hang, were killed or
// crashed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mprof {

// One call, or a run of polls that followed each other.
struct LastCallRow {
    uint32_t rank = 0, thread = 0;
    std::string function, place;  // "" = not recorded
    std::string communicator;     // "" = none
    std::optional<int64_t> peer;  // rank in it
    std::optional<uint64_t> bytes;
    std::optional<uint64_t> polls;  // how many calls the row stands for
    double began_s = 0;             // after the start of the first rank
    std::optional<double> time_s;   // none: it had not ended
    std::string call;               // "MPI_Send to rank 3 on rows"
};

}  // namespace mprof
