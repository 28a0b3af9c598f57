// The rank files of one run: which files there are, and what becomes of them put together in any
// order, of any run. What could not be used is named.
//
// What holds for a Profile: at least one rank; `ranks` are sorted by rank, no two alike, all of
// the same run, the same world and the same world size. `other_worlds` are of the same run.
#pragma once

#include "read/events_file.h"
#include "read/file_result.h"
#include "read/rank_file.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mprof {

struct RankRange {
    uint32_t first;
    uint32_t last;  // included
    bool operator==(const RankRange &) const = default;
};

struct Profile {
    uint64_t run_id = 0;
    uint32_t world = 0;
    uint32_t ranks_expected = 0;
    std::vector<RankFile> ranks;
    std::vector<RankRange> missing;
    std::vector<FileError> damaged;   // could not be read
    std::vector<FileError> left_out;  // could be read, but are of another run, or there twice
    // The run's other worlds, by number (MPI_Comm_spawn); what is damaged or left out in them is
    // above, and they have no other worlds.
    std::vector<Profile> other_worlds;
    std::vector<RankRange> missing_worlds;  // that were spawned and have no file
    // Of places, as merged files have them (struct mprof_names), not decoded.
    std::vector<std::vector<std::byte>> names;

    uint64_t missing_count() const;
};

// From rank files, in any order and from any run, to the Profile of one run.
//
// The run with most files is reported, and the newer one of two equal runs. Of its worlds the first
// is reported, or the requested one; the others are kept in `other_worlds`. A rank with two files
// counts once, and its finished file is preferred.

// `folder` is what an error calls the input as a whole. An error only if no file is usable, or if
// there is none of the world asked for.
Result<Profile> merge_ranks(std::vector<Result<RankFile>> files, const std::string &folder,
                            std::optional<uint32_t> world = std::nullopt);
// In pieces, whose memory is given back one by one: a million ranks never exist twice.
Result<Profile> merge_pieces(std::vector<std::vector<Result<RankFile>>> pieces,
                             const std::string &folder,
                             std::optional<uint32_t> world = std::nullopt);

// What is in a profile folder, or beside a merged file: rank files, and files of single calls
// (events).

// What a path that a user gives holds: the files of a profile folder, or the file itself.

// Regular files and whatever pretends to be one, shorter names first: rank 9 before rank 10.
// Folders, names that begin with a dot and files of events in it are left alone. A file of events
// alone is refused: it has no profile.
Result<std::vector<std::string>> profile_files(const std::string &path);

// The files of events in a profile folder, or beside a file.
std::vector<std::string> events_files(const std::string &path);

// What profile_files() leaves alone in a folder because its name begins with a dot, without
// folders.
std::vector<std::string> hidden_files(const std::string &path);

// Of the files that `path` holds, those that may go into a file which is passed on: no links, as a
// link may lead to anything; they go to `left_out`. With MPROF_LIVE libmprof makes links itself, to
// a record of the same run. These stay, and so does a link that the user names as `path`.
std::vector<std::string> without_links(const std::vector<std::string> &files,
                                       const std::string &path, std::vector<FileError> &left_out);

bool is_events_name(std::string_view path);

// libmprof names a file like this: of one rank, of the ranks of a node, or of a job. A merged
// file, which is a profile of its own, may have any other name.
bool is_rank_file_name(std::string_view name);

// The files of single calls that are in a profile folder, beside the rank files. A merged file has
// none: those in its folder are of its run.

// Of the profile's run and world. `path` is what the profile was read from.
struct ProfileEvents {
    std::map<uint32_t, EventsFile> files;  // by rank
    std::vector<FileError> damaged;        // of whatever run
};
ProfileEvents events_of_profile(const std::string &path, const Profile &profile);

// When the rank lived, and how many functions it knows.
EventLimits event_limits(const RankFile &rank);

// Ranks with events that did not end have their last calls there.
void add_last_calls(const ProfileEvents &events, Profile &profile);

}  // namespace mprof
