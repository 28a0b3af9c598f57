// Reads and analyses, with the progress on a terminal; looks for the processes of the run, asks the
// batch system, tells what is missing.
#include "main/profile/read_report.h"

#include "list/profile_list.h"
#include "main/report_output.h"
#include "main/run/child_process.h"
#include "merge/folder_reader.h"
#include "merge/work_on_all.h"
#include "read/file_bytes.h"
#include "read/printable_text.h"
#include "read/rank_file.h"
#include "report/derived_figures.h"
#include "report/number_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace mprof {

// Looking for the processes of a run. A process id may belong to something else by
// now: what it runs has to be what the rank file says.

namespace {

std::string own_host()
{
    char name[256] = "";
    return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// For a process of another user only its existence can be seen. A process that has ended but was
// not waited for no longer runs a program.
bool runs_program(uint32_t process, const std::string &executable)
{
    if (process <= 1 || (kill(static_cast<pid_t>(process), 0) != 0 && errno != EPERM))
        return false;
    std::error_code error;
    const std::string link =
        std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), error).native();
    if (error)
        return error == std::errc::permission_denied;
    return executable.empty() || link == executable || link == executable + " (deleted)";
}

// The letter behind "State:" in /proc/PID/status: T = stopped by a signal, t = by a debugger,
// S = asleep. `folder`: that of a process, or of one of its threads.
char state_of_process(const std::string &folder)
{
    std::ifstream status(folder + "/status");
    for (std::string word; status >> word;)
        if (word == "State:" && status >> word)
            return word.front();
    return 0;
}

// None of its threads computes or waits for a disk.
bool is_asleep(const std::string &process)
{
    std::error_code error;
    for (const auto &thread : std::filesystem::directory_iterator(process + "/task", error))
        if (state_of_process(thread.path().native()) != 'S')
            return false;
    return !error;
}

void note_process(Observation &observation, const RankFile &file)
{
    const uint32_t rank = file.header().rank;
    if (!runs_program(file.run.process_id, file.text("executable"))) {
        observation.gone.insert(rank);
        return;
    }
    observation.running = true;
    const std::string process = fmt::format("/proc/{}", file.run.process_id);
    const char state = state_of_process(process);
    if (state == 'T')
        observation.stopped.insert(rank);
    else if (state == 't')
        observation.traced.insert(rank);
    else if (is_asleep(process))
        observation.asleep.insert(rank);
}

Observation look_for_processes(const Profile &profile)
{
    const std::string host = own_host();
    Observation observation;
    observation.looked = true;
    observation.realtime_ns = realtime_ns();
    for (const RankFile &file : profile.ranks)
        if (!file.finished() && file.text("host") == host)
            note_process(observation, file);
    return observation;
}

}  // namespace

Observation observe_run_here(const Profile &profile)
{
    Observation observation = look_for_processes(profile);
    if (observation.running)
        return observation;
    Observation nothing;
    nothing.realtime_ns = observation.realtime_ns;
    return nothing;
}

std::map<uint32_t, int> processes_here(const Profile &profile)
{
    std::map<uint32_t, int> processes;
    for (const RankFile &file : profile.ranks)
        if (!file.finished() && is_running_here(file).value_or(false))
            processes.emplace(file.header().rank, static_cast<int>(file.run.process_id));
    return processes;
}

std::optional<bool> is_running_here(const RankFile &file)
{
    if (file.text("host") != own_host())
        return std::nullopt;
    return runs_program(file.run.process_id, file.text("executable"));
}

Observation observe_run(const Profile &profile)
{
    Observation observation = look_for_processes(profile);
    const std::string host = own_host();
    const bool all_elsewhere =
        !profile.ranks.empty() &&
        std::all_of(profile.ranks.begin(), profile.ranks.end(), [&](const RankFile &file) {
            return !file.finished() && file.text("host") != host;
        });
    observation.running = observation.running || all_elsewhere;
    return observation;
}

namespace {

constexpr size_t listed_problems = 20;

void say_problems(const std::vector<FileProblem> &problems, bool verbose)
{
    for (size_t i = 0; i < std::min(problems.size(), listed_problems); i++)
        say_problem(problems[i].plain, problems[i].message, verbose);
    if (problems.size() > listed_problems)
        say("... and " + plural(problems.size() - listed_problems, "more file"));
}

bool say_incomplete_worlds(const Report &report)
{
    bool incomplete = false;
    for (const WorldRow &row : report.worlds) {
        if (!row.complete)
            say(fmt::format("incomplete: world {}: {}", row.world, row.remark));
        incomplete = incomplete || !row.complete;
    }
    for (const MissingRanks &range : report.quality.missing_worlds)
        say(range.first == range.last
                ? fmt::format("incomplete: world {} has no readable file", range.first)
                : fmt::format("incomplete: worlds {}-{} have no readable file", range.first,
                              range.last));
    return incomplete || !report.quality.missing_worlds.empty();
}

}  // namespace

