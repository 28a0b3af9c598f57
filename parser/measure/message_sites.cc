// Rows of partners by kind (sent, received), for each callsite. A callsite with both kinds sends
// and receives, and its time is in the received row.
#include "measure/message_sites.h"

#include "measure/for_all_ranks.h"

#include <algorithm>
#include <map>
#include <string>

namespace mprof {
namespace {

// Where it is, or where it belongs.
template <class Sites>
auto place_of(Sites &sites, uint32_t callsite)
{
    return std::lower_bound(
        sites.begin(), sites.end(), callsite,
        [](const auto &site, uint32_t number) { return site.callsite < number; });
}

}  // namespace

MessageSites::MessageSites(const std::vector<RankMeasure> &ranks)
    : ranks_(ranks), other_nodes_(ranks.size())
{
    std::map<std::string, uint32_t> hosts;
    numbers_.reserve(ranks.size());
    hosts_.reserve(ranks.size());
    for (const RankMeasure &rank : ranks) {
        numbers_.push_back(rank.rank());
        const auto number = static_cast<uint32_t>(hosts.size());
        hosts_.push_back(hosts.try_emplace(rank.file->text("host"), number).first->second);
    }
    for_all_ranks(ranks.size(), [&](size_t r) {
        std::vector<OtherNode> shares;
        const RankSites sites = of_rank(r);
        for (const MessageSite &site : sites.all())
            if (site.other_node > 0)
                shares.push_back({site.callsite, site.other_node});
        shares.shrink_to_fit();
        other_nodes_[r] = std::move(shares);
    });
}

size_t MessageSites::index_of(uint32_t rank) const
{
    if (rank < numbers_.size() && numbers_[rank] == rank)
        return rank;  // none is missing
    const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), rank);
    if (at == numbers_.end() || *at != rank)
        return unknown_rank;
    return static_cast<size_t>(at - numbers_.begin());
}

RankSites MessageSites::of_rank(size_t index) const
{
    struct Sum {
        uint32_t callsite;
        double all = 0, outside = 0;
    };
    std::vector<MessageSite> sites;
    std::vector<Sum> messages;  // of the same callsites
    const RankMeasure &rank = ranks_[index];
    for (const ThreadRecord &thread : rank.file->threads)
        for (const mprof_partner &partner : thread.partners) {
            auto site = place_of(sites, partner.callsite);
            auto sum = messages.begin() + (site - sites.begin());
            if (site == sites.end() || site->callsite != partner.callsite) {
                site = sites.insert(site, MessageSite{partner.callsite, {}, 0});
                sum = messages.insert(sum, Sum{partner.callsite});
            }
            SitePartner added;
            added.rank = index_of(partner.rank);
            added.messages = static_cast<double>(partner.messages);
            added.bytes = static_cast<double>(partner.bytes);
            added.seconds = partner_seconds(partner, rank);
            added.is_one_of = partner.kind == MPROF_PARTNER_ONE_OF;
            sum->all += added.messages;
            if (added.rank != unknown_rank && hosts_[added.rank] != hosts_[index])
                sum->outside += added.messages;
            site->partners.push_back(added);
        }
    for (size_t i = 0; i < sites.size(); i++)
        sites[i].other_node = messages[i].all > 0 ? messages[i].outside / messages[i].all : 0;
    return RankSites(std::move(sites));
}

const MessageSite *RankSites::find(uint32_t callsite) const
{
    const auto at = place_of(sites_, callsite);
    return at == sites_.end() || at->callsite != callsite ? nullptr : &*at;
}

double MessageSites::other_node(size_t rank, uint32_t callsite) const
{
    const auto at = place_of(other_nodes_[rank], callsite);
    return at == other_nodes_[rank].end() || at->callsite != callsite ? 0 : at->share;
}

}  // namespace mprof
