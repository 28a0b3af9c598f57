// `mprof merge`: puts the files of a profile folder into one (merged_file.h).
#pragma once

#include "read/file_result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mprof {

struct MergedCounts {
    uint64_t files = 0, bytes_before = 0, bytes_after = 0;
    bool has_replaced = false;        // another file
    std::vector<FileError> left_out;  // files of the folder that are none of the run
};

// `path` is a profile folder, `target` the file to write, which must not be one of the folder's
// files. A file of the run is one that begins as such a file does, and one with the name of such a
// file, which may be damaged. Nothing else goes in, whatever lies in the folder or is linked there:
// merged files are passed on to others. Merged files in the folder are taken apart into their
// blocks, so that the merged files of nodes can be merged again. `names` are those of places
// (struct mprof_names), or empty; names that merged files of the folder have are not copied.
Result<MergedCounts> merge_files(const std::string &path, const std::string &target,
                                 bool show_progress, const std::vector<std::byte> &names = {});

}  // namespace mprof
