// The runs whose profiles lie below a folder, a row each, the newest first: for mprof list. What a
// row says is in the head of one rank and in the verdicts that earlier reports left; nothing that
// the ranks recorded is read.
#pragma once

#include "list/kept_verdicts.h"
#include "read/file_result.h"
#include "read/rank_file.h"
#include "report/states.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// How a run ended, as far as one of its ranks tells. `unfinished`: not, and nobody here knows more.
enum class ListedState { finished, running, killed, aborted, exited, unfinished, unreadable };
template <>
inline constexpr std::array texts_of<ListedState> = {
    "finished", "running", "killed", "aborted", "exited", "unfinished", "unreadable"};

struct ListedProfile {
    std::string path;     // as a command takes it
    int64_t start_s = 0;  // since 1970; of one that cannot be read, when it was changed
    std::string program;  // "" = not known
    std::optional<uint32_t> ranks;
    std::optional<double> wallclock_s;
    ListedState state = ListedState::finished;
    std::optional<VerdictClass> verdict;  // of the last report, if it has not changed since
    std::string problem;                  // why it cannot be read, in one or two words

    // What a table shows: how it goes or ended if not well, else its class; "-" = not known.
    std::string verdict_word() const;
};

struct ProfileList {
    std::string version;
    std::string folder;
    std::vector<ListedProfile> profiles;  // that are wanted
    size_t found = 0;                     // all that are there
    size_t fitting = 0;                   // what was wanted without a limit
    size_t closed_folders = 0;            // that could not be searched
    bool has_deeper = false;              // below the levels that were searched
};

struct ListWish {
    std::optional<int64_t> since_s = {}, until_s = {};  // from the first on, before the second
    std::string program = {};                           // its name; "" = any
    std::optional<size_t> limit = {};
};

// What is known beside the files.
struct ListFacts {
    int64_t now_s = 0;
    KeptVerdicts verdicts;
    // Whether the process of an unfinished rank is there; nothing: it is not of this machine.
    std::function<std::optional<bool>(const RankFile &head)> is_running;
};

// An error only if the folder itself cannot be read.
Result<ProfileList> list_runs(const std::string &folder, const ListWish &wish,
                              const ListFacts &facts);

}  // namespace mprof
