// The time bins of an invented rank: what it does, one thing after the other, divided at the ends
// of the bins. Its bins are as long as those of libmprof are: 1, 2, 4 ... ms.
#pragma once

#include "rank_file_writer.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mprof_test {

// Calls that are alike, of one line of the program.
struct BinnedCalls {
    mprof_time_class time_class;
    uint16_t function, region;  // id and slot
    uint32_t callsite;
    uint64_t calls, bytes;
};

class CgBins {
public:
    // `begin_ticks`: of the first bin. A tick is a ns.
    CgBins(uint64_t begin_ticks, uint64_t wallclock_ns, uint32_t ranks);

    void compute(uint64_t ns) { now_ns_ += ns; }
    void call(const BinnedCalls &calls, uint64_t ns);
    void write(uint64_t bytes) { bin_at(now_ns_).written_bytes += bytes; }
    // One more instance of the journal with that number ended.
    void end_instance(size_t journal);

    // `communicators`: slots of the journals.
    void put_into(RankFileContent &rank, uint32_t first, uint32_t second);

private:
    using Line = std::pair<uint32_t, uint16_t>;  // callsite, function

    mprof_time_bin &bin_at(uint64_t ns);
    void add_line(Line line, uint64_t ns);
    void choose_line();

    uint64_t begin_ticks_, wallclock_ns_, bin_ns_ = 1'000'000, now_ns_ = 0;
    size_t line_bin_ = 0;                           // that `lines_` is of
    std::vector<std::pair<Line, uint64_t>> lines_;  // ns
    uint32_t instances_[2] = {};
    std::vector<mprof_time_bin> bins_;
};

}  // namespace mprof_test
