// Figures of each rank by MPI function and by call site: the rows that only --by-rank asks for,
// because there are as many as ranks times functions. parser/analyse/by_rank/ fills them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mprof {

struct RankFunctionRow {
    uint32_t rank = 0;
    std::string function;
    uint64_t calls = 0, bytes = 0, received_bytes = 0;
    double time_s = 0, min_s = 0, max_s = 0;
    std::optional<double> wait_s;
};

struct RankCallsiteRow {
    uint32_t rank = 0;
    uint64_t callsite = 0;  // row of `callsites`
    uint64_t calls = 0, bytes = 0;
    double time_s = 0;
    std::optional<double> wait_s;
};

}  // namespace mprof
