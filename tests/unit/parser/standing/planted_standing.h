// Ranks that have not finished, for the tests of where they are, whether they hang, and who ended
// them. What each is in is planted, so it is known which rank is to blame.
#pragma once

#include "planted_ranks.h"
#include "report_of.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <set>
#include <string>
#include <vector>

namespace mprof_test {

using mprof::Observation;
using mprof::Standing;
using mprof::StandingRow;

inline constexpr uint64_t start_ns = 1'700'000'000'000'000'000;
inline constexpr uint64_t second = 1'000'000'000;

// Ranks that are still there: all began at the same moment and are outside MPI since second 1.
inline std::vector<RankFileContent> live_ranks(uint32_t ranks)
{
    std::vector<RankFileContent> all = planted_ranks(ranks, second);
    for (RankFileContent &rank : all) {
        rank.finished = false;
        rank.run.end = MPROF_END_NONE;
        rank.run.start_realtime_ns = start_ns;
        rank.run.stop_realtime_ns = 0;
        rank.threads[0].facts.in_call = 0;
        rank.threads[0].facts.last_function = f_init + 1;
        rank.threads[0].facts.ticks = rank.clock.start.ticks_after + second;
    }
    return all;
}

inline void enter(RankFileContent &rank, uint16_t function, uint64_t since_ns,
                  uint32_t communicator = MPROF_COMM_SLOT_WORLD, int32_t peer = MPROF_NO_PEER)
{
    mprof_thread &facts = rank.threads[0].facts;
    facts.in_call = function + 1U;
    facts.call_communicator = communicator;
    facts.call_peer = peer;
    facts.ticks = rank.clock.start.ticks_after + since_ns;
}

// As seen running 100 s after the start.
inline Observation seen_running(std::set<uint32_t> gone = {})
{
    return {true, true, start_ns + 100 * second, std::move(gone)};
}

// The tag of the call in progress, and, if it is MPI_Wait or MPI_Test, what started its request.
inline void with_tag(RankFileContent &rank, uint32_t tag, uint16_t starter = 0)
{
    mprof_thread &facts = rank.threads[0].facts;
    facts.call_tag = tag + 1;
    facts.call_requests = starter != 0 ? 1 : 0;
    facts.call_starter = starter != 0 ? starter + 1U : 0;
}

inline const StandingRow &row_of(const Standing &standing, uint32_t rank)
{
    const auto at =
        std::find_if(standing.rows.begin(), standing.rows.end(),
                     [&](const StandingRow &row) { return row.where.front().first == rank; });
    EXPECT_NE(at, standing.rows.end());
    return *at;
}

inline void set_name(RankFileContent &rank, uint32_t slot, const std::string &name)
{
    name.copy(rank.communicators[slot].name, sizeof rank.communicators[slot].name - 1);
}

// Outside MPI since a moment, after polls since `since_ns`.
inline void poll(RankFileContent &rank, uint16_t function, uint64_t since_ns, int32_t peer)
{
    enter(rank, function, 100 * second - 1, MPROF_COMM_SLOT_WORLD, peer);
    mprof_thread &facts = rank.threads[0].facts;
    facts.in_call = 0;
    facts.last_function = function + 1U;
    facts.polls_ticks = rank.clock.start.ticks_after + since_ns;
}

inline Standing standing_of(const std::vector<RankFileContent> &ranks,
                            const Observation &observation)
{
    return report_of(ranks, {}, observation).standing;
}

inline void add_messages(RankFileContent &rank, mprof_partner_kind kind, uint32_t partner,
                         uint64_t count)
{
    mprof_partner row = {};
    row.rank = partner;
    row.kind = static_cast<uint16_t>(kind);
    row.in_use = 1;
    row.messages = count;
    rank.threads[0].partners.push_back(row);
}

}  // namespace mprof_test
