// Compares orders by what they are predicted to take, and where the run does not tell seconds, by
// bytes between nodes. The present order and the plain sequence are always among them. Another one
// is proposed only if it is better by more than the prediction may be wrong.
#include "place/placing.h"

#include "place/order_search.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;
// What the model leaves out (order of messages, memory that ranks share) may change its gain by so
// much, whatever the run tells.
constexpr double model_error = 0.15;
// The network is divided among more nodes, or fewer: a spread larger than this is a disturbance.
constexpr double most_spread = 0.5;
constexpr size_t most_matrix_rows = 512;

struct Candidate {
    Order order;
    OrderFigures figures;
};

class PlacingMaker {
public:
    PlacingMaker(const Report &report, const PlacingQuestion &question)
        : report_(report),
          question_(question),
          run_machine_(recorded_machine(report, run_order_)),
          model_(report, run_machine_, run_order_)
    {
        placing_.machine = question.machine ? *question.machine : run_machine_;
        placing_.before = question.machine ? in_sequence(placing_.machine) : run_order_;
    }

    Placing make()
    {
        add_run();
        choose();
        add_seconds();
        add_distances();
        placing_.before_nodes = nodes_of(placing_.before);
        placing_.after_nodes = nodes_of(placing_.after);
        add_pairs();
        add_share();
        if (question_.judge)
            judge(*question_.judge);
        placing_.launcher = question_.launcher.value_or(launcher_of(report_));
        add_words(report_, model_, placing_);
        return std::move(placing_);
    }

private:
    void add_run()
    {
        placing_.version = report_.version;
        placing_.command = report_.run.command;
        placing_.program = program_name(report_.run.command);
        placing_.mpi_library = report_.run.mpi_library;
        placing_.ranks = report_.run.ranks;
        placing_.wallclock_s = report_.run.wallclock_s;
        placing_.complete = report_.run.complete;
    }

    CommGraph graph() const
    {
        const double latency_bytes = model_.latency_bytes();
        return comm_graph(report_.matrix, report_.run.ranks, [&](const MatrixCell &cell) {
            return static_cast<double>(cell.bytes) +
                   latency_bytes * static_cast<double>(cell.messages);
        });
    }

    // Negative: a is better. Orders that are equal in seconds are compared in bytes.
    static bool is_better(const OrderFigures &a, const OrderFigures &b)
    {
        const auto a_s = a.slowest_s(), b_s = b.slowest_s();
        constexpr double same = 1e-3;
        if (a_s && b_s && std::abs(*a_s - *b_s) > same * *b_s)
            return *a_s < *b_s;
        if (a.between_nodes() != b.between_nodes())
            return a.between_nodes() < b.between_nodes();
        return far_bytes(a) < far_bytes(b);
    }

    static double far_bytes(const OrderFigures &figures)
    {
        return figures.between_nodes() + figures.bytes[static_cast<size_t>(Distance::other_socket)];
    }

    void choose()
    {
        Candidate best{placing_.before, model_.figures(placing_.machine, placing_.before)};
        placing_.before_figures = best.figures;
        const Order sequence = in_sequence(placing_.machine);
        std::vector<Order> starts{placing_.before};
        if (sequence != placing_.before)
            starts.push_back(sequence);
        std::vector<Order> others = starts;
        if (can_divide() && placing_.ranks > 1)
            others.push_back(search_order(graph(), placing_.machine, starts));
        for (Order &order : others) {
            OrderFigures figures = model_.figures(placing_.machine, order);
            if (is_better(figures, best.figures))
                best = {std::move(order), figures};
        }
        placing_.after = std::move(best.order);
        placing_.after_figures = best.figures;
        placing_.good = !is_worth_it();
        if (placing_.good) {
            placing_.after = placing_.before;
            placing_.after_figures = placing_.before_figures;
        }
    }

    double spread() const
    {
        const auto &line = model_.line(Distance::other_node);
        return line ? std::clamp(line->spread, 0.0, most_spread) : 0;
    }

    // Half of the difference between the two readings of the run, and the errors that it does not
    // show.
    static double uncertainty(const OrderFigures &before, const OrderFigures &after, double spread)
    {
        const double saves_s = *before.slowest_s() - *after.slowest_s();
        const double other_s = before.other_s - after.other_s;
        return std::abs(saves_s - other_s) / 2 + (model_error + spread) * std::abs(saves_s);
    }

    bool is_worth_it() const
    {
        const OrderFigures &before = placing_.before_figures, &after = placing_.after_figures;
        if (before.slowest_s() && after.slowest_s()) {
            const double saves_s = *before.slowest_s() - *after.slowest_s();
            const double least_s = verdict_thresholds.step_percent / 100 * placing_.wallclock_s;
            return saves_s > uncertainty(before, after, spread()) && saves_s >= least_s;
        }
        return after.busiest_node_bytes <= before.busiest_node_bytes &&
               far_bytes(before) - far_bytes(after) >=
                   placing_limits.worth_bytes * before.all_bytes() &&
               before.all_bytes() > 0;
    }

