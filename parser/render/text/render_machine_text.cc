// The answer, messages by distance and size, collectives by size, nodes and links, settings.
#include "render/renderers.h"
#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <set>

namespace mprof {
namespace {

constexpr size_t machine_column_width = 12, machine_first_column = 14, most_links_listed = 10;
constexpr const char *disturbed_mark = "?";

// "Allreduce"
std::string without_prefix(const std::string &function)
{
    constexpr std::string_view prefix = "MPI_";
    return function.starts_with(prefix) ? function.substr(prefix.size()) : function;
}

class MachineText : TextSheet {
public:
    MachineText(const MachineFigures &figures, size_t columns) : figures_(figures)
    {
        width = std::max<size_t>(columns, 80);
    }

    std::string all()
    {
        begin(figures_.version + " machine");
        sentence("ANSWER", figures_.headline);
        for (size_t i = figures_.findings.size() == 1 ? 1 : 0; i < figures_.findings.size(); i++)
            sentence("found", figures_.findings[i]);
        sentence("MPI", figures_.short_library());
        sentence("measured", measured_words());
        empty();
        add_distances();
        add_sizes();
        add_collectives();
        add_legend();
        add_nodes();
        add_links();
        add_settings();
        end();
        return text;
    }

private:
    std::string measured_words() const
    {
        if (figures_.source != MachineSource::measured)
            return fmt::format("read from logs of {}", text_of(figures_.source));
        return fmt::format("{} on {}{}", plural(figures_.ranks, "rank"),
                           plural(figures_.nodes.size(), "node"),
                           figures_.made.empty() ? "" : ", " + figures_.made);
    }

    void add_distances()
    {
        if (figures_.curves.empty())
            return;
        add(TextLine()
                .left(3, "distance")
                .right(28, "latency")
                .right(42, "bandwidth")
                .right(56, "eager up to")
                .right(68, "there")
                .right(80, "a byte more"));
        for (const MachineCurve &curve : figures_.curves) {
            TextLine line;
            line.left(3, text_of(curve.distance));
            if (const auto latency_s = curve.latency_s())
                line.right(28, duration_text(*latency_s));
            if (is_no_latency(0, curve.latency_s().value_or(0)))
                add_mark(line, 28);
            if (const auto rate = curve.bytes_per_second())
                line.right(42, bandwidth_text(*rate));
            if (curve.eager) {
                line.right(56, bytes_text(curve.eager->limit_bytes));
                add_eager_step(line, curve);
            } else {
                line.right(56, "no limit seen");
            }
            add(line);
        }
        empty();
    }

    using SizeTimes = std::vector<std::pair<uint64_t, double>>;

    static SizeTimes times_of(const MachineCurve &curve)
    {
        SizeTimes times;
        for (const MachinePoint &point : curve.points)
            times.emplace_back(point.bytes, point.time_s);
        return times;
    }

    // One mark for both sides of the step: beside the second there is no room.
    void add_eager_step(TextLine &line, const MachineCurve &curve)
    {
        const EagerStep &step = *curve.eager;
        if (step.above_s <= 0)
            return;
        const SizeTimes times = times_of(curve);
        line.right(68, duration_text(step.below_s));
        if (is_disturbed(times, step.limit_bytes, step.below_s) ||
            is_disturbed(times, step.limit_bytes + 1, step.above_s))
            add_mark(line, 68);
        line.right(80, duration_text(step.above_s));
    }

    // How much longer the larger of two sizes may take: small ones take as long as each other.
    static double growth(uint64_t smaller, uint64_t larger)
    {
        const auto size = [](uint64_t bytes) {
            return static_cast<double>(std::max(bytes, text_rules.small_bytes));
        };
        return text_rules.disturbed_growth * size(larger) / size(smaller);
    }

    // No larger size takes so much less, nor the next smaller one: while that was measured
    // something else ran.
    static bool is_disturbed(const SizeTimes &times, uint64_t bytes, double time_s)
    {
        const std::pair<uint64_t, double> *smaller = nullptr;
        for (const auto &other : times) {
            if (other.first > bytes && time_s > text_rules.disturbed * other.second)
                return true;
            if (other.first < bytes && (smaller == nullptr || other.first > smaller->first))
                smaller = &other;
        }
        return smaller != nullptr && time_s > growth(smaller->first, bytes) * smaller->second;
    }

    // Of one message between two ranks.
    static bool is_no_latency(uint64_t bytes, double time_s)
    {
        return bytes <= text_rules.small_bytes && time_s > text_rules.disturbed_message_s;
    }

    void add_mark(TextLine &line, size_t column)
    {
        line.left(column + 1, disturbed_mark);
        has_disturbed_ = true;
    }

    void add_cell(TextLine &line, size_t column, const SizeTimes &times, uint64_t bytes,
                  bool one_way)
    {
        for (const auto &[size, time_s] : times) {
            if (size != bytes)
                continue;
            line.right(column, duration_text(time_s));
            if (is_disturbed(times, bytes, time_s) || (one_way && is_no_latency(bytes, time_s)))
                add_mark(line, column);
        }
    }

    void add_legend()
    {
        if (!has_disturbed_)
            return;
        sentence(
            disturbed_mark,
            fmt::format("cannot be: longer than {:.0f} times the time of a larger size, or than "
                        "{:.0f} times what a smaller one suggests, or than {} for a small "
                        "message. Something else ran meanwhile. Measure again",
                        text_rules.disturbed, text_rules.disturbed_growth,
                        duration_text(text_rules.disturbed_message_s)));
        empty();
    }

