// Runs that tests of the verdict share: ranks that are late, and what is written of a step.
#pragma once

#include "planted_ranks.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace mprof_test {

using Ranks = std::vector<RankFileContent>;

inline void add_to_all(Ranks &ranks, const mprof_entry &entry)
{
    for (auto &rank : ranks)
        rank.threads[0].entries.push_back(entry);
}

// `ticks` by rank, the same each time.
inline void repeat_call(Ranks &ranks, uint16_t function, const std::vector<uint64_t> &ticks,
                        size_t times, int32_t root = MPROF_NO_PEER)
{
    for (size_t r = 0; r < ranks.size(); r++) {
        PlantedJournal journal(ranks[r]);
        for (size_t i = 0; i < times; i++)
            journal.add(function, ticks[r], root);
        journal.close();
    }
}

// The callsite of every entry and operation: line 0x20 of /bin/app; without symbols "app+0x20".
inline void set_callsites_of_all(Ranks &ranks)
{
    for (auto &rank : ranks) {
        rank.modules = {{}, make_module("/bin/app", "00ff")};
        rank.callsites = {{}, make_callsite(0, 1, 0x20)};
        for (mprof_entry &entry : rank.threads[0].entries)
            entry.callsite = 1;
        for (mprof_partner &partner : rank.threads[0].partners)
            partner.callsite = 1;
        for (mprof_operation &operation : rank.operations)
            operation.callsite = 1;
    }
}

inline auto step_says(const std::string &words)
{
    return testing::Contains(testing::Field(&mprof::NextStep::action, testing::HasSubstr(words)));
}

// Rank `late` computes 5 ms before each of 100 reductions, the others 1 ms.
inline Ranks imbalanced_ranks(uint32_t count, size_t late = 1)
{
    Ranks ranks = planted_ranks(count, 510 * ms);
    std::vector<uint64_t> ticks(count, 4010 * us);
    ticks[late] = 10 * us;
    repeat_call(ranks, f_allreduce, ticks, 100);
    return ranks;
}

// In turn each rank is late by 4 ms; on the whole all compute the same.
inline Ranks ranks_late_in_turn(uint32_t count, uint16_t function)
{
    Ranks ranks = planted_ranks(count, 510 * ms);
    for (size_t r = 0; r < count; r++) {
        PlantedJournal journal(ranks[r]);
        for (size_t i = 0; i < 100; i++)
            journal.add(function, i % count == r ? 10 * us : 4010 * us);
        journal.close();
    }
    return ranks;
}

}  // namespace mprof_test
