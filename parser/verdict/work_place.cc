// A function tells a rank apart if the rank has more samples in it, and in what it calls, than the
// others. Without a rank, the function with most samples is named.
#include "verdict/work_place.h"

#include "report/number_text.h"
#include "report/place_rows.h"
#include "report/verdict_thresholds.h"
#include "verdict/kernel_work.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace mprof {
namespace {

bool computes_for_others(const Frame &frame)
{
    const LibraryKind kind = library_kind(frame.module_name());
    return kind == LibraryKind::linear_algebra || kind == LibraryKind::fourier;
}

// Not of a library that does for its caller what it does, wherever it is installed.
bool is_own(const Frame &frame)
{
    return !frame.is_of_system() && !computes_for_others(frame) &&
           library_kind(frame.module_name()) != LibraryKind::files && !frame.module.empty() &&
           frame.module.front() != '[';
}

// In which all of a program happens, so naming it says nothing.
bool is_whole_program(const Frame &frame)
{
    return frame.symbol == "main" || frame.symbol == "_start";
}

// The function that a leaf works for: its caller, or of a library's leaf the first caller outside
// of it. nullptr: the main program, or not known.
const Frame *caller_of(const HotPlaceRow &row)
{
    const bool in_library = !is_own(row.site);
    if (!in_library && row.path_percent < place_limits.path_percent)
        return nullptr;
    for (const Frame &caller : row.path)
        if (!in_library || is_own(caller))
            return caller.symbol.empty() || is_whole_program(caller) ? nullptr : &caller;
    return nullptr;
}

// What the rank with most samples has of it beyond the mean of the others.
double excess(const WorkFunctionRow &row, double ranks)
{
    const auto most = static_cast<double>(row.most_samples);
    return ranks < 2 ? 0 : most - (static_cast<double>(row.samples) - most) / (ranks - 1);
}

// A caller has at least the excess of what it calls. Of those with nearly the largest excess, the
// one that the other ranks have least of tells the rank apart; of several, the innermost.
const WorkFunctionRow *function_apart(const Report &report, uint32_t rank)
{
    const auto ranks = static_cast<double>(report.ranks.size());
    const auto part = [&](const WorkFunctionRow &row) {  // of what the rank has, in steps of 10 %
        return std::lround(10 * excess(row, ranks) / static_cast<double>(row.most_samples));
    };
    double most = 0;
    for (const WorkFunctionRow &row : report.work_functions)
        if (row.most_rank == rank)
            most = std::max(most, excess(row, ranks));
    const WorkFunctionRow *found = nullptr;
    for (const WorkFunctionRow &row : report.work_functions) {
        if (row.most_rank != rank || !is_own(row.frame) || is_whole_program(row.frame) ||
            excess(row, ranks) < place_limits.nearly_excess * most ||
            excess(row, ranks) < place_limits.least_excess * static_cast<double>(row.most_samples))
            continue;
        if (found == nullptr || part(row) > part(*found) ||
            (part(row) == part(*found) && row.depth < found->depth))
            found = &row;
    }
    return found;
}

// Of all segments together. The row with most samples stands for the function.
const HotPlaceRow *most_samples(const Report &report, double &percent)
{
    std::map<std::string, uint64_t> samples;
    for (const HotSpotRow &row : report.hotspots)
        samples[row.site.module + '\n' + row.site.symbol] += row.samples;
    const HotPlaceRow *most = nullptr;
    uint64_t count = 0;
    for (const HotSpotRow &row : report.hotspots) {
        const uint64_t of_function = samples[row.site.module + '\n' + row.site.symbol];
        if (of_function > count && !row.site.module.empty()) {
            count = of_function;
            most = &row;
        }
    }
    percent = 100 * static_cast<double>(count) / static_cast<double>(report.quality.cpu_samples);
    return percent < verdict_thresholds.hot_spot_percent ? nullptr : most;
}

}  // namespace

std::string words_with_caller(const HotPlaceRow &row)
{
    const Frame *caller = caller_of(row);
    if (caller == nullptr || row.site.symbol.empty())
        return row.site.function_words();
    const std::string call = system_call_name(row);
    return fmt::format("{}, called by {}",
                       call.empty() ? without_arguments(row.site.symbol) : call + "()",
                       caller->function_words());
}

