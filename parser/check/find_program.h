// From the words of a command to the file that will make MPI calls.
#pragma once

#include <string>
#include <vector>

namespace mprof {

struct FoundProgram {
    std::string path;                    // of an executable, "" = not found
    std::string script;                  // of which `path` is the interpreter, or ""
    std::vector<std::string> launchers;  // that stand before it: mpirun, srun, env
    std::string replaces_preload;        // the launcher that sets LD_PRELOAD anew, or ""
};

// After a launcher, the program is the first word that names an executable file. The values of a
// launcher's options do not.
FoundProgram find_behind_launchers(const std::vector<std::string> &command);

// The file that this word starts, searched for in PATH; "" if there is none.
std::string find_program(const std::string &word);

}  // namespace mprof
