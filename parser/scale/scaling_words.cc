// The sentences of a scaling: what the law of each row means, what stops the scaling, and what more
// ranks would bring.
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"
#include "scale/scaling.h"

#include <cmath>
#include <fmt/format.h>
#include <set>

namespace mprof {

// What the law of a row means in words, and whether the row is a problem: both are for readers who
// do not want to think about exponents. An exponent counts as 1, 0.5, 2 or -1 if its interval holds
// that. For analyse_scaling.cc, when everything is projected.

namespace {

struct PlainPower {
    double exponent;
    const char *strong, *weak;  // in words
};
constexpr PlainPower plain_powers[] = {
    {1, "grows with p", "grows with p"},
    {0.5, "grows with the square root", "grows with the square root"},
    {2, "grows with the square of p", "grows with the square of p"},
    {-1, "falls as it should", "falls with p"}};

// The nearest one in the interval.
const PlainPower *plain_power(const GrowthLaw &law)
{
    const PlainPower *nearest = nullptr;
    const auto away = [&](const PlainPower &power) {
        return std::abs(power.exponent - law.exponent);
    };
    for (const PlainPower &power : plain_powers)
        if (law.low <= power.exponent && power.exponent <= law.high &&
            (nearest == nullptr || away(power) < away(*nearest)))
            nearest = &power;
    return nearest;
}

std::string power_meaning(const GrowthLaw &law, ScalingKind kind)
{
    const bool is_strong = kind == ScalingKind::strong;
    if (const PlainPower *plain = plain_power(law))
        return is_strong ? plain->strong : plain->weak;
    if (law.exponent < -1)
        return "falls faster than p grows";
    if (law.exponent < 0)
        return is_strong ? "falls, but too slowly" : "falls";
    if (law.exponent < scaling_limits.slow_exponent)
        return "grows slowly";
    return law.exponent < 1 ? "grows, but slower than p" : "grows faster than p";
}

std::string sum_meaning(const GrowthLaw &law)
{
    if (law.exponent < 0)
        return "falls, but to a constant";
    if (law.exponent < 1)
        return "a part grows with the square root";
    return law.exponent == 1 ? "a part grows with p" : "a part grows with p squared";
}

std::string meaning_of(const GrowthLaw &law, ScalingKind kind)
{
    switch (law.kind) {
    case LawKind::none:
        return "";
    case LawKind::constant:
        return "stays the same";
    case LawKind::power:
        return power_meaning(law, kind);
    case LawKind::logarithm:
        return "grows with log p";
    case LawKind::power_and_logarithm:
        return "grows faster than p";
    case LawKind::constant_and_power:
        return sum_meaning(law);
    default:
        return "a part grows with log p";
    }
}

Judgement state_of(const GrowthRow &row, const Scaling &scaling)
{
    if (!row.projected_s || row.projected_s->value <= 0)
        return Judgement::good;
    const double ideal_s = row.time_s.front() * ideal_share(scaling, scaling.projected_ranks);
    const double loss = row.projected_share * (1 - ideal_s / row.projected_s->value);
    if (loss >= scaling_limits.problem_loss)
        return Judgement::problem;
    return loss >= scaling_limits.watch_loss ? Judgement::watch : Judgement::good;
}

}  // namespace

void write_meanings(Scaling &scaling)
{
    for (GrowthRow &row : scaling.growth) {
        row.meaning = meaning_of(row.growth.law(), scaling.kind);
        row.state = state_of(row, scaling);
    }
    for (GrowthRow &row : scaling.segments)
        row.meaning = meaning_of(row.growth.law(), scaling.kind);
}

// What stops the scaling is what takes most longer than it would if it scaled ideally, at the first
// size that is not worth its cores. If that is waiting, it is what the slowest rank computes
// longer, where a part between two calls explains it.

namespace {

constexpr size_t most_steps = 2;

std::string ranks_text(double ranks)
{
    return ranks < 1000 ? fmt::format("{:.0f}", ranks)
                        : fmt::format("{:.0f}", std::round(ranks / 100) * 100);
}

std::string growth_words(const GrowthLaw &law)
{
    switch (law.kind) {
    case LawKind::constant:
        return "stays the same";
    case LawKind::power:
        return law.exponent < 0 ? fmt::format("falls only as {}", law.text())
                                : fmt::format("grows as {}", law.text());
    default:
        return fmt::format("grows as {}", law.text());
    }
}

class ScalingWords {
public:
    ScalingWords(const SizesOfRuns &sizes, Scaling &scaling) : sizes_(sizes), scaling_(scaling) {}

