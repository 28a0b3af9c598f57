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

RankTexts::RankTexts(const std::vector<PairView> &all, const RankTexts *other)
{
    static const std::vector<Pair> none;
    const std::vector<Pair> &theirs = other == nullptr ? none : other->shared_.rows();
    const bool same_keys =
        std::equal(all.begin(), all.end(), theirs.begin(), theirs.end(),
                   [](const PairView &a, const Pair &b) { return a.first == b.first; });
    size_t differing = 0;
    for (size_t place = 0; same_keys && place < all.size(); place++)
        differing += all[place].second != theirs[place].second ? 1U : 0U;
    if (other == nullptr || !same_keys || differing * 2 > all.size()) {
        // The next ones share with this one.
        shared_ = std::vector<Pair>(all.begin(), all.end());
        return;
    }
    shared_ = other->shared_;
    own_.reserve(differing);
    for (size_t place = 0; place < all.size(); place++)
        if (all[place].second != theirs[place].second)
            own_.push_back({place, std::string(all[place].second)});
}

void RankTexts::share_with(const RankTexts &other)
{
    if (shared_.is_shared_with(other.shared_))
        return;
    const std::vector<Pair> pairs = all();
    *this = RankTexts(std::vector<PairView>(pairs.begin(), pairs.end()), &other);
}

}  // namespace mprof
