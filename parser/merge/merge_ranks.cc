// Three votes, one after the other - run, world, number of ranks - and who loses a vote is left out
// with the reason.
#include "merge/merge_ranks.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <tuple>

namespace mprof {
namespace {

struct Vote {
    size_t files = 0;
    uint64_t newest_ns = 0;
};

// The key that most files have; of two that as many have, the one with the newest file.
template <class Key>
Key elect(const std::vector<RankFile> &files, const std::function<Key(const RankFile &)> &key_of)
{
    std::map<Key, Vote> votes;
    for (const RankFile &file : files) {
        Vote &vote = votes[key_of(file)];
        vote.files++;
        vote.newest_ns = std::max(vote.newest_ns, file.run.start_realtime_ns);
    }
    const auto best =
        std::max_element(votes.begin(), votes.end(), [](const auto &a, const auto &b) {
            return std::pair(a.second.files, a.second.newest_ns) <
                   std::pair(b.second.files, b.second.newest_ns);
        });
    return best->first;
}

void leave_out_unless(std::vector<RankFile> &files, std::vector<FileError> &left_out, size_t offset,
                      const std::string &expected,
                      const std::function<bool(const RankFile &)> &belongs,
                      const std::function<std::string(const RankFile &)> &found)
{
    for (const RankFile &file : files)
        if (!belongs(file))
            left_out.push_back({file.file, offset, expected, found(file)});
    std::erase_if(files, [&](const RankFile &file) { return !belongs(file); });
}

void keep_one_run(std::vector<RankFile> &files, Profile &profile)
{
    profile.run_id = elect<uint64_t>(files, [](const RankFile &f) { return f.header().run_id; });
    leave_out_unless(
        files, profile.left_out, offsetof(mprof_file_header, run_id),
        fmt::format("run {:016x}", profile.run_id),
        [&](const RankFile &f) { return f.header().run_id == profile.run_id; },
        [](const RankFile &f) {
            return fmt::format("run {:016x}, another run", f.header().run_id);
        });
}

void keep_one_world(std::vector<RankFile> &files, Profile &profile)
{
    profile.world = files.front().header().world;
    for (const RankFile &file : files)
        profile.world = std::min(profile.world, file.header().world);
    leave_out_unless(
        files, profile.left_out, offsetof(mprof_file_header, world),
        fmt::format("world {}", profile.world),
        [&](const RankFile &f) { return f.header().world == profile.world; },
        [](const RankFile &f) { return fmt::format("world {}, spawned later", f.header().world); });
}

void keep_one_size(std::vector<RankFile> &files, Profile &profile)
{
    profile.ranks_expected =
        elect<uint32_t>(files, [](const RankFile &f) { return f.header().ranks; });
    leave_out_unless(
        files, profile.left_out, offsetof(mprof_file_header, ranks),
        fmt::format("{} ranks", profile.ranks_expected),
        [&](const RankFile &f) { return f.header().ranks == profile.ranks_expected; },
        [](const RankFile &f) { return fmt::format("{} ranks", f.header().ranks); });
}

void keep_one_file_per_rank(std::vector<RankFile> &files, Profile &profile)
{
    // The better file of a rank first: finished before live, newer before older.
    std::stable_sort(files.begin(), files.end(), [](const RankFile &a, const RankFile &b) {
        const auto key = [](const RankFile &f) {
            return std::tuple(f.header().rank, !f.finished(), ~f.run.stop_realtime_ns);
        };
        return key(a) < key(b);
    });
    for (RankFile &file : files) {
        if (!profile.ranks.empty() && profile.ranks.back().header().rank == file.header().rank)
            profile.left_out.push_back({file.file, offsetof(mprof_file_header, rank),
                                        "each rank once",
                                        fmt::format("rank {}, which is in {}", file.header().rank,
                                                    profile.ranks.back().file)});
        else
            profile.ranks.push_back(std::move(file));
    }
}

void find_missing(Profile &profile)
{
    uint32_t next = 0;
    for (const RankFile &rank : profile.ranks) {
        if (rank.header().rank > next)
            profile.missing.push_back({next, rank.header().rank - 1});
        next = rank.header().rank + 1;
    }
    if (next < profile.ranks_expected)
        profile.missing.push_back({next, profile.ranks_expected - 1});
}

}  // namespace

uint64_t Profile::missing_count() const
{
    uint64_t count = 0;
    for (const RankRange &range : missing)
        count += uint64_t{range.last} - range.first + 1;
    return count;
}

Result<Profile> merge_ranks(std::vector<Result<RankFile>> files, const std::string &folder)
{
    Profile profile;
    std::vector<RankFile> readable;
    for (auto &file : files) {
        if (file.ok())
            readable.push_back(std::move(file.value()));
        else
            profile.damaged.push_back(file.error());
    }
    if (readable.empty()) {
        if (profile.damaged.size() == 1)
            return profile.damaged.front();
        if (profile.damaged.empty())
            return FileError{folder, 0, "rank files", "an empty folder", false};
        return FileError{folder, 0, "rank files",
                         fmt::format("{} files, none of them readable; the first: {}",
                                     profile.damaged.size(), describe(profile.damaged.front())),
                         false};
    }
    keep_one_run(readable, profile);
    keep_one_world(readable, profile);
    keep_one_size(readable, profile);
    keep_one_file_per_rank(readable, profile);
    find_missing(profile);
    return profile;
}

}  // namespace mprof
