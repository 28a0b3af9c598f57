// Counters, causes, transfers, and the words: run, quality, verdict.
#include "report/derived_figures.h"
#include "report/spread.h"
#include "sample_parts.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof_test {

using namespace mprof;

namespace {

template <class Row>
void summarise(const Report &report, Row &row, const std::vector<double> RankRow::*values, size_t i)
{
    spread_over_ranks(
        report.ranks, [&](const RankRow &rank) { return std::optional((rank.*values)[i]); }, row);
}

}  // namespace

void add_counters(Report &report)
{
    for (const char *name : {"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_L3_TCM", "PAPI_DP_OPS"}) {
        CounterRow row;
        row.name = name;
        row.source = CounterSource::papi;
        summarise(report, row, &RankRow::counters, report.counters.size());
        row.total = row.mean * static_cast<double>(report.ranks.size());
        row.in_mpi = row.total * 0.21;
        row.outside_mpi = row.total * 0.79;
        report.counters.push_back(row);
    }
    const std::vector<std::vector<std::string>> metrics = {
        {"Instructions per cycle", "", "PAPI_TOT_INS / PAPI_TOT_CYC"},
        {"Clock", "GHz", "PAPI_TOT_CYC / time"},
        {"Floating point", "GFLOP/s", "PAPI_DP_OPS / time"}};
    for (const auto &metric : metrics) {
        MetricRow row;
        row.name = metric[0];
        row.unit = metric[1];
        row.formula = metric[2];
        summarise(report, row, &RankRow::metrics, report.metrics.size());
        row.value = row.mean;
        report.metrics.push_back(row);
    }
}

void add_causes(const Plan &plan, Report &report)
{
    for (const RankRow &rank : report.ranks) {
        if (!plan.is_slow(rank.rank) || report.causes.size() >= 8)
            continue;
        CauseRow row;
        row.rank = rank.rank;
        row.host = rank.host;
        row.caused_wait_s = *rank.caused_wait_s;
        row.last_percent = 88.0 / (1 + static_cast<double>(report.causes.size()) * 3);
        row.compute_s = rank.compute_s;
        row.over_mean =
            rank.compute_s / (report.totals.compute_s / static_cast<double>(report.ranks.size()));
        row.place = "cg.c:211";
        row.segment = "cg.c:187 to cg.c:211";
        row.reason = "clock 31% below the others'";
        report.causes.push_back(row);
    }
}

void add_transfers(Report &report)
{
    for (const Locality locality : {Locality::same_node, Locality::other_node}) {
        const bool near = locality == Locality::same_node;
        for (unsigned power = 3; power <= 21; power += 2) {
            TransferRow row;
            row.locality = locality;
            row.low_bytes = 1ULL << power;
            row.high_bytes = (1ULL << (power + 2)) - 1;
            row.messages = 100'000 >> (power / 4);
            row.possible_s =
                (near ? 4e-7 : 1.6e-6) + static_cast<double>(row.low_bytes) / (near ? 1.1e10 : 9e9);
            row.observed_s = row.possible_s * (near ? 1.4 : 2.6);
            row.source = power < 12 ? CostSource::baseline : CostSource::best_case;
            report.transfers.push_back(row);
        }
    }
}

void add_run(const Plan &plan, Report &report)
{
    RunFacts &run = report.run;
    run.command =
        plan.is("hostile")
            ? "./a\"b'</script><script>document.title='owned'</script>\x1b[31m --x={{data}}"
            : fmt::format("./bin/cg.D.x --grid {0}x{0} --tol 1e-10", plan.side);
    if (plan.is("long names"))
        run.command += " --input /" + std::string(400, 'x');
    run.start_text = "Thu Nov 19 14:02:11 2026";
    run.stop_text = "Thu Nov 19 14:03:00 2026";
    run.start = "2026-11-19T14:02:11.000Z";
    run.stop = "2026-11-19T14:02:59.610Z";
    run.host = host_name(plan, 0);
    run.mpi_library = "Open MPI v5.0.6";
    run.mpi_abi = MpiAbi::openmpi;
    run.run_id = "1122334455667788";
    run.wallclock_s = plan.wall_s;
    run.ranks = plan.ranks;
    run.nodes = (plan.ranks + plan.per_node - 1) / plan.per_node;
    run.complete = !plan.is("killed") && !plan.is("missing ranks");
    run.end = plan.is("killed") ? RunEnd::unfinished : RunEnd::completed;
    run.texts = {{"command", run.command},
                 {"executable", "/home/user/cg/bin/cg.D.x"},
                 {"working_directory", "/scratch/user/run7"},
                 {"job", "8812374"},
                 {"environment.OMP_NUM_THREADS", "1"},
                 {"environment.SLURM_NTASKS", fmt::format("{}", plan.ranks)}};
}

