// What is true of a node's ranks at all times: the part of their work that is in the kernel,
// whether they keep their CPU while they wait, and what else wants the CPUs.
#pragma once

#include "accounts/node_time.h"
#include "report/report.h"

namespace mprof {

// `node` has its ranks, what they did in the whole run, and its CPUs. What a rank that wakes up
// waits for a CPU is counted as blocked afterwards.
void describe_node(NodeTime &node, const std::vector<RankRow> &rows);

// Ranks whose CPU takes longer for the same arithmetic than most do.
void note_speeds(const std::vector<RankRow> &rows, std::vector<NodeTime> &nodes);

// What of their work is pickling.
void note_pickling(const std::vector<RankRow> &rows, std::vector<NodeTime> &nodes);

// The first thread of a team is blocked while it waits for the others: of what the rank is blocked,
// that part is its team's; or that of threads which the program makes itself.
double team_part(const RankRow &row, double blocked_s);
void count_team_waiting(double part, RankTime &time);

// CPUs that ranks may use, by their masks and the limit of their control group; 0 = not known.
double usable_cpus(double in_masks, double limit, double of_node, size_t ranks);

}  // namespace mprof
