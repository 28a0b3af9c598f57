// mprof run --check: what will mprof see of this program? Found out without running it.
#pragma once

#include "check/loaded_objects.h"

#include <string>
#include <utility>
#include <vector>

namespace mprof {

// The values are the exit status.
enum class CheckOutcome {
    everything = 0,  // will be profiled, every MPI call is seen
    partly = 1,      // will be profiled, with gaps, or only once it has loaded an MPI
    nothing = 2,     // cannot be profiled
};

struct ProgramCheck {
    CheckOutcome outcome = CheckOutcome::everything;
    std::vector<std::pair<std::string, std::string>> facts;  // "MPI", its path
    std::vector<std::string> conclusions;                    // sentences
};

// `command` is what would stand behind `mprof run --`: a program, a script, or a launcher and its
// program. `library` is the libmprof.so that would be preloaded; its own exports tell what it
// covers.
ProgramCheck check_command(const std::vector<std::string> &command, const std::string &library);

// "openmpi", "mpich" or "mpi5". At run time libmprof asks the library. Here only its names are
// known.
std::string abi_family_of(const ElfObject &mpi);

// "MPIX_A (libx.so), PMPI_B (the program)": what these objects import and `library` does not cover.
// `objects` begins with the program. The rules are those of libmprof/interpose/not_covered.c.
std::vector<std::string> list_not_covered(const std::vector<ElfObject> &objects,
                                          const ElfObject &mpi, const ElfObject &library);

}  // namespace mprof