void add_machine(Report &report)
{
    report.machine.file = "here.json";
    report.machine.mpi_library = "Open MPI v4.1.4";
    report.machine.ranks = 64;
    report.machine.nodes = 4;
    report.machine.sentences = {
        "MPI_Allreduce of 8 B takes 41.0 us among 64 ranks here; the machine can do it in 9.1 us."};
    report.machine.remarks = {"node3: its link to the network is slow."};
    MachineTimeRow row;
    row.what = "MPI_Allreduce";
    row.bytes = 8;
    row.calls = 10000;
    row.ranks = 64;
    row.here_s = 41e-6;
    row.machine_s = 9.1e-6;
    row.factor = row.here_s / row.machine_s;
    row.excess_s = 0.319;
    row.state = Judgement::problem;
    report.machine_times = {row};
    row.what = "message";
    row.distance = "other node";
    row.bytes = 65536;
    report.machine_times.push_back(row);
    report.eager_limits = {{"same node", 4096, 1e-6, 3e-6, 1000, 2000, 300, "",
                            "Up to 4.0 KiB a message to the same node is sent eagerly."},
                           {"other node", 65536, 1e-5, 3e-5, 1500, 2000, 20, "",
                            "Up to 64 KiB a message to the other node is sent eagerly."}};
    report.touch_rules = {{"MPI_Isend", "src/exchange/halo_exchange.c:211", 98304, 1200, 12.5,
                           TouchRule::not_right_after, TouchEvidence::size,
                           "Do not touch the data right after it: data from another node is not "
                           "yet in the cache. Compute with other data first."}};
}

void add_lints(Report &report)
{
    LintRow row;
    row.rule = "collective-order";
    row.severity = Severity::error;
    row.rank = 3;
    row.ranks = 1;
    row.function = "MPI_Reduce";
    row.place = "solve.c:118";
    row.count = 1;
    row.message = "collective 12 of MPI_COMM_WORLD is MPI_Reduce (root 0) here, but MPI_Allreduce "
                  "at solve.c:120 on rank 0";
    row.standard = "MPI 4.1, 6.14";
    report.lints.push_back(row);
    row.rule = "communicator-every-step";
    row.severity = Severity::note;
    row.function = "MPI_Comm_dup";
    row.message = "makes the same communicators 400 times on a rank; make them once and keep them";
    row.count = 400;
    row.cost_s = 1.5;
    report.lints.push_back(row);
}

void add_quality(const Plan &plan, Report &report)
{
    Quality &quality = report.quality;
    quality.ranks_expected = plan.ranks;
    quality.ranks_read = report.ranks.size();
    quality.ranks_finished = plan.is("killed") ? 0 : report.ranks.size();
    for (uint32_t rank = 0; rank < plan.ranks; rank++) {
        if (!plan.is_missing(rank))
            continue;
        if (!quality.missing.empty() && quality.missing.back().last + 1 == rank)
            quality.missing.back().last = rank;
        else
            quality.missing.push_back({rank, rank});
    }
    quality.overhead_percent = 0.41;
    quality.overhead_s = 0.0041 * report.totals.wallclock_s;
    quality.clock_resolution_s = 2.1e-8;
    quality.remarks = {fmt::format("{} of {} ranks read.", quality.ranks_read, plan.ranks)};
    if (!plan.has_details())
        return;
    quality.collectives = 160'000ULL * plan.ranks;
    quality.collectives_kept = 40'000ULL * plan.ranks;
    quality.wait_source = "collectives: per instance, duration beyond the fastest rank's; point to "
                          "point: beyond what a message costs";
}

