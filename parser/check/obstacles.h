// What stands in the way of preloading libmprof.so into a program, and into a container that a
// command starts: for mprof run and its --check.
#pragma once

#include "check/loaded_objects.h"

#include <functional>
#include <optional>
#include <string>
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

}  // namespace mprof
