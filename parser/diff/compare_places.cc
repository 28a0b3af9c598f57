// The tables of a comparison whose rows must be found in both sides first: call sites, the
// computing between two of them, and phases.
#include "diff/comparison_parts.h"
#include "report/number_text.h"
#include "report/time_window.h"

#include <fmt/format.h>
#include <set>
#include <tuple>

namespace mprof {

// The tables of places in the program: callsites, and the computing between two of them.
//
// The places of all runs of a side are collected first, then those of A are matched with those of
// B; from there on a place is a number that both sides share.
//
// A call on one side only divides the computing around it: X..Y becomes X..N and N..Y. To compare
// like with like, the two parts are joined again if one way leads to N and one leads from it.

namespace {

// The same place in all runs of a side: repetitions are of one build.
using SiteKey = std::tuple<std::string, std::string, uint32_t, std::string, std::string, uint64_t>;

SiteKey key_of(const std::string &function, const Frame &at)
{
    const bool has_line = at.line != 0;
    return {function,
            at.file_name(),
            at.line,
            at.symbol,
            has_line ? "" : at.module_name(),
            has_line ? 0 : at.offset};
}

class SiteList {
public:
    void add(const std::string &function, const Frame &at, const std::string &command)
    {
        if (numbers_.try_emplace(key_of(function, at), sites_.size()).second)
            sites_.push_back({function, at, module_key(at, command)});
    }
    size_t number(const std::string &function, const Frame &at) const
    {
        return numbers_.at(key_of(function, at));
    }
    const std::vector<Site> &sites() const { return sites_; }

private:
    std::map<SiteKey, size_t> numbers_;
    std::vector<Site> sites_;
};

// The places of both sides under common numbers.
class Places {
public:
    explicit Places(const Runs &runs)
    {
        for (size_t run = 0; run < runs.count(); run++)
            collect(runs[run], runs.is_of_a(run) ? a_ : b_);
        const std::vector<Site> &a = a_.sites();
        const std::vector<Site> &b = b_.sites();
        a_numbers_.resize(a.size());
        b_numbers_.resize(b.size());
        for (const SitePair &pair : match_sites(a, b)) {
            PlaceChange place;
            place.match = pair.match;
            place.in_a = pair.a.has_value();
            place.in_b = pair.b.has_value();
            place.function = pair.a ? a[*pair.a].function : b[*pair.b].function;
            if (pair.a) {
                place.a = a[*pair.a].at;
                a_numbers_[*pair.a] = places_.size();
            }
            if (pair.b) {
                place.b = b[*pair.b].at;
                b_numbers_[*pair.b] = places_.size();
            }
            places_.push_back(std::move(place));
        }
    }

    size_t number(bool of_a, const std::string &function, const Frame &at) const
    {
        return of_a ? a_numbers_[a_.number(function, at)] : b_numbers_[b_.number(function, at)];
    }
    size_t count() const { return places_.size(); }
    const PlaceChange &operator[](size_t number) const { return places_[number]; }

private:
    static void collect(const Report &report, SiteList &list)
    {
        for (const CallsiteRow &row : report.callsites)
            list.add(row.function, row.site, report.run.command);
        for (const SegmentRow &row : report.segments) {
            list.add(row.from_function, row.from, report.run.command);
            list.add(row.to_function, row.to, report.run.command);
        }
    }

