// Jobs of several programs: which one waits for which, and what other numbers of ranks would save.
// Of all pairs of programs, the one whose waiting costs the job most.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

struct CouplingFacts {
    bool several = false;    // the job has several programs, and it is known who waits for whom
    std::string waiter;      // "" = none waits for another one
    std::string waited_for;  // by it
    uint64_t waiter_ranks = 0, waited_for_ranks = 0;
    double wait_s = 0;     // of the average rank of `waiter`
    double percent = 0;    // that, of its wallclock
    double back_s = 0;     // of the average rank of `waited_for`, for `waiter`
    bool in_turn = false;  // they wait for each other
    double waiter_compute_s = 0, waited_for_compute_s = 0;  // of the average rank
    double between_s = 0;    // waiting between programs, summed over all ranks and programs
    double imbalance_s = 0;  // max - mean compute time of the ranks of `waited_for`
    // Estimates that take both to scale: ranks moved until both take equally long, and both at work
    // at the same time.
    double moving_s = 0, at_once_s = 0;
    uint64_t moved_ranks = 0;  // for that; 0: less than one
    // Of the average rank of `waited_for`, 0 if that is less than half of what it computes.
    double blocked_s = 0, contention_s = 0;
    std::string off_cpu;  // why `waited_for` takes so long if it does not compute, in words

    double worth_s() const { return in_turn ? at_once_s : moving_s; }
};

// Of the whole job.
CouplingFacts gather_coupling(const Report &report);

// For the verdict on one program alone: it is `waiter`. `report` is that of the job.
CouplingFacts coupling_of_program(const Report &report, const ProgramRow &program);

// The program whose ranks the verdict compares with each other: the one waited for, else the one
// with the largest imbalance. nullptr if all ranks run the same one.
const ProgramRow *program_to_compare(const Report &report, const CouplingFacts &coupling);

}  // namespace mprof
