// A unit of work is a rank file of a folder or a block of a merged file. Each thread has its own
// outcomes, which are put in order at the end, so the result does not depend on who was faster.
// Exceptions (out of memory) must not leave a thread: they become an error of the file.
#include "merge/folder_reader.h"

#include "merge/merge_ranks.h"
#include "merge/merged_file.h"
#include "merge/profile_files.h"
#include "merge/rank_compaction.h"
#include "merge/work_on_all.h"

#include <algorithm>
#include <exception>
#include <optional>

namespace mprof {
namespace {

using Ranks = std::vector<Result<RankFile>>;

// In folders with up to this many files, merged files are looked for first, because several threads
// can share their blocks. In larger folders they are found on the way.
constexpr size_t few_files = 64;

struct Unit {
    const std::string *path = nullptr;
    const MergedFile *merged = nullptr;  // of which it is a block
    size_t block = 0;
};

// Files of which merged ones are known.
struct Sources {
    std::vector<std::string> files;
    std::vector<std::unique_ptr<MergedFile>> merged;
    std::vector<Unit> units;
    size_t ranks = 0;  // about
    Ranks damaged;     // merged files that cannot be read at all
};

void add_merged(Sources &sources, const std::string &path, Result<MergedFile> opened)
{
    if (!opened.ok()) {
        sources.damaged.emplace_back(opened.error());
        return;
    }
    sources.merged.push_back(std::make_unique<MergedFile>(std::move(opened.value())));
    const MergedFile &file = *sources.merged.back();
    for (size_t block = 0; block < file.block_count(); block++)
        sources.units.push_back({&path, &file, block});
    sources.ranks += file.member_count();
}

Sources find_sources(std::vector<std::string> files)
{
    Sources sources;
    sources.files = std::move(files);
    const bool few = sources.files.size() <= few_files;
    for (const std::string &path : sources.files) {
        if (auto opened = few ? MergedFile::open(path) : std::nullopt) {
            add_merged(sources, path, std::move(*opened));
            continue;
        }
        sources.units.push_back({&path, nullptr, 0});
        sources.ranks++;
    }
    return sources;
}

Ranks read_unit(const Unit &unit)
{
    if (unit.merged != nullptr)
        return unit.merged->read_ranks(unit.block);
    Ranks ranks;
    ranks.push_back(read_rank_file(*unit.path));
    if (ranks.front().ok() || ranks.front().error().is_rank_file)
        return ranks;
    const auto merged = MergedFile::open(*unit.path);
    if (!merged || !merged->ok())
        return ranks;
    ranks.clear();
    for (size_t block = 0; block < merged->value().block_count(); block++) {
        Ranks of_block = merged->value().read_ranks(block);
        std::move(of_block.begin(), of_block.end(), std::back_inserter(ranks));
    }
    return ranks;
}

Ranks read_guarded(const Unit &unit)
{
    Ranks ranks;
    try {
        return read_unit(unit);
    } catch (const std::exception &problem) {
        ranks.emplace_back(FileError{*unit.path, 0, "a file that can be read into memory",
                                     problem.what(), true, FileTrouble::too_large});
    }
    return ranks;
}

Ranks read_units(const Sources &sources, bool show_progress)
{
    const size_t per_worker = sources.merged.empty() ? 16 : 1;
    const Crowd crowd = {workers_for(sources.units.size(), per_worker), show_progress, "reading"};
    std::vector<RankCompaction> compactions(crowd.workers, RankCompaction(sources.ranks));
    std::vector<Ranks> outcomes(sources.units.size());
    work_on_all(sources.units.size(), crowd, [&](size_t worker, size_t piece) {
        outcomes[piece] = read_guarded(sources.units[piece]);
        for (Result<RankFile> &rank : outcomes[piece])
            if (rank.ok())
                compactions[worker].compact(rank.value());
    });
    Ranks ranks;
    ranks.reserve(sources.ranks);
    for (Ranks &outcome : outcomes) {
        std::move(outcome.begin(), outcome.end(), std::back_inserter(ranks));
        Ranks().swap(outcome);
    }
    return ranks;
}

}  // namespace

Result<Profile> read_profile(const std::string &path, bool show_progress,
                             std::optional<uint32_t> world)
{
    auto files = profile_files(path);
    if (!files.ok())
        return files.error();
    Sources sources = find_sources(std::move(files.value()));
    Ranks ranks = read_units(sources, show_progress);
    std::move(sources.damaged.begin(), sources.damaged.end(), std::back_inserter(ranks));
    return merge_ranks(std::move(ranks), path, world);
}

}  // namespace mprof
