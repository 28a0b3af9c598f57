// `mprof scrub`: a rank file without what tells whose it is: host names become node-1, node-2 ...,
// paths lose their folders, arguments, job ids and the working directory go.
//
// By allow-list: texts and sections that are not known here are left out.
#pragma once

#include "read/file_result.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace mprof {

// The new names of hosts, the same in all files of a run.
using HostNames = std::map<std::string, std::string>;

struct Scrubbing {
    HostNames hosts = {};
    bool keeps_functions = true;  // of scripts; those of compiled code are in no rank file
};

// A live file stays live, a finished one is finished again, with nothing compressed.
Result<std::vector<std::byte>> scrubbed_rank_file(std::span<const std::byte> bytes,
                                                  const std::string &file, Scrubbing &scrubbing);

struct ScrubCounts {
    uint64_t files = 0, bytes = 0;
    bool has_replaced = false;        // another file
    std::vector<FileError> left_out;  // files that are no rank files, or damaged
};

// Writes all rank files of a profile folder or of a merged file into a new merged file. The new
// file must not be one of the inputs. Links in the folder are left out (without_links()). Without a
// rank file nothing is written. `names` are those of places (struct mprof_names), or empty.
Result<ScrubCounts> scrub_files(const std::string &path, const std::string &target,
                                const Scrubbing &scrubbing = {},
                                const std::vector<std::byte> &names = {});

}  // namespace mprof
