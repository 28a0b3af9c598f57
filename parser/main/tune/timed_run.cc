#include "main/tune/timed_run.h"

#include "main/profile/left_profile.h"
#include "main/profile/read_report.h"
#include "main/run/named_run.h"
#include "read/printable_text.h"

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace mprof {
namespace {

struct CloseFile {
    void operator()(std::FILE *file) const { std::fclose(file); }
};
using LogFile = std::unique_ptr<std::FILE, CloseFile>;

// Many runs, one input: what a terminal or a pipe gives can be read once, so none gets it.
void use_streams(int log)
{
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    if (log >= 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
    }
}

// The last line with something on it, at most so long.
std::string last_line(std::FILE *log)
{
    constexpr long tail = 4096;
    constexpr size_t most = 200;
    if (log == nullptr || std::fseek(log, 0, SEEK_END) != 0)
        return "";
    const long size = std::ftell(log);
    std::fseek(log, size > tail ? size - tail : 0, SEEK_SET);
    std::string text(tail, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), log));
    const size_t end = text.find_last_not_of(" \t\r\n-");
    if (end == std::string::npos)
        return "";
    const size_t begin = text.find_last_of('\n', end);
    return printable_ascii(
        text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin).substr(0, most));
}

std::string problem_of(const TimedRun &run, const ChildRules &rules)
{
    if (run.end.status == -1)
        return "it could not be started";
    if (run.end.is_stopped)
        return "it was stopped";
    if (run.end.too_long)
        return fmt::format("it was ended after {:.1f} s", rules.limit_s.value_or(0));
    if (run.end.status != 0)
        return "it " + ending_words(run.end.status);
    return run.profiles.empty() ? "it left no profile" : "";
}

void read_profiles(TimedRun &run)
{
    SymbolOptions no_symbols;
    no_symbols.enabled = false;
    for (const std::string &profile : run.profiles) {
        auto read = read_report(profile, std::nullopt, no_symbols, false);
        if (!read) {
            run.problem = "its profile cannot be read";
            return;
        }
        run.seconds += read->report.run.wallclock_s;
        if (!run.report)
            run.report = std::move(read->report);
    }
}

}  // namespace

TimedRun time_run(const RunOptions &options, const ChildRules &rules)
{
    TimedRun run;
    const LogFile log(std::tmpfile());
    const ProfileWatch watch(options);
    run.end = run_child(
        [&] {
            use_streams(log ? fileno(log.get()) : -1);
            return become_command(options);
        },
        rules);
    run.profiles = watch.left();
    run.problem = problem_of(run, rules);
    run.last_words = last_line(log.get());
    if (run.problem.empty())
        read_profiles(run);
    return run;
}

void remove_profiles(const std::vector<std::string> &profiles)
{
    std::error_code ignored;
    for (const std::string &profile : profiles)
        std::filesystem::remove_all(profile, ignored);
}

}  // namespace mprof
