// What the ranks of a node did in a stretch of the run, and how long they would take without some
// of it. No start-up, and no MPI_Finalize.
//
// Ranks that share CPUs get equal parts of them, also with other programs. So no account promises
// what the CPUs cannot give.
#pragma once

#include "report/account_rows.h"

#include <bitset>
#include <span>
#include <vector>

namespace mprof {

struct RankTime {
    double work_s = 0;   // on a CPU
    double queue_s = 0;  // wants a CPU
    double blocked_s = 0, transfer_s = 0, files_s = 0;
    double quick_files_s = 0;  // of files_s, in calls that only the CPU is busy with
    double team_s = 0;         // waits for its own threads
    double gpu_wait_s = 0, gpu_copy_s = 0, gpu_launch_s = 0;  // in the driver of its GPU
    double wait_s = 0;                                        // in MPI

    // Time in which it needs no CPU, and all that is its own.
    double other_s() const
    {
        return blocked_s + transfer_s + files_s + team_s + gpu_s() + gpu_launch_s;
    }
    double gpu_s() const { return gpu_wait_s + gpu_copy_s; }
    double own_s() const { return work_s + queue_s + other_s(); }
    void add(const RankTime &other);
};

using StretchTimes = std::vector<RankTime>;  // by rank of the node

// What is true of a rank at all times.
struct RankPart {
    size_t rank = 0;       // index into all ranks of the run
    uint32_t program = 0;  // whose ranks share the same work
    double kernel = 0;     // of its work, the part in the kernel
    double speed = 1;      // of its work, what a CPU as those of the others takes
    double launching = 1;  // of what is not waiting or copying in the driver of its GPU
    double pickling = 0;   // of its work, objects that become bytes, and bytes objects
};

struct NodeTime {
    std::vector<RankPart> ranks;
    StretchTimes whole;
    double cpus = 1;
    bool polls = false;        // ranks that wait keep their CPU
    double keeps = 0;          // of its part of the CPUs, what a rank that waits does not give away
    double other_threads = 0;  // of other programs, that want the CPUs
    double taken = 0;          // of its CPUs, the part that others had while its ranks wanted them
    double small_part = 1;     // of the transfer, that of small messages
};

// Accounts that are taken away.
using Causes = std::bitset<account_kinds>;
inline Causes only(AccountKind kind)
{
    return Causes().set(static_cast<size_t>(kind));
}
inline bool has(const Causes &causes, AccountKind kind)
{
    return causes.test(static_cast<size_t>(kind));
}

// Of a rank: work that wants a CPU, and what follows without one.
struct Need {
    double work_s = 0, other_s = 0;
};

// How long ranks take that begin together, on CPUs that `other_threads` more threads want. As long
// as k of them work, each gets its part of a CPU. Of ranks that poll k stays the same: `keeps`
// is 1.
double makespan(std::vector<Need> ranks, double cpus, double other_threads, double keeps);

// What a rank works if all of its program do the same, and waits for its GPU and copies.
struct EvenTime {
    double work_s = 0, gpu_s = 0;
};
using EvenWork = std::vector<EvenTime>;  // by program

// What a rank works without these causes, but for unevenness.
double work_without(const RankTime &time, const RankPart &rank, const Causes &gone);
// What it waits for its GPU and copies, likewise.
double gpu_without(const RankTime &time, const Causes &gone);
Need need_without(const NodeTime &node, const RankTime &time, const RankPart &rank,
                  const Causes &gone, const EvenWork &even);
// Threads of other programs that want the CPUs then.
double others_in(const NodeTime &node, const StretchTimes &stretch, const Causes &gone);
double makespan_without(const NodeTime &node, const StretchTimes &stretch, const Causes &gone,
                        const EvenWork &even);

// Ranks lack a CPU for more than a tenth of the time in which they want one.
bool is_crowded(const StretchTimes &stretch);

// A rank that wakes up waits for a CPU where the others do not: as long as it was blocked, that is
// part of being blocked. Not on crowded nodes.
void count_late_as_blocked(StretchTimes &stretch);

double longest_own_s(const StretchTimes &stretch);

// What ranks that wait keep of their part of the CPUs: as much as makes the ranks that work longest
// take as long as they took. A kernel may let ranks that give way come back at once.
double find_kept_part(const NodeTime &node);

// Threads of other programs that want the CPUs, from the part of a CPU that ranks got while they
// wanted one. `team_s`: what further threads of the ranks worked.
double find_other_threads(const StretchTimes &whole, double cpus, double team_s);

}  // namespace mprof
