// Who the partners of a rank's calls are, callsite by callsite: from the partner table, which knows
// messages, bytes and time per partner and callsite.
#pragma once

#include "measure/rank_measure.h"

#include <cstdint>
#include <map>
#include <vector>

namespace mprof {

struct SitePartner {
    size_t rank = 0;  // index into the ranks; `unknown_rank` = not read, or not of this world
    double messages = 0, bytes = 0, seconds = 0;
    bool is_one_of = false;  // of several ranks whose last one was waited for
};
inline constexpr size_t unknown_rank = SIZE_MAX;

struct MessageSite {
    std::vector<SitePartner> partners;
    double other_node = 0;  // share of the messages whose partner is on another node
};

class MessageSites {
public:
    explicit MessageSites(const std::vector<RankMeasure> &ranks);

    // nullptr: no partner is known there.
    const MessageSite *find(size_t rank, uint32_t callsite) const;
    double other_node(size_t rank, uint32_t callsite) const;
    const std::map<uint32_t, MessageSite> &of_rank(size_t rank) const { return sites_[rank]; }
    // A number for the rank's host, the same on all ranks of the host.
    uint32_t host_of(size_t rank) const { return hosts_[rank]; }
    // Index of a rank by its number; `unknown_rank` if it was not read.
    size_t index_of(uint32_t rank) const;

private:
    void add_rank(const RankMeasure &rank, size_t index);

    std::vector<std::map<uint32_t, MessageSite>> sites_;  // by rank, then callsite slot
    std::vector<uint32_t> hosts_;
    std::vector<uint32_t> numbers_;  // of the ranks, rising
};

}  // namespace mprof