    void write()
    {
        write_headline();
        write_why();
        write_use();
        write_ahead();
        write_memory();
        write_next();
        write_remarks();
    }

private:
    size_t last() const { return scaling_.sizes.size() - 1; }
    uint32_t ranks_at(size_t size) const { return scaling_.sizes[size].ranks; }

    // Seconds that it takes longer than ideally.
    double excess(const std::vector<double> &time_s, size_t size) const
    {
        return time_s[size] - time_s[0] * ideal_share(scaling_, ranks_at(size));
    }

    double excess(std::optional<double> SizeRun::*sum, size_t size) const
    {
        const auto mean = [&](size_t at) {
            return median_of(sizes_[at],
                             [&](const SizeRun &run) -> std::optional<double> {
                                 return run.*sum ? std::optional(run.per_rank(*(run.*sum)))
                                                 : std::nullopt;
                             })
                .value_or(0);
        };
        return mean(size) - mean(0) * ideal_share(scaling_, ranks_at(size));
    }

    // The part between two calls whose slowest rank loses most, if that is at least so much.
    const GrowthRow *slow_segment(size_t size, double least_s) const
    {
        const GrowthRow *most = nullptr;
        for (const GrowthRow &row : scaling_.segments)
            if (excess(row.slowest_s, size) >= least_s &&
                (most == nullptr || excess(row.slowest_s, size) > excess(most->slowest_s, size)))
                most = &row;
        return most;
    }

    std::string segment_words(const GrowthRow &row, size_t size) const
    {
        const double first_s = row.slowest_s[0], here_s = row.slowest_s[size];
        const bool is_strong = scaling_.kind == ScalingKind::strong && first_s > 0;
        const std::string took = fmt::format("{} of {} there", duration_text(here_s),
                                             duration_text(scaling_.sizes[size].wallclock_s));
        const bool is_of_one = row.time_s[size] < scaling_limits.serial_share * here_s;
        const std::string where =
            is_of_one ? fmt::format(" on rank {}", row.slowest_rank[size]) : "";
        if (first_s <= 0)  // the smallest size has no such part
            return fmt::format("{}{} takes {}.", capitalised(row.what), where, took);
        if (is_strong && here_s * scaling_limits.serial_share > first_s)
            return fmt::format("{}{} takes longer with more ranks: {}.", capitalised(row.what),
                               where, took);
        if (is_strong && here_s >= scaling_limits.serial_share * first_s)
            return fmt::format("{}{} does not get shorter with more ranks, a serial part: {}.",
                               capitalised(row.what), where, took);
        return fmt::format("{}{} takes {}; {} would be ideal.", capitalised(row.what), where, took,
                           duration_text(first_s * ideal_share(scaling_, ranks_at(size))));
    }

    std::string row_words(const GrowthRow &row, size_t size) const
    {
        const std::string took = fmt::format("{} of {} there", duration_text(row.time_s[size]),
                                             duration_text(scaling_.sizes[size].wallclock_s));
        const GrowthLaw &law = row.growth.law();
        if (law.kind == LawKind::none)
            return fmt::format("{} takes {}.", capitalised(row.what), took);
        return fmt::format("{} {}: {}.", capitalised(row.what), growth_words(law), took);
    }

