// Profiles found from the outside, by names and ages of files. Nothing here says more than is
// known.
#include "main/profile/left_profile.h"

#include "check/loaded_objects.h"
#include "check/program_check.h"
#include "list/profile_list.h"
#include "main/preload.h"
#include "main/profile/read_report.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "merge/merged_file.h"
#include "merge/profile.h"
#include "mprof/format/format.h"
#include "mprof/format/summary_word.h"
#include "read/printable_text.h"
#include "read/rank_file.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace mprof {

// A profile folder may have any name: what makes it one is a file NAME.mprof in it. Its age is that
// of its last new name: each rank's finished file gets its name when the run ends.

namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".mprof";

struct Found {
    std::string name;
    fs::file_time_type changed;
};

void add_profile(const fs::directory_entry &entry, const std::string &folder,
                 std::vector<Found> &found)
{
    std::error_code error;
    const std::string name = entry.path().filename().native();
    const bool is_folder = entry.is_directory(error);
    if (is_folder ? !has_profile_files(entry.path().native()) : !is_file_of_profile(entry))
        return;
    const auto changed = entry.last_write_time(error);
    if (!error)
        found.push_back({folder == "." ? name : entry.path().native(), changed});
}

}  // namespace

std::vector<std::string> list_profiles(const std::string &folder)
{
    std::vector<Found> found;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        add_profile(*it, folder, found);
    std::stable_sort(found.begin(), found.end(),
                     [](const Found &a, const Found &b) { return a.changed > b.changed; });
    std::vector<std::string> names;
    for (Found &profile : found)
        names.push_back(std::move(profile.name));
    return names;
}

std::optional<std::string> given_or_newest(const std::string &path, const std::string &command)
{
    if (!path.empty())
        return path;
    // Somebody may have gone into a profile folder to look at it.
    const std::vector<std::string> profiles =
        is_rank_folder(".") ? std::vector<std::string>{"."} : list_profiles(".");
    if (profiles.empty()) {
        say(fmt::format("there is no profile in this folder. Make one: mprof run -- mpirun -n 4 "
                        "./app, or name one: mprof {} FOLDER",
                        command));
        return std::nullopt;
    }
    const std::string others =
        profiles.size() == 1 ? "" : fmt::format(", the newest of {} here", profiles.size());
    say(fmt::format("this is {}{}",
                    profiles.front() == "." ? "the profile in this folder"
                                            : printable_text(profiles.front()),
                    others));
    return profiles.front();
}

// The library chooses the folder in MPI_Init, perhaps on another node, and after the program has
// changed its working folder. So a profile may be elsewhere, and nothing here says more than is
// known.

