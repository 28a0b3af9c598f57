// Scotch's groups are nearly of the size they should have. Then pairs of ranks swap groups, which
// keeps the sizes. A rank looks for a partner to swap with in the groups that it talks to; what it
// costs to look is limited for matrices in which all talk to all.
#include "place/divide.h"

#include <algorithm>

namespace mprof {
namespace {

constexpr size_t most_swap_steps = 2'000'000'000;  // some seconds
constexpr size_t most_rounds = 50;
// Tries of so many ranks and less take no second.
constexpr uint32_t few_ranks = 512, some_ranks = 8192;
constexpr uint32_t tries_of_few = 16, tries_of_some = 3;

// What goes from a rank to each group: only the entries of groups it talks to are not 0.
class Ties {
public:
    Ties(const CommGraph &graph, size_t group_count, const Groups &groups)
        : graph_(graph), groups_(groups), sums_(group_count)
    {
    }

    void look_at(uint32_t row)
    {
        for (const uint32_t group : touched_)
            sums_[group] = 0;
        touched_.clear();
        for (size_t i = graph_.first[row]; i < graph_.first[row + size_t{1}]; i++) {
            const uint32_t group = groups_[graph_.partner[i]];
            if (sums_[group] == 0)
                touched_.push_back(group);
            sums_[group] += graph_.weight[i];
        }
    }
    const std::vector<uint32_t> &groups() const { return touched_; }
    double with(uint32_t group) const { return sums_[group]; }

private:
    const CommGraph &graph_;
    const Groups &groups_;
    std::vector<double> sums_;
    std::vector<uint32_t> touched_;
};

class PairSwaps {
public:
    PairSwaps(const CommGraph &graph, size_t group_count, Groups &groups)
        : graph_(graph), groups_(groups), ties_(graph, group_count, groups), members_(group_count)
    {
        for (uint32_t row = 0; row < graph.size(); row++)
            members_[groups[row]].push_back(row);
        for (const double weight : graph.weight)
            least_gain_ = std::max(least_gain_, weight);
        least_gain_ *= 1e-9;
    }

    void run()
    {
        bool changed = true;
        for (size_t round = 0; changed && round < most_rounds; round++) {
            changed = false;
            for (uint32_t row = 0; row < graph_.size() && steps_ < most_swap_steps; row++)
                changed = swap_with_best(row) || changed;
        }
    }

private:
    struct Wish {
        uint32_t group = 0;
        double gain = 0;
    };

    double weight_to_group(uint32_t row, uint32_t group)
    {
        double sum = 0;
        const size_t end = graph_.first[row + size_t{1}];
        for (size_t i = graph_.first[row]; i < end; i++)
            sum += groups_[graph_.partner[i]] == group ? graph_.weight[i] : 0;
        steps_ += end - graph_.first[row] + 1;
        return sum;
    }

    double weight_of_pair(uint32_t a, uint32_t b) const
    {
        const auto begin = graph_.partner.begin();
        const auto first = begin + static_cast<std::ptrdiff_t>(graph_.first[a]);
        const auto last = begin + static_cast<std::ptrdiff_t>(graph_.first[a + size_t{1}]);
        const auto at = std::lower_bound(first, last, b);
        return at == last || *at != b ? 0 : graph_.weight[static_cast<size_t>(at - begin)];
    }

    bool swap_with_best(uint32_t row)
    {
        const uint32_t own = groups_[row];
        ties_.look_at(row);
        std::vector<Wish> wishes;
        for (const uint32_t group : ties_.groups())
            if (group != own)
                wishes.push_back({group, ties_.with(group) - ties_.with(own)});
        double best_gain = least_gain_;
        uint32_t best = unknown_row;
        for (const Wish &wish : wishes) {
            if (wish.gain <= 0 && wishes.size() > most_hopeless)
                continue;
            for (const uint32_t other : members_[wish.group]) {
                const double gain = wish.gain + weight_to_group(other, own) -
                                    weight_to_group(other, wish.group) -
                                    2 * weight_of_pair(row, other);
                if (gain > best_gain) {
                    best_gain = gain;
                    best = other;
                }
            }
        }
        if (best == unknown_row)
            return false;
        const uint32_t other_group = groups_[best];
        std::replace(members_[own].begin(), members_[own].end(), row, best);
        std::replace(members_[other_group].begin(), members_[other_group].end(), best, row);
        std::swap(groups_[row], groups_[best]);
        return true;
    }

    // A swap can help though one of the two would not go alone. Of a rank with many partners that
    // is not looked for.
    static constexpr size_t most_hopeless = 4;

    const CommGraph &graph_;
    Groups &groups_;
    Ties ties_;
    std::vector<std::vector<uint32_t>> members_;
    double least_gain_ = 0;
    size_t steps_ = 0;
};

struct Move {
    double loss = 0;
    uint32_t row = 0, to = 0;
};

}  // namespace

void keep_room(const CommGraph &graph, const std::vector<uint32_t> &room, Groups &groups)
{
    std::vector<int64_t> left(room.begin(), room.end());
    for (const uint32_t group : groups)
        left[group]--;
    Ties ties(graph, room.size(), groups);
    std::vector<Move> moves;
    size_t some_room = 0;
    while (std::any_of(left.begin(), left.end(), [](int64_t l) { return l < 0; })) {
        moves.clear();
        while (left[some_room] <= 0)
            some_room++;
        for (uint32_t row = 0; row < graph.size(); row++) {
            if (left[groups[row]] >= 0)
                continue;
            ties.look_at(row);
            Move move{ties.with(groups[row]), row, static_cast<uint32_t>(some_room)};
            double most = 0;
            for (const uint32_t group : ties.groups())
                if (left[group] > 0 && ties.with(group) > most) {
                    most = ties.with(group);
                    move.to = group;
                }
            move.loss -= most;
            moves.push_back(move);
        }
        std::sort(moves.begin(), moves.end(),
                  [](const Move &a, const Move &b) { return a.loss < b.loss; });
        for (const Move &move : moves)
            if (left[groups[move.row]] < 0 && left[move.to] > 0) {
                left[groups[move.row]]++;
                left[move.to]--;
                groups[move.row] = move.to;
            }
    }
}

void swap_pairs(const CommGraph &graph, size_t group_count, Groups &groups)
{
    PairSwaps(graph, group_count, groups).run();
}

double weight_between(const CommGraph &graph, const Groups &groups)
{
    double sum = 0;
    for (uint32_t row = 0; row < graph.size(); row++)
        for (size_t i = graph.first[row]; i < graph.first[row + size_t{1}]; i++)
            sum += groups[graph.partner[i]] != groups[row] ? graph.weight[i] : 0;
    return sum / 2;
}

Groups divide(const CommGraph &graph, const std::vector<uint32_t> &room,
              const std::vector<Groups> &starts)
{
    Groups best;
    double least = 0;
    const auto take = [&](Groups groups) {
        keep_room(graph, room, groups);
        swap_pairs(graph, room.size(), groups);
        const double between = weight_between(graph, groups);
        if (best.empty() || between < least) {
            least = between;
            best = std::move(groups);
        }
    };
    // Of many ranks, pairs alone lead nowhere from a bad order, and take most of the time.
    if (graph.size() <= some_ranks || !can_divide())
        for (const Groups &start : starts)
            take(start);
    const uint32_t tries = graph.size() <= few_ranks    ? tries_of_few
                           : graph.size() <= some_ranks ? tries_of_some
                                                        : 1;
    for (uint32_t seed = 1; seed <= tries && (best.empty() || least > 0); seed++)
        take(divide_roughly(graph, room, seed));
    return best;
}

}  // namespace mprof
