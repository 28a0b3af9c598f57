// The graph of talking ranks, groups of the right sizes (divide_scotch.cc divides first), and the
// order that they make.
#include "place/order_search.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace mprof {
namespace {

// Sorts each row, and adds up what goes to the same partner.
void join_edges(CommGraph &graph)
{
    std::vector<std::pair<uint32_t, double>> row;
    size_t end = 0, begin = 0;
    for (size_t r = 0; r + 1 < graph.first.size(); r++) {
        row.clear();
        for (size_t i = begin; i < graph.first[r + 1]; i++)
            row.emplace_back(graph.partner[i], graph.weight[i]);
        begin = graph.first[r + 1];
        std::sort(row.begin(), row.end());
        graph.first[r] = end;
        for (const auto &[partner, weight] : row) {
            if (end > graph.first[r] && graph.partner[end - 1] == partner) {
                graph.weight[end - 1] += weight;
                continue;
            }
            graph.partner[end] = partner;
            graph.weight[end++] = weight;
        }
    }
    graph.first.back() = end;
    graph.partner.resize(end);
    graph.weight.resize(end);
}

}  // namespace

CommGraph comm_graph(const std::vector<MatrixCell> &cells, uint32_t ranks,
                     const std::function<double(const MatrixCell &)> &weight_of)
{
    CommGraph graph;
    const auto counts = [&](const MatrixCell &cell) {
        return cell.source != cell.destination && cell.source < ranks && cell.destination < ranks;
    };
    graph.first.assign(ranks + size_t{1}, 0);
    for (const MatrixCell &cell : cells)
        if (counts(cell)) {
            graph.first[cell.source + size_t{1}]++;
            graph.first[cell.destination + size_t{1}]++;
        }
    for (size_t r = 0; r < ranks; r++)
        graph.first[r + 1] += graph.first[r];
    std::vector<size_t> next(graph.first.begin(), graph.first.end() - 1);
    graph.partner.resize(graph.first.back());
    graph.weight.resize(graph.first.back());
    for (const MatrixCell &cell : cells) {
        if (!counts(cell))
            continue;
        const double weight = weight_of(cell);
        for (const auto &[row, partner] :
             {std::pair(cell.source, cell.destination), std::pair(cell.destination, cell.source)}) {
            graph.partner[next[row]] = partner;
            graph.weight[next[row]++] = weight;
        }
    }
    join_edges(graph);
    return graph;
}

CommGraph part_of(const CommGraph &graph, const std::vector<uint32_t> &rows,
                  std::vector<uint32_t> &numbers)
{
    CommGraph part;
    for (size_t i = 0; i < rows.size(); i++)
        numbers[rows[i]] = static_cast<uint32_t>(i);
    for (const uint32_t row : rows) {
        for (size_t i = graph.first[row]; i < graph.first[row + size_t{1}]; i++)
            if (numbers[graph.partner[i]] != unknown_row) {
                part.partner.push_back(numbers[graph.partner[i]]);
                part.weight.push_back(graph.weight[i]);
            }
        part.first.push_back(part.partner.size());
    }
    for (const uint32_t row : rows)
        numbers[row] = unknown_row;
    return part;
}

// Scotch's groups are nearly of the size they should have. Then pairs of ranks swap groups, which
// keeps the sizes. A rank looks for a partner to swap with in the groups that it talks to; what it
// costs to look is limited for matrices in which all talk to all.

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

// Groups of the same size are alike, so the one with the lowest rank comes first. In a part of the
// machine that is not divided any further, ranks are in sequence.

namespace {

// The levels, from the outside.
constexpr std::array levels = {&Place::node, &Place::socket, &Place::cache};

class Search {
public:
    Search(const CommGraph &graph, const Machine &machine, const std::vector<Order> &starts)
        : machine_(machine),
          starts_(starts),
          order_(graph.size()),
          numbers_(graph.size(), unknown_row)
    {
    }

    Order run(const CommGraph &graph)
    {
        std::vector<uint32_t> ranks(graph.size());
        std::iota(ranks.begin(), ranks.end(), 0U);
        arrange(graph, ranks, 0, 0);
        return std::move(order_);
    }

private:
    // Puts `ranks`, the rows of `graph`, on the places from `begin` on.
    void arrange(const CommGraph &graph, const std::vector<uint32_t> &ranks, size_t begin,
                 size_t level)
    {
        if (level == levels.size() || ranks.size() < 2) {
            for (size_t i = 0; i < ranks.size(); i++)
                order_[ranks[i]] = static_cast<uint32_t>(begin + i);
            return;
        }
        std::vector<uint32_t> room, group_of_place;
        for (size_t i = begin; i < begin + ranks.size(); i++) {
            const Place &place = machine_.places[i];
            if (i == begin || place.*levels[level] != machine_.places[i - 1].*levels[level])
                room.push_back(0);
            room.back()++;
            group_of_place.push_back(static_cast<uint32_t>(room.size() - 1));
        }
        if (room.size() == 1) {
            arrange(graph, ranks, begin, level + 1);
            return;
        }
        // Further in, what an order had is not among the same ranks any more.
        std::vector<Groups> starts;
        for (size_t s = 0; level == 0 && s < starts_.size(); s++) {
            starts.emplace_back();
            for (const uint32_t place : starts_[s])
                starts.back().push_back(group_of_place[place]);
        }
        Groups groups = divide(graph, room, starts);
        renumber(room, groups);
        descend(graph, ranks, begin, level, room, groups);
    }

    void descend(const CommGraph &graph, const std::vector<uint32_t> &ranks, size_t begin,
                 size_t level, const std::vector<uint32_t> &room, const Groups &groups)
    {
        std::vector<std::vector<uint32_t>> rows(room.size());
        for (uint32_t row = 0; row < groups.size(); row++)
            rows[groups[row]].push_back(row);
        for (const std::vector<uint32_t> &group : rows) {
            std::vector<uint32_t> of_group;
            for (const uint32_t row : group)
                of_group.push_back(ranks[row]);
            arrange(part_of(graph, group, numbers_), of_group, begin, level + 1);
            begin += group.size();
        }
    }

    static void renumber(const std::vector<uint32_t> &room, Groups &groups)
    {
        std::map<uint32_t, std::vector<uint32_t>> free;  // by size, the last one first
        for (size_t group = room.size(); group-- > 0;)
            free[room[group]].push_back(static_cast<uint32_t>(group));
        std::vector<uint32_t> number(room.size(), unknown_row);
        for (uint32_t &group : groups) {
            if (number[group] == unknown_row) {
                std::vector<uint32_t> &left = free[room[group]];
                number[group] = left.back();
                left.pop_back();
            }
            group = number[group];
        }
    }

    const Machine &machine_;
    const std::vector<Order> &starts_;
    Order order_;
    std::vector<uint32_t> numbers_;
};

}  // namespace

Order search_order(const CommGraph &graph, const Machine &machine, const std::vector<Order> &starts)
{
    return Search(graph, machine, starts).run(graph);
}

}  // namespace mprof
