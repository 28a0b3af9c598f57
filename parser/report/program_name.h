// The name by which people know a run: that of its program, or of the script that an interpreter
// runs.
#pragma once

#include <string>

namespace mprof {

// Of a command line, without folders: "lmp", "solve.py" of "/usr/bin/python3 -u bin/solve.py -n 4".
// "" of an empty one.
std::string program_name(const std::string &command);

// Whether a program of this name runs what others wrote, as python3.
bool is_interpreter(const std::string &name);

}  // namespace mprof
