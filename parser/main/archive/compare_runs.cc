// mprof archive compare: two runs of an archive, or two sets of them with commas between.
#include "diff/compare_runs.h"
#include "archive/archive.h"
#include "archive/fleet.h"
#include "main/archive/archive_actions.h"
#include "main/report_output.h"
#include "read/printable_text.h"
#include "render/render_archive.h"

#include <array>
#include <fmt/format.h>
#include <set>

namespace mprof {
namespace {

// Nothing of an archive is compared by its number twice: a run may be given by the begin of it.
bool find_runs(Archive &archive, const std::vector<std::string> &wanted,
               std::vector<ArchivedRun> &found, std::string &missing)
{
    std::vector<std::vector<ArchivedRun>> matches(wanted.size());
    if (!archive.read_runs({}, [&](ArchivedRun &&run) {
            for (size_t i = 0; i < wanted.size(); i++)
                if (run.run.starts_with(wanted[i]))
                    matches[i].push_back(run);
        }))
        return false;
    for (size_t i = 0; i < wanted.size(); i++) {
        if (matches[i].size() != 1)
            missing = fmt::format("{} {} run{} {}; mprof archive list names them",
                                  matches[i].empty() ? "no" : std::to_string(matches[i].size()),
                                  matches[i].empty() ? "such" : "of the",
                                  matches[i].size() > 1 ? "s begin with" : ":", wanted[i]);
        else
            found.push_back(std::move(matches[i].front()));
    }
    return true;
}

bool read_lines_of(Archive &archive, const std::vector<ArchivedRun> &runs,
                   std::vector<LinesOfRun> &all)
{
    for (const ArchivedRun &run : runs) {
        const auto ranks = static_cast<double>(std::max<int64_t>(run.ranks, 1));
        LinesOfRun one = {run.wallclock_s, run.compute_s / ranks, run.ranks, {}};
        if (!archive.read_lines(run.run, one.lines))
            return false;
        all.push_back(std::move(one));
    }
    return true;
}

// "MPI: Open MPI 4.1.6 / Open MPI 5.0.5" for what is not the same on both sides.
std::vector<std::string> environment_of(const ArchivedPair &pair)
{
    using Member = std::string ArchivedRun::*;
    const std::array<std::pair<std::string, Member>, 6> rows = {{
        {"input", &ArchivedRun::input},
        {text_of(Lane::mpi), &ArchivedRun::mpi_library},
        {text_of(Lane::compiler), &ArchivedRun::compiler},
        {text_of(Lane::kernel), &ArchivedRun::kernel},
        {text_of(Lane::program), &ArchivedRun::build_id},
        {text_of(Lane::node), &ArchivedRun::host},
    }};
    const auto values = [](const std::vector<ArchivedRun> &runs, Member member) {
        std::set<std::string> all;
        for (const ArchivedRun &run : runs)
            all.insert((run.*member).empty() ? "not known" : run.*member);
        std::string words;
        for (const std::string &value : all)
            words += (words.empty() ? "" : ", ") + value;
        return words;
    };
    std::vector<std::string> differences;
    for (const auto &[name, member] : rows) {
        const std::string a = values(pair.a, member), b = values(pair.b, member);
        if (a != b)
            differences.push_back(fmt::format("{}: {} in A, {} in B", name, a, b));
    }
    return differences;
}

}  // namespace

int compare_archived(const ArchiveOptions &options)
{
    std::string problem, missing;
    const auto archive = Archive::open_to_read(options.archive, problem);
    if (!archive)
        return say_archive_problem(options.archive, problem);
    ArchivedPair pair;
    pair.version = MPROF_VERSION;
    std::vector<LinesOfRun> before, after;
    if (!find_runs(*archive, split_runs(options.words[0]), pair.a, missing) ||
        !find_runs(*archive, split_runs(options.words[1]), pair.b, missing) ||
        !read_lines_of(*archive, pair.a, before) || !read_lines_of(*archive, pair.b, after))
        return say_archive_problem(options.archive, archive->problem());
    if (!missing.empty()) {
        say(printable_ascii(missing));
        return exit_unusable;
    }
    pair.lines = compare_lines(before, after);
    pair.environment = environment_of(pair);
    Outputs outputs({});
    if (options.json_file)
        return outputs.write(*options.json_file, render_archived_pair_json(pair)) ? exit_fine
                                                                                  : exit_unusable;
    const size_t width = options.width > 0 ? options.width : terminal_width();
    return write_stdout(render_archived_pair_text(pair, width)) ? exit_fine : exit_unusable;
}

}  // namespace mprof
