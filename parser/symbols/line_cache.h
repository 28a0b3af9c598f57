// Lines that were looked up in an earlier command: files by build id in the user's cache folder,
// $XDG_CACHE_HOME/mprof/lines or ~/.cache/mprof/lines. For SymbolLookup. Whatever fails is as if
// nothing had been kept; nothing in a file is believed.
#pragma once

#include "symbols/place_names.h"

#include <string>

namespace mprof {

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
