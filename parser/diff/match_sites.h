// Finds the places of one build of a program in another one.
//
// Line numbers shift when somebody edits the file, so a place is its MPI function, file and
// enclosing function of the program; where these have several calls, their order decides, and if
// there are more on one side, how far the lines shift. Where no lines are known, module and
// function of the program take the place of the file; where not even these, the order of the code
// in the module, and that only if there are as many calls on both sides.
#pragma once

#include "diff/comparison.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace mprof {

struct Site {
    std::string function;  // of MPI
    Frame at;
    std::string module;  // what module_key() makes of it
};

// The part of a module's name that stays between builds: "libx.so.1.2" is "libx.so", and the
// program itself, of which this is the command line, is "", however it is called.
std::string module_key(const Frame &at, const std::string &command);

struct SitePair {
    std::optional<size_t> a, b;  // indices into the two lists; at least one is there
    Match match = Match::none;
};

// Every site of both lists is in exactly one pair. No two sites of a list may be alike.
std::vector<SitePair> match_sites(const std::vector<Site> &a, const std::vector<Site> &b);

using PositionPair = std::pair<size_t, size_t>;

// Pairs (indices) of two rising lists of lines: as many as the shorter list has, in order. If one
// is longer: those that one common shift brings to the same line, as many as possible; then the
// same between these.
std::vector<PositionPair> align_positions(const std::vector<int64_t> &a,
                                          const std::vector<int64_t> &b);

}  // namespace mprof
