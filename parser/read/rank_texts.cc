#include "read/rank_texts.h"

#include <algorithm>

namespace mprof {

const std::string &RankTexts::value_at(size_t place) const
{
    for (const Own &own : own_)
        if (own.place == place)
            return own.value;
    return shared_[place].second;
}

const std::string &RankTexts::find(std::string_view key) const
{
    static const std::string none;
    for (size_t place = 0; place < shared_.size(); place++)
        if (shared_[place].first == key)
            return value_at(place);
    return none;
}

std::vector<RankTexts::Pair> RankTexts::all() const
{
    std::vector<Pair> pairs = shared_.rows();
    for (const Own &own : own_)
        pairs[own.place].second = own.value;
    return pairs;
}

void RankTexts::share_with(const RankTexts &other)
{
    const std::vector<Pair> pairs = all();
    const std::vector<Pair> &theirs = other.shared_.rows();
    const bool same_keys =
        std::equal(pairs.begin(), pairs.end(), theirs.begin(), theirs.end(),
                   [](const Pair &a, const Pair &b) { return a.first == b.first; });
    if (!same_keys)
        return;
    std::vector<Own> differing;
    for (size_t place = 0; place < pairs.size(); place++)
        if (pairs[place].second != theirs[place].second)
            differing.push_back({place, pairs[place].second});
    if (differing.size() * 2 > pairs.size())
        return;  // from here on the next ones share with this one
    differing.shrink_to_fit();
    own_ = std::move(differing);
    shared_ = other.shared_;
}

}  // namespace mprof