    std::string cause_at(size_t size) const
    {
        const double cpu_s = excess(&SizeRun::contention_s, size);
        const double blocked_s = excess(&SizeRun::blocked_s, size);
        const GrowthRow *call = nullptr, *computing = nullptr;
        double lost_s = 0;
        for (const GrowthRow &row : scaling_.growth) {
            if (row.kind == GrowthKind::compute &&
                (computing == nullptr ||
                 excess(row.time_s, size) > excess(computing->time_s, size)))
                computing = &row;  // or what is done with GPUs
            if (row.kind == GrowthKind::call_line &&
                (call == nullptr || excess(row.time_s, size) > excess(call->time_s, size)))
                call = &row;
            if (row.kind == GrowthKind::compute || row.kind == GrowthKind::call_line)
                lost_s += std::max(0.0, excess(row.time_s, size));
        }
        const double call_s = call == nullptr ? 0 : excess(call->time_s, size);
        const double compute_s = computing == nullptr ? 0 : excess(computing->time_s, size);
        if (cpu_s > 0 && cpu_s >= scaling_limits.cause_part * lost_s)
            return fmt::format("The average rank waits {} for a CPU there: more ranks and threads "
                               "than CPUs, or another program.",
                               duration_text(cpu_s));
        if (blocked_s > 0 && blocked_s >= scaling_limits.cause_part * lost_s)
            return fmt::format("The average rank is blocked for {} there: files, sleep, locks.",
                               duration_text(blocked_s));
        const bool waits = call != nullptr && call_s >= compute_s &&
                           excess(call->wait_s, size) >= scaling_limits.cause_part * call_s;
        if (waits || compute_s > call_s)
            if (const GrowthRow *row = slow_segment(
                    size, scaling_limits.cause_part * std::max(compute_s, waits ? call_s : 0)))
                return segment_words(*row, size);
        if (compute_s > call_s)
            return row_words(*computing, size);
        return call == nullptr ? "" : row_words(*call, size);
    }

    void write_headline()
    {
        if (scaling_.first_bad) {
            const uint32_t bad_ranks = ranks_at(*scaling_.first_bad);
            const std::optional<uint32_t> again = scaling_.good_again_ranks();
            scaling_.state = Judgement::problem;
            scaling_.badge = again ? "Scales unevenly" : "Stops scaling";
            scaling_.headline =
                again ? fmt::format("Below {} efficiency at {} ranks, above it again at {}",
                                    share_text(scaling_limits.worth_efficiency), bad_ranks, *again)
                      : fmt::format("Stops scaling at {} ranks", bad_ranks);
            scaling_.sentence = cause_at(*scaling_.first_bad);
            return;
        }
        scaling_.state = scaling_.ends_at_ranks ? Judgement::watch : Judgement::good;
        scaling_.badge = scaling_.ends_at_ranks ? "Scales, but will stop" : "Scales";
        scaling_.headline = fmt::format("Scales to {} ranks", ranks_at(last()));
        scaling_.sentence =
            fmt::format("Efficiency there is {}.", share_text(scaling_.sizes[last()].efficiency));
    }

    // Which of the factors that are no products falls most between two sizes.
    const FactorRow *falls_most(size_t from, size_t to) const
    {
        const FactorRow *most = nullptr;
        double most_fall = scaling_limits.falls_by;
        for (const FactorRow &row : scaling_.factors) {
            const bool has_parts =
                is_product(row.factor) && !(row.factor == Factor::computation &&
                                            !has(Factor::computing) && !has(Factor::instructions));
            if (has_parts || !row.values[from] || !row.values[to] || *row.values[from] <= 0)
                continue;
            const double fall = 1 - *row.values[to] / *row.values[from];
            if (fall > most_fall) {
                most_fall = fall;
                most = &row;
            }
        }
        return most;
    }

    bool has(Factor factor) const
    {
        return std::any_of(scaling_.factors.begin(), scaling_.factors.end(),
                           [&](const FactorRow &row) { return row.factor == factor; });
    }

    void write_why()
    {
        const size_t to = scaling_.first_bad.value_or(last());
        const size_t from = to - 1;
        const double before = scaling_.sizes[from].efficiency, here = scaling_.sizes[to].efficiency;
        const char *how = here < before ? "falls" : "goes";
        scaling_.why = fmt::format(
            "From {} to {} ranks, efficiency {} from {} to {}{}.", ranks_at(from), ranks_at(to),
            how, share_text(before), share_text(here),
            scaling_.first_bad ? fmt::format(", below the limit of {}",
                                             share_text(scaling_limits.worth_efficiency))
                               : "");
        if (const FactorRow *row = falls_most(from, to))
            scaling_.why +=
                fmt::format(" {} falls most, from {} to {}.", capitalised(text_of(row->factor)),
                            share_text(*row->values[from]), share_text(*row->values[to]));
        scaling_.why += memory_words(to);
    }