namespace {

VerdictCard card(const char *title, std::string value, const char *note, Judgement state,
                 std::optional<double> share = std::nullopt, std::vector<double> limits = {})
{
    VerdictCard result;
    result.title = title;
    result.value = std::move(value);
    result.note = note;
    result.state = state;
    result.share = share;
    result.limits = std::move(limits);
    return result;
}

}  // namespace

void add_accounts(Report &report)
{
    const auto add = [&](AccountKind kind, double low_s, double gain_s, double high_s) {
        AccountRow &row = report.accounts.rows.emplace_back();
        row.kind = kind;
        row.gain_low_s = low_s;
        row.gain_s = gain_s;
        row.gain_high_s = high_s;
        row.wall_without_s = report.run.wallclock_s - gain_s;
        return &row;
    };
    report.accounts.known = true;
    report.accounts.span_s = report.run.wallclock_s;
    AccountRow *uneven = add(AccountKind::uneven, 12.1, 12.1, 13.9);
    uneven->rank = 2;
    uneven->function = "conj_grad";
    uneven->place = "cg.c:211";
    uneven->step = "Give rank 2 less work: look at how the work is divided.";
    add(AccountKind::in_turn, 0.4, 2.6, 2.6);
    add(AccountKind::start_up, 0.1, 1.2, 1.2);
    report.accounts.order = {{{AccountKind::uneven}, 12.1},
                             {{AccountKind::blocked, AccountKind::in_turn}, 2.6}};
}

// Ranks 0 to 47 are ocean, the others atmosphere, which is waited for.
void add_programs(Report &report)
{
    const auto add = [&](const char *name, uint32_t first, uint32_t last, double compute_s,
                         double wait_s, VerdictClass verdict_class) {
        ProgramRow row;
        row.program = name;
        row.command = fmt::format("./bin/{} -c coupled.nml", name);
        row.ranks = last - first + 1;
        row.where = {{first, last}};
        row.ranks_text = fmt::format("{}-{}", first, last);
        row.wallclock_s = 48.61;
        row.compute_s = compute_s;
        row.mpi_s = row.wallclock_s - compute_s;
        row.wait_s = wait_s;
        row.unknown_wait_s = 0;
        row.comm_percent = 100 * row.mpi_s / row.wallclock_s;
        row.load_balance = 0.96;
        row.verdict_class = verdict_class;
        report.programs.push_back(row);
    };
    add("ocean", 0, 47, 24.2, 22.1, VerdictClass::coupling_bound);
    add("atmosphere", 48, 63, 46.9, 0.9, VerdictClass::compute_bound);
    report.program_waits = {{"ocean", "ocean", 0.8, 1.65},
                            {"ocean", "atmosphere", 21.3, 43.8},
                            {"atmosphere", "ocean", 0, 0},
                            {"atmosphere", "atmosphere", 0.9, 1.85}};
}