namespace {

WorkPlace place_of(const Frame &frame, const std::string &words)
{
    WorkPlace found;
    // What an interpreter does is where the script is: that its functions do not tell.
    if (library_kind(frame.module_name()) == LibraryKind::python)
        return found;
    found.function = without_arguments(frame.symbol);
    found.place = frame.place();
    found.words = words;
    return found;
}

// A leaf is told with its caller, any other function alone.
WorkPlace place_of(const WorkFunctionRow &row)
{
    const bool has_caller = !row.caller.symbol.empty() && !is_whole_program(row.caller);
    if (row.depth > place_limits.leaf_depth || !has_caller)
        return place_of(row.frame, row.frame.function_words());
    return place_of(row.caller, fmt::format("{}, called by {}", without_arguments(row.frame.symbol),
                                            row.caller.function_words()));
}

}  // namespace

std::string waited_ends(const Report &report, std::optional<uint32_t> rank)
{
    for (const CauseRow &row : report.causes)
        if (rank == row.rank && !row.segment_ends.empty())
            return row.segment_ends;
    return "";
}

namespace {

// Where samples are few, because ranks take turns on the CPUs: nearly all of those between the two
// calls where the rank takes longer than the others are in one function.
WorkPlace find_place_by_few(const Report &report, std::optional<uint32_t> rank)
{
    const std::string ends = waited_ends(report, rank);
    if (ends.empty())
        return {};
    for (const HotSpotRow &row : report.hotspots)
        if (row.from + " and " + row.to == ends && row.samples >= place_limits.few_samples &&
            row.percent >= place_limits.few_percent && row.spread.max_rank == *rank) {
            const Frame *caller = caller_of(row);
            return place_of(caller != nullptr ? *caller : row.site, words_with_caller(row));
        }
    return {};
}

}  // namespace

WorkPlace find_work_place(const Report &report, std::optional<uint32_t> rank)
{
    if (report.quality.cpu_samples < verdict_thresholds.hot_spot_samples)
        return find_place_by_few(report, rank);
    if (rank)
        if (const WorkFunctionRow *apart = function_apart(report, *rank))
            return place_of(*apart);
    double percent = 0;
    const HotPlaceRow *row = most_samples(report, percent);
    if (row == nullptr)
        return {};
    const Frame *caller = caller_of(*row);
    WorkPlace found = place_of(caller != nullptr ? *caller : row->site, words_with_caller(*row));
    found.percent = percent;
    // A library alone is no place in the program.
    const std::string ends = is_own(row->site) ? "" : waited_ends(report, rank);
    if (caller == nullptr && !found.words.empty() && !ends.empty())
        found.words += ", between " + ends;
    return found;
}

// The innermost function that has most of what is sampled outside parallel regions; a leaf is
// told with the innermost of those that call it.
WorkPlace find_serial_place(const Report &report)
{
    uint64_t all = 0;
    for (const WorkFunctionRow &row : report.work_functions)
        all = std::max(all, row.serial_samples);
    const WorkFunctionRow *inner = nullptr, *caller = nullptr;
    for (const WorkFunctionRow &row : report.work_functions) {
        if (static_cast<double>(row.serial_samples) <
                place_limits.serial_share * static_cast<double>(all) ||
            row.serial_samples == 0 || !is_own(row.frame) || is_whole_program(row.frame))
            continue;
        const WorkFunctionRow *&found = row.depth > place_limits.leaf_depth ? caller : inner;
        if (found == nullptr || row.depth < found->depth)
            found = &row;
    }
    if (caller == nullptr)
        return inner == nullptr ? WorkPlace()
                                : place_of(inner->frame, inner->frame.function_words());
    return place_of(caller->frame,
                    inner == nullptr
                        ? caller->frame.function_words()
                        : fmt::format("{}, called by {}", without_arguments(inner->frame.symbol),
                                      caller->frame.function_words()));
}

WorkPlace find_team_place(const Report &report)
{
    const HotSpotRow *most = nullptr;
    for (const HotSpotRow &row : report.hotspots)
        if (!is_openmp_library(row.site.module_name()) && !row.site.module.empty() &&
            row.samples >= place_limits.call_samples &&
            (most == nullptr || row.samples > most->samples))
            most = &row;
    if (most == nullptr)
        return {};
    const Frame *caller = caller_of(*most);
    return place_of(caller != nullptr ? *caller : most->site, words_with_caller(*most));
}

