// The file that the ranks of a node share (struct mprof_node_header in mprof/format/format.h): the
// rank files in it, live or finished. merged_file.h reads them on as it does those of a merged
// file.
#pragma once

#include "mprof/format/format.h"
#include "read/file_result.h"
#include "read/open_file.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mprof {

// A rank file in a node file. All of its bytes are in the file, if the file does not shrink.
struct NodePart {
    uint32_t rank = 0;
    uint64_t offset = 0, bytes = 0;
    bool is_live = false;
};

// The parts that hold something, in the order of their ranks.
Result<std::vector<NodePart>> read_node_parts(const OpenFile &file, const std::string &path);

// As the rank's own file would be called.
std::string name_of_part(const NodePart &part);

}  // namespace mprof
