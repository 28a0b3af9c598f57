// The answer: what bounds the run, why, what would be gained, what to try.
//
// The first class that matches wins. Waiting is not measured yet, so no sentence here may claim
// that it was: what is known of an imbalance is who computes longer and where MPI time piles up. A
// rank that computes less than the slowest has to spend the difference somewhere; that is why max -
// mean compute time bounds the gain.
#include "analyse/analysis_parts.h"
#include "analyse/number_text.h"
#include "analyse/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace mprof {
namespace {

struct Facts {
    double mpi_percent = 0;
    double startup_percent = 0;
    double file_percent = 0;
    double mean_compute_s = 0;
    double max_compute_s = 0;
    uint32_t slowest_rank = 0;
    double imbalance_percent = 0;  // (max - mean) / wallclock
    const FunctionRow *top = nullptr;
};

bool is_startup(const std::string &name)
{
    static constexpr const char *cheap[] = {
        "MPI_Comm_rank",    "MPI_Comm_size",    "MPI_Comm_get_", "MPI_Comm_test_",
        "MPI_Comm_compare", "MPI_Comm_remote_", "MPI_Comm_set_"};
    for (const char *prefix : cheap)
        if (name.starts_with(prefix))
            return false;
    return name.starts_with("MPI_Init") || name.starts_with("MPI_Comm_") ||
           name == "MPI_Session_init";
}

Facts gather(const Report &report)
{
    Facts facts;
    facts.mpi_percent = report.totals.comm_percent;
    for (const FunctionRow &row : report.functions) {
        if (is_startup(row.function))
            facts.startup_percent += row.wall_percent;
        if (row.function.starts_with("MPI_File_"))
            facts.file_percent += row.wall_percent;
    }
    for (const RankRow &row : report.ranks) {
        if (row.compute_s <= facts.max_compute_s)
            continue;
        facts.max_compute_s = row.compute_s;
        facts.slowest_rank = row.rank;
    }
    facts.mean_compute_s = report.totals.compute_s / static_cast<double>(report.ranks.size());
    if (report.run.wallclock_s > 0)
        facts.imbalance_percent =
            100 * (facts.max_compute_s - facts.mean_compute_s) / report.run.wallclock_s;
    if (!report.functions.empty())
        facts.top = &report.functions.front();
    return facts;
}

struct HostCompute {
    double sum_s = 0;
    double min_s = HUGE_VAL;
    double max_s = 0;
    size_t ranks = 0;
    double mean_s() const { return sum_s / static_cast<double>(ranks); }
};

// "The 4 ranks on node03 compute 1.46x as long as everyone else; " or "". A host is to blame only
// if each of its ranks is slower than every rank elsewhere: else it is the work of single ranks.
std::string slow_host_words(const Report &report)
{
    std::map<std::string, HostCompute> hosts;
    for (const RankRow &row : report.ranks) {
        HostCompute &host = hosts[row.host];
        host.sum_s += row.compute_s;
        host.min_s = std::min(host.min_s, row.compute_s);
        host.max_s = std::max(host.max_s, row.compute_s);
        host.ranks++;
    }
    if (hosts.size() < 2)
        return "";
    const auto slowest =
        std::max_element(hosts.begin(), hosts.end(), [](const auto &a, const auto &b) {
            return a.second.mean_s() < b.second.mean_s();
        });
    const HostCompute &host = slowest->second;
    for (const auto &[name, other] : hosts)
        if (&other != &host && other.max_s >= host.min_s)
            return "";
    const double others_s = (report.totals.compute_s - host.sum_s) /
                            static_cast<double>(report.ranks.size() - host.ranks);
    if (others_s <= 0 || host.mean_s() < verdict_thresholds.slow_host_factor * others_s)
        return "";
    return fmt::format("{} on {} {} {:.2f}x as long as everyone else; ",
                       host.ranks == 1 ? "The rank" : fmt::format("The {} ranks", host.ranks),
                       slowest->first, host.ranks == 1 ? "computes" : "compute",
                       host.mean_s() / others_s);
}

std::string top_words(const Facts &facts)
{
    if (facts.top == nullptr || facts.top->time_s <= 0)
        return "";
    return fmt::format("Most MPI time is in {} ({} of it).", facts.top->function,
                       percent_text(facts.top->mpi_percent));
}

void say_compute_bound(const Report &report, const Facts &facts, Verdict &verdict)
{
    verdict.class_name = "compute bound";
    verdict.headline =
        fmt::format("COMPUTE BOUND. {} of the run is MPI.", percent_text(facts.mpi_percent));
    verdict.why = fmt::format(
        "Computing takes {} of {} on the average rank. {}", duration_text(facts.mean_compute_s),
        duration_text(report.totals.wallclock_s / static_cast<double>(report.ranks.size())),
        top_words(facts));
    verdict.next.push_back(
        {"Look at the computation first: a CPU profiler shows where it spends its time.",
         fmt::format("without any MPI time the run would be {} shorter at most",
                     percent_text(facts.mpi_percent)),
         "high"});
}

void say_load_imbalance(const Report &report, const Facts &facts, Verdict &verdict)
{
    const double gain_s = facts.max_compute_s - facts.mean_compute_s;
    const std::string host = slow_host_words(report);
    verdict.class_name = "load-imbalance bound";
    verdict.headline = fmt::format(
        "LOAD-IMBALANCE BOUND. {} of the run is MPI, and the slowest rank computes {:.2f}x as "
        "long as the average.",
        percent_text(facts.mpi_percent), facts.max_compute_s / facts.mean_compute_s);
    verdict.why = fmt::format("{}{} {} computes {}, the average rank {}. {}", host,
                              host.empty() ? "Rank" : "rank", facts.slowest_rank,
                              duration_text(facts.max_compute_s),
                              duration_text(facts.mean_compute_s), top_words(facts));
    verdict.gain_s = gain_s;
    verdict.gain = fmt::format("Perfect balance would end the run up to {} earlier (-{}).",
                               duration_text(gain_s), percent_text(facts.imbalance_percent));
    if (host.empty())
        verdict.next.push_back(
            {fmt::format("Give rank {} less work: look at how the work is divided.",
                         facts.slowest_rank),
             fmt::format("load balance {:.2f} (mean / max compute time)",
                         report.totals.load_balance),
             "medium"});
    else
        verdict.next.push_back(
            {"Check that host's clock, load and thermal state, or the work of its ranks.",
             host.substr(0, host.size() - 2), "medium"});
}

void say_startup_bound(const Report &report, const Facts &facts, Verdict &verdict)
{
    verdict.class_name = "start-up bound";
    verdict.headline =
        fmt::format("START-UP BOUND. {} of the run is MPI_Init and making communicators.",
                    percent_text(facts.startup_percent));
    verdict.why = top_words(facts);
    verdict.gain_s = facts.startup_percent / 100 * report.run.wallclock_s;
    verdict.gain = fmt::format("Without start-up the run would end up to {} earlier (-{}).",
                               duration_text(*verdict.gain_s), percent_text(facts.startup_percent));
    verdict.next.push_back(
        {"Profile a longer run: start-up costs once, whatever follows.",
         fmt::format("the whole run takes {}", duration_text(report.run.wallclock_s)), "medium"});
}

void say_io_bound(const Report &report, const Facts &facts, Verdict &verdict)
{
    verdict.class_name = "I/O bound";
    verdict.headline =
        fmt::format("I/O BOUND. {} of the run is MPI-IO.", percent_text(facts.file_percent));
    verdict.why = top_words(facts);
    verdict.gain_s = facts.file_percent / 100 * report.run.wallclock_s;
    verdict.gain = fmt::format("Without MPI-IO the run would end up to {} earlier (-{}).",
                               duration_text(*verdict.gain_s), percent_text(facts.file_percent));
    verdict.next.push_back(
        {"Write less often or more at once; try collective I/O.",
         fmt::format("MPI_File_* take {} of the wallclock", percent_text(facts.file_percent)),
         "medium"});
}

void say_mixed(const Report &report, const Facts &facts, Verdict &verdict)
{
    verdict.class_name = "mixed";
    verdict.headline = fmt::format("MIXED. {} of the run is MPI; no single cause stands out.",
                                   percent_text(facts.mpi_percent));
    verdict.why = fmt::format("{} Load balance is {:.2f} (mean / max compute time).",
                              top_words(facts), report.totals.load_balance);
    if (facts.top != nullptr && facts.top->mpi_percent >= verdict_thresholds.top_function_percent)
        verdict.next.push_back(
            {fmt::format("Look at {} first.", facts.top->function),
             fmt::format("it holds {} of MPI time", percent_text(facts.top->mpi_percent)), "low"});
}

void add_incomplete(const Report &report, Verdict &verdict)
{
    if (report.complete())
        return;
    const Quality &quality = report.quality;
    const auto finished = static_cast<uint64_t>(std::count_if(
        report.ranks.begin(), report.ranks.end(), [](const RankRow &r) { return r.complete; }));
    verdict.extra.push_back(
        fmt::format("INCOMPLETE PROFILE: {} of {} ranks finished, {} read; what is said here holds "
                    "for those and up to where they got.",
                    finished, quality.ranks_expected, quality.ranks_read));
    for (NextStep &step : verdict.next)
        step.confidence = "low";
}

}  // namespace

void analyse_verdict(Report &report)
{
    const Facts facts = gather(report);
    const auto &limits = verdict_thresholds;
    const bool mpi_matters = facts.mpi_percent >= limits.compute_bound_mpi_percent;
    const bool startup = facts.startup_percent > limits.startup_percent;
    const bool file_io = facts.file_percent > limits.file_io_percent;
    // Unevenness explains the run only if it explains more of it than what was measured directly.
    const bool imbalance = report.totals.load_balance < limits.poor_load_balance &&
                           !(startup && facts.startup_percent > facts.imbalance_percent) &&
                           !(file_io && facts.file_percent > facts.imbalance_percent);
    Verdict &verdict = report.verdict;
    if (report.run.wallclock_s <= 0) {
        verdict.class_name = "unknown";
        verdict.headline = "NO VERDICT. The record holds no time.";
    } else if (!mpi_matters)
        say_compute_bound(report, facts, verdict);
    else if (imbalance)
        say_load_imbalance(report, facts, verdict);
    else if (startup)
        say_startup_bound(report, facts, verdict);
    else if (file_io)
        say_io_bound(report, facts, verdict);
    else
        say_mixed(report, facts, verdict);
    add_incomplete(report, verdict);
}

}  // namespace mprof
