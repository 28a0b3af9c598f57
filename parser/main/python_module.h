// What mprof leaves to its Python module mpiprof (python/): tables of many runs, and answers to an
// assistant. This process becomes Python when all else is done. Called by the command's one thread.
#pragma once

#include <string>
#include <vector>

namespace mprof {

// Becomes `python3 -m MODULE ARGUMENTS`; `purpose` is what needs it, in messages. Returns only if
// that cannot be started, with a message on stderr, the exit status. If the module or a newer
// Python is missing, Python says so.
int become_python_module(const std::string &purpose, const std::string &module,
                         const std::vector<std::string> &arguments);

}  // namespace mprof
