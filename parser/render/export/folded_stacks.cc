// Stacks out of call sites, samples and segments (folded_stacks.h). Those of MPI add up to the MPI
// time, those of computing to the compute time.
#include "render/export/folded_stacks.h"

#include "read/printable_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr const char *no_path = "[call path not recorded]";
constexpr const char *no_callers = "[callers not known]";
constexpr const char *no_sample = "[computing, not sampled]";
constexpr const char *no_cpu = "[waiting for a CPU]";
constexpr const char *blocked = "[blocked]";

// A stack ends at a line's end, and a frame at ";".
std::string frame_text(const std::string &text)
{
    std::string safe = printable_utf8(text);
    std::replace(safe.begin(), safe.end(), ';', ':');
    return safe;
}

std::string name_of(const Frame &frame)
{
    if (!frame.symbol.empty())
        return frame_text(without_arguments(frame.symbol));
    return frame_text(frame.place().empty() ? frame.module_name() : frame.place());
}

// From the outermost frame inwards.
std::string stack_of(const std::vector<Frame> &path)
{
    std::string stack;
    for (auto frame = path.rbegin(); frame != path.rend(); ++frame)
        stack += (stack.empty() ? "" : ";") + name_of(*frame);
    return stack;
}

void add(FoldedStacks &stacks, const std::string &stack, double seconds)
{
    if (std::isfinite(seconds) && seconds > 0)
        stacks[stack] += 1e6 * seconds;
}

std::string call_text(const CallsiteRow &row)
{
    const std::string place = row.site.place();
    return frame_text(place.empty() ? row.function : fmt::format("{} ({})", row.function, place));
}

std::string end_of(const std::string &function, const Frame &frame)
{
    if (!frame.words().empty())
        return frame.words();
    return function.empty() ? "begin" : function;
}

std::string segment_text(const SegmentRow &row)
{
    return frame_text(fmt::format("{} to {}", end_of(row.from_function, row.from),
                                  end_of(row.to_function, row.to)));
}

// main() has no callers that tell anything.
std::string sampled_text(const StackRow &row)
{
    const std::string callers =
        row.callers.empty() && row.function.symbol != "main" ? no_callers : stack_of(row.callers);
    return callers + (callers.empty() ? "" : ";") + name_of(row.function);
}

// The time on a CPU goes to what samples were in. Of a segment it is measured, and samples only
// divide it: there may have been fewer than the time asks for.
void add_segments(const Report &report, FoldedStacks &computing)
{
    std::vector<double> sampled_s(report.segments.size());
    for (const StackRow &row : report.stacks)
        if (row.segment)
            sampled_s[*row.segment] += row.time_s;
    std::vector<double> scale(sampled_s.size());
    for (size_t i = 0; i < scale.size(); i++) {
        const SegmentRow &row = report.segments[i];
        const double off_s = std::min(row.contention_s + row.blocked_s, row.time_s);
        add(computing, std::string(no_cpu) + ";" + segment_text(row),
            std::min(row.contention_s, off_s));
        add(computing, std::string(blocked) + ";" + segment_text(row),
            off_s - std::min(row.contention_s, off_s));
        if (row.samples >= verdict_thresholds.hot_spot_samples && sampled_s[i] > 0)
            scale[i] = (row.time_s - off_s) / sampled_s[i];
        else
            add(computing, std::string(no_sample) + ";" + segment_text(row), row.time_s - off_s);
    }
    for (const StackRow &row : report.stacks)
        if (row.segment)
            add(computing, sampled_text(row), row.time_s * scale[*row.segment]);
}

double sum_of(const FoldedStacks &stacks)
{
    double sum = 0;
    for (const auto &[stack, microseconds] : stacks)
        sum += microseconds;
    return sum;
}

}  // namespace

void add_call_stacks(const Report &report, FoldedStacks &stacks)
{
    for (const CallsiteRow &row : report.callsites) {
        const std::string way = row.path.empty() ? no_path : stack_of(row.path);
        const std::string call = way + ";" + call_text(row);
        const double wait_s = std::min(row.wait_s.value_or(0), row.time_s);
        add(stacks, call, row.time_s - wait_s);
        add(stacks, call + ";waiting", wait_s);
    }
}

// Together never more than the compute time, also where threads have segments and samples at the
// same time.
void add_computing_stacks(const Report &report, FoldedStacks &stacks)
{
    FoldedStacks computing, others;
    add_segments(report, computing);
    for (const StackRow &row : report.stacks)
        if (!row.segment)
            add(others, sampled_text(row), row.time_s);
    const double all = 1e6 * report.totals.compute_s;
    double left = all;
    for (const FoldedStacks &part : {computing, others}) {
        const double sum = sum_of(part);
        const double share = sum > left ? left / sum : 1;
        for (const auto &[stack, microseconds] : part)
            stacks[stack] += share * microseconds;
        left = std::max(0.0, left - share * sum);
    }
    add(stacks, no_sample, left / 1e6);
}

void add_stacks(const Report &report, FoldedStacks &stacks)
{
    add_call_stacks(report, stacks);
    add_computing_stacks(report, stacks);
}

std::string folded_text(const FoldedStacks &stacks)
{
    std::string text;
    for (const auto &[stack, microseconds] : stacks)
        if (microseconds >= 0.5)
            text += fmt::format("{} {:.0f}\n", stack, microseconds);
    return text;
}

}  // namespace mprof
