// Stacks out of call sites, samples and segments (folded_stacks.h). Those of MPI add up to the MPI
// time, those of computing to the compute time.
#include "render/export/folded_stacks.h"

#include "read/printable_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr const char *no_path = "[call path not recorded]";
constexpr const char *no_callers = "[callers not known]";
constexpr const char *no_sample = "[computing, not sampled]";

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

void add_calls(const Report &report, FoldedStacks &stacks)
{
    for (const CallsiteRow &row : report.callsites) {
        const std::string way = row.path.empty() ? no_path : stack_of(row.path);
        const std::string call = way + ";" + call_text(row);
        const double wait_s = std::min(row.wait_s.value_or(0), row.time_s);
        add(stacks, call, row.time_s - wait_s);
        add(stacks, call + ";waiting", wait_s);
    }
}

std::string end_of(const std::string &function, const Frame &frame)
{
    if (!frame.words().empty())
        return frame.words();
    return function.empty() ? "begin" : function;
}

// Samples are estimates, and threads have samples at the same time: together they are at most the
// compute time.
void add_computing(const Report &report, FoldedStacks &stacks)
{
    FoldedStacks computing;
    for (const StackRow &row : report.stacks)
        add(computing, (row.has_callers ? "" : std::string(no_callers) + ";") + stack_of(row.path),
            row.time_s);
    if (computing.empty())
        for (const SegmentRow &row : report.segments)
            add(computing,
                fmt::format("{};{} to {}", no_sample,
                            frame_text(end_of(row.from_function, row.from)),
                            frame_text(end_of(row.to_function, row.to))),
                row.time_s);
    double sampled = 0;
    for (const auto &[stack, microseconds] : computing)
        sampled += microseconds;
    const double all = 1e6 * report.totals.compute_s;
    const double share = sampled > all ? all / sampled : 1;
    for (const auto &[stack, microseconds] : computing)
        stacks[stack] += share * microseconds;
    add(stacks, no_sample, (all - share * sampled) / 1e6);
}

}  // namespace

void add_stacks(const Report &report, FoldedStacks &stacks)
{
    add_calls(report, stacks);
    add_computing(report, stacks);
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
