// Judgements of data quality, nodes beside their median, the accounts that are worth a row, and
// the name of a run (derived_figures.h).
#include "report/derived_figures.h"

#include "read/printable_text.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <map>

namespace mprof {

// A check that has found nothing says "ok". Waiting is an estimate at best.

namespace {

Judgement watch_if(bool is_bad)
{
    return is_bad ? Judgement::watch : Judgement::good;
}

}  // namespace

std::optional<double> own_bytes_of(const Report &report)
{
    double sum = 0;
    for (const RankRow &row : report.ranks) {
        const auto left =
            std::find_if(row.samples.begin(), row.samples.end(), [](const auto &sample) {
                return sample.moment == SampleMoment::init_left;
            });
        if (!row.memory_bytes || left == row.samples.end())
            return std::nullopt;
        sum += std::max(0.0, static_cast<double>(*row.memory_bytes) -
                                 static_cast<double>(left->resident_bytes));
    }
    return report.ranks.empty() ? std::nullopt
                                : std::optional(sum / static_cast<double>(report.ranks.size()));
}

double work_s(const RankRow &row)
{
    return row.on_cpu_s.value_or(row.compute_s) + row.local_s;
}

double least_other_threads_s(const RankRow &row)
{
    return std::max(0.0, most_other_threads_s(row) -
                             std::max(0.0, row.mpi_s - row.startup_s.value_or(0)));
}

double most_other_threads_s(const RankRow &row)
{
    return row.run_cpu_s && row.on_cpu_s
               ? std::max(0.0, *row.run_cpu_s - *row.on_cpu_s - row.gpu->all_s())
               : 0;
}

bool is_costly(const Quality &quality)
{
    return quality.overhead_percent > verdict_thresholds.large_overhead_percent;
}

std::string overhead_words(const Report &report)
{
    const Quality &quality = report.quality;
    const double ranks = std::max(1.0, static_cast<double>(quality.ranks_read));
    return fmt::format(
        "{} per rank ({})",
        duration_text(quality.overhead_percent / 100 * report.totals.wallclock_s / ranks),
        percent_text(quality.overhead_percent));
}

uint64_t count_ranks(const std::vector<MissingRanks> &ranges)
{
    uint64_t count = 0;
    for (const MissingRanks &range : ranges)
        count += uint64_t{range.last} - range.first + 1;
    return count;
}

bool only_lacks_unprofiled(const Quality &quality)
{
    return !quality.missing.empty() &&
           count_ranks(quality.missing) == count_ranks(quality.not_profiled);
}

bool is_coarse(const Quality &quality)
{
    return quality.dropped_percent > verdict_thresholds.large_dropped_percent;
}

std::vector<QualityCheck> quality_checks(const Quality &quality, const Report &report)
{
    const bool all_read = quality.ranks_read >= quality.ranks_expected;
    const bool all_ended = report.standing.rows.empty();
    const bool all_exact = quality.dropped_percent <= 0;
    std::vector<QualityCheck> checks = {
        {"Ranks read", all_read ? Judgement::good : Judgement::problem,
         all_read ? "ok" : "incomplete"},
        {"Ranks finished", watch_if(!all_ended), all_ended ? "ok" : "unfinished"},
        {"Detail kept", watch_if(is_coarse(quality)), all_exact ? "ok" : "partly"},
        {"Overhead", watch_if(is_costly(quality)), "measured"}};
    if (report.totals.wait_s)
        checks.push_back({"Waiting", Judgement::watch, "estimate"});
    return checks;
}

std::string standing_words(const Standing &standing)
{
    if (standing.headline.empty())
        return "";
    if (standing.ended_by)
        return standing.ended_how == RankEnd::abort  ? "aborted"
               : standing.ended_how == RankEnd::died ? "died"
                                                     : "exited";
    if (standing.is_hung)
        return text_of(VerdictClass::hung);
    return standing.running ? "still running" : "did not end";
}

// The median and not the mean is what a node is compared with: one slow node moves the mean.

namespace {

constexpr double no_less = 1e-3;  // of the median, so that 0 also has a distance

using Values = std::vector<std::optional<double>>;

struct OfNode {
    const char *name;
    std::optional<double> (*of)(const NodeRow &node);
};

// Of these more is slower; of a metric less is.
constexpr OfNode figures_of_nodes[] = {
    {"compute_s", [](const NodeRow &node) { return std::optional(node.compute_s); }},
    {"mpi_s", [](const NodeRow &node) { return std::optional(node.mpi_s); }},
    {"wait_s", [](const NodeRow &node) { return node.wait_s; }},
    {"memory_bytes",
     [](const NodeRow &node) { return std::optional(static_cast<double>(node.memory_bytes)); }},
    {"outside_bytes",
     [](const NodeRow &node) { return std::optional(static_cast<double>(node.outside_bytes)); }},
};

// A metric's mean over the ranks of each node that have it.
Values means_of_metric(const Report &report, size_t metric)
{
    std::map<std::string, std::pair<double, size_t>> sums;
    for (const RankRow &rank : report.ranks) {
        if (metric >= rank.metrics.size() || std::isnan(rank.metrics[metric]))
            continue;
        auto &[sum, count] = sums[rank.host];
        sum += rank.metrics[metric];
        count++;
    }
    Values means;
    for (const NodeRow &node : report.nodes) {
        const auto at = sums.find(node.host);
        means.push_back(at == sums.end() ? std::nullopt
                                         : std::optional(at->second.first /
                                                         static_cast<double>(at->second.second)));
    }
    return means;
}

std::optional<double> median_of(const Values &values)
{
    std::vector<double> known;
    for (const auto &value : values)
        if (value)
            known.push_back(*value);
    if (known.empty())
        return std::nullopt;
    std::sort(known.begin(), known.end());
    return known[known.size() / 2];
}

NodeFigure make_figure(const Report &report, const std::string &name, std::optional<size_t> metric,
                       Values values)
{
    NodeFigure figure{name, metric, std::move(values), std::nullopt, {}, 0};
    const bool more_is_slow = !metric;
    figure.median = median_of(figure.values);
    const double median = figure.median.value_or(0);
    for (size_t i = 0; i < figure.values.size() && median > 0; i++) {
        const double value = figure.values[i].value_or(median);
        const double share =
            (more_is_slow ? value / median : median / std::max(value, median * no_less)) - 1;
        if (!(share > placement_limits.node_differs_share))
            continue;
        const bool is_far = share > placement_limits.node_stands_out_share;
        figure.different.push_back(
            {i, report.nodes[i].host, 100 * share, is_far ? Judgement::problem : Judgement::watch});
        figure.stand_out += is_far ? 1 : 0;
    }
    return figure;
}

}  // namespace

std::vector<NodeFigure> node_figures(const Report &report)
{
    std::vector<NodeFigure> figures;
    if (report.nodes.size() < 2)
        return figures;
    for (const OfNode &figure : figures_of_nodes) {
        Values values;
        for (const NodeRow &node : report.nodes)
            values.push_back(figure.of(node));
        figures.push_back(make_figure(report, figure.name, std::nullopt, std::move(values)));
    }
    for (size_t i = 0; i < report.metrics.size(); i++)
        figures.push_back(
            make_figure(report, report.metrics[i].name, i, means_of_metric(report, i)));
    return figures;
}

// Accounts of the last digits of a run are in the JSON alone.
std::vector<AccountRow> told_accounts(const Accounts &accounts)
{
    const double least_s = verdict_thresholds.told_account_percent / 100 * accounts.span_s;
    std::vector<AccountRow> rows;
    std::copy_if(accounts.rows.begin(), accounts.rows.end(), std::back_inserter(rows),
                 [least_s](const AccountRow &row) { return row.gain_s >= least_s; });
    return rows;
}

std::string order_words(const Accounts &accounts)
{
    std::string words;
    for (const AccountStep &step : accounts.order) {
        std::string kinds;
        for (const AccountKind kind : step.kinds)
            kinds += (kinds.empty() ? "" : " and ") + text_of(kind);
        words += (words.empty() ? "" : ", then ") + kinds + " " + duration_text(step.saves_s);
    }
    return words;
}

std::optional<double> moving_share_of_messages(const Report &report)
{
    double all_s = 0, wait_s = 0;
    for (const RankRow &rank : report.ranks)
        if (rank.message_s && rank.message_wait_s) {
            all_s += *rank.message_s;
            wait_s += *rank.message_wait_s;
        }
    if (all_s <= 0)
        return std::nullopt;
    return std::clamp(1 - wait_s / all_s, 0.0, 1.0);
}

namespace {

// Also with a version: python3.11.
constexpr std::array interpreters = {"python", "pypy", "julia", "Rscript", "octave", "perl"};
// Their options whose value is the next word.
constexpr std::array options_with_value = {"-W", "-X", "-L", "-I"};

// Of the words behind the interpreter; "" if no script is named.
std::string script_of(const std::vector<std::string> &words, size_t first)
{
    const auto word_at = [&](size_t i) { return i < words.size() ? words[i] : ""; };
    for (size_t i = first; i < words.size(); i++) {
        const std::string &word = words[i];
        if (word == "-c" || word == "-e")
            return "";
        if (word == "-m") {
            // "-m mpi4py script.py" also runs the script.
            const std::string module = word_at(i + 1);
            const std::string script = module == "mpi4py" ? script_of(words, i + 2) : "";
            return script.empty() ? module : script;
        }
        if (std::find(options_with_value.begin(), options_with_value.end(), word) !=
            options_with_value.end())
            i++;
        else if (!word.empty() && word[0] != '-')
            return without_folder(word);
    }
    return "";
}

}  // namespace

bool is_interpreter(const std::string &name)
{
    return std::any_of(interpreters.begin(), interpreters.end(), [&](const std::string &known) {
        return name.starts_with(known) &&
               name.find_first_not_of("0123456789.", known.size()) == std::string::npos;
    });
}

std::string executable_name(const std::string &command)
{
    const std::vector<std::string> words = command_words(command);
    return words.empty() ? "" : without_folder(words[0]);
}

std::string program_name(const std::string &command)
{
    const std::string program = executable_name(command);
    const std::string script = is_interpreter(program) ? script_of(command_words(command), 1) : "";
    return script.empty() ? program : script;
}

std::string command_without_folder(const std::string &command)
{
    std::vector<std::string> words = command_words(command);
    if (!words.empty())
        words[0] = without_folder(words[0]);
    return command_of(words);
}

const ProgramRow *program_of_rank(const Report &report, uint32_t rank)
{
    for (const ProgramRow &row : report.programs)
        for (const MissingRanks &range : row.where)
            if (rank >= range.first && rank <= range.last)
                return &row;
    return nullptr;
}

// ---- lists of CPUs ------------------------------------------------------------------------------

CpuSet parse_cpus(const std::string &list)
{
    constexpr uint32_t most_cpus = 8192;
    CpuSet cpus;
    for (size_t begin = 0, comma = 0; begin < list.size(); begin = comma + 1) {
        comma = std::min(list.size(), list.find(',', begin));
        char *end = nullptr;
        const unsigned long first = std::strtoul(list.c_str() + begin, &end, 10);
        const unsigned long last = *end == '-' ? std::strtoul(end + 1, nullptr, 10) : first;
        for (unsigned long cpu = first; cpu <= last && cpu < most_cpus; cpu++)
            cpus.insert(static_cast<uint32_t>(cpu));
    }
    return cpus;
}

bool is_inside(const CpuSet &part, const CpuSet &whole)
{
    return !part.empty() && std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

}  // namespace mprof
