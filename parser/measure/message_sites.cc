// Rows of partners by kind (sent, received), for each callsite. A callsite with both kinds sends
// and receives, and its time stands in the received row.
#include "measure/message_sites.h"

#include <algorithm>
#include <string>

namespace mprof {

MessageSites::MessageSites(const std::vector<RankMeasure> &ranks) : sites_(ranks.size())
{
    std::map<std::string, uint32_t> hosts;
    for (const RankMeasure &rank : ranks) {
        numbers_.push_back(rank.rank());
        const auto number = static_cast<uint32_t>(hosts.size());
        hosts_.push_back(hosts.try_emplace(rank.file->text("host"), number).first->second);
    }
    for (size_t r = 0; r < ranks.size(); r++)
        add_rank(ranks[r], r);
}

size_t MessageSites::index_of(uint32_t rank) const
{
    const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), rank);
    if (at == numbers_.end() || *at != rank)
        return unknown_rank;
    return static_cast<size_t>(at - numbers_.begin());
}

void MessageSites::add_rank(const RankMeasure &rank, size_t index)
{
    std::map<uint32_t, std::pair<double, double>> messages;  // all, to other nodes
    for (const ThreadRecord &thread : rank.file->threads)
        for (const mprof_partner &partner : thread.partners) {
            SitePartner added;
            added.rank = index_of(partner.rank);
            added.messages = static_cast<double>(partner.messages);
            added.bytes = static_cast<double>(partner.bytes);
            added.seconds = partner_seconds(partner, rank);
            added.is_one_of = partner.kind == MPROF_PARTNER_ONE_OF;
            auto &[all, outside] = messages[partner.callsite];
            all += added.messages;
            if (added.rank != unknown_rank && hosts_[added.rank] != hosts_[index])
                outside += added.messages;
            sites_[index][partner.callsite].partners.push_back(added);
        }
    for (auto &[callsite, site] : sites_[index]) {
        const auto &[all, outside] = messages[callsite];
        site.other_node = all > 0 ? outside / all : 0;
    }
}

const MessageSite *MessageSites::find(size_t rank, uint32_t callsite) const
{
    const auto at = sites_[rank].find(callsite);
    return at == sites_[rank].end() ? nullptr : &at->second;
}

double MessageSites::other_node(size_t rank, uint32_t callsite) const
{
    const MessageSite *site = find(rank, callsite);
    return site == nullptr ? 0 : site->other_node;
}

}  // namespace mprof
