#include "merge/rank_compaction.h"

#include <algorithm>

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

}  // namespace mprof