    SiteList a_, b_;
    std::vector<size_t> a_numbers_, b_numbers_;  // by number in the list
    std::vector<PlaceChange> places_;
};

void note_spread(const Spread &spread, Figures &figures)
{
    figures.slowest_s = spread.max_s;
    figures.fastest_s = spread.min_s;
    figures.ranks = spread.ranks;
    figures.slowest_rank = spread.max_rank;
}

std::string place_name(const PlaceChange &place)
{
    std::string text = place.place();
    if (!text.empty())
        return text;
    return place.function.empty() ? "begin" : place.function;
}

// The place in A, if it differs.
std::string shift_text(const PlaceChange &place)
{
    return place.in_a && place.in_b && place.a.place() != place.b.place() ? place.a.place() : "";
}

void compare_callsites(const Runs &runs, const Places &places, Comparison &comparison)
{
    FigureTable<size_t> table(runs.count());
    std::set<size_t> several_paths;
    for (size_t run = 0; run < runs.count(); run++) {
        for (const CallsiteRow &row : runs[run].callsites) {
            const size_t place = places.number(runs.is_of_a(run), row.function, row.site);
            Figures figures =
                figures_of_sums(runs, run, row.time_s, row.calls, row.bytes, row.wait_s);
            note_spread(row.spread, figures);
            Figures &sum = table.at(place, run);
            if (sum.is_there)
                several_paths.insert(place);
            sum.add(figures);
        }
    }
    for (const auto &[place, figures] : table.rows()) {
        CallsiteChange &row = comparison.callsites.emplace_back();
        row.site = places[place];
        const std::string at = row.site.place();
        row.name = at.empty() ? row.site.function : fmt::format("{} at {}", row.site.function, at);
        fill_row(runs, figures, row);
        // Paths may have different slowest ranks, so their times cannot be added.
        if (several_paths.count(place) == 0)
            fill_slowest(runs, figures, row);
        const std::string before = shift_text(row.site);
        if (!before.empty())
            row.remarks.push_back("in A at " + before);
    }
    sort_rows(comparison.callsites);
}

using SegmentKey = std::pair<size_t, size_t>;  // numbers of the places
using SegmentTable = FigureTable<SegmentKey>;

class Segments {
public:
    Segments(const Runs &runs, const Places &places)
        : runs_(runs), places_(places), table_(runs.count())
    {
        for (size_t run = 0; run < runs.count(); run++)
            for (const SegmentRow &row : runs[run].segments)
                add(run, row);
    }

    // Joins the two parts of computing that a call on one side only divides.
    void join_around_added_calls()
    {
        for (size_t place = 0; place < places_.count(); place++)
            if (places_[place].in_a != places_[place].in_b)
                join_around(place);
    }

    void make_rows(Comparison &comparison)
    {
        for (const auto &[key, figures] : table_.rows())
            comparison.segments.push_back(make_row(key, figures));
        sort_rows(comparison.segments);
    }

private:
    void add(size_t run, const SegmentRow &row)
    {
        const bool of_a = runs_.is_of_a(run);
        Figures figures = figures_of_sums(runs_, run, row.time_s, row.count, 0, std::nullopt);
        note_spread(row.spread, figures);
        figures.contention_s = runs_.per_rank(run, row.contention_s);
        figures.blocked_s = runs_.per_rank(run, row.blocked_s);
        const SegmentKey key = {places_.number(of_a, row.from_function, row.from),
                                places_.number(of_a, row.to_function, row.to)};
        table_.at(key, run).add(figures);
        into_[key.second].insert(key.first);
        out_of_[key.first].insert(key.second);
    }

    void join_around(size_t place)
    {
        std::set<size_t> before = into_[place];
        std::set<size_t> after = out_of_[place];
        before.erase(place);  // one call after the other at the same place
        after.erase(place);
        if (before.size() != 1 || after.size() != 1)
            return;
        const size_t from = *before.begin();
        const size_t to = *after.begin();
        for (size_t run = 0; run < runs_.count(); run++) {
            Figures sum = table_.at({from, place}, run);
            const double calls = sum.calls;
            sum.add(table_.at({place, place}, run));
            sum.add(table_.at({place, to}, run));
            sum.calls = calls;  // of the whole way
            table_.at({from, to}, run).add(sum);
        }
        for (const SegmentKey &key :
             {SegmentKey{from, place}, SegmentKey{place, place}, SegmentKey{place, to}}) {
            table_.rows().erase(key);
            into_[key.second].erase(key.first);
            out_of_[key.first].erase(key.second);
        }
        into_[to].insert(from);
        out_of_[from].insert(to);
        auto &between = between_[{from, to}];
        for (const SegmentKey &key : {SegmentKey{from, place}, SegmentKey{place, to}})
            between.insert(between_[key].begin(), between_[key].end());
        between.insert(place);
    }

