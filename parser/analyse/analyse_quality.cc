// Can the profile be trusted: which ranks are missing, what detail was lost, what mprof itself
// cost. The remarks are whole sentences without a full stop, for the terminal and the page alike.
#include "analyse/analysis_parts.h"
#include "measure/clocks.h"
#include "measure/function_facts.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

namespace mprof {
namespace {

// More than these are counted, not listed.
constexpr size_t listed_ranks = 8;

FileProblem to_problem(const FileError &error)
{
    return {error.file, error.expected, error.found, describe(error), explain(error), error.offset};
}

// "MPIX_A (library), PMPI_B (the program)", as libmprof writes it
std::vector<std::string> split_list(const std::string &list)
{
    constexpr const char *separator = ", ";
    std::vector<std::string> parts;
    for (size_t begin = 0; begin < list.size();) {
        const size_t end = std::min(list.find(separator, begin), list.size());
        if (end > begin)
            parts.push_back(list.substr(begin, end - begin));
        begin = end + 2;
    }
    return parts;
}

// Which callsites represent paths that were cut for lack of space. The outermost frame tells.
std::vector<uint32_t> short_callsites(const RankFile &file)
{
    std::vector<uint32_t> slots;  // parents come before their children
    for (const CallsiteSlot &callsite : file.callsites)
        if ((callsite.facts.flags & MPROF_CALLSITE_SHORT) != 0 ||
            std::binary_search(slots.begin(), slots.end(), callsite.facts.parent))
            slots.push_back(callsite.slot);
    return slots;
}

uint64_t calls_at(const RankMeasure &rank, const std::vector<uint32_t> &callsites)
{
    uint64_t calls = 0;
    for (const MeasuredEntry &entry : rank.entries)
        if (std::binary_search(callsites.begin(), callsites.end(), entry.key.callsite))
            calls += entry.counted_calls();
    return calls;
}

// Why a thread's computing was not sampled; "" = it was, or its version did not know samples.
const char *refusal_words(uint32_t state)
{
    switch (state) {
    case MPROF_CPU_SAMPLES_OFF:
        return "";
    case MPROF_CPU_SAMPLES_FORBIDDEN:
        return "the kernel forbids it: set kernel.perf_event_paranoid to 2 or less; a container "
               "must also allow perf_event_open";
    case MPROF_CPU_SAMPLES_UNKNOWN:
        return "the kernel does not know perf_event_open";
    case MPROF_CPU_SAMPLES_NO_MEMORY:
        return "the kernel has used up its memory for it (kernel.perf_event_mlock_kb, ulimit -l)";
    case MPROF_CPU_SAMPLES_COSTLY:
        return "it paused while threads left their CPUs thousands of times a second (such as with "
               "more ranks than CPUs), because sampling would have slowed them down";
    default:
        return "";
    }
}

void add_cpu_samples(const ThreadRecord &thread, Quality &quality)
{
    for (const mprof_cpu_sample &row : thread.cpu_samples)
        quality.cpu_samples += row.samples;
    quality.lost_cpu_samples += thread.facts.lost_cpu_samples;
    if (quality.cpu_samples_refused.empty())
        quality.cpu_samples_refused = refusal_words(thread.facts.cpu_samples_state);
}

void add_losses(const RankMeasure &rank, Quality &quality)
{
    const RankFile &file = *rank.file;
    for (const ThreadRecord &thread : file.threads) {
        quality.binned_calls += thread.facts.binned_calls;
        quality.folded_calls += thread.facts.folded_calls;
        quality.folded_messages += thread.facts.folded_messages;
        quality.untracked_requests += thread.facts.untracked_requests;
        quality.untold_receives += thread.facts.untold_receives;
        quality.folded_callsites += thread.facts.folded_callsites;
        quality.folded_segments += thread.facts.folded_segments;
        quality.lost_calls += thread.facts.lost_calls;
        quality.unplaced_messages += thread.facts.unplaced_messages;
        add_cpu_samples(thread, quality);
    }
    const std::vector<uint32_t> cut = short_callsites(file);
    if (!cut.empty())
        quality.folded_callsites += calls_at(rank, cut);
    quality.lost_calls += file.run.lost_calls;
    quality.unjournaled_collectives += file.run.unjournaled_collectives;
    quality.untracked_communicators += file.run.untracked_communicators;
}

// Polls that were not timed. The error is that of a ratio estimator: the error of the rule on the
// timed stretches, scaled to the length of the untimed ones.
void add_untimed(const RankMeasure &rank, Quality &quality, double &variance)
{
    for (const ThreadRecord &thread : rank.file->threads) {
        const mprof_thread &facts = thread.facts;
        if (facts.untimed_calls == 0)
            continue;
        const double tick_s = rank.clock.seconds_per_tick();
        const auto calls = static_cast<double>(facts.untimed_calls);
        quality.untimed_calls += facts.untimed_calls;
        quality.untimed_s += std::max(0.0, static_cast<double>(facts.untimed_poll_ticks) * tick_s -
                                               calls * rank.clock.read_s());
        quality.overhead_s -= calls * std::min(2 * rank.clock.read_s(), rank.clock.record_s());
        if (facts.timed_poll_ticks == 0)
            continue;
        const double weight = static_cast<double>(facts.untimed_ticks) /
                              static_cast<double>(facts.timed_poll_ticks) * tick_s;
        variance += weight * weight * static_cast<double>(facts.poll_error_squares);
    }
}

// Of the missing ranks those of which the others know that they have no libmprof: "1-3, 7".
std::vector<MissingRanks> ranks_not_profiled(const Profile &profile)
{
    std::string text;
    for (const RankFile &rank : profile.ranks)
        if (text.empty())
            text = rank.text("not_profiled");
    std::vector<MissingRanks> found;
    for (const std::string &range : split_list(text)) {
        MissingRanks named;
        const char *const end = range.data() + range.size();
        const auto [rest, error] = std::from_chars(range.data(), end, named.first);
        named.last = named.first;
        if (error != std::errc() || (rest != end && *rest != '-') ||
            (rest != end && std::from_chars(rest + 1, end, named.last).ec != std::errc()))
            return {};
        for (const RankRange &gap : profile.missing)
            if (gap.first <= named.last && named.first <= gap.last)
                found.push_back({std::max(gap.first, named.first), std::min(gap.last, named.last)});
    }
    return found;
}

void add_up(const Profile &profile, const RankMeasures &ranks, Report &report)
{
    double untimed_variance = 0, thread_overhead_s = 0;
    Quality &quality = report.quality;
    quality.ranks_expected = profile.ranks_expected;
    quality.ranks_read = ranks.size();
    for (const RankRange &range : profile.missing)
        quality.missing.push_back({range.first, range.last});
    quality.not_profiled = ranks_not_profiled(profile);
    for (const RankRange &range : profile.missing_worlds)
        quality.missing_worlds.push_back({range.first, range.last});
    for (const FileError &error : profile.damaged)
        quality.damaged.push_back(to_problem(error));
    for (const FileError &error : profile.left_out)
        quality.left_out.push_back(to_problem(error));
    for (const RankMeasure &rank : ranks) {
        if (rank.complete())
            quality.ranks_finished++;
        const double calls_s = static_cast<double>(rank.calls) * rank.clock.record_s();
        const double own_s = seconds_of_ns(rank.file->run.own_ns);
        quality.overhead_s += calls_s + own_s;
        // Threads record at the same time. The wallclock has a share of one of them, which is known
        // for calls, and of other work is at most the wallclock.
        const bool is_one = rank.file->threads.size() < 2 || rank.mpi_s <= 0;
        const double calls_part = is_one ? 1 : rank.mpi_thread_s / rank.mpi_s;
        thread_overhead_s += std::min(own_s + calls_part * calls_s, rank.wallclock_s);
        quality.clock_resolution_s =
            std::max(quality.clock_resolution_s, rank.clock.resolution_s());
        for (const ThreadRecord &thread : rank.file->threads) {
            quality.callsite_checks += thread.facts.callsite_checks;
            quality.callsite_disagreements += thread.facts.callsite_disagreements;
            quality.callsite_blind_frames += thread.facts.callsite_blind_frames;
        }
        add_losses(rank, quality);
        add_untimed(rank, quality, untimed_variance);
        for (const char *key : {"not_covered", "second_mpis"})
            for (std::string &name : split_list(rank.file->text(key)))
                quality.not_covered.push_back(name);
    }
    quality.untimed_error_s = std::sqrt(untimed_variance);
    std::sort(quality.not_covered.begin(), quality.not_covered.end());
    const auto twice = std::unique(quality.not_covered.begin(), quality.not_covered.end());
    quality.not_covered.erase(twice, quality.not_covered.end());
    quality.overhead_s += quality.counters_s;
    const auto lost = static_cast<double>(quality.lost_calls);
    const auto dropped = static_cast<double>(quality.binned_calls) +
                         static_cast<double>(quality.folded_calls) + lost;
    if (dropped > 0)
        quality.dropped_percent = std::min(
            100.0, 100 * dropped / std::max(1.0, static_cast<double>(report.totals.calls) + lost));
    if (report.totals.wallclock_s > 0)
        quality.overhead_percent =
            100 * (thread_overhead_s + quality.counters_s) / report.totals.wallclock_s;
}

std::string detail_words(const Quality &quality)
{
    std::string words;
    const auto add = [&](uint64_t count, const char *noun, const char *what) {
        if (count == 0)
            return;
        words += (words.empty() ? "" : ", ") + plural(count, noun) + " " + what;
    };
    add(quality.binned_calls, "call", "with only a power of two as size");
    add(quality.folded_calls, "call", "with only the function");
    add(quality.folded_messages, "message", "without a partner");
    add(quality.unplaced_messages, "message", "without a call site");
    add(quality.untracked_requests, "request", "without a start");
    if (quality.untracked_communicators > 0)
        words +=
            fmt::format("{}{} of communicators, windows or files that were not kept",
                        words.empty() ? "" : ", ", plural(quality.untracked_communicators, "use"));
    add(quality.unjournaled_collectives, "collective", "in no journal");
    add(quality.folded_callsites, "call", "without the full path");
    add(quality.folded_segments, "computing segment", "without its place");
    if (quality.lost_calls > 0)
        return plural(quality.lost_calls, "call") + " LOST" + (words.empty() ? "" : ", ") + words +
               " for lack of space";
    return words.empty() ? "no detail lost" : words + " for lack of space (totals are exact)";
}

// "rank 1: killed or still running, last seen in MPI_Recv (from rank 0 of its communicator)
// since 1.25 s"
std::string unfinished_words(const RankRow &row, RunEnd end)
{
    std::string words = fmt::format("rank {}: ", row.rank);
    if (row.end == RankEnd::abort)
        words += fmt::format("aborted (code {})", row.end_code);
    else if (row.end == RankEnd::exit)
        words += "exited without MPI_Finalize";
    else if (end > RunEnd::unfinished)
        words += fmt::format("killed ({})", text_of(end));
    else
        words += "killed or still running";
    if (!row.in_call)
        return words + fmt::format(", last seen outside MPI at {}", duration_text(row.wallclock_s));
    words += fmt::format(", last seen in {}", *row.in_call);
    if (!row.in_call_place.empty())
        words += " at " + row.in_call_place;
    if (row.in_call_peer && *row.in_call_peer >= 0)
        words += fmt::format(" (peer {})", *row.in_call_peer);
    return words + fmt::format(", entered at {}", duration_text(row.in_call_since_s.value_or(0)));
}

void add_failed_ends(const Report &report, std::vector<std::string> &remarks)
{
    std::vector<MissingRanks> where;
    int error = 0;
    for (const RankRow &row : report.ranks) {
        if (row.end != RankEnd::finalize || row.end_code == 0)
            continue;
        error = error == 0 ? row.end_code : error;
        if (!where.empty() && where.back().last + 1 == row.rank)
            where.back().last = row.rank;
        else
            where.push_back({row.rank, row.rank});
    }
    if (!where.empty())
        remarks.push_back(
            fmt::format("MPI_Finalize returned an error (code {}) on {} {}", error,
                        where.size() == 1 && where[0].first == where[0].last ? "rank" : "ranks",
                        ranges_text(where)));
}

void add_unfinished(const Report &report, std::vector<std::string> &remarks)
{
    add_failed_ends(report, remarks);
    size_t listed = 0;
    size_t count = 0;
    for (const RankRow &row : report.ranks) {
        if (row.complete)
            continue;
        count++;
        if (listed == listed_ranks)
            continue;
        listed++;
        remarks.push_back(unfinished_words(row, report.run.end));
    }
    if (count > listed)
        remarks.push_back(fmt::format("{} did not finish", plural(count - listed, "more rank")));
}

void add_region_remarks(const Quality &quality, std::vector<std::string> &remarks)
{
    if (quality.region_ends_unmatched > 0)
        remarks.push_back(fmt::format("regions that were not open were ended {}",
                                      plural(quality.region_ends_unmatched, "time")));
    std::string names;
    for (const std::string &name : quality.regions_left_open)
        names += (names.empty() ? "" : ", ") + name;
    if (!names.empty())
        remarks.push_back("regions left open: " + names);
    if (quality.regions_not_kept > 0)
        remarks.push_back(fmt::format(
            "there was no room for {} of regions: their calls count in the region around them",
            plural(quality.regions_not_kept, "begin")));
    if (quality.paused_s > 0)
        remarks.push_back("recording was paused for " + duration_text(quality.paused_s) +
                          ", summed over ranks; calls in that time are not counted");
}

std::string list_words(const std::vector<std::string> &parts)
{
    std::string words;
    for (size_t i = 0; i < std::min(listed_ranks, parts.size()); i++)
        words += (words.empty() ? "" : "; ") + parts[i];
    if (parts.size() > listed_ranks)
        words += fmt::format("; and {} more", parts.size() - listed_ranks);
    return words;
}

void add_untold_remark(const Quality &quality, std::vector<std::string> &remarks)
{
    if (quality.untold_receives > 0)
        remarks.push_back(fmt::format(
            "the data of {} is missing, because the MPI writes no status for MPI_Isendrecv",
            plural(quality.untold_receives, "receive")));
}

// Open MPI's monitoring pauses for mprof's messages; what else an MPI counts cannot be paused.
void add_counts_remark(const Report &report, std::vector<std::string> &remarks)
{
    for (const FunctionRow &row : report.functions)
        if (facts_of(row.function).reads_counts) {
            remarks.push_back(fmt::format(
                "the program reads the MPI's own counts ({}): they may include the messages that "
                "mprof sends at the beginning and at the end, except in Open MPI's monitoring",
                row.function));
            return;
        }
}

void add_callsite_remarks(const Quality &quality, std::vector<std::string> &remarks)
{
    if (!quality.callsites_recorded) {
        remarks.push_back("call sites were not recorded: MPROF_CALLSITES=8 (mprof run --callsites "
                          "8) records where in the program each call is made");
        return;
    }
    if (quality.unresolved_callsites > 0)
        remarks.push_back(fmt::format(
            "no source line is known for {} of {}{}", quality.unresolved_callsites,
            plural(quality.callsite_places, "call site"),
            quality.unresolved_modules.empty() ? ""
                                               : ": " + list_words(quality.unresolved_modules)));
    if (!quality.unproved_modules.empty())
        remarks.push_back("files used unchecked, because they have no build id: " +
                          list_words(quality.unproved_modules));
    if (quality.symbols_out_of_time)
        remarks.push_back("looking up source lines took too long and was stopped");
    if (quality.unsure_callsites > 0)
        remarks.push_back(
            fmt::format("the callers of {} are not known: mprof did not find the next return "
                        "address on the stack, so one row may hold calls of several callers",
                        plural(quality.unsure_callsites, "call path")));
    if (quality.callsite_disagreements > 0)
        remarks.push_back(fmt::format(
            "of {} whose call path was checked, {} had a different one from that recorded",
            plural(quality.callsite_checks, "call"), quality.callsite_disagreements));
}

// Why there are no lines of scripts, in which versions of an interpreter.
void add_script_remarks(const RankMeasures &ranks, std::vector<std::string> &remarks)
{
    std::set<std::string> unread;
    for (const RankMeasure &rank : ranks)
        for (const ScriptSlot &script : rank.file->scripts)
            if (!script.is_function())
                unread.insert(script.function + " " + script.file);
    for (const std::string &words : unread)
        remarks.push_back("call paths have no lines of scripts: " + words);
}

void add_untimed_remark(const Report &report, std::vector<std::string> &remarks)
{
    const Quality &quality = report.quality;
    if (quality.untimed_calls == 0)
        return;
    const double share =
        100 * static_cast<double>(quality.untimed_calls) / static_cast<double>(report.totals.calls);
    remarks.push_back(
        fmt::format("the time of {} that poll ({} of all) is estimated from similar calls: {} +- "
                    "{}, summed over ranks; MPROF_SAMPLE=0 (mprof run --sample 0) times every call",
                    plural(quality.untimed_calls, "call"), percent_text(share),
                    duration_text(quality.untimed_s), duration_text(quality.untimed_error_s)));
}

void add_sample_remarks(const Quality &quality, std::vector<std::string> &remarks)
{
    const bool some = quality.cpu_samples > 0;
    if (!quality.cpu_samples_refused.empty())
        remarks.push_back(fmt::format("computing was not sampled{}: {}",
                                      some ? " on all threads" : "", quality.cpu_samples_refused));
    if (quality.lost_cpu_samples > 0)
        remarks.push_back(fmt::format("{} of computing missing, of {}",
                                      plural(quality.lost_cpu_samples, "sample"),
                                      quality.cpu_samples + quality.lost_cpu_samples));
}

// One sample in ten should have brought a call path.
void add_sample_path_remark(const RankMeasures &ranks, const Quality &quality,
                            std::vector<std::string> &remarks)
{
    for (const RankMeasure &rank : ranks)
        for (const ThreadRecord &thread : rank.file->threads)
            if (!thread.sample_paths.empty())
                return;
    if (quality.cpu_samples >= verdict_thresholds.caller_samples)
        remarks.push_back("the callers of the functions under \"computing\" are not known: the "
                          "kernel copied no stacks (it needs locked memory, ulimit -l)");
}

// Computing after the last reading of the CPU's clock. Reading the clock at each call also counts
// as computing, and is known to.
void add_unread_remark(const Report &report, std::vector<std::string> &remarks)
{
    double unread_s = 0;
    for (const RankRow &row : report.ranks)
        unread_s += std::max(0.0, row.unread_s.value_or(0) - static_cast<double>(row.calls) *
                                                                 report.quality.clock_resolution_s);
    const double percent =
        report.totals.wallclock_s > 0 ? 100 * unread_s / report.totals.wallclock_s : 0;
    if (percent >= verdict_thresholds.told_unread_percent)
        remarks.push_back(
            fmt::format("for {} of the time ({}, summed over ranks), it is not known whether the "
                        "rank computed or lacked a CPU: no CPU clock was read after that",
                        percent_text(percent), duration_text(unread_s)));
}

// "MPI_Init and MPI_File_write", with "and others" behind the two that took longest
std::string names_of(std::vector<const FunctionRow *> rows)
{
    std::sort(rows.begin(), rows.end(), [](const FunctionRow *a, const FunctionRow *b) {
        return std::pair(b->time_s, a->function) < std::pair(a->time_s, b->function);
    });
    if (rows.size() == 1)
        return rows[0]->function;
    return rows.size() > 2 ? fmt::format("{}, {} and others", rows[0]->function, rows[1]->function)
                           : fmt::format("{} and {}", rows[0]->function, rows[1]->function);
}

void add_waiting_remark(const Report &report, std::vector<std::string> &remarks)
{
    if (!report.totals.wait_s) {
        remarks.push_back("waiting was not measured: MPI time is waiting and transfer together");
        return;
    }
    double unknown_s = 0;
    std::vector<const FunctionRow *> unknown;
    for (const FunctionRow &row : report.functions)
        if (!row.wait_s && row.time_s > 0) {
            unknown_s += row.time_s;
            unknown.push_back(&row);
        }
    std::string words = "waiting: " + report.quality.wait_source;
    if (unknown_s > 0)
        words += fmt::format("; not known for {} of MPI time ({})",
                             percent_text(100 * unknown_s / report.totals.mpi_s),
                             names_of(std::move(unknown)));
    remarks.push_back(words);
}

void add_remarks(const RankMeasures &ranks, Report &report)
{
    Quality &quality = report.quality;
    auto &remarks = quality.remarks;
    remarks.push_back(fmt::format("{} of {} read, {}, overhead {}, clock resolution {}",
                                  quality.ranks_read, plural(quality.ranks_expected, "rank"),
                                  detail_words(quality), overhead_words(report),
                                  duration_text(quality.clock_resolution_s)));
    const uint64_t not_profiled = count_ranks(quality.not_profiled);
    if (not_profiled > 0)
        remarks.push_back(fmt::format("{} of {} not profiled: {}", not_profiled,
                                      plural(quality.ranks_expected, "rank"),
                                      ranges_text(quality.not_profiled)));
    if (count_ranks(quality.missing) > not_profiled)
        remarks.push_back("not read: " + ranges_text(quality.missing));
    if (!quality.missing_worlds.empty())
        remarks.push_back(
            "worlds without a readable file: " + ranges_text(quality.missing_worlds) +
            "; to record what MPI_Comm_spawn starts, put mprof run -o FOLDER before the launcher");
    for (size_t i = 0; i < std::min(listed_ranks, quality.damaged.size()); i++)
        remarks.push_back("damaged: " + quality.damaged[i].message);
    for (size_t i = 0; i < std::min(listed_ranks, quality.left_out.size()); i++)
        remarks.push_back("left out: " + quality.left_out[i].message);
    add_unfinished(report, remarks);
    if (quality.outside_messages > 0)
        remarks.push_back(fmt::format("{} ({}) went to another MPI_COMM_WORLD",
                                      plural(quality.outside_messages, "message"),
                                      bytes_text(quality.outside_bytes)));
    if (!quality.not_covered.empty()) {
        std::string words;
        for (const std::string &name : quality.not_covered)
            words += (words.empty() ? "" : ", ") + name;
        remarks.push_back("not covered, so their calls are not counted: " + words);
    }
    add_untimed_remark(report, remarks);
    add_sample_remarks(quality, remarks);
    add_sample_path_remark(ranks, quality, remarks);
    add_untold_remark(quality, remarks);
    add_counts_remark(report, remarks);
    add_callsite_remarks(quality, remarks);
    add_script_remarks(ranks, remarks);
    add_region_remarks(quality, remarks);
    add_unread_remark(report, remarks);
    add_waiting_remark(report, remarks);
}

}  // namespace

void analyse_quality(const Profile &profile, const RankMeasures &ranks, Report &report)
{
    add_up(profile, ranks, report);
    add_remarks(ranks, report);
}

}  // namespace mprof
