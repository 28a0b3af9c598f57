// mprof archive add: profiles are read one after the other and written a group at a time, because
// a file system takes as long for one transaction as for a hundred runs. A group is written at the
// latest after a second, so that who is killed has little to do again.
#include "analyse/analyse_profile.h"
#include "archive/archive.h"
#include "main/archive/archive_actions.h"
#include "main/archive/read_apart.h"
#include "main/observe_run.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "read/printable_text.h"
#include "report/number_text.h"
#include "symbols/module_symbols.h"

#include <chrono>
#include <fmt/format.h>
#include <map>
#include <unistd.h>

namespace mprof {
namespace {

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
        add(Added::there, "were there already");
        add(Added::renewed, "brought up to date");
        add(Added::thinned, "were thinned out before");
        add(Added::of_another, "left out: another user added a run of that number");
        say(fmt::format("{}: {}", printable_ascii(name_), words));
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
        say("mprof archive add --spool reads what users wrote: run it as an account without "
            "rights, not as root");
        return exit_unusable;
    }
    const std::vector<SpooledProfile> profiles = profiles_in_spool(*options.spool, problem);
    if (!problem.empty()) {
        say(printable_ascii(problem));
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
                        .owner = owner};
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
