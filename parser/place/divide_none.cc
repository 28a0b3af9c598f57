// In place of divide_scotch.cc where there is no Scotch.
#include "place/order_search.h"

namespace mprof {

bool can_divide()
{
    return false;
}

Groups divide_roughly(const CommGraph & /*graph*/, const std::vector<uint32_t> &room,
                      uint32_t /*seed*/)
{
    Groups groups;
    for (uint32_t group = 0; group < room.size(); group++)
        groups.insert(groups.end(), room[group], group);
    return groups;
}

}  // namespace mprof
