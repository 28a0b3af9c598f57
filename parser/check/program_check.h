// mprof run --check: what will mprof see of this program? Found out without running it. First,
// what prevents libmprof.so from being preloaded into a program, and into a container that a
// command starts. mprof run asks this as well.
#pragma once

#include "check/loaded_objects.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mprof {

struct Obstacle {
    // "its dynamic linker is /lib/ld-musl-x86_64.so.1, not that of glibc": what the program is.
    std::string reason;
    // With libmprof.so in LD_PRELOAD the program or its output would change.
    bool does_harm = false;
};

// Needs the head of the executable only (read_elf_head).
std::optional<Obstacle> find_obstacle(const ElfObject &executable, const ElfObject &library);

// It contains its MPI functions, and no libmprof.a with them.
bool contains_bare_mpi(const ElfObject &executable);

// AddressSanitizer as a library must be the first one, or must be told that it need not be.
// libmprof.so tells it, where the program has no such function of its own: then it is this
// addition to ASAN_OPTIONS; else "".
std::string sanitizer_options(const ElfObject &executable, const std::string &options_before);

// Does a container that a command starts see mprof? `mprof run` asks before it starts the command.

// What to do about a container that does not see the folder of mprof, as a sentence for the user;
// nothing if there is no container, or it sees the folder, or runs mprof itself. `variable` gives
// the value of a variable of the environment, "" if it is not set.
std::optional<std::string>
container_advice(const std::vector<std::string> &command, const std::string &folder,
                 const std::function<std::string(const char *)> &variable);

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

// `command` is what would follow `mprof run --`: a program, a script, or a launcher and its
// program. `library` is the libmprof.so that would be preloaded; its own exports tell what it
// covers.
ProgramCheck check_command(const std::vector<std::string> &command, const std::string &library);

// "openmpi", "mpich" or "mpi5". At run time libmprof asks the library. Here only its names are
// known.
std::string abi_family_of(const ElfObject &mpi);

// "MPIX_A (libx.so), PMPI_B (the program)": what these objects import and `library` does not cover.
// `objects` begins with the program. The rules are those of libmprof/interpose/second_mpi.c.
std::vector<std::string> list_not_covered(const std::vector<ElfObject> &objects,
                                          const ElfObject &mpi, const ElfObject &library);

}  // namespace mprof
