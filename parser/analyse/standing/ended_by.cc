// Several ranks may call MPI_Abort, or exit: the first one by the clock of the day counts, which is
// as exact as the nodes' clocks agree.
#include "analyse/standing/stands.h"

#include "measure/rank_measure.h"
#include "report/number_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace mprof {
namespace {

bool is_killed(const RankMeasure &rank)
{
    return rank.file->run.end == MPROF_END_NONE && !rank.file->finished();
}

// Where no rank was killed, ranks that exit did not end the others. Where the batch system ended
// the job, a rank may exit because of its signal.
bool may_have_ended(const RankMeasures &ranks, const Observation &observation)
{
    return std::any_of(ranks.begin(), ranks.end(), is_killed) &&
           observation.end <= RunEnd::unfinished;
}

// Another thread may be in a call for longer.
const mprof_thread *thread_that_ended(const RankFile &file)
{
    if (file.run.end == MPROF_END_ABORT)
        for (const ThreadRecord &thread : file.threads)
            if (thread.facts.in_call != 0 &&
                facts_of(file.function_name(thread.facts.in_call - 1)).aborts)
                return &thread.facts;
    return last_seen_thread(file);
}

std::string code_words(const mprof_run &run)
{
    return run.end == MPROF_END_ABORT || run.is_end_code_known != 0 ? std::to_string(run.end_code)
                                                                    : "";
}

// Open MPI's errors are their classes, which its mpi.h numbers so; "" of any other code.
std::string_view error_class(const mprof_run &run)
{
    static constexpr std::array<std::string_view, 20> classes = {
        "",        "BUFFER",   "COUNT", "TYPE",   "TAG",       "COMM",   "RANK",
        "REQUEST", "ROOT",     "GROUP", "OP",     "TOPOLOGY",  "DIMS",   "ARG",
        "UNKNOWN", "TRUNCATE", "OTHER", "INTERN", "IN_STATUS", "PENDING"};
    const auto code = static_cast<size_t>(std::max(run.end_code, 0));
    return run.abi == MPROF_ABI_OPENMPI && code < classes.size() ? classes[code] : "";
}

// "failed in MPI_Recv from rank 0 at solver.c:9 (MPI_ERR_TRUNCATE)": the MPI takes errors for
// fatal.
std::string failure_words(const mprof_run &run, const Stand &stand)
{
    const std::string_view name = error_class(run);
    return fmt::format("failed in {} ({})", call_words(stand),
                       name.empty() ? fmt::format("error {}", run.end_code)
                                    : fmt::format("MPI_ERR_{}", name));
}

// "called MPI_Abort(3) at solver.c:9"
std::string abort_words(const mprof_run &run, const Stand &stand)
{
    const bool is_there = stand.in_call && facts_of(stand.function).aborts;
    if (stand.in_call && !is_there)
        return failure_words(run, stand);
    return fmt::format("called MPI_Abort({}){}", code_words(run),
                       is_there ? at_place(stand.place) : "");
}

// exit(), abort() and what calls them for a language: the C library, and the runtimes of C++ and
// Fortran.
bool is_of_runtime(const Frame &frame)
{
    static constexpr std::array<std::string_view, 9> files = {
        "libc.",     "libc-",       "ld-musl",  "libstdc++", "libc++",
        "libgcc_s.", "libgfortran", "libflang", "libifcore"};
    static constexpr std::array<std::string_view, 3> functions = {"exit", "abort",
                                                                  "__run_exit_handlers"};
    const size_t slash = frame.module.rfind('/');
    const std::string_view name =
        std::string_view(frame.module).substr(slash == std::string::npos ? 0 : slash + 1);
    return std::any_of(files.begin(), files.end(),
                       [&](std::string_view file) { return name.starts_with(file); }) ||
           std::find(functions.begin(), functions.end(), frame.symbol) != functions.end();
}

// Where the program calls exit() or abort(); "" if main() returns, or it is not known.
std::string exit_place(size_t rank, const mprof_run &run, const Merged &merged)
{
    if (run.exit_callsite == 0)
        return "";
    const std::vector<Frame> frames =
        merged.paths.path_of(merged.paths.node_of(rank, run.exit_callsite));
    const auto caller = std::find_if_not(frames.begin(), frames.end(), is_of_runtime);
    return caller == frames.end() || caller->symbol == "_start" ? "" : caller->place();
}

// "exited with status 3 at solver.c:14 without MPI_Finalize, after MPI_Bcast at solver.c:9". In a
// call it is a signal handler that exits, or an MPI that finds an error and calls exit().
std::string exit_words(const mprof_run &run, const Stand &stand, const std::string &place)
{
    const std::string code = code_words(run);
    std::string words = "exited" + (code.empty() ? "" : " with status " + code);
    if (stand.in_call)
        return words + " in " + call_words(stand);
    words += at_place(place) + " without MPI_Finalize";
    return stand.function.empty() ? words : words + ", after " + call_words(stand);
}

// Of Linux, from 1. glibc has names only from 2.32 on, and the package is for 2.28.
constexpr std::array<const char *, 31> signal_names{
    "HUP",  "INT",  "QUIT", "ILL",    "TRAP",   "ABRT",  "BUS",  "FPE",  "KILL", "USR1", "SEGV",
    "USR2", "PIPE", "ALRM", "TERM",   "STKFLT", "CHLD",  "CONT", "STOP", "TSTP", "TTIN", "TTOU",
    "URG",  "XCPU", "XFSZ", "VTALRM", "PROF",   "WINCH", "POLL", "PWR",  "SYS"};

std::string signal_text(int number)
{
    const bool is_named = number >= 1 && number <= static_cast<int>(signal_names.size());
    return is_named ? fmt::format("SIG{}", signal_names[static_cast<size_t>(number) - 1])
                    : fmt::format("signal {}", number);
}

// "died of SIGSEGV in MPI_Recv from rank 1", or "outside MPI, after MPI_Bcast at solver.c:9".
std::string death_words(const mprof_run &run, const Stand &stand)
{
    std::string words = "died of " + signal_text(run.end_code);
    if (run.abi == MPROF_ABI_MPICH && run.is_end_code_known == MPROF_END_CODE_KNOWN)
        words += fmt::format(" (or of _exit({}))", run.end_code);
    if (stand.in_call)
        return words + " in " + call_words(stand);
    words += stand.gpu.empty() ? " outside MPI" : " " + stand.gpu;
    return stand.function.empty() ? words : words + ", after " + call_words(stand);
}

// "called abort() at solver.c:14, after MPI_Bcast at solver.c:9"
std::string give_up_words(const Stand &stand, const std::string &place)
{
    const std::string words = "called abort()" + at_place(place);
    return stand.function.empty() ? words : words + ", after " + call_words(stand);
}

// ": the kernel killed it, as its control group had no memory left (limit 400 MiB)". The rank that
// was killed there is not known; a rank that dies of SIGKILL at the same time is.
std::string memory_words(const RankFile &file)
{
    constexpr int sigkill = 9;
    if (file.run.oom_kills == 0 || file.run.end_code != sigkill)
        return "";
    const auto limit = file.number("cgroup_memory_bytes");
    return fmt::format(": the kernel killed it, as its control group had no memory left{}",
                       limit && *limit > 0
                           ? fmt::format(" (limit {})", bytes_text(static_cast<uint64_t>(*limit)))
                           : "");
}

bool has_given_up(const RankMeasure &rank)
{
    return is_killed(rank) && rank.file->run.exit_callsite != 0;
}

// mprof run saw that it was the first.
bool has_died(const RankMeasure &rank)
{
    const mprof_run &run = rank.file->run;
    return is_killed(rank) && run.is_end_code_known != 0 && run.end_code > 0;
}

std::vector<size_t> ranks_that(const RankMeasures &ranks,
                               const std::function<bool(const RankMeasure &)> &ended)
{
    std::vector<size_t> found;
    for (size_t index = 0; index < ranks.size(); index++)
        if (ended(ranks[index]))
            found.push_back(index);
    return found;
}

auto ends_by(mprof_end end)
{
    return [end](const RankMeasure &rank) { return rank.file->run.end == end; };
}

// Those that ended the job, in one of the ways. After MPI_Abort the launcher may still be about to
// end the others; beside a rank that exited they may go on.
std::vector<size_t> find_enders(const RankMeasures &ranks, const Observation &observation)
{
    std::vector<size_t> found = ranks_that(ranks, ends_by(MPROF_END_ABORT));
    if (found.empty() && !observation.running && may_have_ended(ranks, observation))
        found = ranks_that(ranks, ends_by(MPROF_END_EXIT));
    if (found.empty())
        found = ranks_that(ranks, has_died);
    if (found.empty())
        found = ranks_that(ranks, has_given_up);
    return found;
}

}  // namespace

