// The answer, bytes and seconds by distance, who sends to whom by node, and the lines to paste. All
// other lines begin with '#', so that the whole can be pasted into a shell.
#include "place/placing.h"
#include "render/renderers.h"
#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace mprof {
namespace {

constexpr size_t most_nodes_listed = 8;
constexpr size_t cell_width = 4;

std::string seconds_figure(double seconds)
{
    return seconds < 10 ? fixed_text(seconds, 3) : fixed_text(seconds, 1);
}

// What most cells of the matrix can be written in, with a digit behind the point.
struct ByteUnit {
    const char *name;
    double bytes;
};

ByteUnit unit_for(double largest)
{
    constexpr double step = 1024, fits = 1;
    constexpr ByteUnit units[] = {
        {"GiB", step * step * step}, {"MiB", step * step}, {"KiB", step}, {"B", 1}};
    for (const ByteUnit &unit : units)
        if (largest >= fits * unit.bytes)
            return unit;
    return units[3];
}

// At most three characters: "12", "2.5", ".2", ".0", "." for nothing.
std::string cell_figure(double bytes, const ByteUnit &unit)
{
    const double value = bytes / unit.bytes;
    constexpr double many = 9.95, few = 0.95;
    if (bytes <= 0)
        return ".";
    if (value >= many)
        return fixed_text(value, 0);
    const std::string text = fixed_text(value, 1);
    return value < few ? text.substr(1) : text;
}

class PlaceText : TextSheet {
public:
    PlaceText(const Placing &placing, const PlacingPaths &paths, size_t columns)
        : placing_(placing), paths_(paths)
    {
        width = std::max<size_t>(columns, 80);
    }

    std::string all()
    {
        begin(placing_.version + " place " + placing_.program);
        sentence("ANSWER", placing_.headline);
        sentence("why", placing_.why);
        sentence("how sure", placing_.confidence);
        sentence("share", placing_.share_words);
        if (placing_.judged)
            sentence("judged", placing_.judged->sentence);
        for (const std::string &remark : placing_.remarks)
            sentence("note", remark);
        empty();
        add_distances();
        add_nodes();
        add_lines();
        end();
        return text;
    }

private:
    static std::string percent_of(double bytes, double all)
    {
        return percent_text(all > 0 ? 100 * bytes / all : 0);
    }

    void add_distance_row(const std::string &name, double before, double after,
                          const std::optional<double> &gib_s, const std::optional<double> &before_s,
                          const std::optional<double> &after_s, bool is_sum)
    {
        const double all = placing_.before_figures.all_bytes();
        TextLine line;
        line.left(3, name).right(26, bytes_text(static_cast<uint64_t>(before)));
        if (!is_sum)
            line.right(31, percent_of(before, all));
        if (!placing_.good) {
            line.right(45, bytes_text(static_cast<uint64_t>(after)));
            if (!is_sum)
                line.right(50, percent_of(after, all));
        }
        if (!is_sum)
            line.right(60, gib_s ? duration_text(*gib_s) : "?");
        if (before_s)
            line.right(70, seconds_figure(*before_s));
        if (after_s && !placing_.good)
            line.left(72, "->").right(80, seconds_figure(*after_s));
        add(line);
    }

    void add_distances()
    {
        TextLine head;
        head.right(26, placing_.good ? "bytes" : "before");
        if (!placing_.good)
            head.right(45, "after");
        head.right(60, "per GiB").right(80, "s of slowest rank");
        add(head);
        for (const DistanceBytes &row : placing_.distances)
            add_distance_row(text_of(row.distance), row.before_bytes, row.after_bytes, row.gib_s,
                             row.before_s, row.after_s, false);
        add_distance_row("all", placing_.before_figures.all_bytes(),
                         placing_.after_figures.all_bytes(), {}, placing_.before_s,
                         placing_.after_s, true);
        empty();
    }

