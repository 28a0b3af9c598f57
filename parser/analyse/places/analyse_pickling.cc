// Objects that mpi4py pickles to send them, and makes anew where they arrive: how long each rank
// is at it, and where in the program. There is nothing in MPI that tells bcast() from Bcast(). But
// samples of computing whose way leads through mpi4py's module are of what mpi4py does between the
// program's line and MPI: with buffers that is next to nothing. Few samples have a way, so what
// they tell is a share of the computing between two lines, whose time is exact. Who gathers objects
// has more of it than who gives them, so a rank's own samples come first.
#include "analyse/analysis_parts.h"
#include "report/derived_figures.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace mprof {
namespace {

// ".../mpi4py/MPI.cpython-311-x86_64-linux-gnu.so", and of its fourth version MPI.abi3.so
std::set<uint32_t> slots_of_mpi4py(const RankFile &file)
{
    std::set<uint32_t> slots;
    for (const ModuleSlot &module : file.modules)
        if (module.path.find("mpi4py/MPI.") != std::string::npos)
            slots.insert(module.slot);
    return slots;
}

bool leads_through(const mprof_sample_path &path, const std::set<uint32_t> &slots)
{
    return slots.contains(path.sample.module) ||
           std::any_of(std::begin(path.modules), std::end(path.modules),
                       [&](uint32_t module) { return slots.contains(module); });
}

// Samples with a way, of one segment.
struct Ways {
    uint64_t all = 0, pickling = 0;
    double share() const
    {
        return all > 0 ? static_cast<double>(pickling) / static_cast<double>(all) : 0;
    }
};

class Pickling {
public:
    explicit Pickling(Merged &merged) : merged_(merged) {}

    void add_ways(const RankMeasure &rank, size_t number)
    {
        const std::set<uint32_t> slots = slots_of_mpi4py(*rank.file);
        add_ways(rank, number, ways_);
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_sample_path &path : thread.sample_paths) {
                const uint64_t samples = path.sample.samples;
                all_ += samples;
                if (!leads_through(path, slots))
                    continue;
                add_end(merged_.paths.node_of(number, path.sample.from_callsite), samples);
                add_end(merged_.paths.node_of(number, path.sample.to_callsite), samples);
            }
    }

    // None: the rank has no mpi4py, or there are too few samples to tell.
    KnownSeconds seconds_of(const RankMeasure &rank, size_t number, const RankRow &row) const
    {
        if (all_ < place_limits.least_ways || slots_of_mpi4py(*rank.file).empty())
            return std::nullopt;
        std::map<Key, Ways> own;
        add_ways(rank, number, own);
        double seconds = 0;
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_segment &segment : thread.segments) {
                const Key key = key_of(segment, number);
                const auto at = ways_.find(key);
                const auto of_rank = own.find(key);
                if (at == ways_.end())
                    continue;
                const bool has_own =
                    of_rank != own.end() && of_rank->second.all >= place_limits.own_ways;
                seconds += static_cast<double>(segment.ticks) * rank.clock.seconds_per_tick() *
                           (has_own ? of_rank->second : at->second).share();
            }
        const double on_cpu = row.compute_s > 0 ? std::min(1.0, work_s(row) / row.compute_s) : 1;
        return std::min(seconds * on_cpu, work_s(row));
    }

    // Where most of it is: "objects.py:36"; "" = nothing is pickled.
    std::string place() const
    {
        const auto most =
            std::max_element(ends_.begin(), ends_.end(), [](const auto &a, const auto &b) {
                return a.second.samples < b.second.samples;
            });
        return most == ends_.end() ? "" : merged_.paths.site_of(most->second.node).words();
    }

private:
    struct End {
        uint64_t samples = 0;
        uint32_t node = 0;
    };
    // Line and function left, line and function entered.
    using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

    void add_ways(const RankMeasure &rank, size_t number, std::map<Key, Ways> &ways) const
    {
        const std::set<uint32_t> slots = slots_of_mpi4py(*rank.file);
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_sample_path &path : thread.sample_paths) {
                Ways &sum = ways[key_of(path.sample, number)];
                sum.all += path.sample.samples;
                sum.pickling += leads_through(path, slots) ? path.sample.samples : 0;
            }
    }

    template <class Record>
    Key key_of(const Record &record, size_t number) const
    {
        const auto function = [&](uint16_t next_id) {
            return next_id == 0 ? 0 : 1 + merged_.names.function(number, next_id - 1U);
        };
        const auto line = [&](uint32_t slot) {
            return merged_.paths.line_of(merged_.paths.node_of(number, slot));
        };
        return {line(record.from_callsite), function(record.from_function),
                line(record.to_callsite), function(record.to_function)};
    }

    // Pickling is before a call of the line, and making objects behind it.
    void add_end(uint32_t node, uint64_t samples)
    {
        End &end = ends_[merged_.paths.line_of(node)];
        end.samples += samples;
        end.node = node;
    }

    Merged &merged_;
    std::map<Key, Ways> ways_;
    std::map<uint32_t, End> ends_;
    uint64_t all_ = 0;
};

}  // namespace

void analyse_pickling(const RankMeasures &ranks, Merged &merged, Report &report)
{
    if (std::none_of(ranks.begin(), ranks.end(),
                     [](const RankMeasure &rank) { return !slots_of_mpi4py(*rank.file).empty(); }))
        return;
    Pickling pickling(merged);
    for (size_t r = 0; r < ranks.size(); r++)
        pickling.add_ways(ranks[r], r);
    for (size_t r = 0; r < ranks.size(); r++)
        report.ranks[r].pickling_s = pickling.seconds_of(ranks[r], r, report.ranks[r]);
    PicklingFacts &facts = report.pickling;
    facts.place = pickling.place();
    uint64_t most_bytes = 0;
    for (const CallsiteRow &row : report.callsites) {
        if (facts.place.empty() || row.site.words() != facts.place)
            continue;
        facts.bytes += row.bytes;
        if (row.bytes > most_bytes)
            facts.function = row.function;
        most_bytes = std::max(most_bytes, row.bytes);
    }
}

}  // namespace mprof