namespace {

std::string setting(const char *name)
{
    const char *value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::string folder_beside(const std::string &page)
{
    constexpr std::string_view page_ending = ".html";
    const bool ends_so = page.ends_with(page_ending) && page.size() > page_ending.size();
    return (ends_so ? page.substr(0, page.size() - page_ending.size()) : page) + ".mprof";
}

// The folders with files among the names that the library tries one after the other: the name,
// then with -2, -3 ... (profile_folder.c). Names that it may not use are gaps.
std::vector<std::string> numbered_profiles(std::string folder)
{
    constexpr int most_names = 1000, most_gaps = 3;
    while (folder.size() > 1 && folder.ends_with('/'))
        folder.pop_back();
    const bool ends_so = folder.ends_with(ending) && folder.size() > ending.size();
    const std::string stem = folder.substr(0, folder.size() - (ends_so ? ending.size() : 0));
    std::vector<std::string> profiles;
    for (int number = 2, gaps = 0; number < most_names && gaps < most_gaps; number++) {
        const bool has_files = has_profile_files(folder);
        gaps = has_files ? 0 : gaps + 1;
        if (has_files)
            profiles.push_back(folder);
        folder = fmt::format("{}-{}{}", stem, number, ends_so ? ending : "");
    }
    return profiles;
}

// "app" of "./app": what the library puts before the first dot of a folder's name.
bool is_called_like(const std::string &profile, const std::vector<std::string> &command)
{
    return std::any_of(command.begin(), command.end(), [&](const std::string &word) {
        const std::string name = std::filesystem::path(word).filename().native();
        return !name.empty() && profile.starts_with(name + ".");
    });
}

// The summary is printed by the rank that finished its file then.
bool is_finished(const std::string &profile)
{
    const auto files = profile_files(profile);
    if (!files.ok() || files.value().empty())
        return false;
    const auto rank = read_rank_file(files.value().front());
    return rank.ok() && rank.value().finished();
}

std::string ending_of(int status)
{
    if (WIFSIGNALED(status))
        return fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                           strsignal(WTERMSIG(status)));
    return fmt::format("ended with status {}", WEXITSTATUS(status));
}

// True if the program can make no MPI call, nor start a program that does.
bool is_without_mpi(const std::vector<std::string> &command)
{
    const std::string library = find_preload_library();
    return !library.empty() && check_command(command, library).outcome == CheckOutcome::nothing;
}

std::string printable_name(const std::string &path)
{
    return printable_text(std::filesystem::path(path).filename().native());
}

std::string program_of(const std::vector<std::string> &command)
{
    const FoundProgram found = find_behind_launchers(command);
    const std::string path = found.script.empty() ? found.path : found.script;
    return path.empty() ? printable_text(command.front()) : printable_name(path);
}

// A misspelt name, or a program that is on other nodes only.
bool has_launcher_alone(const std::vector<std::string> &command)
{
    const FoundProgram found = find_behind_launchers(command);
    return !found.launchers.empty() && found.path.empty() && found.script.empty();
}

// The launcher may have failed before it started the program.
void say_no_profile_of_failure(const std::string &started, const std::string &program, int status)
{
    const std::string launcher = printable_name(started);
    if (launcher == program)
        say(fmt::format("{} {} and left no profile here. Its own messages say why", program,
                        ending_of(status)));
    else
        say(fmt::format("{} {}, and {} left no profile here. Their own messages say why", launcher,
                        ending_of(status), program));
}

}  // namespace

ProfileWatch::ProfileWatch(const RunOptions &options) : command_(options.command)
{
    std::string named = setting("MPROF_OUTPUT");
    for (const auto &[name, value] : options.variables)
        if (name == "MPROF_OUTPUT")
            named = value;
    // libmprof takes the default for a device or a file.
    std::error_code error;
    if (std::filesystem::exists(named, error) && !std::filesystem::is_directory(named, error))
        named.clear();
    if (named.empty() && options.html_file) {
        named = folder_beside(*options.html_file);
        setenv("MPROF_OUTPUT", named.c_str(), 1);
    }
    named_ = named;
    before_ = profiles_now();
}

std::vector<std::string> ProfileWatch::profiles_now() const
{
    return named_.empty() ? list_profiles(".") : numbered_profiles(named_);
}

std::vector<std::string> ProfileWatch::left() const
{
    std::vector<std::string> profiles;
    for (std::string &name : profiles_now())
        if (std::find(before_.begin(), before_.end(), name) == before_.end())
            profiles.push_back(std::move(name));
    if (!named_.empty())
        return profiles;
    // Another job may have left one here meanwhile.
    std::stable_partition(profiles.begin(), profiles.end(),
                          [&](const std::string &name) { return is_called_like(name, command_); });
    const auto others =
        std::find_if_not(profiles.begin(), profiles.end(),
                         [&](const std::string &name) { return is_called_like(name, command_); });
    if (others != profiles.begin())
        profiles.erase(others, profiles.end());
    return profiles;
}

bool ProfileWatch::could_be_written() const
{
    std::error_code error;
    std::filesystem::path folder = std::filesystem::absolute(named_.empty() ? "." : named_, error);
    while (folder.has_relative_path() && !std::filesystem::exists(folder, error))
        folder = folder.parent_path();
    return std::filesystem::is_directory(folder, error) && access(folder.c_str(), W_OK) == 0;
}

void say_where(const std::vector<std::string> &profiles, bool wants_summary)
{
    const std::string summary = mprof_summary_meant(setting("MPROF_SUMMARY").c_str());
    const bool on_stderr = summary.empty() || summary == "text";
    if (summary == "off" && !wants_summary)
        return;
    for (const std::string &profile : profiles)
        if (!on_stderr || !is_finished(profile))
            say(fmt::format("the profile is in {0}. Read it: mprof report {0}",
                            printable_text(profile)));
}

