// $BROWSER is a list of commands with colons between; %s in one stands for the page (as in
// Python's webbrowser and in man). One of them may be for terminals, so each is waited for.
// xdg-open returns at once or stays as long as the browser is open: it is given a moment to fail.
#include "main/open_page.h"

#include "main/report_output.h"
#include "read/printable_text.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace mprof {
namespace {

using Words = std::vector<std::string>;

std::string value_of(const char *name)
{
    const char *value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// The browser must not write into the report.
void detach()
{
    setsid();
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (nowhere >= 0)
            dup2(nowhere, stream);
}

pid_t start_browser(Words words, bool on_display)
{
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t process = fork();
    if (process != 0)
        return process;
    if (on_display)
        detach();
    execvp(arguments.front(), arguments.data());
    _exit(127);
}

bool ended_well(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool run_to_end(const Words &words)
{
    int status = 0;
    const pid_t process = start_browser(words, false);
    while (process > 0 && waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return process > 0 && ended_well(status);
}

bool run_for_a_moment(const Words &words)
{
    constexpr int tries = 60;
    constexpr auto pause = std::chrono::milliseconds(50);
    const pid_t process = start_browser(words, true);
    for (int i = 0; process > 0 && i < tries; i++) {
        int status = 0;
        if (waitpid(process, &status, WNOHANG) == process)
            return ended_well(status);
        std::this_thread::sleep_for(pause);
    }
    return process > 0;
}

Words browser_words(const std::string &command, const std::string &path)
{
    Words words;
    bool has_place = false;
    std::istringstream stream(command);
    for (std::string word; stream >> word;) {
        if (const size_t place = word.find("%s"); place != std::string::npos) {
            word.replace(place, 2, path);
            has_place = true;
        }
        words.push_back(word);
    }
    if (!has_place && !words.empty())
        words.push_back(path);
    return words;
}

bool try_browsers(const std::string &path)
{
    std::istringstream commands(value_of("BROWSER"));
    for (std::string command; std::getline(commands, command, ':');)
        if (const Words words = browser_words(command, path); !words.empty() && run_to_end(words))
            return true;
    const bool has_display = !value_of("DISPLAY").empty() || !value_of("WAYLAND_DISPLAY").empty();
    return has_display && run_for_a_moment({"xdg-open", path});
}

}  // namespace

void open_page(const std::string &path)
{
    std::error_code error;
    const std::string whole = std::filesystem::absolute(path, error).lexically_normal().native();
    if (try_browsers(error ? path : whole))
        return;
    say(fmt::format("no browser could be opened here. The page is {}: copy it to where there is "
                    "one, or set BROWSER",
                    printable_ascii(error ? path : whole)));
}

}  // namespace mprof
