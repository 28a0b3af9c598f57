// From the words of a command to the file that will make MPI calls: past launchers, and through the
// first line of scripts.
#include "check/find_program.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace mprof {
namespace {

namespace fs = std::filesystem;

bool is_executable_file(const std::string &path)
{
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

// By name, without a suffix such as that of mpirun.openmpi.
bool is_launcher(const std::string &word)
{
    static constexpr std::array<std::string_view, 20> names = {
        "mpirun", "mpiexec", "orterun", "prterun", "prun",   "srun",    "jsrun",
        "aprun",  "flux",    "env",     "time",    "nice",   "numactl", "taskset",
        "ibrun",  "lrun",    "timeout", "stdbuf",  "setsid", "nohup"};
    const std::string name = fs::path(word).filename().native();
    return std::find(names.begin(), names.end(), name.substr(0, name.find('.'))) != names.end();
}

bool is_one_of(const std::string &word, std::initializer_list<std::string_view> names)
{
    return std::find(names.begin(), names.end(), word) != names.end();
}

bool keeps_library(const std::string &value)
{
    return value.find("libmprof") != std::string::npos ||
           value.find("LD_PRELOAD") != std::string::npos;
}

// This word of a launcher, perhaps with those beside it, gives LD_PRELOAD another value or none:
// env LD_PRELOAD=a.so, env -i, mpirun -x LD_PRELOAD=a.so, mpiexec -env LD_PRELOAD a.so.
bool replaces_preload(const std::string &launcher, const std::vector<std::string> &command,
                      size_t index)
{
    const std::string &word = command[index];
    const std::string assignment = "LD_PRELOAD=";
    const size_t begin = word.find(assignment);
    if (begin != std::string::npos)
        return !keeps_library(word.substr(begin + assignment.size()));
    if (word == "LD_PRELOAD" && is_one_of(command[index - 1], {"-env", "-genv"}))
        return index + 1 < command.size() && !keeps_library(command[index + 1]);
    if (word == "LD_PRELOAD")
        return is_one_of(command[index - 1], {"-u", "--unset"});
    if (is_one_of(word, {"-uLD_PRELOAD", "--unset=LD_PRELOAD", "-envnone", "-genvnone"}))
        return true;
    return fs::path(launcher).filename() == "env" &&
           is_one_of(word, {"-", "-i", "--ignore-environment"});
}

std::vector<std::string> words_of(const std::string &text)
{
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

// What stands behind "#!", or nothing.
std::vector<std::string> script_interpreter(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::string line(256, '\0');
    file.read(line.data(), static_cast<std::streamsize>(line.size()));
    line.resize(static_cast<size_t>(file.gcount()));
    if (!line.starts_with("#!"))
        return {};
    return words_of(line.substr(2, line.find('\n') - 2));
}

}  // namespace

std::string find_program(const std::string &word)
{
    if (word.find('/') != std::string::npos)
        return is_executable_file(word) ? word : "";
    const char *variable = std::getenv("PATH");
    std::istringstream folders(variable == nullptr ? "/bin:/usr/bin" : variable);
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string path = (folder.empty() ? "." : folder) + "/" + word;
        if (is_executable_file(path))
            return path;
    }
    return "";
}

FoundProgram find_behind_launchers(const std::vector<std::string> &command)
{
    FoundProgram found;
    for (size_t i = 0; i < command.size(); i++) {
        const std::string &word = command[i];
        if (!found.launchers.empty() && replaces_preload(found.launchers.back(), command, i))
            found.replaces_preload = found.launchers.back();
        std::string path =
            found.launchers.empty() || !word.starts_with('-') ? find_program(word) : std::string();
        if (path.empty() && found.launchers.empty())
            return found;
        if (path.empty())
            continue;  // an option of the launcher, or its value
        if (!is_launcher(word)) {
            found.path = path;
            break;
        }
        found.launchers.push_back(word);
    }
    constexpr int most_levels = 4;  // Linux allows 4
    for (int level = 0; level < most_levels && !found.path.empty(); level++) {
        const std::vector<std::string> interpreter = script_interpreter(found.path);
        if (interpreter.empty())
            break;
        found.script = found.path;
        found.path = "";
        for (const std::string &word : interpreter)
            if (!word.starts_with('-') && !is_launcher(word) && found.path.empty())
                found.path = find_program(word);
    }
    return found;
}

}  // namespace mprof