namespace {

// Of a parallel region's function, or of its body: "solve", "solve [OpenMP]", but not "solve_row".
bool is_of_region(const Frame &frame, const std::string &region)
{
    const std::string name = without_arguments(frame.symbol);
    return region.empty() || name == region || name.starts_with(region + " ");
}

}  // namespace

WorkPlace find_lock_place(const Report &report, const std::string &region)
{
    const HotSpotRow *most = nullptr;
    for (const HotSpotRow &row : report.hotspots) {
        const Frame *caller = caller_of(row);
        const bool waits = is_openmp_library(row.site.module_name()) && caller != nullptr &&
                           !is_of_region(*caller, region);
        if (waits && row.samples >= place_limits.call_samples &&
            (most == nullptr || row.samples > most->samples))
            most = &row;
    }
    return most == nullptr ? WorkPlace()
                           : place_of(*caller_of(*most), caller_of(*most)->function_words());
}

namespace {

// mprof's own time is none of the program's places.
bool is_of_mprof(const Frame &frame)
{
    return frame.module_name().starts_with("libmprof");
}

// Most samples of those that are calls of a library, or, of a rank, of which another one has on
// average less than `others` of what it has.
const HotPlaceRow *system_row(const Report &report, std::optional<uint32_t> rank, double others)
{
    const auto ranks = static_cast<double>(report.ranks.size());
    const HotPlaceRow *most = nullptr;
    for (const HotSpotRow &row : report.hotspots) {
        const Spread &spread = row.spread;
        const double sum_s = spread.mean_s * static_cast<double>(spread.ranks);
        const bool is_apart = rank && spread.max_rank == *rank && ranks > 1 &&
                              sum_s - spread.max_s < others * spread.max_s * (ranks - 1);
        const bool is_call =
            !is_own(row.site) && !computes_for_others(row.site) && caller_of(row) != nullptr;
        if ((rank ? is_apart && (is_call || is_own(row.site)) : is_call) &&
            !is_of_mprof(row.site) && (most == nullptr || row.samples > most->samples))
            most = &row;
    }
    return most;
}

// Most samples of those in a call of the system itself, that the rank has, too. One of which it is
// not known who makes it comes last.
const HotSpotRow *system_call_row(const Report &report, std::optional<uint32_t> rank)
{
    const auto order = [](const HotSpotRow &row) {
        return std::pair(caller_of(row) != nullptr, row.samples);
    };
    const HotSpotRow *most = nullptr;
    for (const HotSpotRow &row : report.hotspots) {
        const Spread &spread = row.spread;
        const bool has_it = !rank || spread.max_rank == *rank ||
                            (spread.ranks == report.ranks.size() &&
                             spread.min_s >= place_limits.call_share * spread.max_s);
        if (row.samples >= place_limits.call_samples && has_it && !system_call_name(row).empty() &&
            (most == nullptr || order(row) > order(*most)))
            most = &row;
    }
    return most;
}

// "write(), between reading.c:97 and reading.c:104"
std::string words_between(const HotSpotRow &row)
{
    std::string call = system_call_name(row) + "()";
    if (row.from.empty() || row.to.empty())
        return call;
    return fmt::format("{}, between {} and {}", call, row.from,
                       row.to == row.from ? "its next call" : row.to);
}

// Of which time on a CPU has no sample.
struct Unsampled {
    double all_s = 0, cpu_s = 0;
    double most_s = 0;  // between two calls
    const SegmentRow *between = nullptr;
    std::map<std::string, double> at_lines;  // between calls of one line
};

// The rank has as much of it as any other one.
bool has_segment(const Report &report, const SegmentRow &row, uint32_t rank)
{
    const Spread &spread = row.spread;
    return spread.max_rank == rank || (spread.ranks == report.ranks.size() &&
                                       spread.min_s >= place_limits.call_share * spread.max_s);
}

// Of all ranks, or of what a rank has.
Unsampled find_unsampled(const Report &report, std::optional<uint32_t> rank, double sample_s)
{
    Unsampled found;
    for (const SegmentRow &row : report.segments) {
        if (rank && !has_segment(report, row, *rank))
            continue;
        const double on_cpu_s = row.time_s - row.contention_s - row.blocked_s;
        const double seconds =
            std::max(0.0, on_cpu_s - sample_s * static_cast<double>(row.samples));
        found.all_s += seconds;
        found.cpu_s += on_cpu_s;
        if (!row.from.words().empty() && row.from.words() == row.to.words())
            found.at_lines[row.from.words()] += seconds;
        if (seconds > found.most_s) {
            found.most_s = seconds;
            found.between = &row;
        }
    }
    return found;
}

// The CPU is sampled outside the kernel: between the two calls where most of the time on a CPU has
// no sample, or between several calls of one line, the kernel has most of its work. "" = no such
// place has most of it.
std::string unsampled_words(const Report &report, std::optional<uint32_t> rank)
{
    double sample_s = 0;
    for (const HotSpotRow &row : report.hotspots)
        if (row.samples > 0)
            sample_s = row.time_s / static_cast<double>(row.samples);
    const Unsampled found = find_unsampled(report, rank, sample_s);
    const double least_s = place_limits.unsampled_share * found.all_s;
    if (found.between == nullptr || sample_s <= 0 ||
        found.all_s < place_limits.unsampled_of_cpu_share * found.cpu_s)
        return "";
    if (found.most_s >= least_s) {
        const std::string inside =
            words_inside(report, static_cast<size_t>(found.between - report.segments.data()));
        return fmt::format("the code {}{}", between_words(*found.between),
                           inside.empty() ? "" : ", where it computes in " + inside);
    }
    for (const auto &[line, seconds] : found.at_lines)
        if (seconds >= least_s)
            return fmt::format("the code between MPI calls at {}", line);
    return "";
}

}  // namespace

