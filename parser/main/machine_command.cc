// mprof machine: what the machine can do, measured behind a launcher, or read from files.
#include "check/loaded_objects.h"
#include "machine/machine_figures.h"
#include "main/commands.h"
#include "main/preload.h"
#include "main/report_output.h"
#include "read/file_bytes.h"
#include "read/printable_text.h"
#include "render/renderers.h"
#include "report/number_text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace mprof {
namespace {

// Starts the measuring program (libmprof/machine/) behind the user's launcher, and reads what it
// says.
// The program's lines come on the launcher's standard output; all else that is printed there goes
// to standard error. A launcher that says nothing more is ended: after the last line soon, before
// it when all measurements must be over.

struct Measuring {
    std::vector<std::string> launcher;  // "mpirun", "-n", "4"
    std::string library;                // the MPI's, "" = that of the launcher
    uint32_t seconds = 60;              // no measurement begins later
    bool verbose = false;               // also what the launcher and the MPI print
};

using Clock = std::chrono::steady_clock;
// Connections and MPI_Init of many ranks; and MPI_Finalize.
constexpr std::chrono::seconds start_patience{120}, end_patience{10};

// Beside libmprof.so; "" after a message.
std::string find_measuring_program()
{
    const std::string library = find_preload_library();
    if (library.empty())
        return "";
    const std::filesystem::path folder = std::filesystem::path(library).parent_path();
    for (const char *name : {"mprof/mprof-machine", "mprof-machine"})
        if (const auto path = folder / name; access(path.c_str(), X_OK) == 0)
            return path.native();
    say(fmt::format("{}: not found, although it does the measuring; it is part of an installation",
                    printable_text((folder / "mprof/mprof-machine").native())));
    return "";
}

// The word of the command that starts ranks: others may stand before it, as `env`.
std::string launcher_in(const std::vector<std::string> &command)
{
    constexpr std::array<std::string_view, 8> names = {"mpirun",  "mpiexec", "srun",  "orterun",
                                                       "prterun", "aprun",   "jsrun", "ibrun"};
    for (const std::string &word : command) {
        const std::string name = std::filesystem::path(word).filename().native();
        if (std::any_of(names.begin(), names.end(),
                        [&](std::string_view known) { return name.starts_with(known); }))
            return find_program(word);
    }
    return find_program(command.front());
}

std::vector<std::string> whole_command(const Measuring &measuring, const std::string &program)
{
    std::vector<std::string> command = measuring.launcher;
    command.push_back(program);
    if (const std::string launcher = launcher_in(measuring.launcher); !launcher.empty()) {
        std::error_code error;
        const auto path = std::filesystem::absolute(launcher, error);
        command.insert(command.end(), {"--launcher", error ? launcher : path.native()});
    }
    if (!measuring.library.empty())
        command.insert(command.end(), {"--mpi", measuring.library});
    command.insert(command.end(), {"--seconds", std::to_string(measuring.seconds)});
    return command;
}

[[noreturn]] void execute(std::vector<std::string> command, int output)
{
    std::vector<char *> words;
    for (std::string &word : command)
        words.push_back(word.data());
    words.push_back(nullptr);
    dup2(output, STDOUT_FILENO);
    close(output);
    execvp(words[0], words.data());
    say(fmt::format("{}: {}", printable_text(command.front()), std::strerror(errno)));
    _exit(127);
}

// A launcher and its output.
class Launched {
public:
    explicit Launched(const std::vector<std::string> &command)
    {
        int ends[2];
        if (pipe(ends) != 0)
            return;
        const pid_t parent = getpid();
        pid_ = fork();
        if (pid_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            close(ends[0]);
            if (getppid() != parent)
                _exit(1);
            execute(command, ends[1]);
        }
        close(ends[1]);
        output_ = ends[0];
    }
    ~Launched()
    {
        if (output_ >= 0)
            close(output_);
    }
    Launched(const Launched &) = delete;
    Launched &operator=(const Launched &) = delete;

    bool has_started() const { return pid_ > 0; }

    // More of its output, at the end of `text`; false when there is none any more, or none until
    // `end`.
    bool read_until(Clock::time_point end, std::string &text) const
    {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0)
            return false;
        pollfd waiting = {output_, POLLIN, 0};
        const int ready = poll(&waiting, 1, static_cast<int>(left));
        if (ready <= 0)
            return ready < 0 && errno == EINTR;
        char block[1 << 16];
        const ssize_t length = read(output_, block, sizeof block);
        if (length > 0)
            text.append(block, static_cast<size_t>(length));
        return length > 0 || (length < 0 && errno == EINTR);
    }