void add_verdict(const Plan &plan, Report &report)
{
    Verdict &verdict = report.verdict;
    if (plan.is("healthy") || plan.is("no MPI time")) {
        verdict.verdict_class = VerdictClass::compute_bound;
        verdict.state = Judgement::good;
        verdict.sentence =
            "MPI is not the bottleneck: 6% of the run, evenly spread over the ranks.";
        verdict.headline = "COMPUTE BOUND. " + verdict.sentence;
        verdict.why = "94% of the time is your own code. The slowest rank computes 3% longer than "
                      "the average.";
        verdict.gain = "A run without MPI would save up to 2.9 s (6%).";
        verdict.next = {
            {"Profile the compute part",
             "a CPU profiler shows where it spends its time",
             Confidence::medium,
             std::nullopt,
             {},
             "perf record -g -p PROCESS on one rank",
             "let more ranks share the computing, and compare the runs with mprof diff"}};
    } else {
        verdict.verdict_class = VerdictClass::load_imbalance_bound;
        verdict.state = Judgement::problem;
        verdict.sentence = "MPI takes 38% of the run, and 75% of that is waiting for slower ranks.";
        verdict.headline = "LOAD-IMBALANCE BOUND. " + verdict.sentence;
        verdict.why =
            "The 4 ranks on node03 compute 1.46x as long as everyone else; rank 12 is the "
            "slowest. Ranks wait mostly in MPI_Allreduce (8 B) at cg.c:211 (33% of MPI time).";
        verdict.gain = "Perfect balance would save up to 13.9 s (29%).";
        verdict.gain_s = 13.9;
        verdict.next = {
            {"Leave node03 out, or check its clock and temperature",
             "its cores ran at 1.98 GHz against 2.87 GHz elsewhere, while instructions per rank "
             "differ by less than 2%. The node is slow; the work is not uneven.",
             Confidence::high,
             13.9,
             {},
             "run once without that node, then mprof diff OLD NEW",
             "if its ranks are late on another node as well, the cause is their work, not the "
             "node"},
            {"Merge the two 8-byte reductions at cg.c:211 and cg.c:233",
             "141 k calls per rank carry 8 bytes each. One 16-byte MPI_Allreduce halves the number "
             "of synchronisation points.",
             Confidence::medium,
             4.3,
             {},
             "copy the values into one array and reduce that with one call",
             "start it as MPI_Iallreduce and use the result one step later"},
            {"Place row neighbours on the same node",
             "65% of point-to-point bytes cross nodes. Mapping 2 x 2 blocks per node keeps more of "
             "the halo local.",
             Confidence::low,
             1.2,
             {},
             "srun --distribution=block",
             "the communication matrix shows who talks to whom"}};
    }
    if (plan.is("killed")) {
        StandingRow others;
        others.state = RankState::in_call;
        others.function = "MPI_Allreduce";
        others.place = "cg.c:211";
        others.communicator = "MPI_COMM_WORLD";
        others.where = {{0, 1}, {3, plan.ranks - 1}};
        others.ranks = plan.ranks - 1;
        others.longest_s = 312;
        StandingRow one = others;
        one.function = "MPI_Recv";
        one.place = "exchange.c:96";
        one.where = {{2, 2}};
        one.ranks = 1;
        report.standing.state = JobState::unknown;
        report.standing.rows = {others, one};
        report.standing.headline = "All other ranks wait for rank 2.";
    }
    if (!report.run.complete)
        verdict.extra = {"INCOMPLETE PROFILE. Figures end at each rank's last record."};
    const double share = report.totals.comm_percent / 100;
    verdict.cards = {
        card("MPI share", fmt::format("{:.0f}%", 100 * share), "of wallclock, average over ranks",
             share > 0.25 ? Judgement::problem : Judgement::good, share, {0.1, 0.25}),
        card("Load balance", fmt::format("{:.0f}%", 100 * report.totals.load_balance),
             "average / slowest compute time",
             report.totals.load_balance < 0.7 ? Judgement::problem : Judgement::good,
             report.totals.load_balance, {0.7, 0.85}),
        card("Comm. efficiency", "91%", "slowest compute time / wallclock", Judgement::good, 0.91,
             {0.7, 0.85}),
        card("Slowest rank", "12", "computes 44.1 s on a CPU, average 29.2 s", Judgement::problem),
        card("Top call site", "cg.c:211", "MPI_Allreduce, 8 B: 33% of MPI time",
             Judgement::problem),
        card("Profile quality", report.run.complete ? "Complete" : "Incomplete",
             ("ranks read, overhead " + overhead_words(report)).c_str(),
             report.run.complete ? Judgement::good : Judgement::watch)};
    verdict.cards[3].detail = host_name(plan, std::min(plan.ranks - 1, 12U));
}

}  // namespace mprof_test
