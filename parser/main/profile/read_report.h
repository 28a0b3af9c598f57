// The report of a profile, for the commands that render it.
#pragma once

#include "analyse/analyse_profile.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mprof {

struct ReadReport {
    Report report;
    bool damaged = false;  // ranks' files are
};

// Nothing, with a message on stderr, if the profile cannot be read.
std::optional<ReadReport> read_report(const std::string &path, std::optional<uint32_t> world,
                                      const SymbolOptions &symbols, bool verbose,
                                      Detail detail = Detail::of_the_run);

}  // namespace mprof