    // Its wait status. One that does not end is ended.
    int wait_until(Clock::time_point end) const
    {
        constexpr useconds_t pause_us = 20000;
        int status = 0;
        int signal = SIGTERM;
        while (waitpid(pid_, &status, WNOHANG) == 0) {
            if (Clock::now() > end) {
                kill(pid_, signal);
                signal = SIGKILL;
                end = Clock::now() + std::chrono::seconds(3);
            }
            usleep(pause_us);
        }
        return status;
    }

private:
    pid_t pid_ = -1;
    int output_ = -1;
};

// "measuring: collectives" on a terminal, in place of the last one.
void show_progress(const std::string &progress)
{
    if (isatty(STDERR_FILENO) == 1)
        fmt::print(stderr, "\r\x1b[Kmprof: measuring {}", printable_text(progress));
}

void take_lines(std::string &text, AnswerReader &reader, bool verbose)
{
    size_t begin = 0;
    for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
        const std::string line = text.substr(begin, end - begin);
        const std::string before = reader.progress();
        if (!reader.take(line) && verbose)
            fmt::print(stderr, "{}\n", printable_text(line));
        if (reader.progress() != before)
            show_progress(reader.progress());
        begin = end + 1;
    }
    text.erase(0, begin);
}

std::string command_text(const std::vector<std::string> &words)
{
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

// All that it says. It is read to its end, so that the launcher never waits for a reader.
void read_answer(const Launched &launched, const Measuring &measuring, AnswerReader &reader)
{
    std::string text;
    bool is_over = false;
    auto end = Clock::now() + std::chrono::seconds(measuring.seconds) + start_patience;
    while (launched.read_until(end, text)) {
        take_lines(text, reader, measuring.verbose);
        if (reader.is_complete() && !is_over)
            end = Clock::now() + end_patience;
        is_over = reader.is_complete();
    }
    if (!reader.progress().empty() && isatty(STDERR_FILENO) == 1)
        fmt::print(stderr, "\r\x1b[K");
}

// Nothing, after a message, if there is no answer.
std::optional<MachineFigures> measure_machine(const Measuring &measuring)
{
    const std::string program = find_measuring_program();
    if (program.empty())
        return std::nullopt;
    const Launched launched(whole_command(measuring, program));
    if (!launched.has_started()) {
        say(fmt::format("cannot start another process: {}", std::strerror(errno)));
        return std::nullopt;
    }
    AnswerReader reader;
    read_answer(launched, measuring, reader);
    const int status = launched.wait_until(Clock::now() + end_patience);
    if (!reader.is_complete()) {
        say(fmt::format("no answer: {} {}", printable_text(measuring.launcher.front()),
                        WIFSIGNALED(status)
                            ? fmt::format("was ended by signal {}", WTERMSIG(status))
                            : fmt::format("ended with exit status {}", WEXITSTATUS(status))));
        return std::nullopt;
    }
    MachineFigures figures = std::move(reader.figures);
    figures.command = command_text(measuring.launcher);
    figures.made = iso_time(realtime_ns());
    choose_settings(figures);
    judge_machine(figures);
    return figures;
}

}  // namespace

int machine_command(const MachineOptions &options)
{
    std::optional<MachineFigures> figures;
    if (options.files.empty()) {
        figures =
            measure_machine({options.launcher, options.library, options.seconds, options.verbose});
    } else if (auto read = read_machine(options.files, options.ranks); read.ok()) {
        figures = std::move(read.value());
    } else {
        say_error(read.error(), options.verbose);
    }
    if (!figures)
        return exit_unusable;
    if (figures->version.empty())
        figures->version = MPROF_VERSION;
    Outputs outputs(options.files);
    for (const auto &file : {options.output_file, options.json_file})
        if (file && !outputs.write(*file, render_machine_json(*figures)))
            return exit_unusable;
    if (options.output_file == "-" || options.json_file == "-")
        return exit_fine;
    const size_t width = options.width > 0 ? options.width : terminal_width();
    return write_stdout(render_machine_text(*figures, width)) ? exit_fine : exit_unusable;
}

}  // namespace mprof
