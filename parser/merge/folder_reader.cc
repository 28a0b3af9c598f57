// A unit of work is a rank file of a folder or a block of a merged file. Each thread has its own
// outcomes, which are put in order at the end, so the result does not depend on who was faster.
// Exceptions (out of memory) must not leave a thread.
#include "merge/folder_reader.h"

#include "merge/merged_file.h"
#include "merge/profile.h"
#include "merge/work_on_all.h"

#include <algorithm>
#include <exception>
#include <optional>

namespace mprof {
namespace {

// Journal items of all ranks together, 4 bytes each. 10 million items hold the durations of 100
// collectives for each of 100,000 ranks. That is enough to show who is often late.
constexpr size_t most_items_of_all = 10'000'000;
constexpr size_t least_items = 64;

// Time bins of all ranks together, 128 bytes each: 512 of each of 4,096 ranks, 32 of each of
// 65,536. The report has at most 128 rows of so many ranks.
constexpr size_t most_bins_of_all = size_t{1} << 21U;
constexpr size_t least_bins = 16;

// Last calls of all ranks together, 32 bytes each: 1,024 of each of 1,024 ranks.
constexpr size_t most_last_calls_of_all = size_t{1} << 20U;

// Time bins of fewer ranks are few enough.
constexpr size_t many_ranks = 4096;

template <class Table>
void share(Table &of_rank, Table &of_last)
{
    if (of_rank.is_shared_with(of_last))
        return;
    of_rank.share_with(of_last);
    of_last = of_rank;
}

void keep_last_calls(std::vector<mprof_last_call> &calls, size_t most)
{
    if (calls.size() > most)
        calls.erase(calls.begin(), calls.end() - static_cast<ptrdiff_t>(most));
    calls.shrink_to_fit();
}

}  // namespace

RankCompaction::RankCompaction(size_t ranks, std::shared_ptr<KeyLists> lists)
    : is_large_(ranks > many_ranks),
      most_items_(std::max(least_items, most_items_of_all / std::max<size_t>(1, ranks))),
      most_last_calls_(
          std::max(kept_last_calls, most_last_calls_of_all / std::max<size_t>(1, ranks)))
{
    memory_.lists = std::move(lists);
    memory_.most_bins = std::max(least_bins, most_bins_of_all / std::max<size_t>(1, ranks));
}

void RankCompaction::compact(RankFile &rank)
{
    share(rank.texts, texts_);
    share(rank.functions, functions_);
    share(rank.callsites, callsites_);
    share(rank.modules, modules_);
    share(rank.scripts, scripts_);
    share(rank.regions, regions_);
    share(rank.operations, operations_);
    thin_journals(rank, most_items_, kept_);
    thin_time_bins(rank, memory_.most_bins);
    if (is_large_) {
        rank.bins_pool = bins_pool_;
        rank.time_bins.move_into(*bins_pool_);
    }
    for (ThreadRecord &thread : rank.threads)
        keep_last_calls(thread.last_calls, most_last_calls_);
    std::vector<mprof_section>().swap(rank.layout.sections);
}

// Exceptions (out of memory) must not leave a thread: they become an error of the file.

namespace {

using Ranks = std::vector<Result<RankFile>>;
using Names = std::vector<std::vector<std::byte>>;

struct Outcome {
    Ranks ranks;
    Names names;
};
struct AllOutcomes {
    std::vector<Ranks> ranks;
    Names names;
};

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

void move_to(Ranks &all, Ranks &&some)
{
    if (all.empty())
        all = std::move(some);
    else
        std::move(some.begin(), some.end(), std::back_inserter(all));
}

// With block 0 come the names, which all blocks share.
void read_block(const MergedFile &merged, size_t block, ReadMemory &memory, Outcome &outcome)
{
    move_to(outcome.ranks, merged.read_ranks(block, &memory));
    if (block != 0)
        return;
    for (auto &names : merged.read_names()) {
        if (names.ok())
            outcome.names.push_back(std::move(names.value()));
        else
            outcome.ranks.emplace_back(names.error());
    }
}

void read_unit(const Unit &unit, ReadMemory &memory, Outcome &outcome)
{
    if (unit.merged != nullptr)
        return read_block(*unit.merged, unit.block, memory, outcome);
    auto rank = read_rank_file(*unit.path, &memory);
    const bool is_rank_file = rank.ok() || rank.error().is_rank_file;
    const auto merged = is_rank_file ? std::nullopt : MergedFile::open(*unit.path);
    if (!merged || !merged->ok())
        outcome.ranks.push_back(std::move(rank));
    else
        for (size_t block = 0; block < merged->value().block_count(); block++)
            read_block(merged->value(), block, memory, outcome);
}

Outcome read_guarded(const Unit &unit, ReadMemory &memory)
{
    Outcome outcome;
    try {
        read_unit(unit, memory, outcome);
    } catch (const std::exception &problem) {
        outcome = {};
        outcome.ranks.emplace_back(FileError{*unit.path, 0, "a file that can be read into memory",
                                             problem.what(), true, FileTrouble::too_large});
    }
    return outcome;
}

AllOutcomes read_units(const Sources &sources, bool show_progress)
{
    const size_t per_worker = sources.merged.empty() ? 16 : 1;
    const Crowd crowd = {workers_for(sources.units.size(), per_worker), show_progress, "reading"};
    const auto lists = std::make_shared<KeyLists>();
    std::vector<RankCompaction> compactions;
    for (size_t worker = 0; worker < crowd.workers; worker++)
        compactions.emplace_back(sources.ranks, lists);
    std::vector<Outcome> outcomes(sources.units.size());
    work_on_all(sources.units.size(), crowd, [&](size_t worker, size_t piece) {
        RankCompaction &compaction = compactions[worker];
        outcomes[piece] = read_guarded(sources.units[piece], compaction.memory());
        for (Result<RankFile> &rank : outcomes[piece].ranks)
            if (rank.ok())
                compaction.compact(rank.value());
    });
    AllOutcomes all;
    all.ranks.reserve(outcomes.size() + 1);
    for (Outcome &outcome : outcomes) {
        all.ranks.push_back(std::move(outcome.ranks));
        std::move(outcome.names.begin(), outcome.names.end(), std::back_inserter(all.names));
    }
    return all;
}

}  // namespace

Result<Profile> read_profile(const std::string &path, bool show_progress,
                             std::optional<uint32_t> world, ProfileEvents *events)
{
    auto files = profile_files(path);
    if (!files.ok())
        return files.error();
    give_large_memory_back();
    Sources sources = find_sources(std::move(files.value()));
    AllOutcomes all = read_units(sources, show_progress);
    all.ranks.push_back(std::move(sources.damaged));
    auto profile = merge_pieces(std::move(all.ranks), path, world);
    give_free_memory_back();
    if (profile.ok()) {
        profile.value().names = std::move(all.names);
        ProfileEvents found = events_of_profile(path, profile.value());
        add_last_calls(found, profile.value());
        if (events != nullptr)
            *events = std::move(found);
    }
    return profile;
}

}  // namespace mprof