bool has_damaged_ranks(const Profile &profile)
{
    return std::any_of(profile.damaged.begin(), profile.damaged.end(),
                       [](const FileError &error) { return error.is_rank_file; });
}

bool say_incomplete(const Report &report, bool damaged, bool verbose)
{
    const Quality &quality = report.quality;
    say_problems(quality.damaged, verbose);
    say_problems(quality.left_out, verbose);
    const uint64_t not_profiled = count_ranks(quality.not_profiled);
    const uint64_t missing = count_ranks(quality.missing) - not_profiled;
    const auto unfinished = std::count_if(report.ranks.begin(), report.ranks.end(),
                                          [](const RankRow &row) { return !row.complete; });
    if (not_profiled > 0)
        say(fmt::format("incomplete: {} of {} {} not profiled", not_profiled,
                        plural(quality.ranks_expected, "rank"), not_profiled == 1 ? "is" : "are"));
    if (missing > 0)
        say(fmt::format("incomplete: {} of {} {} no readable file", missing,
                        plural(quality.ranks_expected, "rank"), missing == 1 ? "has" : "have"));
    if (unfinished > 0)
        say(fmt::format("incomplete: {} of {} did not reach the end of MPI_Finalize{}", unfinished,
                        plural(quality.ranks_expected, "rank"),
                        report.run.end > RunEnd::unfinished
                            ? fmt::format(": {}", text_of(report.run.end))
                            : ""));
    const bool worlds_incomplete = say_incomplete_worlds(report);
    return damaged || worlds_incomplete || !report.complete();
}

// Slurm's commands print a line per job, with times in seconds. slurmctld forgets a job
// after some minutes; sacct knows it for years, where a centre keeps accounts. Numbers of jobs are
// used again, also by other clusters, and a job that was requeued keeps its number: the times tell
// whether it is this run.

