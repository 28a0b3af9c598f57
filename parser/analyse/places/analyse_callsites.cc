// A row per MPI function and call path, over all ranks; and the same by source line, which is what
// people look for. Every entry of every rank goes into exactly one row, so that calls, bytes and
// time of the rows add up to those of the functions. The time that completing calls give back to
// the calls that started requests is kept apart from time_s, because the completing calls have that
// time already.
#include "analyse/analysis_parts.h"
#include "measure/for_all_ranks.h"
#include "measure/rank_measure.h"
#include "report/spread.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace mprof {
namespace {

template <class Key>
using Weights = std::map<Key, double>;

// Of calls, by the size of one.
struct Sizes {
    struct OfSize {
        double weight = 0;
        uint64_t calls = 0;
    };
    std::map<uint64_t, OfSize> all;
    double no_size = 0;  // weight of calls whose size is not known exactly

    void add(uint64_t size, const OfSize &more)
    {
        OfSize &of = all[size];
        of.weight += more.weight;
        of.calls += more.calls;
    }
    void add(const Sizes &sizes)
    {
        for (const auto &[size, of] : sizes.all)
            add(size, of);
        no_size += sizes.no_size;
    }
    // The size that has over half of the weight. Functions without bytes have none.
    template <class Row>
    void choose(Row &row) const
    {
        double total = no_size;
        for (const auto &[size, of] : all)
            total += of.weight;
        const auto main =
            std::max_element(all.begin(), all.end(), [](const auto &a, const auto &b) {
                return a.second.weight < b.second.weight;
            });
        if (row.bytes == 0 || main == all.end() || main->second.weight * 2 <= total)
            return;
        row.size = main->first;
        row.size_calls = main->second.calls;
    }
};

struct Sum {
    uint32_t function = 0, node = 0;
    uint64_t calls = 0, bytes = 0, completions = 0, spans = 0;
    double time_s = 0, mpi_thread_s = 0, completion_s = 0, span_s = 0, span_mpi_s = 0;
    WaitSum wait;
    Sizes sizes;
    Weights<uint32_t> regions, communicators;
    TimeSpread spread;
    double rank_s = 0;          // of the rank that is being added
    uint64_t bytes_before = 0;  // without it
    uint32_t most_bytes_rank = 0;
    uint64_t most_bytes = 0;  // of one rank
    bool touched = false;

