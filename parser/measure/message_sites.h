// Who the partners of a rank's calls are, callsite by callsite: from the partner table, which knows
// messages, bytes and time per partner and callsite. A rank's partners are put together whenever
// they are asked for: of all ranks they would take more memory than anything else.
#pragma once

#include "measure/rank_measure.h"

#include <cstdint>
#include <vector>

namespace mprof {

struct SitePartner {
    size_t rank = 0;  // index into the ranks; `unknown_rank` = not read, or not of this world
    double messages = 0, bytes = 0, seconds = 0;
    bool is_one_of = false;  // of several ranks whose last one was waited for
};
inline constexpr size_t unknown_rank = SIZE_MAX;

struct MessageSite {
    uint32_t callsite = 0;  // slot
    std::vector<SitePartner> partners;
    double other_node = 0;  // share of the messages whose partner is on another node
};

// Of one rank, by callsite.
class RankSites {
public:
    explicit RankSites(std::vector<MessageSite> sites) : sites_(std::move(sites)) {}
    // nullptr: no partner is known there.
    const MessageSite *find(uint32_t callsite) const;
    const std::vector<MessageSite> &all() const { return sites_; }

private:
    std::vector<MessageSite> sites_;
};

class MessageSites {
public:
    explicit MessageSites(const std::vector<RankMeasure> &ranks);

    RankSites of_rank(size_t index) const;
    double other_node(size_t rank, uint32_t callsite) const;
    // A number for the rank's host, the same on all ranks of the host.
    uint32_t host_of(size_t rank) const { return hosts_[rank]; }
    // Index of a rank by its number; `unknown_rank` if it was not read.
    size_t index_of(uint32_t rank) const;

private:
    struct OtherNode {
        uint32_t callsite;
        double share;
    };

    const std::vector<RankMeasure> &ranks_;
    std::vector<std::vector<OtherNode>> other_nodes_;  // by rank, then callsite; none = 0
    std::vector<uint32_t> hosts_;
    std::vector<uint32_t> numbers_;  // of the ranks, rising
};

}  // namespace mprof
