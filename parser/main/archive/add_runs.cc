// mprof archive add: profiles are read, those of users in a process of its own, and written a group
// at a time.
#include "analyse/analyse_profile.h"
#include "archive/archive.h"
#include "archive/archived_run.h"
#include "main/archive/archive_actions.h"
#include "main/profile/read_report.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "read/printable_text.h"
#include "report/number_text.h"
#include "symbols/module_symbols.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <poll.h>
#include <pwd.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace mprof {
namespace {

// Reads a profile of a user's spool folder in a process of its own. Profiles are input that users
// wrote: one that makes the reader crash, loop or eat memory costs that profile alone.
//
// What is read is a copy in a folder of this process. It has the regular files that are in the
// profile folder, belong to the folder's owner and have one name, opened without following links.
// So nobody can have the ingest read what only the ingest may read, and nobody can change a file
// between the look at it and the reading.
// The process has limits, answers by a pipe, and is ended when it takes too long. Its answer is
// looked at as if a user had written it (archive/archived_run.h). It looks up no symbols: that
// would open files that a profile names.

struct SpooledProfile {
    std::string path;   // below the spool folder
    std::string owner;  // name of the user
    uid_t user = 0;
};

constexpr rlim_t most_memory_bytes = rlim_t{4} << 30U;
constexpr rlim_t most_cpu_s = 60;
constexpr int most_read_ms = 120'000;
constexpr size_t most_answer_bytes = 1 << 20;
constexpr uint64_t most_profile_bytes = uint64_t{1} << 30U;

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor()
    {
        if (number_ >= 0)
            close(number_);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    int number() const { return number_; }
    bool is_open() const { return number_ >= 0; }

private:
    int number_;
};

struct FolderCloser {
    void operator()(DIR *folder) const { closedir(folder); }
};

std::vector<std::string> names_in(int folder)
{
    std::vector<std::string> names;
    const std::unique_ptr<DIR, FolderCloser> listing(fdopendir(dup(folder)));
    while (const dirent *const entry = listing ? readdir(listing.get()) : nullptr)
        if (entry->d_name[0] != '.')
            names.emplace_back(entry->d_name);
    std::sort(names.begin(), names.end());
    return names;
}

std::string user_name(uid_t user)
{
    const passwd *const known = getpwuid(user);
    return known != nullptr ? known->pw_name : std::to_string(user);
}

bool copy_file(int from, const std::string &to)
{
    const Descriptor target(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    std::array<char, 65536> buffer;
    ssize_t bytes = 0;
    while (target.is_open() && (bytes = read(from, buffer.data(), buffer.size())) > 0)
        if (write(target.number(), buffer.data(), static_cast<size_t>(bytes)) != bytes)
            return false;
    return target.is_open() && bytes == 0;
}

// Whether this file is the user's own, and no other name of somebody else's.
bool is_own_file(int file, uid_t user, uint64_t &bytes)
{
    struct stat facts = {};
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_uid != user ||
        facts.st_nlink != 1)
        return false;
    bytes += static_cast<uint64_t>(facts.st_size);
    return bytes <= most_profile_bytes;
}

// A profile is a folder of files, or one merged file.
bool copy_profile(const SpooledProfile &profile, const std::string &copy)
{
    constexpr int as_it_is = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    const Descriptor folder(open(profile.path.c_str(), as_it_is));
    struct stat facts = {};
    uint64_t bytes = 0;
    if (!folder.is_open() || fstat(folder.number(), &facts) != 0 || facts.st_uid != profile.user)
        return false;
    if (S_ISREG(facts.st_mode))
        return is_own_file(folder.number(), profile.user, bytes) &&
               copy_file(folder.number(), copy);
    if (mkdir(copy.c_str(), 0700) != 0)
        return false;
    for (const std::string &name : names_in(folder.number())) {
        const Descriptor file(openat(folder.number(), name.c_str(), as_it_is));
        if (!file.is_open() || !is_own_file(file.number(), profile.user, bytes) ||
            !copy_file(file.number(), fmt::format("{}/{}", copy, name)))
            return false;
    }
    return true;
}

void set_limit(int what, rlim_t most)
{
    const rlimit limit = {most, most};
    setrlimit(static_cast<decltype(RLIMIT_CPU)>(what), &limit);
}

// In the process of its own.
[[noreturn]] void read_and_answer(const std::string &copy, const std::string &owner,
                                  ArchiveOptions options, int answer)
{
    set_limit(RLIMIT_AS, most_memory_bytes);
    set_limit(RLIMIT_CPU, most_cpu_s);
    set_limit(RLIMIT_CORE, 0);
    options.symbols.enabled = false;
    options.symbols.cache_folder.clear();
    const auto read = read_run(copy, options, owner);
    if (!read)
        _exit(1);
    const std::string text =
        nlohmann::ordered_json(
            {{"run", json_of_run(read->run)}, {"lines", json_of_lines(read->lines)}})
            .dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
    const bool is_written =
        write(answer, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(is_written ? 0 : 1);
}

std::string read_answer(int pipe)
{
    std::string answer;
    std::array<char, 65536> buffer;
    pollfd waiting = {pipe, POLLIN, 0};
    while (answer.size() <= most_answer_bytes && poll(&waiting, 1, most_read_ms) > 0) {
        const ssize_t bytes = read(pipe, buffer.data(), buffer.size());
        if (bytes <= 0)
            break;
        answer.append(buffer.data(), static_cast<size_t>(bytes));
    }
    return answer;
}

bool run_of_answer(const std::string &answer, ReadRun &run)
{
    const auto json = nlohmann::ordered_json::parse(answer, nullptr, false);
    return json.is_object() && json.contains("run") && json.contains("lines") &&
           run_of_json(json["run"], run.run) && lines_of_json(json["lines"], run.lines);
}

std::optional<ReadRun> read_copy(const std::string &copy, const SpooledProfile &profile,
                                 const ArchiveOptions &options)
{
    std::array<int, 2> pipe_ends = {};
    if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0)
        return std::nullopt;
    const Descriptor from(pipe_ends[0]);
    pid_t reader = -1;
    {
        const Descriptor to(pipe_ends[1]);
        reader = fork();
        if (reader == 0)
            read_and_answer(copy, profile.owner, options, to.number());
    }
    if (reader < 0)
        return std::nullopt;
    ReadRun run;
    const bool is_fine = run_of_answer(read_answer(from.number()), run);
    kill(reader, SIGKILL);  // it has answered, or will not
    waitpid(reader, nullptr, 0);
    run.run.owner = profile.owner;
    run.run.folder = kept_text(profile.path);
    return is_fine ? std::optional(std::move(run)) : std::nullopt;
}

// USER/*.mprof below the folder, of users who own their folder. `problem`: why it cannot be read.
std::vector<SpooledProfile> profiles_in_spool(const std::string &spool, std::string &problem)
{
    std::vector<SpooledProfile> profiles;
    const Descriptor folder(open(spool.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open()) {
        problem = fmt::format("{}: {}", spool, std::strerror(errno));
        return profiles;
    }
    for (const std::string &name : names_in(folder.number())) {
        const Descriptor user(
            openat(folder.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        struct stat facts = {};
        if (!user.is_open() || fstat(user.number(), &facts) != 0)
            continue;
        for (const std::string &profile : names_in(user.number()))
            if (profile.ends_with(".mprof"))
                profiles.push_back({fmt::format("{}/{}/{}", spool, name, profile),
                                    user_name(facts.st_uid), facts.st_uid});
    }
    return profiles;
}

// Nothing, with a message on stderr, if it cannot be read.
std::optional<ReadRun> read_apart(const SpooledProfile &profile, const ArchiveOptions &options)
{
    std::string folder = std::filesystem::temp_directory_path().string() + "/mprof-spool-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) {
        say(fmt::format("{}: {}", printable_text(folder), std::strerror(errno)));
        return std::nullopt;
    }
    const std::string copy = folder + "/profile.mprof";
    std::optional<ReadRun> run;
    const bool is_own = copy_profile(profile, copy);
    if (is_own)
        run = read_copy(copy, profile, options);
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    if (!run)
        say(fmt::format(
            "{}: {}", printable_text(profile.path),
            is_own ? "is left out: it could not be read within its limits"
                   : "is left out: not all of its files belong to the owner of the folder"));
    return run;
}

// mprof archive add: profiles are read one after the other and written a group at a time, because
// a file system takes as long for one transaction as for a hundred runs. A group is written at the
// latest after a second, so that who is killed has little to do again.

using Clock = std::chrono::steady_clock;
constexpr size_t most_waiting = 100;
constexpr std::chrono::seconds longest_wait{1};

// The program's own module: the one at the path of its executable.
ModuleIdentity program_of(const Profile &profile)
{
    const RankFile &file = profile.ranks.front();
    const std::string &executable = file.text("executable");
    for (const ModuleSlot &module : file.modules)
        if (!executable.empty() && module.path == executable)
            return {module.path, module.build_id, false, module.facts.file_bytes,
                    module.facts.modified_ns};
    return {.path = executable, .build_id = ""};
}

class Adder {
public:
    Adder(Archive &archive, std::string name) : archive_(archive), name_(std::move(name)) {}

    bool add(ReadRun &&read)
    {
        has_incomplete_ = has_incomplete_ || read.run.complete == 0;
        waiting_.emplace_back(std::move(read.run), std::move(read.lines));
        return (waiting_.size() < most_waiting && Clock::now() < last_ + longest_wait) || flush();
    }
    bool flush()
    {
        std::vector<Added> results;
        const bool is_fine = waiting_.empty() || archive_.add(std::move(waiting_), results);
        waiting_.clear();
        last_ = Clock::now();
        for (const Added result : results)
            counts_[result]++;
        return is_fine;
    }
    bool has_incomplete() const { return has_incomplete_; }
    // "12 runs added, 3 were there"
    void say_counts() const
    {
        std::string words = fmt::format("{} added", plural(count(Added::added), "run"));
        const auto add = [&](Added kind, const char *text) {
            if (count(kind) > 0)
                words += fmt::format(", {} {}", count(kind), text);
        };
        add(Added::there, "were already there");
        add(Added::renewed, "brought up to date");
        add(Added::thinned, "were thinned out before");
        add(Added::of_another, "left out: another user added a run of that number");
        say(fmt::format("{}: {}", printable_text(name_), words));
    }

private:
    size_t count(Added kind) const
    {
        const auto found = counts_.find(kind);
        return found == counts_.end() ? 0 : found->second;
    }

    Archive &archive_;
    std::string name_;
    std::vector<RunWithLines> waiting_;
    std::map<Added, size_t> counts_;
    Clock::time_point last_ = Clock::now();
    bool has_incomplete_ = false;
};

// No connection is open while profiles are read, and none in a process that reads one.
int add_spool(const ArchiveOptions &options)
{
    std::string problem;
    if (geteuid() == 0) {
        say("mprof archive add --spool reads what users wrote: run it from an account without "
            "privileges, not as root");
        return exit_unusable;
    }
    const std::vector<SpooledProfile> profiles = profiles_in_spool(*options.spool, problem);
    if (!problem.empty()) {
        say(printable_text(problem));
        return exit_unusable;
    }
    std::vector<ReadRun> runs;
    for (const SpooledProfile &profile : profiles)
        if (auto read = read_apart(profile, options))
            runs.push_back(std::move(*read));
    const bool is_whole = runs.size() == profiles.size();
    const auto archive = Archive::open_to_add(options.archive, options.privacy, problem);
    if (!archive)
        return say_archive_problem(options.archive, problem);
    Adder adder(*archive, options.archive);
    for (ReadRun &run : runs)
        if (!adder.add(std::move(run)))
            return say_archive_problem(options.archive, archive->problem());
    if (!adder.flush())
        return say_archive_problem(options.archive, archive->problem());
    adder.say_counts();
    return is_whole ? exit_fine : exit_unusable;
}

// As a table shows it: without "." and the slash of a completed word.
std::string absolute_path(const std::string &path)
{
    std::error_code problem;
    const auto absolute = std::filesystem::absolute(path, problem).lexically_normal();
    return (absolute.has_filename() ? absolute : absolute.parent_path()).string();
}

}  // namespace

std::optional<ReadRun> read_run(const std::string &path, const ArchiveOptions &options,
                                const std::string &owner)
{
    auto profile = read_profile(path, true, options.world);
    if (!profile.ok()) {
        say_error(profile.error(), options.verbose);
        return std::nullopt;
    }
    const Observation observation = observe_run_here(profile.value());
    const ModuleIdentity program = program_of(profile.value());
    RunOrigin origin = {.compiler = "",
                        .build_id = program.build_id,
                        .input = options.input.value_or(""),
                        .owner = owner,
                        .commit = options.commit.value_or(""),
                        .folder = absolute_path(path)};
    if (options.symbols.enabled)
        origin.compiler = compiler_name(program, options.symbols);
    const Report report = analyse_profile(std::move(profile.value()), options.symbols, observation);
    return ReadRun{archived_run(report, origin), archived_lines(report)};
}

int add_to_archive(const ArchiveOptions &options)
{
    if (options.spool)
        return add_spool(options);
    std::string problem;
    const auto archive = Archive::open_to_add(options.archive, options.privacy, problem);
    if (!archive)
        return say_archive_problem(options.archive, problem);
    Adder adder(*archive, options.archive);
    int status = exit_fine;
    for (const std::string &path : options.words) {
        auto read = read_run(path, options, "");
        if (!read)
            status = exit_unusable;
        else if (!adder.add(std::move(*read)))
            return say_archive_problem(options.archive, archive->problem());
    }
    if (!adder.flush())
        return say_archive_problem(options.archive, archive->problem());
    adder.say_counts();
    if (status == exit_fine && adder.has_incomplete())
        status = exit_incomplete;
    return status;
}

}  // namespace mprof