namespace {

constexpr double limit_s = 3;
constexpr size_t most_output = 65536;   // what a pipe holds
constexpr int64_t clocks_differ_s = 5;  // between nodes

struct SlurmJob {
    std::string state, reason;
    int64_t start_s = 0;  // 0: it waits
    int64_t end_s = 0;    // 0: not known
    bool was_requeued = false;
};

// In the child.
int become_slurm_command(const std::vector<std::string> &command, int output)
{
    std::vector<std::string> words = command;  // exec wants them writable
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0 || dup2(nowhere, STDIN_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0 ||
        dup2(output, STDOUT_FILENO) < 0 || setenv("SLURM_TIME_FORMAT", "%s", 1) != 0)
        return 1;
    execvp(arguments.front(), arguments.data());
    return 1;
}

// What it printed, up to a pipe's size; "" if it failed. A Slurm that does not answer is not asked
// for the next profile.
std::string output_of(const std::vector<std::string> &command)
{
    static bool answers = true;
    std::array<int, 2> ends{};
    if (!answers || pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return "";
    ChildRules rules;
    rules.has_own_group = true;
    rules.limit_s = limit_s;
    const ChildEnd end = run_child([&] { return become_slurm_command(command, ends[1]); }, rules);
    std::string output(most_output, '\0');
    answers = !end.too_long;
    const ssize_t bytes = end.status == 0 ? read(ends[0], output.data(), output.size()) : 0;
    close(ends[0]);
    close(ends[1]);
    output.resize(static_cast<size_t>(std::max<ssize_t>(bytes, 0)));
    return output;
}

// "CANCELLED" of "... JobState=CANCELLED Reason=None ...".
std::string value_of(std::string_view line, const std::string &key)
{
    const size_t begin = line.find(" " + key + "=");
    if (begin == std::string_view::npos)
        return "";
    line.remove_prefix(begin + key.size() + 2);
    return std::string(line.substr(0, line.find_first_of(" \n")));
}

int64_t number_of(const std::string &text)
{
    return std::strtoll(text.c_str(), nullptr, 10);
}

std::optional<SlurmJob> job_of_controller(const std::string &number)
{
    const std::string output = output_of({"scontrol", "show", "job", "--oneliner", number});
    if (output.empty())
        return std::nullopt;
    return SlurmJob{value_of(output, "JobState"), value_of(output, "Reason"),
                    number_of(value_of(output, "StartTime")),
                    number_of(value_of(output, "EndTime")),
                    number_of(value_of(output, "Restarts")) > 0};
}

// Each time that the job was started is a line: state, start and end, the newest last.
std::vector<SlurmJob> jobs_of_accounts(const std::string &number)
{
    std::string output =
        output_of({"sacct", "--noheader", "--parsable2", "--allocations", "--duplicates",
                   "--format=State,Start,End", "--jobs=" + number});
    std::vector<SlurmJob> jobs;
    while (!output.empty()) {
        const size_t end = std::min(output.find('\n'), output.size() - 1);
        const size_t bar = output.find('|');
        if (bar < end) {
            const std::string state = output.substr(0, bar);
            const size_t second = std::min(output.find('|', bar + 1), end);
            jobs.push_back({state.substr(0, state.find(' ')), "",  // "CANCELLED by 1000"
                            number_of(output.substr(bar + 1)), number_of(output.substr(second + 1)),
                            false});
        }
        output.erase(0, end + 1);
    }
    return jobs;
}

RunEnd end_of_state(const SlurmJob &job)
{
    constexpr std::array<std::pair<std::string_view, RunEnd>, 7> ends = {
        {{"CANCELLED", RunEnd::cancelled},
         {"TIMEOUT", RunEnd::time_limit},
         {"DEADLINE", RunEnd::time_limit},
         {"REQUEUED", RunEnd::requeued},
         {"PREEMPTED", RunEnd::preempted},
         {"NODE_FAIL", RunEnd::node_failed},
         {"OUT_OF_MEMORY", RunEnd::out_of_memory}}};
    for (const auto &[state, end] : ends)
        if (job.state == state)
            return end;
    // While Slurm clears up, the state does not tell, yet this does.
    return job.reason == "TimeLimit" ? RunEnd::time_limit : RunEnd::unfinished;
}

bool was_there_at(const SlurmJob &job, int64_t run_start_s)
{
    return job.start_s > 0 && job.start_s <= run_start_s + clocks_differ_s &&
           (job.end_s <= 0 || job.end_s + clocks_differ_s >= run_start_s);
}

RunEnd ask_slurm(const std::string &number, int64_t run_start_s)
{
    if (const auto job = job_of_controller(number)) {
        if (was_there_at(*job, run_start_s))
            return end_of_state(*job);
        return job->was_requeued ? RunEnd::requeued : RunEnd::unfinished;
    }
    RunEnd end = RunEnd::unfinished;
    for (const SlurmJob &job : jobs_of_accounts(number))
        if (was_there_at(job, run_start_s))
            end = end_of_state(job);
    return end;
}

RunEnd end_of_job(const Profile &profile)
{
    const auto killed =
        std::find_if(profile.ranks.begin(), profile.ranks.end(), [](const RankFile &file) {
            return !file.finished() && file.run.end == MPROF_END_NONE;
        });
    if (killed == profile.ranks.end())
        return RunEnd::unfinished;
    const std::string number = killed->text("environment.SLURM_JOB_ID");
    const bool is_number =
        !number.empty() && std::all_of(number.begin(), number.end(),
                                       [](unsigned char c) { return std::isdigit(c) != 0; });
    constexpr uint64_t ns_of_s = 1'000'000'000;
    return is_number
               ? ask_slurm(number, static_cast<int64_t>(killed->run.start_realtime_ns / ns_of_s))
               : RunEnd::unfinished;
}

}  // namespace

std::optional<ReadReport> read_report(const std::string &path, std::optional<uint32_t> world,
                                      const SymbolOptions &symbols, bool verbose, Detail detail)
{
    const auto mark = mark_of_profile(path);
    auto profile = read_profile(path, true, world);
    if (!profile.ok()) {
        say_error(profile.error(), verbose);
        return std::nullopt;
    }
    const bool damaged = has_damaged_ranks(profile.value());
    Observation observation = observe_run_here(profile.value());
    if (!observation.running)
        observation.end = end_of_job(profile.value());
    const ProgressLine line("analysing");
    const AsciiShown ascii;  // what a report says of files is the same in all documents
    ReadReport read{analyse_profile(std::move(profile.value()), symbols, observation, detail),
                    damaged, observation.running};
    // For mprof list. A run that goes on has another verdict soon.
    if (mark && !world && !read.is_running)
        keep_verdict(cache_folder(), path, *mark, read.report.verdict.verdict_class);
    return read;
}

}  // namespace mprof
