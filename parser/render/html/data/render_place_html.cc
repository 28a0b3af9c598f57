// The page of mprof place: the answer as markup that needs no script, with the bars of bytes by
// distance; the pairs of ranks, or of nodes, for the pictures; and what each launcher takes.
#include "place/placing.h"
#include "place/placing_fields.h"
#include "render/html/data/html_page.h"
#include "render/renderers.h"
#include "report/number_text.h"

#include <fmt/format.h>

namespace mprof {
namespace {

// Of the launch files of larger jobs the page has the first lines.
constexpr uint32_t most_whole_files = 4096;
constexpr size_t first_lines = 6;
constexpr double narrowest_named = 12;  // percent of the bar in which a name has room

// ---- the head ----------------------------------------------------------------------------------

const char *bar_class(Distance distance)
{
    switch (distance) {
    case Distance::other_node:
        return "far";
    case Distance::other_socket:
        return "socket";
    default:
        return "near";
    }
}

std::string bytes_bar(const Placing &placing, const char *name, double DistanceBytes::*bytes)
{
    const double all = placing.before_figures.all_bytes();
    std::string html = fmt::format("<div class=\"bytes-bar\"><span>{}</span><div>", name);
    // What is near comes first.
    for (auto row = placing.distances.rbegin(); row != placing.distances.rend(); ++row) {
        const double percent = all > 0 ? 100 * (*row).*bytes / all : 0;
        if (percent <= 0)
            continue;
        const std::string share = percent_text(percent);
        const std::string words = fmt::format("{} {}", text_of(row->distance), share);
        html += fmt::format("<svg class=\"{}\" width=\"{:.2f}%\" role=\"img\" aria-label=\"{}\">"
                            "<rect width=\"100%\" height=\"100%\"/>",
                            bar_class(row->distance), percent, words);
        if (percent >= narrowest_named)
            html += fmt::format("<text class=\"long-name\" x=\"8\" y=\"19\">{}</text>"
                                "<text class=\"short-name\" x=\"8\" y=\"19\">{}</text>",
                                words, share);
        html += "</svg>";
    }
    return html + "</div></div>\n";
}

std::string time_words(const Placing &placing)
{
    if (!placing.before_s)
        return "";
    if (placing.good)
        return fmt::format("<p class=\"times\">Time for point-to-point messages: {} of the slowest "
                           "rank.</p>\n",
                           html_sentence(duration_text(*placing.before_s)));
    return fmt::format("<p class=\"times\">Time for point-to-point messages of the slowest rank: "
                       "{} → {}, saves {} ± {}.</p>\n",
                       html_sentence(duration_text(*placing.before_s)),
                       html_sentence(duration_text(*placing.after_s)),
                       html_sentence(duration_text(*placing.saves_s)),
                       html_sentence(duration_text(*placing.uncertainty_s)));
}

std::string place_head(const Placing &placing)
{
    const Judgement state = placing.good ? Judgement::good : Judgement::watch;
    std::string html = fmt::format(
        "<p class=\"badge {}\">{} {}</p>\n<h1>{}</h1>\n<p class=\"why\">{} {}</p>\n",
        text_of(state), mark_of(state), placing.good ? "Good order" : "Better order found",
        html_sentence(placing.headline), html_sentence(placing.why),
        html_sentence(placing.share_words));
    html += bytes_bar(placing, placing.good ? "bytes" : "before", &DistanceBytes::before_bytes);
    if (!placing.good)
        html += bytes_bar(placing, "after", &DistanceBytes::after_bytes);
    html += time_words(placing);
    if (placing.judged)
        html += fmt::format("<p class=\"why\">{}</p>\n", html_sentence(placing.judged->sentence));
    return html;
}

// ---- the data ----------------------------------------------------------------------------------

Json nodes_in_order(const Placing &placing, const Order &order)
{
    Json rows = Json::array();
    for (const uint32_t rank : placing.rank_at(order))
        rows.push_back(rank);
    return rows;
}

Json node_cells(const NodeMatrix &matrix)
{
    std::vector<PairBytes> cells;
    for (uint32_t source = 0; source < matrix.rows; source++)
        for (uint32_t destination = 0; destination < matrix.rows; destination++)
            if (const double bytes = matrix.at(source, destination); bytes > 0)
                cells.push_back({source, destination, static_cast<uint64_t>(bytes), 0});
    return columns_of(cells)
        .add("source", &PairBytes::source)
        .add("destination", &PairBytes::destination)
        .add("bytes", &PairBytes::bytes)
        .json();
}

std::string first_of(const std::string &text, size_t lines)
{
    size_t end = 0;
    for (size_t i = 0; i < lines && end != std::string::npos; i++)
        end = text.find('\n', end == 0 ? 0 : end + 1);
    return end == std::string::npos ? text : text.substr(0, end + 1);
}

// The launcher of the run first.
Json launchers_json(const Placing &placing, const PlacingPaths &paths)
{
    Json rows = Json::array();
    const auto add = [&](Launcher launcher) {
        const std::string file = default_order_file(placing, launcher);
        std::string text = order_file_text(placing, launcher);
        const bool is_whole = placing.ranks <= most_whole_files;
        if (!is_whole)
            text = first_of(text, first_lines);
        rows.push_back(
            {{"word", text_of(launcher)},
             {"name", launcher_name(launcher)},
             {"line", page_value(launch_line(placing, launcher, file))},
             {"note", page_value(launch_note(placing, launcher))},
             {"file", file},
             {"whole", is_whole},
             {"text", text},
             {"command", page_value(fmt::format("mprof place {} --for {} -o {}", paths.profile,
                                                text_of(launcher), file))}});
    };
    add(placing.launcher);
    for (size_t i = 0; i < launcher_count; i++)
        if (static_cast<Launcher>(i) != placing.launcher)
            add(static_cast<Launcher>(i));
    return rows;
}

Json place_data(const Placing &placing, const PlacingPaths &paths)
{
    Json data = {{"good", placing.good}, {"ranks", placing.ranks}};
    data["dealt"] = page_value(placing.before_words);
    Json hosts = Json::array();
    for (const std::string &host : placing.machine.hosts)
        hosts.push_back(page_value(host));
    data["hosts"] = hosts;
    data["perNode"] = placing.machine.ranks_per_node();
    data["between"] = {placing.before_figures.between_nodes(),
                       placing.after_figures.between_nodes()};
    data["allBytes"] = placing.before_figures.all_bytes();
    data["distances"] = page_columns(placing.distances, placing).json();
    if (!placing.pairs.empty()) {
        data["before"] = nodes_in_order(placing, placing.before);
        data["after"] = nodes_in_order(placing, placing.after);
        data["pairs"] = columns_of(placing.pairs)
                            .add("source", &PairBytes::source)
                            .add("destination", &PairBytes::destination)
                            .add("bytes", &PairBytes::bytes)
                            .add("messages", &PairBytes::messages)
                            .json();
    } else {
        data["nodesPerRow"] = placing.before_nodes.nodes_per_row;
        data["rows"] = placing.before_nodes.rows;
        data["beforeNodes"] = node_cells(placing.before_nodes);
        data["afterNodes"] = node_cells(placing.after_nodes);
    }
    data["launchers"] = launchers_json(placing, paths);
    Json remarks = Json::array();
    for (const std::string &remark : placing.remarks)
        remarks.push_back(page_value(capitalised(with_signs(remark)) + "."));
    if (!placing.confidence.empty())
        remarks.push_back(page_value("Confidence: " + with_signs(placing.confidence) + "."));
    data["remarks"] = remarks;
    return data;
}

}  // namespace

std::string render_place_html(const Placing &placing, const PlacingPaths &paths)
{
    const std::string program = placing.program.empty() ? "unknown program" : placing.program;
    return html_page({.version = placing.version,
                      .title = fmt::format("{}: {} - mprof place", program, placing.headline),
                      .program = program,
                      .scale = fmt::format("{}, {}, {}", plural(placing.ranks, "rank"),
                                           plural(placing.machine.hosts.size(), "node"),
                                           with_signs(duration_text(placing.wallclock_s))),
                      .head = place_head(placing),
                      .text = render_place_text(placing, paths, page_text_width),
                      .data = place_data(placing, paths),
                      .document = render_place_json(placing),
                      .json_command = "mprof place FOLDER --json FILE"},
                     place_page_parts);
}

}  // namespace mprof