    void add_seconds()
    {
        placing_.before_s = placing_.before_figures.slowest_s();
        placing_.after_s = placing_.after_figures.slowest_s();
        if (!placing_.before_s || !placing_.after_s) {
            placing_.before_s.reset();
            placing_.after_s.reset();
            return;
        }
        placing_.saves_s = *placing_.before_s - *placing_.after_s;
        placing_.uncertainty_s =
            uncertainty(placing_.before_figures, placing_.after_figures, spread());
        const auto &line = model_.line(Distance::other_node);
        const double relative =
            *placing_.saves_s > 0 ? *placing_.uncertainty_s / *placing_.saves_s : 0;
        const bool measured = line && line->source == CostSource::baseline;
        placing_.level = !measured || relative > placing_limits.unsure_share ? Confidence::low
                         : relative > placing_limits.sure_share              ? Confidence::medium
                                                                             : Confidence::high;
    }

    void add_distances()
    {
        for (size_t i = distance_count; i-- > 0;) {
            DistanceBytes row;
            row.distance = static_cast<Distance>(i);
            row.before_bytes = placing_.before_figures.bytes[i];
            row.after_bytes = placing_.after_figures.bytes[i];
            if (row.before_bytes + row.after_bytes <= 0)
                continue;
            if (const auto &line = model_.line(row.distance); line && line->byte_s > 0)
                row.gib_s = line->byte_s * gib;
            if (placing_.before_s) {
                row.before_s = (*placing_.before_figures.seconds)[i];
                row.after_s = (*placing_.after_figures.seconds)[i];
            }
            placing_.distances.push_back(row);
        }
    }

    NodeMatrix nodes_of(const Order &order) const
    {
        NodeMatrix matrix;
        const size_t nodes = placing_.machine.hosts.size();
        matrix.nodes_per_row = (nodes + most_matrix_rows - 1) / most_matrix_rows;
        matrix.rows = (nodes + matrix.nodes_per_row - 1) / matrix.nodes_per_row;
        matrix.bytes.resize(matrix.rows * matrix.rows);
        const auto row_of = [&](uint32_t rank) {
            return placing_.machine.places[order[rank]].node / matrix.nodes_per_row;
        };
        for (const MatrixCell &cell : report_.matrix)
            if (cell.source < order.size() && cell.destination < order.size() &&
                cell.source != cell.destination)
                matrix.bytes[row_of(cell.source) * matrix.rows + row_of(cell.destination)] +=
                    static_cast<double>(cell.bytes);
        return matrix;
    }

    void add_pairs()
    {
        if (placing_.ranks > most_picture_ranks || report_.matrix.size() > most_picture_pairs)
            return;
        for (const MatrixCell &cell : report_.matrix)
            if (cell.source != cell.destination)
                placing_.pairs.push_back(
                    {cell.source, cell.destination, cell.bytes, cell.messages});
    }

    // Of the time in MPI that is neither waiting nor start-up nor MPI-IO.
    void add_share()
    {
        double messages_s = 0, all_s = 0;
        for (const RankRow &row : report_.ranks) {
            if (!row.message_s || !row.transfer_s)
                return;
            messages_s += *row.message_s - row.message_wait_s.value_or(0);
            all_s += *row.transfer_s;
        }
        if (all_s > 0)
            placing_.message_percent = std::min(100.0, 100 * messages_s / all_s);
    }

    // Nodes and sockets are compared, and nothing further inside.
    void judge(const WrittenOrder &written)
    {
        Machine machine;
        machine.hosts = placing_.machine.hosts;
        Order order(placing_.ranks);
        for (uint32_t rank = 0; rank < placing_.ranks; rank++) {
            order[rank] = rank;
            machine.places.push_back(judged_place(placing_.machine, written, rank));
        }
        const OrderFigures figures = model_.figures(machine, order);
        JudgedOrder judged;
        judged.file = written.file;
        judged.between_nodes_bytes = figures.between_nodes();
        judged.time_s = figures.slowest_s();
        judged.sentence = judged_words(placing_, judged);
        placing_.judged = judged;
    }

    const Report &report_;
    const PlacingQuestion &question_;
    Order run_order_;
    Machine run_machine_;
    TransferModel model_;
    Placing placing_;
};

}  // namespace

std::vector<uint32_t> Placing::rank_at(const Order &order) const
{
    std::vector<uint32_t> by_place(order.size());
    for (uint32_t rank = 0; rank < order.size(); rank++)
        by_place[order[rank]] = rank;
    return by_place;
}

std::string why_not_placed(const Report &report)
{
    if (report.ranks.empty() || report.matrix.empty())
        return "the profile has no messages between ranks, so no order is better than another "
               "(collectives are not in the matrix)";
    if (report.ranks.size() == report.run.ranks)
        return "";
    const size_t missing = report.run.ranks - report.ranks.size();
    const char *const what =
        missing == 1 ? "is missing in the profile, so its place and its messages are not known"
                     : "are missing in the profile, so their places and messages are not known";
    return fmt::format("{} of {} {}", missing, plural(report.run.ranks, "rank"), what);
}

Placing analyse_placing(const Report &report, const PlacingQuestion &question)
{
    return PlacingMaker(report, question).make();
}

}  // namespace mprof
