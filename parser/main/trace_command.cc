// mprof trace: a profile as a timeline for other programs. What it holds of single calls is drawn
// as slices, what it holds over time as counters and phases.
#include "analyse/analyse_profile.h"
#include "main/commands.h"
#include "main/profile/read_report.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "merge/output_file.h"
#include "merge/profile.h"
#include "merge/work_on_all.h"
#include "read/printable_text.h"
#include "report/number_text.h"
#include "trace/trace.h"
#include "trace/trace_sink.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mprof {
namespace {

constexpr size_t most_damaged = 20;

// "" if the outputs can be written.
std::string target_problem(const TraceOptions &options)
{
    if (!options.otf2_folder.empty() && !otf2_problem().empty())
        return otf2_problem();
    if (options.target.empty())
        return "";
    if (options.target.ends_with(".pftrace") || options.target.ends_with(".perfetto-trace"))
        return perfetto_problem();
    return fmt::format("{}: the name must end in .pftrace (Perfetto)",
                       printable_text(options.target));
}

Trace make_trace(const Profile &profile, const ProfileEvents &events, const SymbolOptions &options)
{
    PlaceNames kept;
    for (const std::vector<std::byte> &content : profile.names)
        kept.decode(content);
    SymbolLookup symbols(options, kept);
    Trace trace = trace_of_profile(profile, events, symbols);
    symbols.keep_lines();
    return trace;
}

std::string list_of(const std::vector<std::string> &names)
{
    constexpr size_t most = 10;
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most));
    const std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
    return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

// What of the single calls is not there. `damaged` files are of ranks that have none.
void say_gaps(const TraceGaps &gaps, const std::vector<FileError> &damaged)
{
    for (size_t i = 0; i < std::min(damaged.size(), most_damaged); i++)
        say(fmt::format("{}; its rank has no events here", describe(damaged[i])));
    if (damaged.size() > most_damaged)
        say(fmt::format("... and {} of events",
                        plural(damaged.size() - most_damaged, "more file")));
    if (!gaps.ranks.empty())
        say(fmt::format("no events of {} {}", gaps.ranks.size() == 1 ? "rank" : "ranks",
                        list_of(gaps.ranks)));
    if (!gaps.threads.empty())
        say(fmt::format("no events of {}: --events was too small for so many threads",
                        list_of(gaps.threads)));
    if (!gaps.cut.empty())
        say(fmt::format("only the last events of {}: earlier ones did not fit into --events",
                        list_of(gaps.cut)));
    if (gaps.wild_items > 0)
        say(fmt::format("{} whose time or function cannot be {} left out",
                        plural(gaps.wild_items, "event"), gaps.wild_items == 1 ? "is" : "are"));
    if (gaps.lone_messages > 0)
        say(fmt::format("{} of no call {} left out", plural(gaps.lone_messages, "message"),
                        gaps.lone_messages == 1 ? "is" : "are"));
}

void say_counts(const Trace &trace, const TraceCounts &counts)
{
    if (!trace.has_calls())
        say("no single calls were recorded, so the trace has only counters and phases. To record "
            "them: mprof run --events 64M");
    if (counts.unmatched > 0)
        say(fmt::format("{} whose send is not in the profile {} no arrow",
                        spoken_plural(counts.unmatched, "received message"),
                        counts.unmatched == 1 ? "has" : "have"));
    if (counts.moved > 0)
        say(fmt::format("of {}, {} seemed to arrive before being sent: the end of such "
                        "a receive was moved by up to {}",
                        spoken_plural(counts.messages, "message"), spoken_count(counts.moved),
                        duration_text(counts.most_moved_s)));
}

// The messages are the same for all formats.
bool say_written(const std::string &target, std::string problem, const Trace &trace,
                 const TimeLine &time, const TraceCounts &counts)
{
    if (!problem.empty()) {
        say(fmt::format("cannot write {}: {}", printable_text(target), problem));
        return false;
    }
    say(fmt::format("{}: {}, {}, {}, {}", printable_text(target), plural(trace.ranks, "rank"),
                    spoken_plural(counts.calls, "call"), spoken_plural(counts.messages, "message"),
                    plural(time.phases.size(), "phase")));
    return true;
}

TraceCounts write_calls(Trace &trace, const TimeLine &time, TraceSink &sink)
{
    const ProgressLine line("writing");
    return write_trace(trace, time, sink);
}

bool write_trace_file(const TraceOptions &options, Trace &trace, const TimeLine &time,
                      TraceCounts &counts)
{
    TakenFiles taken;
    taken.add_profile(options.path);
    OutputFile file(options.target, taken);
    const WriteBytes write = [&file](std::string_view bytes) {
        file.write(bytes.data(), bytes.size());
    };
    const auto sink = perfetto_sink(write);
    counts = write_calls(trace, time, *sink);
    std::string problem = sink->end();
    if (problem.empty())
        problem = file.finish();
    if (problem.empty() && file.has_replaced())
        say_replaced(options.target);
    return say_written(options.target, problem, trace, time, counts);
}

bool write_trace_folder(const TraceOptions &options, Trace &trace, const TimeLine &time,
                        TraceCounts &counts)
{
    OutputFolder folder(options.otf2_folder);
    std::string problem = folder.problem();
    if (problem.empty()) {
        const auto sink = otf2_sink(folder.beside());
        counts = write_calls(trace, time, *sink);
        problem = sink->end();
    }
    if (problem.empty())
        problem = folder.finish();
    return say_written(options.otf2_folder, problem, trace, time, counts);
}

bool write_outputs(const TraceOptions &options, Trace &trace, const TimeLine &time)
{
    TraceCounts counts;
    if (!options.target.empty() && !write_trace_file(options, trace, time, counts))
        return false;
    if (!options.otf2_folder.empty() && !write_trace_folder(options, trace, time, counts))
        return false;
    say_counts(trace, counts);
    return true;
}

}  // namespace

int trace_command(const TraceOptions &given)
{
    if (const std::string problem = target_problem(given); !problem.empty()) {
        say(problem);
        return exit_unusable;
    }
    ProfileEvents events;
    auto profile = read_profile(given.path, true, given.world, &events);
    if (!profile.ok()) {
        say_error(profile.error(), given.verbose);
        return exit_unusable;
    }
    const bool damaged = has_damaged_ranks(profile.value());
    const Observation observation = observe_run_here(profile.value());
    Trace trace = make_trace(profile.value(), events, given.symbols);
    const Report report = [&] {
        const ProgressLine line("analysing");
        return analyse_profile(std::move(profile.value()), given.symbols, observation);
    }();
    if (given.target.empty() && !trace.has_calls()) {
        say("no single calls were recorded, and OTF2 has nothing else; -o FILE.pftrace has "
            "counters and phases");
        return exit_unusable;
    }
    if (!trace.has_calls() && !report.time.known) {
        say("the profile does not say when anything happened: it has no MPI call");
        return exit_unusable;
    }
    if (!write_outputs(given, trace, report.time))
        return exit_unusable;
    say_gaps(trace.gaps, events.damaged);
    return say_incomplete(report, damaged, given.verbose) ? exit_incomplete : exit_fine;
}

}  // namespace mprof
