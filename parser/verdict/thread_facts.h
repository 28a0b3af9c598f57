// What the run loses because not all threads of OpenMP work: outside parallel regions, in
// regions with fewer threads than there are, in regions where one thread has more to do than the
// others, in those where threads wait for each other's lock or for tasks, and where regions begin
// and end.
#pragma once

#include "report/report.h"

#include <algorithm>
#include <string>

namespace mprof {

struct ThreadFacts {
    double threads = 1;         // that a rank can use: of its largest team, and of its CPUs
    double serial_s = 0;        // of the average rank, computing on one thread
    double serial_gain_s = 0;   // of that, if all threads did it
    double uneven_s = 0;        // longest - mean busy time of a thread, of the average rank
    std::string uneven_place;   // where most of that is, "" = not known
    double place_uneven_s = 0;  // there
    double place_balance = 1;
    double small_gain_s = 0;     // of the average rank, in regions that could have more threads
    std::string small_place;     // the one with most of it: "solve (cg.c:88)", "" = none
    double small_place_s = 0;    // what it takes
    uint64_t small_threads = 0;  // on so many
    // Of the average rank, in regions in which no thread of the team is busy, but waits for another
    // one: a lock, a critical section, ordered work.
    double turns_s = 0;
    std::string turns_place;   // where most of that is: "stack_tiles (tiles.c:66)"
    std::string turns_lock;    // whose lock or critical section that is, if it is another function
    double turns_threads = 0;  // of its team, busy there on average
    // Of the average rank, where teams begin and end regions.
    double starts_s = 0;
    std::string starts_place;  // as turns_place, and how often it is run
    uint64_t starts = 0;
    // Of the average rank, in regions whose tasks nobody sees: threads that have none to run. An
    // estimate.
    double tasks_s = 0;
    std::string tasks_place;  // as turns_place
    // Of threads that OpenMP knows nothing of, on the rank that takes longest: what the one that
    // calls MPI works, how long it waits for the others, and what they work together. 0: none work.
    double main_s = 0, main_waits_s = 0, others_s = 0;
    uint32_t main_rank = 0;

    bool has_own_threads() const { return others_s > 0; }
    // What is the larger part of the account.
    bool is_serial() const
    {
        return serial_gain_s + small_gain_s >= std::max({uneven_s, turns_s, tasks_s, starts_s});
    }
    bool lacks_tasks() const
    {
        return !is_serial() && tasks_s > std::max({uneven_s, turns_s, starts_s});
    }
    bool starts_often() const
    {
        return !is_serial() && !lacks_tasks() && starts_s > std::max(uneven_s, turns_s);
    }
    bool is_in_turn() const
    {
        return !is_serial() && !lacks_tasks() && !starts_often() && turns_s > uneven_s;
    }
    bool is_in_small_regions() const { return small_gain_s > serial_gain_s; }
};

ThreadFacts gather_thread_facts(const Report &report);

}  // namespace mprof
