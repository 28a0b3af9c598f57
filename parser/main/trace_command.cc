// mprof trace: a profile as a timeline for other programs. What it holds of single calls is drawn
// as slices, what it holds over time as counters and phases.
#include "analyse/analyse_profile.h"
#include "main/commands.h"
#include "main/observe_run.h"
#include "main/profile/incomplete_run.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "merge/progress_line.h"
#include "read/printable_text.h"
#include "report/number_text.h"
#include "trace/calls_of_profile.h"
#include "trace/write_trace.h"

#include <fmt/format.h>

namespace mprof {
namespace {

enum class TraceFormat { perfetto, chrome, unknown };

TraceFormat format_of(const std::string &file)
{
    if (file.ends_with(".pftrace") || file.ends_with(".perfetto-trace"))
        return TraceFormat::perfetto;
    return file.ends_with(".json") ? TraceFormat::chrome : TraceFormat::unknown;
}

// "" if the output can be written.
std::string target_problem(const TraceOptions &options)
{
    switch (format_of(options.target)) {
    case TraceFormat::perfetto:
        return perfetto_problem();
    case TraceFormat::chrome:
        return "";
    default:
        return fmt::format("{}: the name must end in .pftrace (Perfetto) or .json (Chrome)",
                           printable_ascii(options.target));
    }
}

std::unique_ptr<TraceSink> trace_sink_for(const TraceOptions &options, WriteBytes write)
{
    return format_of(options.target) == TraceFormat::perfetto ? perfetto_sink(std::move(write))
                                                              : chrome_sink(std::move(write));
}

Trace make_trace(const Profile &profile, const SymbolOptions &options)
{
    PlaceNames kept;
    for (const std::vector<std::byte> &content : profile.names)
        kept.decode(content);
    SymbolLookup symbols(options, kept);
    return trace_of_profile(profile, symbols);
}

void say_counts(const Trace &trace, const TraceCounts &counts)
{
    if (!trace.has_calls())
        say("the profile holds no single calls, as that of a job that was killed does: the trace "
            "has counters and phases");
    if (counts.unmatched > 0)
        say(fmt::format("{} received messages whose send is not in the profile have no arrow",
                        count_text(counts.unmatched)));
    if (counts.moved > 0)
        say(fmt::format("{} of {} messages seemed to arrive before they were sent: the ends of "
                        "their receives were moved by up to {}",
                        count_text(counts.moved), count_text(counts.messages),
                        duration_text(counts.most_moved_s)));
}

bool write_trace_file(const TraceOptions &options, Trace &trace, const TimeLine &time)
{
    TakenFiles taken;
    taken.add_profile(options.path);
    OutputFile file(options.target, taken);
    const auto sink = trace_sink_for(
        options, [&file](std::string_view bytes) { file.write(bytes.data(), bytes.size()); });
    const TraceCounts counts = [&] {
        const ProgressLine line("writing");
        return write_trace(trace, time, *sink);
    }();
    std::string problem = sink->end();
    if (problem.empty())
        problem = file.finish();
    if (!problem.empty()) {
        say(fmt::format("cannot write {}: {}", printable_ascii(options.target), problem));
        return false;
    }
    if (file.has_replaced())
        say_replaced(options.target);
    say_counts(trace, counts);
    say(fmt::format("{}: {}, {} calls, {} messages, {}", printable_ascii(options.target),
                    plural(trace.ranks, "rank"), count_text(counts.calls),
                    count_text(counts.messages), plural(time.phases.size(), "phase")));
    return true;
}

}  // namespace

int trace_command(const TraceOptions &given)
{
    if (const std::string problem = target_problem(given); !problem.empty()) {
        say(problem);
        return exit_unusable;
    }
    auto profile = read_profile(given.path, true, given.world);
    if (!profile.ok()) {
        say_error(profile.error(), given.verbose);
        return exit_unusable;
    }
    const bool damaged = has_damaged_ranks(profile.value());
    const Observation observation = observe_run_here(profile.value());
    Trace trace = make_trace(profile.value(), given.symbols);
    const Report report = [&] {
        const ProgressLine line("analysing");
        return analyse_profile(std::move(profile.value()), given.symbols, observation);
    }();
    if (!trace.has_calls() && !report.time.known) {
        say("the profile does not tell when anything happened: an older mprof recorded it");
        return exit_unusable;
    }
    if (!write_trace_file(given, trace, report.time))
        return exit_unusable;
    return say_incomplete(report, damaged, given.verbose) ? exit_incomplete : exit_fine;
}

}  // namespace mprof