std::string between_words(const SegmentRow &row)
{
    const auto end_words = [](const std::string &function, const Frame &frame) {
        return frame.words().empty() || function.empty()
                   ? function + frame.words()
                   : fmt::format("{} ({})", function, frame.words());
    };
    const std::string from = end_words(row.from_function, row.from);
    const std::string to = end_words(row.to_function, row.to);
    return fmt::format("between {} and {}", from.empty() ? "its start" : from,
                       to == from ? "its next call" : to);
}

std::string words_inside(const Report &report, size_t segment)
{
    for (const HotSpotRow &row : report.hotspots)
        if (row.segment == segment && row.percent >= place_limits.segment_percent &&
            row.samples >= verdict_thresholds.hot_spot_samples)
            return words_with_caller(row);
    return "";
}

// The CPU is sampled outside the kernel, so what works in it has few samples. A library of the
// system has them on behalf of its caller; of a rank, a function that the others do not have, few
// samples as it may be, before one that they have less of.
WorkPlace find_system_place(const Report &report, std::optional<uint32_t> rank)
{
    const HotSpotRow *call = system_call_row(report, rank);
    const HotPlaceRow *most = call != nullptr && caller_of(*call) != nullptr ? call : nullptr;
    if (most == nullptr && rank)
        most = system_row(report, rank, place_limits.hardly);
    if (most == nullptr)
        most = system_row(report, rank, place_limits.less);
    if (most == nullptr) {
        WorkPlace place;
        place.words = call != nullptr ? words_between(*call) : unsampled_words(report, rank);
        return place;
    }
    const Frame *caller = caller_of(*most);
    return is_own(most->site) || caller == nullptr ? place_of(most->site, words_with_caller(*most))
                                                   : place_of(*caller, words_with_caller(*most));
}

namespace {

// Of the functions that the rank has, too, the one with most page faults, if these are what the
// kernel does most. A call that gives memory back says more, if it is known who makes it.
WorkPlace find_fault_place(const Report &report, std::optional<uint32_t> rank)
{
    const std::optional<KernelWork> work = find_kernel_work(report, rank);
    if (!work || work->most != KernelPart::faults)
        return {};
    const HotSpotRow *call = system_call_row(report, rank);
    if (!work->call.empty() && call != nullptr && caller_of(*call) != nullptr)
        return {};
    for (const FaultRow &row : report.fault_places) {  // most faults first
        const bool has_it =
            !rank || row.spread.max_rank == *rank || row.spread.ranks == report.ranks.size();
        const Frame *caller = caller_of(row);
        if (!has_it || row.percent < place_limits.fault_percent || is_of_mprof(row.site) ||
            (caller == nullptr && row.site.symbol.empty()))
            continue;
        return place_of(caller != nullptr ? *caller : row.site, words_with_caller(row));
    }
    return {};
}

}  // namespace

