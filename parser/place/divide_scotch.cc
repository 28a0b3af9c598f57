// Scotch maps onto a complete graph whose nodes have the sizes of the groups: groups may differ in
// size, and any two are equally far from each other. Levels of the machine are divided one after
// the other, so that no deeper architecture is needed.
//
// Scotch's weights have 32 bits, and so has their sum: the largest share of weights is kept, and
// what becomes 0 is left out.
#include "place/order_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <scotch.h>

namespace mprof {
namespace {

constexpr double weight_sum = 1 << 29;
constexpr double most_imbalance = 0.01;

struct ScotchGraph {
    std::vector<SCOTCH_Num> first, partner, weight;
};

ScotchGraph scaled(const CommGraph &graph)
{
    double sum = 0;
    for (const double weight : graph.weight)
        sum += weight;
    const double scale = sum > 0 ? weight_sum / sum : 0;
    ScotchGraph result;
    result.first.push_back(0);
    for (uint32_t row = 0; row < graph.size(); row++) {
        for (size_t i = graph.first[row]; i < graph.first[row + size_t{1}]; i++) {
            const auto weight = static_cast<SCOTCH_Num>(std::lround(graph.weight[i] * scale));
            if (weight <= 0)
                continue;
            result.partner.push_back(static_cast<SCOTCH_Num>(graph.partner[i]));
            result.weight.push_back(weight);
        }
        result.first.push_back(static_cast<SCOTCH_Num>(result.partner.size()));
    }
    return result;
}

template <class Part, void (*End)(Part *)>
struct EndPart {
    void operator()(Part *part) const
    {
        End(part);
        delete part;  // NOLINT(cppcoreguidelines-owning-memory): of unique_ptr
    }
};
using Graph = std::unique_ptr<SCOTCH_Graph, EndPart<SCOTCH_Graph, SCOTCH_graphExit>>;
using Arch = std::unique_ptr<SCOTCH_Arch, EndPart<SCOTCH_Arch, SCOTCH_archExit>>;
using Strat = std::unique_ptr<SCOTCH_Strat, EndPart<SCOTCH_Strat, SCOTCH_stratExit>>;

// Of groups in turn; what is left if Scotch fails.
Groups groups_in_sequence(const std::vector<uint32_t> &room)
{
    Groups groups;
    for (uint32_t group = 0; group < room.size(); group++)
        groups.insert(groups.end(), room[group], group);
    return groups;
}

}  // namespace

bool can_divide()
{
    return true;
}

Groups divide_roughly(const CommGraph &graph, const std::vector<uint32_t> &room, uint32_t seed)
{
    ScotchGraph rows = scaled(graph);
    std::vector<SCOTCH_Num> sizes(room.begin(), room.end()), parts(graph.size());
    SCOTCH_randomSeed(static_cast<SCOTCH_Num>(seed));
    SCOTCH_randomReset();
    const Graph scotch(new SCOTCH_Graph);
    const Arch arch(new SCOTCH_Arch);
    const Strat strat(new SCOTCH_Strat);
    SCOTCH_graphInit(scotch.get());
    SCOTCH_archInit(arch.get());
    SCOTCH_stratInit(strat.get());
    const bool failed =
        SCOTCH_graphBuild(scotch.get(), 0, static_cast<SCOTCH_Num>(graph.size()), rows.first.data(),
                          nullptr, nullptr, nullptr, static_cast<SCOTCH_Num>(rows.partner.size()),
                          rows.partner.data(), rows.weight.data()) != 0 ||
        SCOTCH_archCmpltw(arch.get(), static_cast<SCOTCH_Num>(sizes.size()), sizes.data()) != 0 ||
        SCOTCH_stratGraphMapBuild(strat.get(), SCOTCH_STRATBALANCE,
                                  static_cast<SCOTCH_Num>(sizes.size()), most_imbalance) != 0 ||
        SCOTCH_graphMap(scotch.get(), arch.get(), strat.get(), parts.data()) != 0;
    if (failed)
        return groups_in_sequence(room);
    return {parts.begin(), parts.end()};
}

}  // namespace mprof

// Scotch lets the program decide how to report its errors. None is reported: divide_roughly() has
// an answer without Scotch. A shared library of Scotch must see them.
#pragma GCC visibility push(default)
extern "C" {
void SCOTCH_errorProg(const char *) {}
// NOLINTBEGIN(cert-dcl50-cpp): these are Scotch's own declarations
void SCOTCH_errorPrint(const char *, ...) {}
void SCOTCH_errorPrintW(const char *, ...) {}
// NOLINTEND(cert-dcl50-cpp)
}
#pragma GCC visibility pop