    SegmentChange make_row(const SegmentKey &key, const std::vector<Figures> &figures)
    {
        SegmentChange row;
        row.from = places_[key.first];
        row.to = places_[key.second];
        row.name = fmt::format("{} -> {}", place_name(row.from), place_name(row.to));
        fill_row(runs_, figures, row);
        row.wait.reset();
        fill_slowest(runs_, figures, row);
        row.fastest = runs_.part_change([&](size_t run) { return figures[run].fastest_s; });
        row.cpu_wait = runs_.part_change([&](size_t run) { return figures[run].contention_s; });
        row.blocked = runs_.part_change([&](size_t run) { return figures[run].blocked_s; });
        tell_off_cpu(row);
        tell_ranks(figures, row);
        const std::string from = shift_text(row.from);
        const std::string to = shift_text(row.to);
        if (!from.empty() || !to.empty())
            row.remarks.push_back(
                fmt::format("in A {} -> {}", row.from.a.place(), row.to.a.place()));
        for (const size_t place : between_[key])
            row.remarks.push_back(fmt::format("with {} at {} in it, in {} only",
                                              places_[place].function, places_[place].place(),
                                              places_[place].in_a ? "A" : "B"));
        return row;
    }

    static void tell_off_cpu(SegmentChange &row)
    {
        if (row.cpu_wait.outcome != Outcome::same)
            row.remarks.push_back("waiting for a CPU " + signed_duration(row.cpu_wait.difference));
        if (row.blocked.outcome != Outcome::same)
            row.remarks.push_back("blocked " + signed_duration(row.blocked.difference));
    }

    // Whose computing changed: everybody's, that of the slowest rank, or neither.
    void tell_ranks(const std::vector<Figures> &figures, SegmentChange &row) const
    {
        bool all = true;
        for (size_t run = 0; run < runs_.count(); run++)
            all = all && (!figures[run].is_there || figures[run].ranks == runs_[run].ranks.size());
        const double mean = row.time.difference;
        const double slowest = row.slowest->difference;
        row.cause_s = mean;
        if (runs_[0].ranks.size() == 1)
            return;
        if (all && row.fastest.difference * slowest > 0 &&
            std::abs(row.fastest.difference) >= std::abs(slowest) / 2) {
            row.ranks = "on all ranks";
        } else if (std::abs(slowest) >= 2 * std::abs(mean)) {
            const auto rank = slowest_rank(runs_, figures, *row.slowest);
            row.ranks =
                rank ? fmt::format("on the slowest rank, {}", *rank) : "on the slowest rank";
            row.cause_s = slowest;
        } else {
            row.ranks = "per rank";
        }
    }

    const Runs &runs_;
    const Places &places_;
    SegmentTable table_;
    std::map<size_t, std::set<size_t>> into_, out_of_;
    std::map<SegmentKey, std::set<size_t>> between_;
};

}  // namespace

void compare_places(const Runs &runs, Comparison &comparison)
{
    // Where one side has no places, all of the other's would look new.
    for (size_t run = 0; run < runs.count(); run++)
        if (runs[run].quality.callsites_recorded != runs[0].quality.callsites_recorded)
            return;
    const Places places(runs);
    compare_callsites(runs, places, comparison);
    Segments segments(runs, places);
    segments.join_around_added_calls();
    segments.make_rows(comparison);
}

// The phases of the runs, side by side.
//
// A phase has its name from a region, a function or a call site. Where one name occurs several
// times, the first of A is compared with the first of B, and so on. Runs may be cut differently,
// though: if the numbers differ, all phases of that name are one row. A phase that is called after
// the line of its call site keeps its row when lines move: it is known by file and MPI function.

namespace {

// Each end of a phase is found to about one bin.
constexpr double bins_of_ends = 2;

struct PhaseFigures {
    double length_s = 0, wait_s = 0, mpi_s = 0, all_s = 0;
    std::string name, place;
    size_t parts = 0;

