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

bool makes_cell(const mprof_partner &partner)
{
    return partner.kind != MPROF_PARTNER_RECEIVED && partner.kind <= MPROF_PARTNER_GET;
}

void add_partner(const mprof_partner &partner, const RankMeasure &rank, Cells &cells,
                 Quality &quality)
{
    if (!makes_cell(partner))
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

// Sorts, and adds up rows of the same pair, from row `first` on.
void join_pairs(Cells &cells, size_t first)
{
    std::stable_sort(cells.begin() + static_cast<std::ptrdiff_t>(first), cells.end(), comes_before);
    size_t last = first;
    for (size_t i = first + 1; i < cells.size(); i++) {
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
}

// Finds the rows of a source. Their number is not looked for among all, unless most numbers have
// none.
class CellsBySource {
public:
    explicit CellsBySource(Cells &cells) : cells_(cells)
    {
        constexpr size_t few = 1024;
        if (cells.empty() || cells.back().source > few + cells.size())
            return;
        begins_.reserve(cells.back().source + size_t{2});
        for (size_t i = 0; i < cells.size(); i++)
            while (begins_.size() <= cells[i].source)
                begins_.push_back(i);
        begins_.push_back(cells.size());
    }

    // nullptr: there is none.
    MatrixCell *find(uint32_t source, uint32_t destination) const
    {
        MatrixCell wanted;
        wanted.source = source;
        wanted.destination = destination;
        auto begin = cells_.begin(), end = cells_.end();
        if (!begins_.empty()) {
            if (source + size_t{1} >= begins_.size())
                return nullptr;
            end = begin + static_cast<std::ptrdiff_t>(begins_[source + size_t{1}]);
            begin += static_cast<std::ptrdiff_t>(begins_[source]);
        }
        const auto cell = std::lower_bound(begin, end, wanted, comes_before);
        return cell == end || comes_before(wanted, *cell) ? nullptr : &*cell;
    }

private:
    Cells &cells_;
    std::vector<size_t> begins_;  // by source; empty = not used
};

// The receiving side adds its time. If the sender's record is missing, there is no row to add to.
void add_receiver(const mprof_partner &partner, const RankMeasure &rank, const CellsBySource &cells)
{
    if (partner.kind != MPROF_PARTNER_RECEIVED)
        return;
    if (MatrixCell *cell = cells.find(partner.rank, rank.rank()))
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

// Rows of a rank come behind those of the rank before, but for what it got from others.
void add_senders(const RankMeasures &ranks, Cells &cells, Quality &quality)
{
    bool any_got = false;
    size_t rows = 0;
    for_each_partner(ranks, [&](const mprof_partner &partner, const RankMeasure & /*rank*/) {
        any_got = any_got || partner.kind == MPROF_PARTNER_GET;
        rows += makes_cell(partner) ? 1U : 0U;
    });
    cells.reserve(rows);
    for (const RankMeasure &rank : ranks) {
        const size_t first = cells.size();
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_partner &partner : thread.partners)
                add_partner(partner, rank, cells, quality);
        if (!any_got)
            join_pairs(cells, first);
    }
    if (any_got)
        join_pairs(cells, 0);
    if (cells.size() < rows / 2)
        cells.shrink_to_fit();
}

}  // namespace

PartnerRows analyse_partners(const RankMeasures &ranks, Quality &quality)
{
    PartnerRows rows;
    Cells &cells = rows.matrix;
    add_senders(ranks, cells, quality);
    const CellsBySource by_source(cells);
    for_each_partner(ranks, [&](const mprof_partner &partner, const RankMeasure &rank) {
        add_receiver(partner, rank, by_source);
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
        rows.top.push_back(*order[static_cast<size_t>(i)]);
    return rows;
}

}  // namespace mprof