    // A column per distance or function, a row per size; every other size where there are many.
    template <class Column, class Name, class Times>
    void add_table(const std::string &title, const std::vector<Column> &columns, const Name &name,
                   const Times &times, bool one_way)
    {
        constexpr size_t most_rows = 14;
        std::set<uint64_t> sizes;
        for (const Column &column : columns)
            for (const auto &[bytes, time_s] : times(column))
                sizes.insert(bytes);
        TextLine head;
        head.left(3, title);
        for (size_t i = 0; i < columns.size(); i++)
            head.right(machine_first_column + machine_column_width * (i + 1), name(columns[i]));
        add(head);
        for (const uint64_t bytes : sizes) {
            if (sizes.size() > most_rows && std::bit_width(bytes) % 2 == 0)
                continue;
            TextLine line;
            line.left(3, bytes == 0 ? "no data" : bytes_text(bytes));
            for (size_t i = 0; i < columns.size(); i++)
                add_cell(line, machine_first_column + machine_column_width * (i + 1),
                         times(columns[i]), bytes, one_way);
            add(line);
        }
        empty();
    }

    void add_sizes()
    {
        if (figures_.curves.empty())
            return;
        add_table(
            "one way", figures_.curves,
            [](const MachineCurve &curve) { return std::string(text_of(curve.distance)); },
            times_of, true);
    }

    void add_collectives()
    {
        std::vector<std::string> functions;
        std::set<uint32_t> ranks;
        for (const CollectiveTime &row : figures_.collectives) {
            if (std::find(functions.begin(), functions.end(), row.function) == functions.end())
                functions.push_back(row.function);
            ranks.insert(row.ranks);
        }
        constexpr size_t most_functions = 5;
        for (const uint32_t count : ranks)
            for (size_t begin = 0; begin < functions.size(); begin += most_functions) {
                const size_t end = std::min(functions.size(), begin + most_functions);
                const std::vector<std::string> some(
                    functions.begin() + static_cast<std::ptrdiff_t>(begin),
                    functions.begin() + static_cast<std::ptrdiff_t>(end));
                add_table(
                    count == 0 ? "collectives" : plural(count, "rank"), some, without_prefix,
                    [&](const std::string &function) {
                        SizeTimes times;
                        for (const CollectiveTime &row : figures_.collectives)
                            if (row.function == function && row.ranks == count)
                                times.emplace_back(row.bytes, row.time_s);
                        return times;
                    },
                    false);
            }
    }

    void add_nodes()
    {
        if (figures_.nodes.empty())
            return;
        constexpr size_t listed = 20;
        add(TextLine()
                .left(3, "node")
                .right(34, "ranks")
                .right(50, "arithmetic")
                .right(64, "copies")
                .right(78, "memory, of all"));
        size_t shown = 0;
        for (const MachineNode &node : figures_.nodes) {
            if (figures_.nodes.size() > listed && !node.slow)
                continue;
            if (++shown > listed)
                break;
            add(TextLine()
                    .left(3, shortened_middle(node.host, 24))
                    .right(34, std::to_string(node.ranks))
                    .right(50, duration_text(node.arithmetic_s))
                    .right(64, bandwidth_text(node.copy_bytes_s))
                    .right(78, node.memory_together_bytes_s > 0
                                   ? bandwidth_text(node.memory_together_bytes_s)
                                   : "")
                    .left(80, node.slow ? "slow" : ""));
        }
        if (figures_.nodes.size() > listed)
            add(TextLine().left(3, fmt::format("{} more", figures_.nodes.size() - shown)));
        empty();
    }

    std::string link_words(const MachineLink &link) const
    {
        constexpr size_t each = 16;
        return shortened_middle(figures_.nodes[link.a].host, each) + " - " +
               shortened_middle(figures_.nodes[link.b].host, each);
    }

    void add_links()
    {
        if (figures_.links.empty())
            return;
        std::vector<const MachineLink *> links;
        for (const MachineLink &link : figures_.links)
            links.push_back(&link);
        std::stable_sort(links.begin(), links.end(), [](const auto *a, const auto *b) {
            return a->bytes_per_second() < b->bytes_per_second();
        });
        add(TextLine().left(3, "link, slowest first").right(50, "latency").right(64, "bandwidth"));
        for (size_t i = 0; i < std::min(most_links_listed, links.size()); i++)
            add(TextLine()
                    .left(3, link_words(*links[i]))
                    .right(50, duration_text(links[i]->latency_s))
                    .right(64, bandwidth_text(links[i]->bytes_per_second()))
                    .left(67, links[i]->slow ? "slow" : ""));
        if (links.size() > most_links_listed)
            add(TextLine().left(3, fmt::format("{} more", links.size() - most_links_listed)));
        empty();
    }

    void add_settings()
    {
        for (const MachineSetting &setting : figures_.settings) {
            const std::string name = fmt::format("{} = {}", setting.name, setting.value);
            for (const std::string &line : fold_words(name, width - 17))
                add(TextLine()
                        .left(3, setting.from_environment ? "environment"
                                                          : std::string(text_of(setting.kind)))
                        .left(16, line));
        }
        if (!figures_.settings.empty())
            empty();
    }

    const MachineFigures &figures_;
    bool has_disturbed_ = false;
};

}  // namespace

std::string render_machine_text(const MachineFigures &figures, size_t width)
{
    return MachineText(figures, width).all();
}

}  // namespace mprof
