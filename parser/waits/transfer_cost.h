// What moving a message costs when nobody has to be waited for: the smaller of what libmprof
// measured between two idle ranks at the end of the run (the baseline) and of the best that the
// program's own calls showed.
//
// Neither alone would do. A sender that is late every time makes the run's best case late as well,
// and would never be found; the baseline is measured on one or two pairs of ranks, and others may
// have a shorter way.
#pragma once

#include "measure/function_facts.h"
#include "measure/message_sites.h"
#include "report/report.h"

#include <array>
#include <map>
#include <optional>

namespace mprof {

enum class CallSide : uint8_t {
    send,
    receive
};  // a call that does both waits for what it receives

// Of a function that moves messages, and of one that starts that.
CallSide side_of(const FunctionFacts &rules);

// Of a call whose best case is `best_s`: less than this more per call is not called waiting.
double noise_seconds(double best_s);

// Time over bytes, never falling.
class CostCurve {
public:
    // Keeps the smallest that is given for a size.
    void add(uint64_t bytes, double seconds);
    // A size cannot cost more than a larger one, nor much more than in proportion to a smaller one.
    void close();
    bool empty() const { return points_.empty(); }
    const std::map<uint64_t, double> &points() const { return points_; }
    // Between two sizes as a straight line of the logarithms, above the last one by its bandwidth.
    double between(uint64_t bytes) const;
    // That of the next larger size that is known; above the last one as above.
    double at_most(uint64_t bytes) const;

private:
    std::map<uint64_t, double> points_;
};

class TransferCost {
public:
    TransferCost(const std::vector<RankMeasure> &ranks, const MessageSites &sites,
                 FactsByNumber &rules);

    // Of one message; `other_node` is the share of messages to other nodes. Nothing = not known.
    std::optional<double> seconds(CallSide side, uint64_t bytes, double other_node) const;
    // Less than this per call is not worth to be called waiting.
    double noise(CallSide side, uint64_t bytes, double other_node) const;
    // Of a rooted collective among so many ranks, which goes down a tree.
    std::optional<double> tree_seconds(uint64_t bytes, uint32_t ranks, bool one_node) const;

    // The best that a message can take when it must be brought from one rank to the other. A
    // receive can take less, if the message is there already.
    std::optional<double> possible(uint64_t bytes, bool other_node) const;

    bool has_baseline() const { return !nodes_[0].best.empty() || !nodes_[1].best.empty(); }
    // All that is known, by locality, source and size; of the run's sizes one per power of two.
    std::vector<MessageCost> rows() const;
    // True if possible() is what the baseline says, and not the run itself.
    bool is_from_baseline(uint64_t bytes, bool other_node) const;

private:
    struct OfLocality {
        CostCurve best, median;                      // of the baseline
        std::array<CostCurve, 2> shortest, typical;  // by CallSide: of the program's calls
    };

    void add_baselines(const std::vector<RankMeasure> &ranks);
    void add_calls(const std::vector<RankMeasure> &ranks, const MessageSites &sites,
                   FactsByNumber &rules);
    static double possible_in_run(const OfLocality &node, uint64_t bytes);
    static std::optional<double> seconds_on(const OfLocality &node, CallSide side, uint64_t bytes);

    std::array<OfLocality, 2> nodes_;  // same node, other node
};

}  // namespace mprof