std::optional<EndedBy> find_ended_by(const RankMeasures &ranks, const Merged &merged,
                                     const Observation &observation, const Moments &moments)
{
    const std::vector<size_t> enders = find_enders(ranks, observation);
    if (enders.empty())
        return std::nullopt;
    const size_t first = *std::min_element(enders.begin(), enders.end(), [&](size_t a, size_t b) {
        return ranks[a].file->run.stop_realtime_ns < ranks[b].file->run.stop_realtime_ns;
    });
    const RankMeasure &rank = ranks[first];
    const mprof_run &run = rank.file->run;
    Stand stand;
    if (const mprof_thread *thread = thread_that_ended(*rank.file))
        stand = stand_of(first, rank, *thread, merged, Members(ranks, merged), moments);
    const bool aborts = run.end == MPROF_END_ABORT;
    const bool died = has_died(rank) || has_given_up(rank);
    const std::string place = exit_place(first, run, merged);
    std::string words = fmt::format("rank {} {}", rank.rank(),
                                    aborts               ? abort_words(run, stand)
                                    : has_given_up(rank) ? give_up_words(stand, place)
                                    : died ? death_words(run, stand) + memory_words(*rank.file)
                                           : exit_words(run, stand, place));
    if (enders.size() > 1)
        words += fmt::format(", and then {} did so as well", plural(enders.size() - 1, "rank"));
    const RankEnd how = aborts ? RankEnd::abort : died ? RankEnd::died : RankEnd::exit;
    return EndedBy{rank.rank(), how, std::move(words)};
}

}  // namespace mprof
