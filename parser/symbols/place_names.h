// Names of places that were looked up before: `mprof merge` and `mprof scrub` keep them in the file
// that they write, because the binaries may be gone when somebody reads it.
#pragma once

#include "symbols/module_symbols.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace mprof {

// What a module is told from others by: its build id; without one its file name, behind a "/", so
// that no build id can be the same.
std::string module_key(const std::string &build_id, const std::string &path);

class PlaceNames {
public:
    using Frames = std::vector<SymbolFrame>;

    void add(const ModuleIdentity &module, uint64_t offset, const Frames &frames);
    // Null if there are none.
    const Frames *find(const ModuleIdentity &module, uint64_t offset) const;
    // Of all places but those that have one in `known`.
    void drop_lines(const PlaceNames &known);

    // As the format has it (mprof_names); empty if there are no names.
    std::vector<std::byte> encode() const;
    // Adds what encode() made. False: it is damaged, and some of it may be missing.
    bool decode(std::span<const std::byte> content);

private:
    void add_better(PlaceNames &&others);

    std::map<std::string, std::map<uint64_t, Frames>> modules_;  // by module_key()
};

bool has_line(const PlaceNames::Frames &frames);

}  // namespace mprof
