// A view of mprof top as it may be of a job of a given size: of each node four ranks, one rank that
// computes longer, the others wait for it.
#pragma once

#include "analyse/live/live_view.h"

#include <fmt/format.h>

namespace mprof_test {

inline mprof::LiveSplit planted_split(double compute, double wait, double transfer)
{
    mprof::LiveSplit split;
    split.compute_s = compute;
    split.wait_s = wait;
    split.transfer_s = transfer;
    return split;
}

inline void add_planted_ranks(mprof::LiveView &view, uint32_t ranks, uint32_t slow)
{
    for (uint32_t node = 0; node < (ranks + 3) / 4; node++)
        view.nodes.push_back(
            {fmt::format("node{:02}", node), 4, planted_split(0.58, 0.32, 0.10), node == slow / 4});
    for (uint32_t rank = 0; rank < ranks; rank++) {
        mprof::LiveRank row;
        row.rank = rank;
        row.node = rank / 4;
        row.waited_for = rank == slow;
        row.over_median = rank == slow ? 1.51 : 1;
        row.split = rank == slow ? planted_split(0.88, 0, 0.12) : planted_split(0.58, 0.32, 0.10);
        row.facts = fmt::format("node{:02}, CPU {}, 1.52 GiB", rank / 4, rank % 4);
        row.now = rank == slow ? "computes for 31.0 ms since MPI_Waitall at cg.c:187"
                               : "in MPI_Allreduce at cg.c:211 for 24.0 ms";
        row.stack = {"cg.c:211 solve", "cg.c:40 main"};
        view.rank_bars.push_back(std::move(row));
    }
}

inline mprof::LiveView planted_view(uint32_t ranks, uint32_t slow)
{
    using mprof::TimeState;
    mprof::LiveView view;
    view.program = "cg.x";
    view.size = fmt::format("{} ranks on {} nodes", ranks, (ranks + 3) / 4);
    view.run_s = 41.4;
    view.length_s = 2;
    view.state = mprof::Judgement::problem;
    view.answer = "LOAD IMBALANCE";
    view.sentence =
        fmt::format("Rank {} on node09 computes 1.51x as long, and the others wait.", slow);
    view.steps = "solve 3, 79.0 ms/step";
    view.split = planted_split(0.58, 0.32, 0.10);
    add_planted_ranks(view, ranks, slow);
    view.waits = {{"63 ranks", slow, 0.62, "MPI_Allreduce at cg.c:211"},
                  {"5 ranks", 12, 0.04, "MPI_Waitall at cg.c:187"}};
    view.now = {{TimeState::waiting, 59, "in MPI_Allreduce at cg.c:211", 0.024},
                {TimeState::computing, 4, "computing after MPI_Waitall at cg.c:187", 0.031}};
    view.sites = {{"cg.c:211", "MPI_Allreduce", TimeState::waiting, 27, 27},
                  {"cg.c:187", "MPI_Waitall", TimeState::transfer, 11, 3},
                  {"cg.c:233", "MPI_Allreduce", TimeState::transfer, 2, 1}};
    return view;
}

}  // namespace mprof_test
