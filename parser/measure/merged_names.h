// What ranks number each for itself, with numbers that hold for all of them: functions by their
// name, regions by their path.
#pragma once

#include "measure/rank_measure.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mprof {

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

private:
    struct RankNumbers {
        std::shared_ptr<const std::vector<uint32_t>> functions;       // by id
        std::shared_ptr<const std::map<uint32_t, uint32_t>> regions;  // by slot
    };
    std::shared_ptr<const std::vector<uint32_t>> number_functions(const RankFile &file);
    std::shared_ptr<const std::map<uint32_t, uint32_t>> number_regions(const RankFile &file);

    NameNumbers functions_, regions_;
    std::vector<RankNumbers> ranks_;
};

}  // namespace mprof