void say_no_profile(const RunOptions &options, int status)
{
    const std::string program = program_of(options.command);
    const std::string replaces =
        printable_name(find_behind_launchers(options.command).replaces_preload);
    const std::string check = fmt::format("mprof run --check -- {} says what mprof sees", program);
    if (has_launcher_alone(options.command))
        say(fmt::format("{} {} and left no profile here. No word after it names a program on this "
                        "machine: check the program's name",
                        printable_name(options.command.front()), ending_of(status)));
    else if (!replaces.empty())
        say(fmt::format("{0} overwrites LD_PRELOAD, which takes mprof away from {1}: no profile "
                        "here. Put mprof run directly in front of {1}, after {0}",
                        replaces, program));
    else if (is_without_mpi(options.command))
        say(fmt::format("{} is not an MPI program (it never called MPI_Init), so there is nothing "
                        "to report. Name one after --; {}",
                        program, check));
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        say_no_profile_of_failure(options.command.front(), program, status);
    else
        say(fmt::format(
            "{} and the programs that it started left no profile here: none called MPI_Init, or "
            "the profile is in another folder (name it with --output FOLDER). {}",
            program, check));
}

// A script may go on for long after the program that it started. So the program has to be the one
// that follows the launchers of the command.

namespace {

template <class Record>
bool read_at(int file, uint64_t offset, Record &record)
{
    return pread(file, &record, sizeof record, static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(sizeof record);
}

// Where the mprof_run of a live rank file is that begins at `begin`; nothing if it is none.
std::optional<uint64_t> place_of_run(int file, uint64_t begin)
{
    mprof_file_header header;
    if (!read_at(file, begin, header) ||
        std::memcmp(header.magic, MPROF_MAGIC, MPROF_MAGIC_BYTES) != 0 ||
        header.major != MPROF_FORMAT_MAJOR || header.state != MPROF_FILE_LIVE)
        return std::nullopt;
    for (uint32_t i = 0; i < header.section_count; i++) {
        mprof_section section;
        if (!read_at(file, begin + header.directory_offset + i * sizeof section, section))
            return std::nullopt;
        if (section.type == MPROF_SECTION_RUN)
            return begin + section.offset;
    }
    return std::nullopt;
}

struct Notes {
    uint64_t end_ns = 0;
    pid_t died = 0;          // the first rank that did; 0 = not known
    int signal = 0;          // of which
    bool is_told = false;    // by the kernel; else by the launcher's status
    uint32_t oom_kills = 0;  // meanwhile
};

void note_in_record(int file, uint64_t begin, const Notes &notes)
{
    mprof_run run;
    const std::optional<uint64_t> place = place_of_run(file, begin);
    if (!place || !read_at(file, *place, run) || run.end != MPROF_END_NONE)
        return;
    run.stop_realtime_ns = notes.end_ns;
    if (notes.died != 0 && run.process_id == static_cast<uint32_t>(notes.died)) {
        run.end_code = notes.signal;
        run.is_end_code_known = notes.is_told ? MPROF_END_CODE_TOLD : MPROF_END_CODE_KNOWN;
    }
    // Field by field: a record of another minor version has another length.
    const auto write = [&](size_t offset, const void *value, size_t bytes) {
        (void)!pwrite(file, value, bytes, static_cast<off_t>(*place + offset));
    };
    write(offsetof(mprof_run, stop_realtime_ns), &run.stop_realtime_ns,
          sizeof run.stop_realtime_ns);
    run.oom_kills = notes.oom_kills;
    write(offsetof(mprof_run, oom_kills), &run.oom_kills, sizeof run.oom_kills);
    write(offsetof(mprof_run, end_code), &run.end_code, sizeof run.end_code);
    write(offsetof(mprof_run, is_end_code_known), &run.is_end_code_known,
          sizeof run.is_end_code_known);
}

void note_in_file(const std::string &path, const Notes &notes)
{
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return;
    const OpenFile opened(path);
    const auto parts = read_node_parts(opened, path);
    if (parts.ok())
        for (const NodePart &part : parts.value())
            note_in_record(file, part.offset, notes);
    else
        note_in_record(file, 0, notes);
    close(file);
}

bool is_unfinished(const RankFile &file)
{
    return !file.finished() && file.run.end == MPROF_END_NONE;
}

// A launcher that is ended may be gone before its ranks are: Open MPI's that gets SIGINT twice ends
// at once, and its ranks notice that a second later.
bool is_still_running(const Profile &profile)
{
    constexpr int looks = 150;
    constexpr auto between = std::chrono::milliseconds(20);
    for (int i = 0; i < looks; i++) {
        if (!observe_run_here(profile).running)
            return false;
        std::this_thread::sleep_for(between);
    }
    return true;
}

// The ranks that did not finish ran this program, here, and none of them is left.
bool ended_with_command(const Profile &profile, const std::string &program)
{
    std::error_code error;
    const std::string path = std::filesystem::canonical(program, error).native();
    char host[256] = "";
    if (error || gethostname(host, sizeof host - 1) != 0)
        return false;
    return std::any_of(profile.ranks.begin(), profile.ranks.end(), is_unfinished) &&
           std::all_of(profile.ranks.begin(), profile.ranks.end(),
                       [&](const RankFile &file) {
                           return !is_unfinished(file) ||
                                  (file.text("executable") == path && file.text("host") == host);
                       }) &&
           !is_still_running(profile);
}

// Open MPI ends with 128 and the signal, as a shell does; MPICH's mpirun with the signal alone, as
// it does where a rank ends with that status. 0: the status tells of none that a program gets by
// what it does. SIGKILL comes from somebody who may kill one rank after the other, or from the
// kernel, where a control group has no memory left.
int signal_of_rank(int status, bool is_mpich, bool lacks_memory)
{
    constexpr int shell = 128;
    if (!WIFEXITED(status))
        return 0;
    const int code = WEXITSTATUS(status);
    const int signal = code > shell ? code - shell : is_mpich ? code : 0;
    if (signal == SIGKILL && lacks_memory)
        return signal;
    return is_fault_signal(signal) ? signal : 0;
}

bool is_in_mpi(const RankFile &file)
{
    return std::any_of(file.threads.begin(), file.threads.end(),
                       [](const ThreadRecord &thread) { return thread.facts.in_call != 0; });
}

// None where a rank ended by itself, or is missing: then that may be why the others were ended.
// MPICH's launcher learns of a death by a connection that closes. The only rank outside MPI, while
// all others waited in it, is likely to be the one.
std::optional<DeathWatch::Death> first_that_died(const Profile &profile, const DeathWatch &deaths,
                                                 int signal, bool is_mpich)
{
    std::vector<pid_t> processes, outside;
    for (const RankFile &file : profile.ranks) {
        if (file.run.end == MPROF_END_ABORT || file.run.end == MPROF_END_EXIT)
            return std::nullopt;
        if (!is_unfinished(file))
            continue;
        const auto process = static_cast<pid_t>(file.run.process_id);
        processes.push_back(process);
        if (!is_in_mpi(file))
            outside.push_back(process);
    }
    if (!profile.missing.empty())
        return std::nullopt;
    return deaths.first_of(processes, signal, !is_mpich, outside.size() == 1 ? outside[0] : 0);
}

}  // namespace

void note_end_of_job(const std::string &profile, const std::vector<std::string> &command,
                     const EndOfJob &end)
{
    const auto files = profile_files(profile);
    const auto read = read_profile(profile, false, std::nullopt);
    if (!files.ok() || !read.ok() ||
        !ended_with_command(read.value(), find_behind_launchers(command).path))
        return;
    const bool is_mpich =
        std::all_of(read.value().ranks.begin(), read.value().ranks.end(),
                    [](const RankFile &file) { return file.run.abi == MPROF_ABI_MPICH; });
    Notes notes{end.end_ns, 0, 0, false,
                static_cast<uint32_t>(std::min<uint64_t>(end.oom_kills, UINT32_MAX))};
    const int signal = signal_of_rank(end.status, is_mpich, end.oom_kills > 0);
    const auto died = end.deaths == nullptr
                          ? std::nullopt
                          : first_that_died(read.value(), *end.deaths, signal, is_mpich);
    if (died) {
        notes.died = died->process;
        notes.is_told = died->signal != DeathWatch::unknown_signal;
        notes.signal = notes.is_told ? died->signal : signal;
    }
    for (const std::string &file : files.value())
        note_in_file(file, notes);
}

}  // namespace mprof