    // 0 if nothing was completed.
    std::optional<double> overlapped_s() const
    {
        if (completions > 0 && spans == 0)
            return std::nullopt;
        return std::max(0.0, span_s - span_mpi_s);
    }
};

class Sums {
public:
    Sum &find(uint32_t function, uint32_t node)
    {
        const auto [at, is_new] =
            numbers_.try_emplace(uint64_t{function} << 32U | node, sums_.size());
        if (is_new) {
            sums_.emplace_back();
            sums_.back().function = function;
            sums_.back().node = node;
        }
        return sums_[at->second];
    }
    std::vector<Sum> &all() { return sums_; }

private:
    std::vector<Sum> sums_;
    std::unordered_map<uint64_t, size_t> numbers_;
};

// Time decides which size, region or communicator represents a row. If no call took time, the
// number of calls decides.
double weight_of(const MeasuredEntry &entry)
{
    constexpr double per_call_s = 1e-15;
    return entry.time_s + entry.completion_s + per_call_s * static_cast<double>(entry.calls);
}

void add_entry(Sum &sum, const MeasuredEntry &entry, uint32_t region, uint32_t communicator)
{
    if (entry.key.kind == MPROF_KIND_COMPLETION) {
        sum.completions += entry.calls;
        sum.spans += entry.calls - std::min(entry.calls, entry.unknown_spans);
        sum.completion_s += entry.completion_s;
        sum.span_s += entry.span_s;
        sum.span_mpi_s += entry.span_mpi_s;
    }
    sum.calls += entry.counted_calls();
    sum.bytes += entry.counted_bytes();
    sum.time_s += entry.time_s;
    sum.mpi_thread_s += entry.mpi_thread_s();
    if (entry.counts_calls())
        sum.wait.add(entry);
    sum.rank_s += entry.time_s;
    const double weight = weight_of(entry);
    const bool known =
        entry.key.precision == MPROF_PRECISION_EXACT && entry.key.kind != MPROF_KIND_PENDING;
    const bool completes = entry.key.kind == MPROF_KIND_COMPLETION;
    if (known && entry.key.kind != MPROF_KIND_RECEIVED)
        sum.sizes.add(entry.key.size, {weight, completes ? entry.calls : entry.counted_calls()});
    else if (!known)
        sum.sizes.no_size += weight;
    sum.regions[region] += weight;
    sum.communicators[communicator] += weight;
}

template <class Key>
const std::pair<const Key, double> *heaviest(const Weights<Key> &weights)
{
    const auto at =
        std::max_element(weights.begin(), weights.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    return at == weights.end() ? nullptr : &*at;
}

struct TopPartner {
    uint32_t rank = 0;
    double seconds = 0;
};
using TopPartners = std::unordered_map<uint32_t, TopPartner>;  // by node

// The partner that most time went to, the first one of equals.
TopPartner top_partner(const PagedTable<double> &times)
{
    TopPartner top;
    bool is_first = true;
    times.for_each([&](uint64_t rank, double seconds) {
        if (is_first || seconds > top.seconds)
            top = {static_cast<uint32_t>(rank), seconds};
        is_first = false;
    });
    return top;
}

TopPartners top_partners(const RankMeasures &ranks, const CallPaths &paths)
{
    std::unordered_map<uint32_t, PagedTable<double>> times;
    for (size_t r = 0; r < ranks.size(); r++)
        for (const ThreadRecord &thread : ranks[r].file->threads)
            for (const mprof_partner &partner : thread.partners) {
                const uint32_t node = paths.node_of(r, partner.callsite);
                const bool is_known =
                    partner.rank < MPROF_RANK_OUTSIDE && partner.kind != MPROF_PARTNER_ONE_OF;
                if (node != 0 && is_known && partner.ticks != 0)
                    times[node][partner.rank] += partner_seconds(partner, ranks[r]);
            }
    TopPartners top;
    for (const auto &[node, of_node] : times)
        top.emplace(node, top_partner(of_node));
    return top;
}

CallsiteRow make_row(const Sum &sum, const Merged &merged, const TopPartners &partners,
                     double mpi_s)
{
    CallsiteRow row;
    row.function = merged.names.function_name(sum.function);
    row.node = sum.node;
    row.site = merged.paths.site_of(sum.node);
    row.path = merged.paths.path_of(sum.node);
    row.path_cut = merged.paths.is_cut(sum.node);
    row.path_unsure = merged.paths.is_unsure(sum.node);
    row.calls = sum.calls;
    row.bytes = sum.bytes;
    row.time_s = sum.time_s;
    row.mpi_thread_s = sum.mpi_thread_s;
    row.wait_s = sum.wait.value();
    row.spread = sum.spread.result();
    row.most_bytes_rank = sum.most_bytes_rank;
    row.most_bytes = sum.most_bytes;
    row.mpi_percent = mpi_s > 0 ? 100 * sum.time_s / mpi_s : 0;
    sum.sizes.choose(row);
    if (const auto *region = heaviest(sum.regions))
        row.region = region_text(merged.names.region_path(region->first));
    if (const auto *communicator = heaviest(sum.communicators))
        row.communicator = merged.communicators.label(communicator->first);
    row.completions = sum.completions;
    row.completion_s = sum.completion_s;
    row.span_s = sum.span_s;
    row.spans = sum.spans;
    row.overlapped_s = sum.overlapped_s();
    const auto found = partners.find(sum.node);
    if (sum.node == 0 || found == partners.end())
        return row;
    row.top_partner = found->second.rank;
    row.top_partner_s = found->second.seconds;
    return row;
}

struct LineSum {
    CallLineRow row;
    WaitSum wait;
    Sizes sizes;
};

void add_lines(const std::vector<Sum> &sums, const Merged &merged, Report &report)
{
    std::map<std::pair<uint32_t, uint32_t>, LineSum> lines;  // by line and function
    for (const Sum &sum : sums) {
        LineSum &line = lines[{merged.paths.line_of(sum.node), sum.function}];
        CallLineRow &row = line.row;
        if (row.paths++ == 0) {
            const Frame &site = merged.paths.site_of(sum.node);
            row.place = site.place();
            row.symbol = site.symbol;
            row.has_line = site.line != 0;
            row.function = merged.names.function_name(sum.function);
        }
        row.calls += sum.calls;
        row.bytes += sum.bytes;
        row.time_s += sum.time_s;
        row.mpi_thread_s += sum.mpi_thread_s;
        line.wait.add(sum.wait);
        row.completions += sum.completions;
        row.completion_s += sum.completion_s;
        row.span_s += sum.span_s;
        row.spans += sum.spans;
        if (const auto overlapped_s = sum.overlapped_s())
            row.overlapped_s = row.overlapped_s.value_or(0) + *overlapped_s;
        line.sizes.add(sum.sizes);
    }
    for (auto &[key, line] : lines) {
        CallLineRow &row = line.row;
        row.wait_s = line.wait.value();
        line.sizes.choose(row);
        if (row.completions > 0 && row.spans == 0)
            row.overlapped_s.reset();
        if (report.totals.mpi_s > 0)
            row.mpi_percent = 100 * row.time_s / report.totals.mpi_s;
        report.call_lines.push_back(std::move(row));
    }
    std::stable_sort(
        report.call_lines.begin(), report.call_lines.end(),
        [](const CallLineRow &a, const CallLineRow &b) { return a.time_s > b.time_s; });
}

Sums add_up(const RankMeasures &ranks, const Merged &merged)
{
    Sums sums;
    std::vector<std::pair<uint32_t, uint32_t>> touched;
    for (size_t r = 0; r < ranks.size(); r++) {
        touched.clear();
        for (const MeasuredEntry &entry : ranks[r].entries) {
            const uint32_t function = merged.names.function(r, entry.key.function);
            const uint32_t node = merged.paths.node_of(r, entry.key.callsite);
            Sum &sum = sums.find(function, node);
            if (!sum.touched) {
                touched.emplace_back(function, node);
                sum.bytes_before = sum.bytes;
            }
            sum.touched = true;
            add_entry(sum, entry, merged.names.region(r, entry.key.region),
                      merged.communicators.row_of(r, entry.key.communicator));
        }
        for (const auto &[function, node] : touched) {
            Sum &sum = sums.find(function, node);
            sum.spread.add(sum.rank_s, ranks[r].rank());
            if (sum.bytes - sum.bytes_before > sum.most_bytes) {
                sum.most_bytes = sum.bytes - sum.bytes_before;
                sum.most_bytes_rank = ranks[r].rank();
            }
            sum.rank_s = 0;
            sum.touched = false;
        }
    }
    return sums;
}

// Which places have no line, and why.
void note_unresolved(const std::vector<Sum> &sums, const Merged &merged, Quality &quality)
{
    std::set<uint32_t> places, unresolved;
    std::set<std::string> reasons, unproved;
    for (const Sum &sum : sums) {
        const ModuleIdentity *module = merged.paths.module_of(sum.node);
        if (sum.node == 0)
            continue;
        quality.unsure_callsites += merged.paths.is_unsure(sum.node) ? 1U : 0U;
        places.insert(merged.paths.line_of(sum.node));
        if (module != nullptr && merged.paths.symbols().is_unproved(*module))
            unproved.insert(module->path);
        if (merged.paths.site_of(sum.node).line != 0)
            continue;
        unresolved.insert(merged.paths.line_of(sum.node));
        const std::string reason =
            module == nullptr ? "" : merged.paths.symbols().problem_of(*module);
        if (!reason.empty())
            reasons.insert(module->path + " " + reason);
    }
    quality.callsites_recorded = merged.paths.recorded();
    quality.callsite_places = places.size();
    quality.unresolved_callsites = unresolved.size();
    quality.unresolved_modules.assign(reasons.begin(), reasons.end());
    quality.unproved_modules.assign(unproved.begin(), unproved.end());
    quality.symbols_out_of_time = merged.paths.symbols().ran_out_of_time();
}

void note_last_places(const RankMeasures &ranks, const Merged &merged, Report &report)
{
    for (size_t r = 0; r < ranks.size(); r++) {
        const mprof_thread *thread = last_seen_thread(*ranks[r].file);
        const uint32_t node =
            thread == nullptr ? 0 : merged.paths.node_of(r, thread->call_callsite);
        report.ranks[r].in_call_place = merged.paths.site_of(node).place();
    }
}

}  // namespace

void analyse_callsites(const RankMeasures &ranks, const Merged &merged, const Waits &waits,
                       Report &report)
{
    if (!merged.paths.recorded())
        return;
    Sums sums = add_up(ranks, merged);
    const TopPartners partners = top_partners(ranks, merged.paths);
    for (const Sum &sum : sums.all()) {
        report.callsites.push_back(make_row(sum, merged, partners, report.totals.mpi_s));
        note_last_rank(waits, {sum.function, sum.node}, ranks, report.callsites.back());
    }
    std::stable_sort(
        report.callsites.begin(), report.callsites.end(),
        [](const CallsiteRow &a, const CallsiteRow &b) { return a.time_s > b.time_s; });
    add_lines(sums.all(), merged, report);
    note_unresolved(sums.all(), merged, report.quality);
    note_last_places(ranks, merged, report);
}

}  // namespace mprof
