// Reads memory.events (version 2) and memory.oom_control (version 1).
#include "main/run/group_kills.h"

#include <algorithm>
#include <fstream>
#include <vector>

namespace mprof {
namespace {

// "oom_kill 3" among other lines.
std::optional<uint64_t> kills_in(const std::string &path)
{
    std::ifstream file(path);
    std::string key;
    uint64_t number = 0;
    while (file >> key >> number)
        if (key == "oom_kill")
            return number;
    return std::nullopt;
}

// "4:memory:/job" of version 1, "0::/job" of version 2: where the group of memory is.
std::vector<std::string> memory_groups(const std::string &groups_file, const std::string &root)
{
    std::ifstream file(groups_file);
    std::string line;
    std::vector<std::string> folders;
    while (std::getline(file, line)) {
        const size_t names = line.find(':');
        const size_t path = names == std::string::npos ? names : line.find(':', names + 1);
        if (path == std::string::npos)
            continue;
        const std::string controllers = line.substr(names + 1, path - names - 1);
        if (controllers.empty())
            folders.push_back(root + line.substr(path + 1));
        if ((',' + controllers + ',').find(",memory,") != std::string::npos)
            folders.push_back(root + "/memory" + line.substr(path + 1));
    }
    return folders;
}

}  // namespace

std::optional<uint64_t> oom_kills_of_group(const std::string &groups_file, const std::string &root)
{
    std::optional<uint64_t> most;
    for (std::string folder : memory_groups(groups_file, root))
        while (folder.size() >= root.size()) {
            for (const char *name : {"/memory.events", "/memory.oom_control"})
                if (const auto kills = kills_in(folder + name))
                    most = std::max(most.value_or(0), *kills);
            const size_t slash = folder.rfind('/');
            folder.resize(slash == std::string::npos ? 0 : slash);
        }
    return most;
}

}  // namespace mprof
