// Objects that mpi4py pickles to send them, and makes anew where they arrive: how long each rank
// is at it, and where in the program. There is nothing in MPI that tells bcast() from Bcast(). But
// samples of computing whose way leads through mpi4py's module are of what mpi4py does between the
// program's line and MPI: with buffers that is next to nothing. Few samples have a way, so what
// they tell is a share of the computing between two lines, whose time is exact. A rank that gathers
// objects has more of it than one that gives them, so a rank's own samples come first.
//
// Between some calls that mpi4py makes for one line it makes bytes, and no sample is needed to know
// it: behind MPI_Comm_test_inter and the like, in front of a call of another kind. A line can make
// such calls of its own, as in gather(work(comm.size)), and compute before mpi4py begins: then one
// like it follows. What is behind the last call of a line may be a whole turn of a loop, so making
// objects needs samples. The pages of large objects are made in the kernel, which is not sampled:
// at such a line they count.
#include "analyse/analysis_parts.h"
#include "measure/clocks.h"
#include "measure/function_facts.h"
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

// Between MPI calls of one line of a script, all ranks.
struct LineTimes {
    double inside_s = 0;  // of mpi4py
    double all_s = 0;
    bool pickles() const { return inside_s >= place_limits.pickling_line_share * all_s; }
};

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
        add_lines(rank, number, !slots.empty());
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_sample_path &path : thread.sample_paths) {
                const uint64_t samples = path.sample.samples;
                all_ += samples;
                if (!leads_through(path, slots))
                    continue;
                for (const uint32_t callsite : {path.sample.from_callsite, path.sample.to_callsite})
                    if (callsite != 0)
                        add_end(merged_.paths.node_of(number, callsite), samples);
            }
    }

    // Once the ways of all ranks are known.
    void settle()
    {
        std::erase_if(inside_, [&](const auto &item) { return samples_deny(item.first); });
        for (const auto &[key, inside] : inside_) {
            lines_[std::get<0>(key)].inside_s += inside.all_s;
            inside_s_ += inside.all_s;
            add_end(inside.node, inside.samples);
        }
    }

    // None: the rank has no mpi4py, or there are too few samples to tell.
    KnownSeconds seconds_of(const RankMeasure &rank, size_t number, const RankRow &row) const
    {
        if ((all_ < place_limits.least_ways && inside_s_ <= 0) ||
            slots_of_mpi4py(*rank.file).empty())
            return std::nullopt;
        const double on_cpu = row.compute_s > 0 ? std::min(1.0, work_s(row) / row.compute_s) : 1;
        std::map<Key, Ways> own;
        add_ways(rank, number, own);
        const std::map<Key, double> sampled_s = sampled_of(rank, number);
        double seconds = 0;
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_segment &segment : thread.segments) {
                const Key key = key_of(segment, number);
                const double all_s =
                    static_cast<double>(segment.ticks) * rank.clock.seconds_per_tick();
                const auto sampled = sampled_s.find(key);
                const double of_samples_s = sampled == sampled_s.end() ? 0 : sampled->second;
                seconds += part_of(key, own, on_cpu * all_s, of_samples_s);
            }
        return std::min(seconds, work_s(row));
    }

    // Where most of it is: "objects.py:36"; "" = nothing is pickled.
    std::string place() const
    {
        const auto most =
            std::max_element(ends_.begin(), ends_.end(), [](const auto &a, const auto &b) {
                return a.second.samples < b.second.samples;
            });
        return most == ends_.end() || most->second.samples == 0
                   ? ""
                   : merged_.paths.site_of(most->second.node).words();
    }

private:
    struct End {
        uint64_t samples = 0;
        uint32_t node = 0;
    };
    // Between two calls that mpi4py makes for a line, of all ranks.
    struct Inside {
        double all_s = 0;
        uint32_t node = 0;
        uint64_t samples = 0;
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

    // Of what a rank is on a CPU between two calls. `sampled_s`: where it was is known.
    double part_of(const Key &key, const std::map<Key, Ways> &own, double on_cpu_s,
                   double sampled_s) const
    {
        const auto line = lines_.find(std::get<0>(key));
        const bool is_at_line = std::get<0>(key) == std::get<2>(key) && line != lines_.end();
        if (is_at_line && inside_.contains(key))
            return on_cpu_s;
        const auto at = ways_.find(key);
        const auto of_rank = own.find(key);
        const bool has_own = of_rank != own.end() && of_rank->second.all >= place_limits.own_ways;
        const double share =
            at == ways_.end() ? 0 : (has_own ? of_rank->second : at->second).share();
        const double known_s = std::min(on_cpu_s, sampled_s);
        const bool has_pages = is_at_line && line->second.pickles();
        return has_pages ? on_cpu_s - known_s + share * known_s : share * on_cpu_s;
    }

    std::map<Key, double> sampled_of(const RankMeasure &rank, size_t number) const
    {
        std::map<Key, double> seconds;
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_cpu_sample &sample : thread.cpu_samples)
                seconds[key_of(sample, number)] +=
                    sample.samples * seconds_of_ns(thread.facts.cpu_sample_period_ns);
        return seconds;
    }

    void add_lines(const RankMeasure &rank, size_t number, bool has_mpi4py)
    {
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_segment &segment : thread.segments) {
                const uint32_t node = merged_.paths.node_of(number, segment.to_callsite);
                const Key key = key_of(segment, number);
                if (!has_mpi4py || std::get<0>(key) != std::get<2>(key) ||
                    !merged_.paths.site_of(node).module.ends_with(".py") ||
                    segment.from_function == 0)
                    continue;
                const double all_s =
                    static_cast<double>(segment.ticks) * rank.clock.seconds_per_tick();
                LineTimes &line = lines_[std::get<0>(key)];
                line.all_s += all_s;
                // An object of a few bytes costs hardly more than the call itself.
                const bool is_long =
                    all_s >= place_limits.pickled_object_s * static_cast<double>(segment.count);
                if (!is_long || !is_of_objects(*rank.file, segment))
                    continue;
                Inside &inside = inside_[key];
                inside.node = node;
                inside.all_s += all_s;
                const double period_s = seconds_of_ns(thread.facts.cpu_sample_period_ns);
                inside.samples += period_s > 0 ? static_cast<uint64_t>(all_s / period_s) : 0;
            }
    }

    // Between two such calls it is the program that computes.
    static bool is_of_objects(const RankFile &file, const mprof_segment &segment)
    {
        const auto facts = [&](uint16_t next_id) {
            return next_id == 0 ? FunctionFacts{} : facts_of(file.function_name(next_id - 1U));
        };
        const FunctionFacts to = facts(segment.to_function);
        return facts(segment.from_function).for_objects && !to.for_objects;
    }

    // Most of enough samples are elsewhere than in mpi4py.
    bool samples_deny(const Key &key) const
    {
        const auto at = ways_.find(key);
        return at != ways_.end() && at->second.all >= place_limits.own_ways &&
               2 * at->second.pickling < at->second.all;
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
    std::map<uint32_t, LineTimes> lines_;
    std::map<Key, Inside> inside_;
    double inside_s_ = 0;
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
    pickling.settle();
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
