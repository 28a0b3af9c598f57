// What holds for all ranks together, made once and used by several parts of the analysis: merged
// names, call paths, and the programs of the job.
#pragma once

#include "measure/call_paths.h"
#include "measure/rank_measure.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mprof {

// ---- names --------------------------------------------------------------------------------------

// What ranks number each for itself, with numbers that hold for all of them: functions by their
// name, regions by their path.

// Between the names of a region's path while paths are compared: a name itself may hold a slash.
inline constexpr char region_separator = '\x1f';

// The paths of a rank's regions, by slot; "" is the whole program. A path that does not end at the
// program (a damaged file) is cut off.
std::map<uint32_t, std::string> region_paths(const RankFile &file);
// As people read it: "solve/step".
std::string region_text(std::string path);

// Names in the order in which they were first seen.
class NameNumbers {
public:
    uint32_t number_of(const std::string &name);
    const std::string &name_of(uint32_t number) const { return *names_[number]; }
    uint32_t count() const { return static_cast<uint32_t>(names_.size()); }

private:
    std::map<std::string, uint32_t> numbers_;
    std::vector<const std::string *> names_;
};

class MergedNames {
public:
    explicit MergedNames(const std::vector<RankMeasure> &ranks);

    // `rank` is an index into the ranks, not the rank's number.
    uint32_t function(size_t rank, uint32_t id) const;
    uint32_t region(size_t rank, uint32_t slot) const;
    uint32_t function_count() const { return functions_.count(); }
    const std::string &function_name(uint32_t number) const { return functions_.name_of(number); }
    const std::string &region_path(uint32_t number) const { return regions_.name_of(number); }
    size_t ranks() const { return ranks_.size(); }
    // Of a function that makes or ends what could be kept, calls of all ranks; else 0.
    uint64_t calls_that_make(uint32_t function) const { return calls_that_make_[function]; }

private:
    void count_calls_that_make(const std::vector<RankMeasure> &ranks);

    struct RankNumbers {
        std::shared_ptr<const std::vector<uint32_t>> functions;       // by id
        std::shared_ptr<const std::map<uint32_t, uint32_t>> regions;  // by slot
    };
    std::shared_ptr<const std::vector<uint32_t>> number_functions(const RankFile &file);
    std::shared_ptr<const std::map<uint32_t, uint32_t>> number_regions(const RankFile &file);

    NameNumbers functions_, regions_;
    std::vector<RankNumbers> ranks_;
    std::vector<uint64_t> calls_that_make_;  // by number of the function
};

// ---- the programs of the job, and all of it -----------------------------------------------------

// The programs of a job: which rank runs which. A job that `mpirun -n 2 ocean : -n 2 atmosphere`
// starts has two.
//
// A program is what program_name() of a rank's command line is, so two Python scripts are two
// programs, and one executable with different arguments is one. A rank whose command is not known
// belongs to the first program.
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

// Which of a rank's communicators are the same as which of another's.
class CommunicatorRows {
public:
    // `rank` is an index into the ranks. Row 0: none, or not known.
    uint32_t row_of(size_t rank, uint32_t slot) const;
    // "MPI_COMM_WORLD", its name, or how it was made; "" for row 0.
    const std::string &label(uint32_t row) const { return labels_[row]; }

    void begin_rank(size_t slots)
    {
        ranks_.emplace_back();
        ranks_.back().reserve(slots);
    }
    // In the order of the slots.
    void add(uint32_t slot, uint32_t row) { ranks_.back().emplace_back(slot, row); }
    void set_label(uint32_t row, std::string label);

private:
    std::vector<std::vector<std::pair<uint32_t, uint32_t>>> ranks_;  // slot and row
    std::vector<std::string> labels_{1};
};

struct Merged {
    MergedNames names;
    CallPaths &paths;  // looks up source lines when asked: not constant
    CommunicatorRows communicators;
};

}  // namespace mprof
