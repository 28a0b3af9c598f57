// The runs whose profiles are below a folder: which there are, the verdicts that earlier reports
// left, and a row for each. Of a profile no more is read than its head, nothing of what its ranks
// recorded. For mprof list, and for what else looks for profiles by their names.
#pragma once

#include "read/file_result.h"
#include "read/rank_file.h"
#include "report/states.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// A folder's name tells nothing: what makes it a profile folder is a file in it that is called like
// those of libmprof (is_rank_file_name()). Other files NAME.mprof are merged files, each a profile.
bool is_rank_folder(const std::string &folder);

// A file NAME.mprof that is not hidden.
bool is_file_of_profile(const std::filesystem::directory_entry &entry);
// True if the folder has such a file, of whatever kind.
bool has_profile_files(const std::string &folder);

// How many folders below the given one are looked into.
inline constexpr size_t most_levels = 6;

struct FoundProfiles {
    std::vector<std::string> paths;  // as a command takes them; below "." without "./"
    size_t closed_folders = 0;       // that may not be read, and are not called like a profile
    bool has_deeper = false;         // some folder has more levels
};

// Hidden folders and links to folders are not followed, and a profile folder is not searched
// further. `path` may be a profile itself. An error if it is not there or may not be read.
Result<FoundProfiles> find_profiles(const std::string &path);

// The verdicts that mprof report gave to profiles, kept in the user's cache folder for mprof list:
// one file `verdicts` there, a line for each profile, the newest first. A verdict is that of the
// profile as it was: one that changed since then, or is another one at the same path, has none.
// Whatever fails is as if nothing had been kept; nothing in the file is believed.

// How a changed profile is recognised: how many files, of how many bytes, and when one of
// them, or their folder, was changed last.
struct ProfileMark {
    uint64_t files = 0, bytes = 0;
    int64_t changed_ns = 0;
    bool operator==(const ProfileMark &) const = default;
};

// Nothing if there is no such profile. What it has is not opened.
std::optional<ProfileMark> mark_of_profile(const std::string &path);

class KeptVerdicts {
public:
    // "": nothing is kept (read/file_bytes.h).
    explicit KeptVerdicts(const std::string &folder);

    // As of the last report.
    std::optional<VerdictClass> find(const std::string &path) const;

    static constexpr size_t most_profiles = 2048;

private:
    struct Kept {
        ProfileMark mark;
        VerdictClass verdict;
    };
    std::map<std::string, Kept> kept_;  // by canonical path
};

// In the place of what was kept of this profile; the oldest of too many go. `mark` is that of the
// profile before it was read, so that what changed meanwhile does not count.
void keep_verdict(const std::string &folder, const std::string &path, const ProfileMark &mark,
                  VerdictClass verdict);

// The runs whose profiles are below a folder, a row each, the newest first: for mprof list. What a
// row says is in the head of one rank and in the verdicts that earlier reports left; nothing that
// the ranks recorded is read.

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
    std::string summary;                  // what the summary at its end said, in short; "" = none
    std::string problem;                  // why it cannot be read, in one or two words

    // What a table shows: how it goes or ended if not well, else its class, else what its summary
    // said; "-" = not known.
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
