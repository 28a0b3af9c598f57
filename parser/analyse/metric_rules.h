// Metrics: what counters mean together, as a table.
#pragma once

#include <string>
#include <vector>

namespace mprof {

enum class Denominator {
    counter,       // the other counter, both outside MPI: what MPI does while it waits says nothing
    rank_seconds,  // wallclock, of all ranks together
    run_seconds    // wallclock of the run
};

struct MetricRule {
    const char *name;
    const char *unit;
    const char *numerator;  // a counter
    const char *counter;    // the other one, of Denominator::counter
    double scale;
    Denominator denominator;
    bool of_one_thread;  // has no meaning for the sum over several threads of a rank
};

constexpr MetricRule ratio(const char *name, const char *unit, const char *numerator,
                           const char *counter, double scale)
{
    return {name, unit, numerator, counter, scale, Denominator::counter, false};
}

// If rules have the same name, the first one whose counters were counted is used.
inline constexpr MetricRule metric_rules[] = {
    ratio("instructions per cycle", "", "PAPI_TOT_INS", "PAPI_TOT_CYC", 1),
    ratio("instructions per cycle", "", "instructions", "cycles", 1),
    ratio("instructions per cycle", "", "instructions", "cpu-cycles", 1),
    ratio("clock rate", "GHz", "PAPI_TOT_CYC", "task-clock", 1),
    ratio("clock rate", "GHz", "cycles", "task-clock", 1),
    {"clock rate", "GHz", "PAPI_TOT_CYC", "", 1e-9, Denominator::rank_seconds, true},
    {"clock rate", "GHz", "cycles", "", 1e-9, Denominator::rank_seconds, true},
    {"CPU use", "%", "task-clock", "", 1e-7, Denominator::rank_seconds, false},
    {"CPU use", "%", "cpu-clock", "", 1e-7, Denominator::rank_seconds, false},
    {"floating point", "Gflop/s", "PAPI_FP_OPS", "", 1e-9, Denominator::run_seconds, false},
    {"double precision", "Gflop/s", "PAPI_DP_OPS", "", 1e-9, Denominator::run_seconds, false},
    {"single precision", "Gflop/s", "PAPI_SP_OPS", "", 1e-9, Denominator::run_seconds, false},
    ratio("L1 data misses", "%", "PAPI_L1_DCM", "PAPI_L1_DCA", 100),
    ratio("L1 data misses", "%", "PAPI_L1_DCM", "PAPI_LST_INS", 100),
    ratio("L1 data misses", "%", "L1-dcache-load-misses", "L1-dcache-loads", 100),
    ratio("L2 data misses", "%", "PAPI_L2_DCM", "PAPI_L2_DCA", 100),
    ratio("L2 misses", "%", "PAPI_L2_TCM", "PAPI_L2_TCA", 100),
    ratio("L3 misses", "%", "PAPI_L3_TCM", "PAPI_L3_TCA", 100),
    ratio("last cache misses", "%", "LLC-load-misses", "LLC-loads", 100),
    ratio("last cache misses", "%", "cache-misses", "cache-references", 100),
    ratio("L1 misses per 1000 instructions", "", "PAPI_L1_DCM", "PAPI_TOT_INS", 1000),
    ratio("L3 misses per 1000 instructions", "", "PAPI_L3_TCM", "PAPI_TOT_INS", 1000),
    ratio("TLB misses per 1000 instructions", "", "PAPI_TLB_DM", "PAPI_TOT_INS", 1000),
    ratio("TLB misses", "%", "dTLB-load-misses", "dTLB-loads", 100),
    ratio("branch mispredictions", "%", "PAPI_BR_MSP", "PAPI_BR_CN", 100),
    ratio("branch mispredictions", "%", "branch-misses", "branches", 100),
    ratio("loads from another NUMA node", "%", "node-load-misses", "node-loads", 100),
};

}  // namespace mprof
