// What the parts of a sample report share (sample_report.cc has their order): the invented program,
// and what each part adds to the Report.
#pragma once

#include "report/report.h"

#include <string>
#include <vector>

namespace mprof_test {

struct Function {
    const char *name;
    double share;           // of MPI time
    double wait;            // of its own time
    double calls;           // per rank
    double bytes;           // of one call
    std::vector<int> bins;  // message sizes, as powers of two
};

const std::vector<Function> &functions();

struct Plan {
    uint32_t ranks = 1, per_node = 4, slow_node = 3, side = 1;
    std::string variant;
    double wall_s = 48.61, compute_s = 29.3, slow_factor = 1.46;
    bool is(const char *name) const { return variant == name; }
    bool has_details() const { return !is("bare"); }
    bool is_slow(uint32_t rank) const
    {
        return !is("healthy") && ranks > per_node * slow_node && rank / per_node == slow_node;
    }
    bool is_missing(uint32_t rank) const
    {
        return is("missing ranks") && (rank % 9 == 4 || (rank >= 20 && rank < 25));
    }
};

// The same number for the same rank on every machine, in [-1, 1).
double noise(uint32_t rank, uint32_t salt);
std::string host_name(const Plan &plan, uint32_t rank);
std::string function_name(const Plan &plan, size_t i);

void add_run(const Plan &plan, mprof::Report &report);
void add_ranks(const Plan &plan, mprof::Report &report);
void add_functions(const Plan &plan, mprof::Report &report);
void add_messages(mprof::Report &report);
void add_partners(const Plan &plan, mprof::Report &report);
void add_nodes(mprof::Report &report);
void add_code(const Plan &plan, mprof::Report &report);
void add_regions(const Plan &plan, mprof::Report &report);
void add_files(const Plan &plan, mprof::Report &report);
void add_openmp(const Plan &plan, mprof::Report &report);
void add_gpus(const Plan &plan, mprof::Report &report);  // of "killed"
void add_communicators(const Plan &plan, mprof::Report &report);
void add_counters(mprof::Report &report);
void add_causes(const Plan &plan, mprof::Report &report);
void add_transfers(mprof::Report &report);
void add_accounts(mprof::Report &report);
void add_programs(mprof::Report &report);
void add_time(const Plan &plan, mprof::Report &report);
void add_lints(mprof::Report &report);
void add_machine(mprof::Report &report);  // as with mprof report --machine
void add_quality(const Plan &plan, mprof::Report &report);
void add_verdict(const Plan &plan, mprof::Report &report);

}  // namespace mprof_test
