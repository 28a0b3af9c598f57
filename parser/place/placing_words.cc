#include "place/placing.h"

#include "mprof/format/library_names.h"
#include "place/order_search.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

namespace mprof {
namespace {

constexpr std::string_view in_slurm = "environment.SLURM_JOB_ID", in_pbs = "environment.PBS_JOBID",
                           in_lsf = "environment.LSB_JOBID";

double percent_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

std::string between_percent(const OrderFigures &figures)
{
    const double percent = percent_of(figures.between_nodes(), figures.all_bytes());
    return percent > 0 ? percent_text(percent) : "none";
}

std::vector<uint32_t> node_by_rank(const Machine &machine, const Order &order)
{
    std::vector<uint32_t> nodes;
    for (const uint32_t place : order)
        nodes.push_back(machine.places[place].node);
    return nodes;
}

// How launchers deal ranks to nodes, or "".
std::string dealt_words(const Machine &machine, const Order &order)
{
    const std::vector<uint32_t> nodes = node_by_rank(machine, order);
    const auto count = static_cast<uint32_t>(machine.hosts.size());
    if (count < 2)
        return "";
    if (std::is_sorted(nodes.begin(), nodes.end()))
        return "in blocks";
    for (uint32_t rank = 0; rank < nodes.size(); rank++)
        if (nodes[rank] != rank % count)
            return "";
    return "in turn";
}

std::string plus_minus(double value_s, double error_s)
{
    const bool is_long = value_s >= 1;
    const double unit_s = is_long ? 1 : 1e-3;
    return fmt::format("{:.1f} +- {:.1f} {}", value_s / unit_s, error_s / unit_s,
                       is_long ? "s" : "ms");
}

bool was_in_job_of(const Report &report, std::string_view variable)
{
    return std::any_of(report.run.texts.begin(), report.run.texts.end(),
                       [&](const auto &text) { return text.first == variable; });
}

std::string headline_of(const Placing &placing)
{
    if (placing.good)
        return can_divide() ? "The order is good: none of the others tried is better beyond noise."
                            : "The plain sequence is no better; no other order was tried.";
    if (placing.saves_s)
        return fmt::format(
            "A different order of the ranks would end the run about {} earlier (-{}).",
            duration_text(*placing.saves_s),
            percent_text(percent_of(*placing.saves_s, placing.wallclock_s)));
    const OrderFigures &before = placing.before_figures, &after = placing.after_figures;
    const bool is_network = before.between_nodes() > after.between_nodes();
    const auto socket = static_cast<size_t>(Distance::other_socket);
    const double less = is_network ? before.between_nodes() - after.between_nodes()
                                   : before.bytes[socket] - after.bytes[socket];
    return fmt::format("A different order of the ranks would keep {} of all bytes {}; the run does "
                       "not show how many seconds that saves.",
                       percent_text(percent_of(less, before.all_bytes())),
                       is_network ? "off the network" : "inside a socket");
}

std::string why_of(const Placing &placing)
{
    const OrderFigures &before = placing.before_figures;
    if (placing.machine.hosts.size() < 2)
        return fmt::format(
            "All ranks are on one node; {} of all bytes go to another socket{}.",
            percent_text(percent_of(before.bytes[static_cast<size_t>(Distance::other_socket)],
                                    before.all_bytes())),
            placing.machine.knows_sockets() ? "" : ", as far as known");
    std::string words =
        placing.before_words.empty()
            ? ""
            : fmt::format("Ranks are dealt to the nodes {}. ", placing.before_words);
    words +=
        fmt::format("{} of all bytes cross the network.", capitalised(between_percent(before)));
    if (!placing.good)
        words +=
            fmt::format(" With the order below, {} do: {} instead of {}.",
                        between_percent(placing.after_figures),
                        bytes_text(static_cast<uint64_t>(placing.after_figures.between_nodes())),
                        bytes_text(static_cast<uint64_t>(before.between_nodes())));
    return words;
}

std::string confidence_of(const TransferModel &model, const Placing &placing)
{
    if (!placing.saves_s || placing.good)
        return "";
    const auto &line = model.line(Distance::other_node);
    const bool measured = line && line->source == CostSource::baseline;
    return fmt::format(
        "{}: gain {}; the cost of a byte {}, and one run does not show the noise between runs",
        text_of(placing.level), plus_minus(*placing.saves_s, *placing.uncertainty_s),
        measured ? "was measured at the end of the run"
                 : "comes only from the run's shortest calls");
}

std::string share_of(const Placing &placing)
{
    if (!placing.message_percent)
        return "";
    return fmt::format("Point-to-point messages are {} of the transfer. The figures leave out what "
                       "a different order does to collectives.",
                       percent_text(*placing.message_percent));
}

// What is not known, and why.
void add_remarks(const Report &report, const TransferModel &model, Placing &placing)
{
    auto &remarks = placing.remarks;
    if (!can_divide())
        remarks.emplace_back("this mprof was built without " MPROF_LIBRARY_SCOTCH
                             ": only the current order and the plain sequence were compared");
    for (const DistanceBytes &row : placing.distances)
        if (!row.gib_s)
            remarks.push_back(fmt::format("the run does not show what a byte to the {} costs",
                                          text_of(row.distance)));
    if (placing.machine.knows_sockets() && model.line(Distance::same_node))
        remarks.emplace_back("the run shows a single cost for all distances inside a node");
    if (placing.machine.has_equal_nodes() && placing.machine.hosts.size() > 1 && placing.before_s &&
        model.card_share() < 1)
        remarks.push_back(fmt::format("sharing the network card of a node costs its ranks {} of "
                                      "what a single card for all would",
                                      percent_text(100 * model.card_share())));
    if (report.quality.other_bytes > 0)
        remarks.push_back(fmt::format("{} went to partners that the profile does not name",
                                      bytes_text(report.quality.other_bytes)));
    if (placing.before_figures.all_bytes() <= 0)
        remarks.emplace_back("the messages are empty, so their number was used");
}

}  // namespace

Launcher launcher_of(const Report &report)
{
    std::string library = report.run.mpi_library;
    for (char &c : library)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto has = [&](const char *word) { return library.find(word) != std::string::npos; };
    if (has("cray"))
        return Launcher::cray;
    if (has("intel"))
        return Launcher::intel;
    if (has("open mpi"))
        return has("open mpi v4") || has("open mpi v3") ? Launcher::openmpi4 : Launcher::openmpi5;
    if (has("mpich") || has("mvapich"))
        return was_in_job_of(report, in_slurm) ? Launcher::slurm : Launcher::mpich;
    return Launcher::openmpi5;
}

Place judged_place(const Machine &machine, const WrittenOrder &written, uint32_t rank)
{
    if (!written.places.empty())
        return machine.places[written.places[rank]];
    const std::string &host = written.hosts[rank];
    Place place;
    if (host.starts_with('+'))
        place.node = static_cast<uint32_t>(std::strtoul(host.c_str() + 2, nullptr, 10));
    else
        place.node = static_cast<uint32_t>(
            std::find(machine.hosts.begin(), machine.hosts.end(), host) - machine.hosts.begin());
    constexpr uint32_t most_sockets = 64;
    if (written.sockets[rank] < most_sockets)
        place.socket = place.node * most_sockets + written.sockets[rank];
    return place;
}

std::string why_not_judged(const Machine &machine, const WrittenOrder &judge)
{
    if (!judge.places.empty())
        return "";
    for (const std::string &host : judge.hosts) {
        if (host.starts_with("+n") && host.size() > 2 &&
            host.find_first_not_of("0123456789", 2) == std::string::npos && host.size() < 10 &&
            std::strtoul(host.c_str() + 2, nullptr, 10) < machine.hosts.size())
            continue;
        if (std::find(machine.hosts.begin(), machine.hosts.end(), host) == machine.hosts.end())
            return fmt::format("{} names {}, which is not among the {} (the first is {})",
                               judge.file, host, plural(machine.hosts.size(), "node"),
                               machine.hosts.empty() ? "?" : machine.hosts.front());
    }
    return "";
}

std::string judged_words(const Placing &placing, const JudgedOrder &judged)
{
    const double all = placing.before_figures.all_bytes();
    const auto with = [&](double between, const std::optional<double> &time_s) {
        const std::string percent = between > 0 ? percent_text(percent_of(between, all)) : "none";
        return time_s ? fmt::format("{} ({})", percent, duration_text(*time_s)) : percent;
    };
    const bool by_time = judged.time_s && placing.before_s;
    const double value = by_time ? *judged.time_s : judged.between_nodes_bytes;
    const double before = by_time ? *placing.before_s : placing.before_figures.between_nodes();
    const char *word = value > before * (1 + placing_limits.same_share)   ? "worse than"
                       : value < before * (1 - placing_limits.same_share) ? "better than"
                                                                          : "as good as";
    std::string words =
        fmt::format("{} is {} the current order: {} of all bytes cross the network, now {}",
                    judged.file, word, with(judged.between_nodes_bytes, judged.time_s),
                    with(placing.before_figures.between_nodes(), placing.before_s));
    if (!placing.good)
        words += fmt::format(", with the order below {}",
                             with(placing.after_figures.between_nodes(), placing.after_s));
    return words + ".";
}

void add_words(const Report &report, const TransferModel &model, Placing &placing)
{
    placing.in_batch_job = was_in_job_of(report, in_slurm) || was_in_job_of(report, in_pbs) ||
                           was_in_job_of(report, in_lsf);
    placing.before_words = dealt_words(placing.machine, placing.before);
    placing.headline = headline_of(placing);
    placing.why = why_of(placing);
    placing.confidence = confidence_of(model, placing);
    placing.share_words = share_of(placing);
    add_remarks(report, model, placing);
}

}  // namespace mprof