WorkPlace find_early_place(const Report &report, std::optional<uint32_t> rank, double cpu_s)
{
    const double least = place_limits.early_share * cpu_s / early_sample_s;
    const WorkFunctionRow *found = nullptr;
    for (const WorkFunctionRow &row : report.early_functions) {
        const bool has_most = !rank || row.most_rank == *rank;
        const uint64_t samples = rank ? row.most_samples : row.samples;
        if (has_most && is_own(row.frame) && !is_whole_program(row.frame) &&
            static_cast<double>(samples) >= least && (found == nullptr || row.depth < found->depth))
            found = &row;
    }
    return found == nullptr ? WorkPlace() : place_of(*found);
}

// What most samples are in says nothing of the kernel's work, unless it tells the rank apart.
WorkPlace find_kernel_place(const Report &report, std::optional<uint32_t> rank)
{
    if (WorkPlace touched = find_fault_place(report, rank); !touched.words.empty())
        return touched;
    WorkPlace place = find_system_place(report, rank);
    if (!place.words.empty() || !rank)
        return place;
    WorkPlace work = find_work_place(report, rank);
    if (work.percent <= 0 && !work.words.empty())
        return work;
    if (const std::string ends = waited_ends(report, rank); !ends.empty())
        place.words = "the code between " + ends;
    return place;
}

namespace {

struct GpuUseWords {
    GpuUse use;
    std::optional<double> Totals::*sum_s;
    KnownSeconds RankGpu::*time_s;
    const char *words;
};
constexpr GpuUseWords gpu_uses[] = {
    {GpuUse::wait, &Totals::gpu_wait_s, &RankGpu::wait_s, "waiting for the GPU"},
    {GpuUse::copy, &Totals::gpu_copy_s, &RankGpu::copy_s, "copying to or from the GPU"},
    {GpuUse::other, &Totals::gpu_launch_s, &RankGpu::launch_s, "launching on the GPU"}};

// "" = not known
std::string gpu_place(const Report &report, GpuUse use)
{
    const GpuSiteRow *most = nullptr;
    for (const GpuSiteRow &row : report.gpu_sites)
        if (row.use == use && (most == nullptr || row.time_s > most->time_s))
            most = &row;
    return most == nullptr || most->place.empty() ? "" : " at " + most->place;
}

}  // namespace

std::optional<GpuPart> find_gpu_part(const Report &report)
{
    const auto sum_of = [&](const GpuUseWords &use) {
        return (report.totals.*use.sum_s).value_or(0);
    };
    double all_s = 0;
    const GpuUseWords *most = std::begin(gpu_uses);
    for (const GpuUseWords &use : gpu_uses) {
        all_s += sum_of(use);
        if (sum_of(use) > sum_of(*most))
            most = &use;
    }
    const double compute_s = report.totals.compute_s;
    if (report.ranks.empty() || compute_s <= 0 ||
        100 * all_s < verdict_thresholds.gpu_percent * compute_s)
        return std::nullopt;
    const auto longest = std::max_element(
        report.ranks.begin(), report.ranks.end(), [&](const RankRow &a, const RankRow &b) {
            return (*a.gpu.*most->time_s).value_or(0) < (*b.gpu.*most->time_s).value_or(0);
        });
    const double mean_s = sum_of(*most) / static_cast<double>(report.ranks.size());
    std::string words = most->words + gpu_place(report, most->use);
    if (report.ranks.size() > 1)
        words += fmt::format(": {} on rank {}, {} on average",
                             duration_text((*longest->gpu.*most->time_s).value_or(0)),
                             longest->rank, duration_text(mean_s));
    return GpuPart{100 * sum_of(*most) / compute_s, std::move(words)};
}

}  // namespace mprof