    // From one size to another; 1: it is not known.
    double change_of(Factor factor, size_t from, size_t to) const
    {
        for (const FactorRow &row : scaling_.factors)
            if (row.factor == factor && row.values[from] && row.values[to] && *row.values[from] > 0)
                return *row.values[to] / *row.values[from];
        return 1;
    }

    double ranks_of_node(size_t size) const
    {
        const SizeRow &row = scaling_.sizes[size];
        return row.nodes == 0 ? 0 : ranks_at(size) / static_cast<double>(row.nodes);
    }

    // More ranks of a node compute slower, all of them: what they share is the memory. Counters
    // tell that their work is the same; without them that is likely at most.
    std::string memory_words(size_t to) const
    {
        const Factor computing = has(Factor::computing) ? Factor::computing : Factor::computation;
        const double slower = 1 / change_of(computing, 0, to);
        if (slower < verdict_thresholds.slower_together ||
            change_of(Factor::load_balance, 0, to) < scaling_limits.still_even ||
            ranks_of_node(0) <= 0 || ranks_of_node(to) <= ranks_of_node(0))
            return "";
        // Caches hold less. It is larger than they are at both sizes, or the memory is not to
        // blame.
        const std::optional<double> own_bytes = scaling_.sizes[to].own_bytes;
        if (own_bytes && *own_bytes < static_cast<double>(verdict_thresholds.cached_bytes))
            return "";
        const std::string together =
            fmt::format(" All ranks compute slower together: {:.2f}x as long with {:.0f} ranks on "
                        "a node as with {:.0f}.",
                        slower, ranks_of_node(to), ranks_of_node(0));
        if (!has(Factor::instructions))
            return together + " Likely they share the memory bandwidth of the node, unless each "
                              "does work that more ranks do not divide: mprof machine measures "
                              "what the node has.";
        const double fewer = 1 - change_of(Factor::instructions_per_cycle, 0, to);
        return change_of(Factor::instructions, 0, to) < scaling_limits.still_even ||
                       fewer < 1 - 1 / verdict_thresholds.slower_together
                   ? ""
                   : together + fmt::format(" The instructions are the same, but {} fewer are done "
                                            "in a cycle: the memory bandwidth or the cache that "
                                            "they share.",
                                            share_text(fewer));
    }

    void write_use()
    {
        if (!scaling_.recommended_ranks)
            return;
        const std::string limit = share_text(scaling_limits.worth_efficiency);
        scaling_.use = fmt::format("{}, {}", plural(*scaling_.recommended_ranks, "rank"),
                                   !scaling_.first_bad ? "the largest size of these runs"
                                   : scaling_.good_again_ranks()
                                       ? "the last size before it falls below " + limit
                                       : "the largest size above " + limit);
        const auto shortest = std::min_element(
            scaling_.sizes.begin(), scaling_.sizes.end(),
            [](const SizeRow &a, const SizeRow &b) { return a.wallclock_s < b.wallclock_s; });
        if (scaling_.kind == ScalingKind::strong && shortest->ranks != *scaling_.recommended_ranks)
            scaling_.use += fmt::format("; {} ranks take the least time, {}", shortest->ranks,
                                        duration_text(shortest->wallclock_s));
    }

