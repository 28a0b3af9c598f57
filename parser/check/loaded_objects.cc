// The program is named to the kernel, not given to ld.so as an argument: so $ORIGIN is right, and
// its own interpreter is taken.
#include "check/loaded_objects.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mprof {
namespace {

std::string read_all(int descriptor)
{
    std::string text;
    std::array<char, 4096> buffer;
    for (;;) {
        const ssize_t got = read(descriptor, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return text;
        text.append(buffer.data(), static_cast<size_t>(got));
    }
}

std::vector<std::string> tracing_environment()
{
    std::vector<std::string> variables;
    for (char **variable = environ; *variable != nullptr; variable++)
        if (std::strncmp(*variable, "LD_TRACE_", 9) != 0 &&
            std::strncmp(*variable, "LD_DEBUG", 8) != 0)
            variables.emplace_back(*variable);
    variables.emplace_back("LD_TRACE_LOADED_OBJECTS=1");
    return variables;
}

std::vector<char *> pointers_to(std::vector<std::string> &words)
{
    std::vector<char *> pointers;
    for (std::string &word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

// Starts it with standard output going to `output`; 0 or why not.
int start_tracing(const std::string &program, int output, pid_t &child)
{
    std::vector<std::string> words = {program};
    std::vector<std::string> variables = tracing_environment();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int problem = posix_spawn(&child, program.c_str(), &actions, nullptr,
                                    pointers_to(words).data(), pointers_to(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    return problem;
}

void add_line(std::string_view line, LoadedObjects &objects)
{
    constexpr std::string_view arrow = " => ";
    while (!line.empty() && (line.front() == '\t' || line.front() == ' '))
        line.remove_prefix(1);
    const size_t arrow_at = line.find(arrow);
    std::string_view path = line;
    if (arrow_at != std::string_view::npos)
        path = line.substr(arrow_at + arrow.size());
    if (path == "not found") {
        objects.missing.emplace_back(line.substr(0, arrow_at));
        return;
    }
    const size_t address_at = path.rfind(" (0x");
    if (address_at != std::string_view::npos && path.starts_with('/'))
        objects.paths.emplace_back(path.substr(0, address_at));
}

}  // namespace

LoadedObjects parse_trace(std::string_view text)
{
    LoadedObjects objects;
    objects.asked = true;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        add_line(text.substr(0, end), objects);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return objects;
}

LoadedObjects ask_dynamic_linker(const std::string &program)
{
    LoadedObjects objects;
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        objects.failure = std::strerror(errno);
        return objects;
    }
    pid_t child = 0;
    const int problem = start_tracing(program, ends[1], child);
    close(ends[1]);
    if (problem == 0) {
        objects = parse_trace(read_all(ends[0]));
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        if (!WIFEXITED(status) || objects.paths.empty()) {
            objects.asked = false;
            objects.failure = "the dynamic linker did not list the libraries";
        }
    } else {
        objects.failure = std::strerror(problem);
    }
    close(ends[0]);
    return objects;
}

bool is_glibc_linker(std::string_view interpreter)
{
    const std::string_view name = interpreter.substr(interpreter.find_last_of('/') + 1);
    return name.starts_with("ld-linux") || name.starts_with("ld64.so") || name.starts_with("ld.so");
}

}  // namespace mprof
