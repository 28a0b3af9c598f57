// Jobs whose messages and nodes are known, as reports, for the tests of mprof place.
#pragma once

#include "report/report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planted {

inline constexpr uint64_t mib = 1 << 20;
// What a message between nodes, and inside one, costs in these jobs.
inline constexpr double other_node_byte_s = 1e-8, same_node_byte_s = 1e-10;

// `node_of_rank`: a number per rank. Every rank's messages took as long as one network card per
// node and `other_node_byte_s` make of them once finish() has been called.
mprof::Report job(const std::vector<uint32_t> &node_of_rank);

// Both ways.
void exchange(mprof::Report &report, uint32_t a, uint32_t b, uint64_t bytes);

// Sorts the matrix, and sets what the run's messages took.
void finish(mprof::Report &report);

// A grid of `width` x `height`: neighbours exchange `bytes`. Cell i is rank `rank_of_cell[i]`.
void add_stencil(mprof::Report &report, uint32_t width, uint32_t height,
                 const std::vector<uint32_t> &rank_of_cell, uint64_t bytes);

std::vector<uint32_t> in_blocks(uint32_t ranks, uint32_t per_node);
std::vector<uint32_t> in_turn(uint32_t ranks, uint32_t nodes);

}  // namespace planted