    void add(const PhaseRow &phase)
    {
        if (parts++ == 0)
            place = phase.place;
        length_s += phase.to_s - phase.from_s;
        wait_s += phase.wait_s;
        mpi_s += phase.split.mpi_s();
        all_s += phase.split.all_s();
    }
    double mpi_percent() const { return all_s > 0 ? 100 * mpi_s / all_s : 0; }
};

// By run, the phases of one kind in their order.
using PhasesOfKind = std::vector<std::vector<const PhaseRow *>>;

bool are_as_many(const PhasesOfKind &runs)
{
    return std::all_of(runs.begin(), runs.end(),
                       [&](const auto &phases) { return phases.size() == runs.front().size(); });
}

std::string numbers_text(const Runs &runs, const std::vector<PhaseFigures> &figures)
{
    const Values parts =
        runs.values([&](size_t run) { return static_cast<double>(figures[run].parts); });
    return fmt::format("{:.3g} of them in A, {:.3g} in B", mean(parts.a), mean(parts.b));
}

void add_phase_words(const PhaseChange &row, std::vector<std::string> &remarks)
{
    if (!row.in_a || !row.in_b) {
        remarks.emplace_back(row.in_a ? "gone: not in B" : "new: not in A");
        const Change &wait = *row.wait;
        remarks.push_back(fmt::format(
            "{} MPI, waiting {}", percent_text(row.in_a ? row.mpi_percent.a : row.mpi_percent.b),
            duration_text(row.in_a ? wait.a : wait.b)));
        return;
    }
    const auto mark = [](const Change &change) {
        return change.outcome == Outcome::same ? " (unchanged)" : "";
    };
    remarks.push_back(fmt::format("MPI {} -> {}{}", percent_text(row.mpi_percent.a),
                                  percent_text(row.mpi_percent.b), mark(row.mpi_percent)));
    remarks.push_back(fmt::format("waiting {} -> {}{}", duration_text(row.wait->a),
                                  duration_text(row.wait->b), mark(*row.wait)));
}

PhaseChange phase_change(const Runs &runs, const std::vector<PhaseFigures> &figures, bool joined)
{
    PhaseChange row;
    for (size_t run = 0; run < runs.count(); run++) {
        const PhaseFigures &of_run = figures[run];
        if (of_run.parts == 0)
            continue;
        row.name = of_run.name;  // of B, where it is there
        (runs.is_of_a(run) ? row.in_a : row.in_b) = true;
        std::string &place = runs.is_of_a(run) ? row.a_place : row.b_place;
        if (place.empty())
            place = of_run.place;
    }
    double bin_s = 0;
    for (size_t run = 0; run < runs.count(); run++)
        bin_s = std::max(bin_s, runs[run].time.bin_s);
    row.time =
        runs.part_change([&](size_t run) { return figures[run].length_s; }, bins_of_ends * bin_s);
    row.wait = runs.part_change([&](size_t run) { return figures[run].wait_s; });
    row.mpi_percent = runs.percent_change([&](size_t run) { return figures[run].mpi_percent(); });
    row.outcome = row.time.outcome != Outcome::same ? row.time.outcome : row.wait->outcome;
    add_phase_words(row, row.remarks);
    if (joined && row.in_a && row.in_b)
        row.remarks.push_back(numbers_text(runs, figures));
    return row;
}

// All phases of a kind together, or each by its place in the order.
void add_phases_of_kind(const Runs &runs, const PhasesOfKind &of_kind, Comparison &comparison)
{
    const bool by_order = are_as_many(of_kind);
    size_t most = 0;
    for (const auto &phases : of_kind)
        most = std::max(most, phases.size());
    for (size_t first = 0; first < (by_order ? most : 1); first++) {
        std::vector<PhaseFigures> figures(runs.count());
        for (size_t run = 0; run < runs.count(); run++) {
            const auto &phases = of_kind[run];
            for (size_t i = first; i < (by_order ? first + 1 : phases.size()); i++) {
                figures[run].add(*phases[i]);
                figures[run].name = by_order ? phases[i]->name : phase_title(*phases[i]);
            }
        }
        comparison.phases.push_back(phase_change(runs, figures, !by_order));
    }
}

}  // namespace

void compare_phases(const Runs &runs, Comparison &comparison)
{
    std::map<std::string, PhasesOfKind> kinds;
    for (size_t run = 0; run < runs.count(); run++) {
        if (runs[run].time.phases.empty())
            return;
        for (const PhaseRow &phase : runs[run].time.phases)
            kinds.try_emplace(phase_kind(phase), runs.count()).first->second[run].push_back(&phase);
    }
    for (const auto &[kind, of_kind] : kinds)
        add_phases_of_kind(runs, of_kind, comparison);
    sort_rows(comparison.phases);
}

}  // namespace mprof
