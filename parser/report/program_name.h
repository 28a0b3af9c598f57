// The name by which people know a run: that of its program, or of the script that an interpreter
// runs.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

// Of a command line, without folders: "lmp", "solve.py" of "/usr/bin/python3 -u bin/solve.py -n 4".
// "" of an empty one.
std::string program_name(const std::string &command);

// Of its first word alone: "python3" of the same.
std::string executable_name(const std::string &command);

// The command line without the folder of its program, which says little and differs between builds.
std::string command_without_folder(const std::string &command);

// Whether a program of this name runs what others wrote, as python3.
bool is_interpreter(const std::string &name);

// The program of a rank; nullptr if all ranks run the same one.
const ProgramRow *program_of_rank(const Report &report, uint32_t rank);

}  // namespace mprof
