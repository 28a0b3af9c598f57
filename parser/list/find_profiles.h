// Which profiles lie below a folder, and what the head of one says, without what its ranks
// recorded. For mprof list, and for what else looks for profiles by their names.
#pragma once

#include "read/file_result.h"
#include "read/rank_file.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace mprof {

// A folder's name tells nothing: what makes it a profile folder is a file in it that is called like
// those of libmprof (is_rank_file_name()). Other files NAME.mprof are merged files, each a profile.
bool is_rank_folder(const std::string &folder);

// A file NAME.mprof that is not hidden.
bool is_file_of_profile(const std::filesystem::directory_entry &entry);
// True if the folder has such a file, of whatever kind.
bool has_profile_files(const std::string &folder);

// How many folders below the given one are looked into.
inline constexpr size_t most_levels = 6;

struct FoundProfiles {
    std::vector<std::string> paths;  // as a command takes them; below "." without "./"
    size_t closed_folders = 0;       // that may not be read, and are not called like a profile
    bool has_deeper = false;         // some folder has more levels
};

// Hidden folders and links to folders are not followed, and a profile folder is not searched
// further. `path` may be a profile itself. An error if it is not there or may not be read.
Result<FoundProfiles> find_profiles(const std::string &path);

// The first rank that can be read of a profile folder, rank file, node file or merged file, as
// read_rank_head() reads it. An error if none of the first few files can be.
Result<RankFile> read_profile_head(const std::string &path);

}  // namespace mprof
