// The fields of what mprof list says: of its JSON and of share/doc/howto/list.md (report/field.h
// says how).
#pragma once

#include "list/profile_list.h"
#include "report/field.h"
#include "report/number_text.h"

namespace mprof {

inline std::string start_of_profile(const ListedProfile &profile)
{
    constexpr uint64_t ns_of_s = 1'000'000'000;
    return profile.start_s <= 0 ? "" : iso_time(static_cast<uint64_t>(profile.start_s) * ns_of_s);
}

template <>
inline constexpr auto fields_of<ListedProfile> = fields(
    field("path", &ListedProfile::path, "", "as `mprof report` takes it").always_known(),
    field("start", start_of_profile, "",
          "when the run started, ISO 8601, UTC; for one that cannot be read, when it was changed"),
    field("program", &ListedProfile::program, "", "its name without folder; null: not known"),
    field("ranks", &ListedProfile::ranks, "", "size of MPI_COMM_WORLD"),
    field("wallclock_s", &ListedProfile::wallclock_s, "s", "of one rank, as far as known"),
    field("state", &ListedProfile::state, "",
          "`finished`, `running`, `killed`, `aborted` (by the program), `exited` (without "
          "finalizing), `unfinished`: not finished, and nothing more is known here, `unreadable`"),
    field("verdict_class", &ListedProfile::verdict, "",
          "as in the last report of it; null: none is known, or the profile changed since then"),
    field("summary", &ListedProfile::summary, "",
          "what the summary at its end said, in short: `MPI 38%` of the run; null: it had none"),
    field("problem", &ListedProfile::problem, "",
          "why it is `unreadable`, in one or two words: `not readable`, `damaged`, `cut off`, "
          "`empty` ...; else null"));

template <>
inline constexpr auto fields_of<ProfileList> = fields(
    field("mprof", &ProfileList::version, "", "version of the program that wrote this")
        .always_known(),
    field("folder", &ProfileList::folder, "", "that was searched").always_known(),
    field("found", &ProfileList::found, "", "profiles below it"),
    field("fitting", &ProfileList::fitting, "", "of these, what the options ask for"),
    field("closed_folders", &ProfileList::closed_folders, "", "folders that could not be searched"),
    field("has_deeper", &ProfileList::has_deeper, "",
          "there are folders below those that were searched"),
    field("profiles", &ProfileList::profiles, "",
          "one row per profile, the newest first; at most `--limit`"));

}  // namespace mprof
