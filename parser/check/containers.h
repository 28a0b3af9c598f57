// Does a container that a command starts see mprof? `mprof run` asks before it starts the command.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// What to do about a container that does not see the folder of mprof, as a sentence for the user;
// nothing if there is no container, or it sees the folder, or runs mprof itself. `variable` gives
// the value of a variable of the environment, "" if it is not set.
std::optional<std::string>
container_advice(const std::vector<std::string> &command, const std::string &folder,
                 const std::function<std::string(const char *)> &variable);

}  // namespace mprof
