// The verdicts that mprof report gave to profiles, kept in the user's cache folder for mprof list:
// one file `verdicts` there, a line for each profile, the newest first. A verdict is that of the
// profile as it was: one that changed since then, or is another one at the same path, has none.
// Whatever fails is as if nothing had been kept; nothing in the file is believed.
#pragma once

#include "report/states.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace mprof {

// What a profile is told from a changed one by: how many files, of how many bytes, and when one of
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

}  // namespace mprof