    // What comes beyond the sizes that were run.
    void write_ahead()
    {
        if (!scaling_.projected_wallclock_s) {
            const auto count = std::count_if(scaling_.sizes.begin(), scaling_.sizes.end(),
                                             [](const SizeRow &size) { return size.ranks > 1; });
            scaling_.ahead =
                static_cast<size_t>(count) < least_law_sizes
                    ? fmt::format("no projection: it needs runs of {} sizes, not counting 1 rank",
                                  least_law_sizes)
                    : "no projection: too much of the time is in parts that some runs barely have";
            return;
        }
        const Projection &whole = *scaling_.projected_wallclock_s;
        scaling_.ahead = fmt::format("{:.0f} ranks: {} ({} to {}), efficiency {} (projected)",
                                     scaling_.projected_ranks, duration_text(whole.value),
                                     duration_text(whole.low), duration_text(whole.high),
                                     share_text(scaling_.projected_efficiency->value));
        if (scaling_.ends_at_ranks)
            scaling_.ahead += fmt::format("; below {} from about {} ranks on",
                                          share_text(scaling_limits.worth_efficiency),
                                          ranks_text(*scaling_.ends_at_ranks));
        const GrowthRow *most = nullptr;
        for (const GrowthRow &row : scaling_.growth)
            if (row.kind == GrowthKind::call_line && row.projected_s &&
                (most == nullptr || row.projected_s->value > most->projected_s->value))
                most = &row;
        if (most != nullptr && most->projected_share > scaling_limits.told_line_share)
            scaling_.ahead +=
                fmt::format("; {} is {} of that", most->what, share_text(most->projected_share));
    }

    void write_memory()
    {
        if (!scaling_.memory)
            return;
        const LibraryMemory &memory = *scaling_.memory;
        const auto bytes = [](double value) { return bytes_text(static_cast<uint64_t>(value)); };
        scaling_.memory_words =
            fmt::format("MPI library, per rank: {} at {}, {} at {}", bytes(memory.bytes.front()),
                        plural(ranks_at(0), "rank"), bytes(memory.bytes.back()),
                        plural(ranks_at(last()), "rank"));
        if (memory.projected_bytes)
            scaling_.memory_words +=
                fmt::format("; {}, that is {} at {:.0f} ranks", memory.growth.law().text(),
                            bytes(memory.projected_bytes->value), scaling_.projected_ranks);
    }

    // Of the run in the middle of the size that matters.
    void write_next()
    {
        const size_t size = scaling_.first_bad.value_or(last());
        RunsOfSize runs = sizes_[size];
        std::sort(runs.begin(), runs.end(), [](const SizeRun *a, const SizeRun *b) {
            return a->run.wallclock_s < b->run.wallclock_s;
        });
        const SizeRun &run = *runs[(runs.size() - 1) / 2];
        scaling_.next = run.next;
        scaling_.next.resize(std::min(most_steps, run.next.size()));
        scaling_.next_ranks = ranks_at(size);
    }

    void write_remarks()
    {
        std::set<std::string> programs, libraries;
        size_t incomplete = 0;
        for (const RunsOfSize &runs : sizes_)
            for (const SizeRun *run : runs) {
                programs.insert(run->program);
                libraries.insert(run->run.mpi_library);
                incomplete += run->run.complete ? 0 : 1;
            }
        if (programs.size() > 1)
            scaling_.remarks.push_back(
                fmt::format("These are {} different programs.", programs.size()));
        if (libraries.size() > 1)
            scaling_.remarks.push_back("They ran with different MPI libraries.");
        if (incomplete > 0)
            scaling_.remarks.push_back(
                fmt::format("{} not complete: the figures leave out its missing ranks.",
                            incomplete == 1 ? "One run is" : plural(incomplete, "run") + " are"));
        if (std::none_of(scaling_.sizes.begin(), scaling_.sizes.end(),
                         [](const SizeRow &row) { return row.runs > 1; }))
            scaling_.remarks.push_back("A single run per size: noise is not known.");
        if (!scaling_.kind_was_said)
            scaling_.remarks.push_back(
                scaling_.kind == ScalingKind::strong
                    ? "Treated as strong scaling: computing per rank falls with more ranks. If the "
                      "problem grows with the ranks: --weak."
                    : "Treated as weak scaling: computing per rank stays the same. If it is the "
                      "same problem: --strong.");
    }

    const SizesOfRuns &sizes_;
    Scaling &scaling_;
};

}  // namespace

void write_words(const SizesOfRuns &sizes, Scaling &scaling)
{
    ScalingWords(sizes, scaling).write();
}

}  // namespace mprof
