// Who sends how much to whom: point to point as the sender saw it, one-sided as its caller saw it.
// A get moves data from its target to the caller, so there the partner is the source.
#include "analyse/analysis_parts.h"

#include <algorithm>
#include <map>

namespace mprof {
namespace {

constexpr size_t top_partner_count = 20;

using Cells = std::map<std::pair<uint32_t, uint32_t>, MatrixCell>;

// What did not go to a rank of the world, as its sender counted it.
void add_elsewhere(const mprof_partner &partner, Quality &quality)
{
    const bool other = partner.rank == MPROF_RANK_OTHER;
    (other ? quality.other_messages : quality.outside_messages) += partner.messages;
    (other ? quality.other_bytes : quality.outside_bytes) += partner.bytes;
}

void add_partner(const mprof_partner &partner, const RankMeasure &rank, Cells &cells,
                 Quality &quality)
{
    if (partner.kind == MPROF_PARTNER_RECEIVED || partner.kind > MPROF_PARTNER_GET)
        return;
    if (partner.rank >= MPROF_RANK_OUTSIDE) {
        add_elsewhere(partner, quality);
        return;
    }
    const bool incoming = partner.kind == MPROF_PARTNER_GET;
    const auto place =
        incoming ? std::pair(partner.rank, rank.rank()) : std::pair(rank.rank(), partner.rank);
    MatrixCell &cell = cells[place];
    cell.source = place.first;
    cell.destination = place.second;
    cell.messages += partner.messages;
    cell.bytes += partner.bytes;
    cell.time_s += partner_seconds(partner, rank);
    if (partner.kind == MPROF_PARTNER_SENT)
        return;
    cell.one_sided_messages += partner.messages;
    cell.one_sided_bytes += partner.bytes;
}

// The receiving side adds its time, and nothing where the sender's record is missing.
void add_receiver(const mprof_partner &partner, const RankMeasure &rank, Cells &cells)
{
    if (partner.kind != MPROF_PARTNER_RECEIVED)
        return;
    const auto cell = cells.find({partner.rank, rank.rank()});
    if (cell != cells.end())
        cell->second.time_s += partner_seconds(partner, rank);
}

template <class Add>
void for_each_partner(const RankMeasures &ranks, Add add)
{
    for (const RankMeasure &rank : ranks)
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_partner &partner : thread.partners)
                add(partner, rank);
}

}  // namespace

void analyse_partners(const RankMeasures &ranks, Report &report)
{
    Cells cells;
    for_each_partner(ranks, [&](const mprof_partner &partner, const RankMeasure &rank) {
        add_partner(partner, rank, cells, report.quality);
    });
    for_each_partner(ranks, [&](const mprof_partner &partner, const RankMeasure &rank) {
        add_receiver(partner, rank, cells);
    });
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
