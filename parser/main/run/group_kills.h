// How many processes the kernel has killed so far because a control group had no memory left: for
// mprof run, which stands before the launcher and sees what ranks that are killed cannot record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mprof {

// Of this process's own group and those around it, the largest number: version 2 counts what is
// below a group, version 1 a group alone. None: the system does not tell. The folders are those of
// the system; tests have stand-ins.
std::optional<uint64_t> oom_kills_of_group(const std::string &groups_file = "/proc/self/cgroup",
                                           const std::string &root = "/sys/fs/cgroup");

}  // namespace mprof
