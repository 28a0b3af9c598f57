// Who sends how much to whom: point to point as the sender saw it, one-sided as its caller saw it.
// A get moves data from its target to the caller, so there the partner is the source.
#include "analyse/analysis_parts.h"

#include <algorithm>
#include <map>

namespace mprof {
namespace {

constexpr size_t top_partner_count = 20;

using Cells = std::map<std::pair<uint32_t, uint32_t>, MatrixCell>;

void add_partner(const mprof_partner &partner, uint32_t self, Cells &cells, Quality &quality)
{
    const bool one_sided = partner.kind == MPROF_PARTNER_PUT || partner.kind == MPROF_PARTNER_GET;
    if (partner.kind == MPROF_PARTNER_RECEIVED || partner.kind > MPROF_PARTNER_GET)
        return;
    if (partner.rank == MPROF_RANK_OTHER) {
        quality.other_messages += partner.messages;
        quality.other_bytes += partner.bytes;
        return;
    }
    if (partner.rank == MPROF_RANK_OUTSIDE) {
        quality.outside_messages += partner.messages;
        quality.outside_bytes += partner.bytes;
        return;
    }
    const bool incoming = partner.kind == MPROF_PARTNER_GET;
    const auto place = incoming ? std::pair(partner.rank, self) : std::pair(self, partner.rank);
    MatrixCell &cell = cells[place];
    cell.source = place.first;
    cell.destination = place.second;
    cell.messages += partner.messages;
    cell.bytes += partner.bytes;
    if (!one_sided)
        return;
    cell.one_sided_messages += partner.messages;
    cell.one_sided_bytes += partner.bytes;
}

}  // namespace

void analyse_partners(const RankMeasures &ranks, Report &report)
{
    Cells cells;
    for (const RankMeasure &rank : ranks)
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_partner &partner : thread.partners)
                add_partner(partner, rank.rank(), cells, report.quality);
    report.matrix.reserve(cells.size());
    for (const auto &[place, cell] : cells)
        report.matrix.push_back(cell);

    report.top_partners = report.matrix;
    std::erase_if(report.top_partners, [](const MatrixCell &cell) { return cell.bytes == 0; });
    const auto count =
        static_cast<std::ptrdiff_t>(std::min(top_partner_count, report.top_partners.size()));
    std::partial_sort(report.top_partners.begin(), report.top_partners.begin() + count,
                      report.top_partners.end(), [](const MatrixCell &a, const MatrixCell &b) {
                          return std::tuple(b.bytes, a.source, a.destination) <
                                 std::tuple(a.bytes, b.source, b.destination);
                      });
    report.top_partners.resize(static_cast<size_t>(count));
}

}  // namespace mprof
