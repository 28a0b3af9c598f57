// The programs of a job: which rank runs which. A job that `mpirun -n 2 ocean : -n 2 atmosphere`
// starts has two.
//
// A program is what program_name() of a rank's command line is, so two Python scripts are two
// programs, and one executable with different arguments is one. A rank whose command is not known
// belongs to the first program.
#pragma once

#include "measure/rank_measure.h"

#include <string>
#include <vector>

namespace mprof {

struct JobProgram {
    std::string name, command;  // the command of its first rank
    size_t ranks = 0;           // that were read
};

struct JobPrograms {
    std::vector<JobProgram> all;    // by first rank; never empty if there are ranks
    std::vector<uint32_t> of_rank;  // index into `all`, by index of the rank

    bool several() const { return all.size() > 1; }
};

// With more names than a table of programs can show, the job counts as one program.
inline constexpr size_t most_programs = 16;

JobPrograms find_programs(const std::vector<RankMeasure> &ranks);

}  // namespace mprof
