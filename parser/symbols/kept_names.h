// Names of places that were looked up before: in the file that `mprof merge` or `mprof scrub`
// wrote, and in the user's cache folder. For SymbolLookup.
#pragma once

#include "symbols/module_symbols.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace mprof {

// `mprof merge` and `mprof scrub` keep them in the file that they write, because the binaries may
// be gone when somebody reads it.

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

// Lines that were looked up in an earlier command: files by build id in the user's cache folder,
// $XDG_CACHE_HOME/mprof/lines or ~/.cache/mprof/lines. Whatever fails is as if nothing had been
// kept; nothing in a file is believed.

// Where the environment says that caches go; "" = nowhere, as with MPROF_CACHE=off.
std::string line_cache_folder();

class LineCache {
public:
    // The folder need not be there. "": nothing is kept.
    explicit LineCache(std::string folder) : folder_(std::move(folder)) {}

    // What is known of the module with this build id.
    PlaceNames read(const std::string &build_id) const;
    // In the place of what was there. Keeps the folder below `most_bytes`, by the oldest files.
    void write(const std::string &build_id, const PlaceNames &names) const;

    static constexpr size_t most_bytes = size_t{64} << 20U, most_file_bytes = size_t{8} << 20U;

private:
    std::string path_of(const std::string &build_id) const;
    void make_room() const;

    std::string folder_;
};

}  // namespace mprof