    void add_node_row(size_t row, size_t name_width, const ByteUnit &unit)
    {
        TextLine line;
        line.left(3, shortened_middle(placing_.machine.hosts[row], name_width));
        size_t column = name_width + 3;
        for (const NodeMatrix *matrix : {&placing_.before_nodes, &placing_.after_nodes}) {
            for (size_t i = 0; i < matrix->rows; i++) {
                column += cell_width;
                line.right(column, cell_figure(matrix->at(row, i), unit));
            }
            column += cell_width;
            if (placing_.good)
                break;
        }
        add(line);
    }

    void add_nodes()
    {
        const size_t rows = placing_.before_nodes.rows;
        if (rows < 2)
            return;
        if (rows > most_nodes_listed || placing_.before_nodes.nodes_per_row > 1) {
            sentence("nodes", fmt::format("the page shows who sends to whom among {} (--html FILE)",
                                          plural(placing_.machine.hosts.size(), "node")));
            empty();
            return;
        }
        const auto &bytes = placing_.before_nodes.bytes;
        const ByteUnit unit = unit_for(*std::max_element(bytes.begin(), bytes.end()));
        add(TextLine().left(3, fmt::format("{} from node (row) to node (column); on the diagonal: "
                                           "inside a node",
                                           unit.name)));
        const size_t matrices = placing_.good ? 1 : 2;
        const size_t left = width - 4 - cell_width * (rows + 1) * matrices;
        size_t name_width = 0;
        for (const std::string &host : placing_.machine.hosts)
            name_width = std::max(name_width, host.size());
        name_width = std::min({name_width, left, size_t{20}});
        TextLine titles, numbers;
        const size_t second = name_width + 3 + cell_width * (rows + 1);
        titles.left(name_width + 5, "before");
        if (!placing_.good)
            titles.left(second + 2, "after");
        for (size_t m = 0; m < matrices; m++)
            for (size_t i = 0; i < rows; i++)
                numbers.right((m == 0 ? name_width + 3 : second) + cell_width * (i + 1),
                              std::to_string(i));
        if (!placing_.good)
            add(titles);
        add(numbers);
        for (size_t row = 0; row < rows; row++)
            add_node_row(row, name_width, unit);
        empty();
    }

    // What a shell would make of the name of a profile is not for pasting.
    static std::string shell_word(const std::string &word)
    {
        const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                   std::string_view("_./-+=:,@").find(c) != std::string_view::npos;
        });
        return plain && !word.empty() ? word : "'PROFILE'";
    }

    void add_lines()
    {
        if (placing_.good)
            return;
        std::string others;
        for (size_t i = 0; i < launcher_count; i++)
            if (static_cast<Launcher>(i) != placing_.launcher)
                others += (others.empty() ? "" : ", ") + std::string(texts_of<Launcher>[i]);
        sentence("to paste",
                 fmt::format("{} (--for {})", launcher_name(placing_.launcher), others));
        sentence("note", launch_note(placing_, placing_.launcher));
        empty();
        const std::string file =
            paths_.file.empty() ? default_order_file(placing_, placing_.launcher) : paths_.file;
        if (paths_.file.empty())
            text += fmt::format("    mprof place {} --for {} -o {}\n", shell_word(paths_.profile),
                                text_of(placing_.launcher), shell_word(file));
        const std::string line = launch_line(placing_, placing_.launcher, file);
        if (!line.empty())
            text += "    " + printable_line(line) + "\n";
        empty();
        sentence("check", "mprof diff OLD NEW");
    }

    // A command with characters that a terminal would act upon is shown, and not for pasting.
    static std::string printable_line(const std::string &line)
    {
        const bool is_safe =
            std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; });
        return is_safe ? line : "# " + TextLine().left(3, line).finished().substr(2);
    }

    const Placing &placing_;
    const PlacingPaths &paths_;
};

}  // namespace

std::string render_place_text(const Placing &placing, const PlacingPaths &paths, size_t width)
{
    return PlaceText(placing, paths, width).all();
}

}  // namespace mprof
