// What the run loses because not all threads of OpenMP work: outside of parallel regions, and in
// them where one thread has more to do than the others.
#pragma once

#include "report/report.h"

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

    bool is_serial() const { return serial_gain_s >= uneven_s; }  // that is the larger part
};

ThreadFacts gather_thread_facts(const Report &report);

}  // namespace mprof
