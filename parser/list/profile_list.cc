// A row per profile: first what its head says, then what the user wants of it.
#include "list/profile_list.h"

#include "list/find_profiles.h"
#include "measure/clocks.h"
#include "report/derived_figures.h"

#include <algorithm>
#include <array>
#include <sys/stat.h>
#include <tuple>

namespace mprof {
namespace {

constexpr uint64_t ns_of_s = 1'000'000'000;

struct TroubleWord {
    FileTrouble trouble;
    const char *word;
};
constexpr std::array trouble_words = {
    TroubleWord{FileTrouble::unreadable, "not readable"},
    TroubleWord{FileTrouble::elsewhere, "on its node"},
    TroubleWord{FileTrouble::other_kind, "no profile"},
    TroubleWord{FileTrouble::empty_file, "empty"},
    TroubleWord{FileTrouble::cut_off, "cut off"},
    TroubleWord{FileTrouble::newer, "other version"},
    TroubleWord{FileTrouble::too_large, "too large"},
};

std::string word_of(FileTrouble trouble)
{
    for (const TroubleWord &row : trouble_words)
        if (row.trouble == trouble)
            return row.word;
    return "damaged";
}

int64_t changed_s(const std::string &path)
{
    struct stat facts = {};
    return stat(path.c_str(), &facts) == 0 ? int64_t{facts.st_mtim.tv_sec} : 0;
}

ListedState state_of(const RankFile &head, const ListFacts &facts)
{
    if (head.run.end == MPROF_END_ABORT)
        return ListedState::aborted;
    if (head.run.end == MPROF_END_EXIT)
        return ListedState::exited;
    if (head.finished())
        return ListedState::finished;
    const std::optional<bool> is_running = facts.is_running(head);
    if (is_running && *is_running)
        return ListedState::running;
    // mprof run notes the end of a job that it saw end.
    const bool is_ended = is_running || head.run.stop_realtime_ns != 0;
    return is_ended ? ListedState::killed : ListedState::unfinished;
}

std::optional<double> wallclock_of(const RankFile &head, ListedState state, int64_t now_s)
{
    const auto start_s = static_cast<double>(head.run.start_realtime_ns) / double{ns_of_s};
    if (state == ListedState::running)
        return std::max(0.0, static_cast<double>(now_s) - start_s);
    const TickClock clock(head.clock);
    double seconds = clock.latest_s();
    for (const ThreadRecord &thread : head.threads)
        seconds = std::max(seconds, clock.seconds_at(thread.facts.ticks));
    if (!head.finished() && head.run.stop_realtime_ns > head.run.start_realtime_ns)
        seconds = std::max(seconds,
                           seconds_of_ns(head.run.stop_realtime_ns - head.run.start_realtime_ns));
    return clock.known() || seconds > 0 ? std::optional(seconds) : std::nullopt;
}

ListedProfile row_of(const std::string &path, const ListFacts &facts)
{
    ListedProfile row;
    row.path = path;
    const auto read = read_profile_head(path);
    if (!read.ok()) {
        row.state = ListedState::unreadable;
        row.problem = word_of(read.error().trouble);
        row.start_s = changed_s(path);
        return row;
    }
    const RankFile &head = read.value();
    row.start_s = static_cast<int64_t>(head.run.start_realtime_ns / ns_of_s);
    row.program = program_name(head.text("command"));
    row.ranks = head.header().ranks;
    row.state = state_of(head, facts);
    row.wallclock_s = wallclock_of(head, row.state, facts.now_s);
    return row;
}

bool is_wanted(const ListedProfile &row, const ListWish &wish)
{
    return (!wish.since_s || row.start_s >= *wish.since_s) &&
           (!wish.until_s || row.start_s < *wish.until_s) &&
           (wish.program.empty() || row.program == wish.program);
}

}  // namespace

std::string ListedProfile::verdict_word() const
{
    if (state == ListedState::unreadable)
        return problem;
    if (state == ListedState::running || state == ListedState::killed)
        return text_of(state);
    if (verdict)
        return text_of(*verdict);
    return state == ListedState::aborted || state == ListedState::exited ? text_of(state) : "-";
}

Result<ProfileList> list_runs(const std::string &folder, const ListWish &wish,
                              const ListFacts &facts)
{
    const auto found = find_profiles(folder);
    if (!found.ok())
        return found.error();
    ProfileList list;
    list.version = MPROF_VERSION;
    list.folder = folder;
    list.found = found.value().paths.size();
    list.closed_folders = found.value().closed_folders;
    list.has_deeper = found.value().has_deeper;
    for (const std::string &path : found.value().paths)
        if (ListedProfile row = row_of(path, facts); is_wanted(row, wish))
            list.profiles.push_back(std::move(row));
    std::sort(list.profiles.begin(), list.profiles.end(),
              [](const ListedProfile &a, const ListedProfile &b) {
                  return std::tie(b.start_s, a.path) < std::tie(a.start_s, b.path);
              });
    list.fitting = list.profiles.size();
    list.profiles.resize(std::min(list.profiles.size(), wish.limit.value_or(SIZE_MAX)));
    for (ListedProfile &row : list.profiles)
        if (row.state != ListedState::unreadable)
            row.verdict = facts.verdicts.find(row.path);
    return list;
}

}  // namespace mprof
