// The Python module mpiprof (python/), to which mprof export hands over what it writes. Called by
// the command's one thread.
#pragma once

#include <string>
#include <vector>

namespace mprof {

// Becomes `python3 -m mpiprof ARGUMENTS`. Returns only if that cannot be started, with a message on
// stderr, the exit status. If the module or a newer Python is missing, Python says so.
int become_python_module(const std::vector<std::string> &arguments);

}  // namespace mprof
