// Who sends how much to whom: point to point as the sender saw it, one-sided as its caller saw it.
// A get moves data from its target to the caller, so there the partner is the source.
#include "analyse/analysis_parts.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace mprof {
namespace {

constexpr size_t top_partner_count = 20;

// By source, then destination.
using Cells = std::vector<MatrixCell>;

bool comes_before(const MatrixCell &a, const MatrixCell &b)
{
    return std::pair(a.source, a.destination) < std::pair(b.source, b.destination);
}

// Messages that did not go to a rank of the world, as the sender counted them.
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
    MatrixCell &cell = cells.emplace_back();
    cell.source = place.first;
    cell.destination = place.second;
    cell.messages = partner.messages;
    cell.bytes = partner.bytes;
    cell.time_s = partner_seconds(partner, rank);
    if (partner.kind == MPROF_PARTNER_SENT)
        return;
    cell.one_sided_messages = partner.messages;
    cell.one_sided_bytes = partner.bytes;
}

// Sorts, and adds up rows of the same pair.
void join_pairs(Cells &cells)
{
    std::stable_sort(cells.begin(), cells.end(), comes_before);
    size_t last = 0;
    for (size_t i = 1; i < cells.size(); i++) {
        if (comes_before(cells[last], cells[i])) {
            cells[++last] = cells[i];
            continue;
        }
        MatrixCell &sum = cells[last];
        sum.messages += cells[i].messages;
        sum.bytes += cells[i].bytes;
        sum.time_s += cells[i].time_s;
        sum.one_sided_messages += cells[i].one_sided_messages;
        sum.one_sided_bytes += cells[i].one_sided_bytes;
    }
    cells.resize(std::min(cells.size(), last + 1));
    cells.shrink_to_fit();
}

// The receiving side adds its time. If the sender's record is missing, there is no row to add to.
void add_receiver(const mprof_partner &partner, const RankMeasure &rank, Cells &cells)
{
    if (partner.kind != MPROF_PARTNER_RECEIVED)
        return;
    MatrixCell wanted;
    wanted.source = partner.rank;
    wanted.destination = rank.rank();
    const auto cell = std::lower_bound(cells.begin(), cells.end(), wanted, comes_before);
    if (cell != cells.end() && !comes_before(wanted, *cell))
        cell->time_s += partner_seconds(partner, rank);
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
    Cells &cells = report.matrix;
    for_each_partner(ranks, [&](const mprof_partner &partner, const RankMeasure &rank) {
        add_partner(partner, rank, cells, report.quality);
    });
    join_pairs(cells);
    for_each_partner(ranks, [&](const mprof_partner &partner, const RankMeasure &rank) {
        add_receiver(partner, rank, cells);
    });

    std::vector<const MatrixCell *> order;
    for (const MatrixCell &cell : cells)
        if (cell.bytes > 0)
            order.push_back(&cell);
    const auto count = static_cast<std::ptrdiff_t>(std::min(top_partner_count, order.size()));
    std::partial_sort(order.begin(), order.begin() + count, order.end(),
                      [](const MatrixCell *a, const MatrixCell *b) {
                          return std::tuple(b->bytes, a->source, a->destination) <
                                 std::tuple(a->bytes, b->source, b->destination);
                      });
    for (std::ptrdiff_t i = 0; i < count; i++)
        report.top_partners.push_back(*order[static_cast<size_t>(i)]);
}

}  // namespace mprof
