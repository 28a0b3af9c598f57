// Where the CPU was during one segment, or all of them, by samples of the ranks.
//
// Samples of one function are one row, whatever its addresses; the row shows the line that has most
// of them. An inlined function is one of its own. Without a symbol, the module is the row. By line,
// samples without a line have no row; by library, the row is the module alone.
//
// Fewer samples have a call path. Paths through the same functions are one, whatever the lines.
#pragma once

#include "measure/call_paths.h"
#include "report/spread.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mprof {

enum class HotSpotsBy { function, line, library };

class HotSpots {
public:
    explicit HotSpots(HotSpotsBy by = HotSpotsBy::function) : by_(by) {}

    // All samples of a rank come before those of the next one.
    void add(const Frame &frame, uint64_t samples, double time_s, uint32_t rank);
    // A sampled way to one of the functions, whose samples are all added. `callers` from the
    // innermost outwards.
    void add_path(const Frame &frame, const std::vector<Frame> &callers, uint64_t samples);
    uint64_t samples() const { return samples_; }
    // Most samples first.
    std::vector<HotPlaceRow> rows();
    // All ways to all functions, of which nothing is left here. The ways of a function share its
    // time as their samples do.
    void take_stacks(std::optional<size_t> segment, std::vector<StackRow> &stacks);

private:
    struct Spot {
        std::map<std::pair<std::string, uint64_t>, std::pair<Frame, uint64_t>> lines;
        uint64_t samples = 0;
        uint64_t address = 0;  // of the first one
        bool at_one_address = true;
        double time_s = 0, rank_s = 0;
        uint32_t rank = 0;  // that is being added
        TimeSpread spread;
        std::map<std::vector<std::string>, std::pair<std::vector<Frame>, uint64_t>> paths;
        uint64_t path_samples = 0;
    };

    using Key = std::pair<std::string, std::string>;
    std::optional<Key> key_of(const Frame &frame) const;
    static void set_path(const Spot &spot, HotPlaceRow &row);

    HotSpotsBy by_;
    std::map<Key, Spot> spots_;
    uint64_t samples_ = 0;
};

// Functions by the samples that were taken in them or in what they call, and which rank has most:
// by these the verdict names the function that tells a rank apart.
class WorkFunctions {
public:
    // A sampled way: the function, and its callers outwards. All of a rank come before those of the
    // next one.
    void add(const Frame &leaf, const std::vector<Frame> &callers, uint64_t samples, uint32_t rank);
    // Those with a good part of a rank's samples.
    std::vector<WorkFunctionRow> rows();

private:
    struct Sum {
        WorkFunctionRow row;
        uint64_t rank_samples = 0;  // of the rank that is being added
        Frame caller;               // of it, by the way with most samples
        uint64_t way_samples = 0;   // of that way
        double depth = 0;
    };

    void add_frame(const Frame &frame, const Frame *caller, size_t depth, uint64_t samples,
                   bool is_serial);
    void end_rank();

    std::map<std::pair<std::string, std::string>, Sum> sums_;
    std::vector<Sum *> touched_;
    uint32_t rank_ = 0;
    uint64_t all_ = 0;  // samples of the rank
    uint64_t most_ = 0;
};

}  // namespace mprof
