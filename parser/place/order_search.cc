// Groups of the same size are alike, so the one with the lowest rank comes first. In a part of the
// machine that is not divided any further ranks stand in sequence.
#include "place/order_search.h"

#include "place/divide.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace mprof {
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
