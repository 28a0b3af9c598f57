// The order of the report's sections: the answer, where the time goes, the run, then the tables.
// Of a short text the tables get the lines that are left, those that matter most first; the last
// line names what was left out. The text has 80 columns, or 120 on a wide terminal. Keys that
// people grep for are those of IPM.
#include "render/render_report.h"

#include "read/printable_text.h"
#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace mprof {
namespace {

struct Page : TextSheet {
    const Report &report;
    TextScope scope;
    std::vector<std::string> left_out = {};  // names of what a short text lacks
};

void add_verdict(Page &page)
{
    const Verdict &verdict = page.report.verdict;
    page.sentence("VERDICT", verdict.headline);
    for (const std::string &extra : verdict.extra)
        page.sentence("but", extra);
    page.sentence("why", verdict.why);
    page.sentence("gain", verdict.gain);
    for (NextStep step : verdict.next) {
        if (page.scope.is_short())
            step.otherwise.clear();
        page.sentence("next", step.words() + " " + step.reason_words());
    }
    page.empty();
}

// "computing 47%, waiting for a CPU 6%, waiting in MPI 29%", and the places of a rank's most time.
void add_time(Page &page)
{
    std::string words;
    for (const TimePart &part : page.report.time_parts)
        if (part.percent >= verdict_thresholds.told_state_percent)
            words += fmt::format("{}{} {}", words.empty() ? "" : ", ", text_of(part.state),
                                 percent_text(part.percent));
    if (words.empty())
        return;
    page.sentence("time", words);
    bool first = true;
    for (const std::string &place : place_words(page.report, text_rules.places)) {
        page.sentence(first ? "mostly in" : "", place);
        first = false;
    }
    page.empty();
}

void add_pair(Page &page, const std::string &key, const std::string &value, const std::string &key2,
              const std::string &value2)
{
    const size_t second = page.wide() ? 72 : 46;
    page.add(TextLine()
                 .left(3, key)
                 .left(13, ":")
                 .left(value_column, shortened(value, second - value_column - 1))
                 .left(second, key2)
                 .left(second + 10, ":")
                 .left(second + 12, shortened(value2, page.width - second - 11)));
}

std::string or_unknown(const std::string &text)
{
    return text.empty() ? std::string("unknown") : text;
}

// "Mon Oct 26 07:33:20 2026 CET": the zone of the reader at that time.
std::string moment_words(const std::string &text, const std::string &iso)
{
    return text.empty() ? "unknown"
                        : text + " " + zone_name(static_cast<int64_t>(seconds_of_iso(iso)));
}

void add_run(Page &page)
{
    const Report &report = page.report;
    const RunFacts &run = report.run;
    const size_t programs = report.programs.size();
    const std::string others =
        programs > 1 ? " and " + plural(programs - 1, "other program") : std::string();
    page.sentence("command",
                  fmt::format("{}{} ({})", or_unknown(run.command), others, text_of(run.end)));
    const int decimals = decimals_for_seconds(run.wallclock_s);
    const std::string more_hosts = run.nodes > 1 ? fmt::format(" and {} more", run.nodes - 1) : "";
    add_pair(page, "start", moment_words(run.start_text, run.start), "host",
             shortened_middle(or_unknown(run.host), (page.wide() ? 37 : 23) - more_hosts.size()) +
                 more_hosts);
    add_pair(page, "stop", moment_words(run.stop_text, run.stop), "wallclock",
             fixed_text(run.wallclock_s, decimals));
    add_pair(page, "mpi_tasks", fmt::format("{} on {}", run.ranks, plural(run.nodes, "node")),
             "%comm", fixed_text(report.totals.comm_percent, 2));
    const double gib = static_cast<double>(report.totals.memory_bytes) / (1024.0 * 1024 * 1024);
    add_pair(page, "mem [GiB]", report.totals.memory_bytes > 0 ? fixed_text(gib, 2) : "unknown",
             "mpi", run.mpi_library.empty() ? text_of(run.mpi_abi) : run.mpi_library);
    add_pair(page, "%balance",
             fixed_text(100 * report.totals.load_balance, 1) + " (mean/max compute)", "%effic.",
             fixed_text(100 * report.totals.communication_efficiency, 1) + " (max compute/wall)");
    page.sentence("POP", fmt::format("parallel efficiency {} = load balance {} x communication {}",
                                     percent_text(100 * report.totals.parallel_efficiency),
                                     percent_text(100 * report.totals.load_balance),
                                     percent_text(100 * report.totals.communication_efficiency)));
    page.empty();
}

// A table of the report. `weight`: in a short text with too little room those of less weight are
// left out first.
struct Section {
    const char *name;  // in the last line, where it or some of its rows are left out
    int weight;
    std::function<std::string(const TextScope &scope)> text;
};

std::vector<Section> sections_of(const Report &report)
{
    const auto of = [&report](std::string (*section)(const Report &, const TextScope &)) {
        return [&report, section](const TextScope &scope) { return section(report, scope); };
    };
    return {
        {"last calls", 21, of(last_calls_section)},
        {"findings of mprof lint", 20, of(lints_section)},
        {"sums over ranks", 12, of(summary_section)},
        {"phases", 14, of(when_section)},
        {"memory", 4, of(memory_section)},
        {"ranks at a glance", 6, of(strip_section)},
        {"programs", 19, [&](const TextScope &) { return programs_section(report); }},
        {"functions", 16, of(functions_section)},
        {"ranks others wait for", 13, of(causes_section)},
        {"call sites", 18, of(callsites_section)},
        {"nonblocking operations", 5, of(overlap_section)},
        {"computing between calls", 15, of(segments_section)},
        {"OpenMP", 11, of(openmp_section)},
        {"files", 10, of(files_section)},
        {"files without MPI-IO", 9, of(plain_files_section)},
        {"message sizes", 1, of(sizes_section)},
        {"time of messages", 3, of(transfers_section)},
        {"GPU", 16, [&](const TextScope &scope) { return gpu_section(report, scope.width); }},
        {"NCCL", 9, [&](const TextScope &scope) { return nccl_section(report, scope.width); }},
        {"the machine", 22, of(machine_section)},
        {"partners", 2, of(partners_section)},
        {"nodes", 7, of(nodes_section)},
        {"where ranks sit", 0,
         [&](const TextScope &scope) {
             return scope.is_short() ? "" : bindings_section(report, scope.width);
         }},
        {"communicators", 3, of(communicators_section)},
        {"regions", 17, of(regions_section)},
        {"counters", 8, of(counters_section)},
        {"other worlds", 19, of(worlds_section)},
    };
}

size_t count_lines(const std::string &text)
{
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Whole tables first, then those of which rows are missing.
std::vector<std::string> names_left_out(const std::vector<Section> &sections,
                                        const std::vector<std::string> &texts, size_t width)
{
    std::vector<std::string> names, of_rows;
    for (size_t i = 0; i < sections.size(); i++)
        if (texts[i] != sections[i].text(TextScope(width)))
            (texts[i].empty() ? names : of_rows).emplace_back(sections[i].name);
    names.insert(names.end(), of_rows.begin(), of_rows.end());
    return names;
}

// In the order of the report those that fit, by weight.
void add_sections(Page &page, size_t room)
{
    const std::vector<Section> sections = sections_of(page.report);
    std::vector<std::string> texts(sections.size());
    std::vector<size_t> order(sections.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return sections[a].weight > sections[b].weight; });
    for (const size_t i : order) {
        std::string text = sections[i].text(page.scope);
        const size_t lines = count_lines(text);
        if (page.scope.is_short() && lines > room)
            continue;
        room -= std::min(room, lines);
        texts[i] = std::move(text);
    }
    for (const std::string &text : texts)
        page.text += text;
    if (page.scope.is_short())
        page.left_out = names_left_out(sections, texts, page.scope.width);
}

// "one two ..." of "one two three", at most so wide.
std::string with_dots(std::string words, size_t width)
{
    constexpr std::string_view dots = " ...";
    while (columns_of_text(words) + dots.size() > width && words.find(' ') != std::string::npos)
        words.resize(words.rfind(' '));
    return words.append(dots);
}

// What holds for the figures. A short text has the first remarks, and of a long one its first part.
std::string quality_text(const Report &report, const TextScope &scope, bool &is_whole)
{
    const std::vector<std::string> &remarks = report.quality.remarks;
    const size_t shown = scope.most(text_rules.remarks, remarks.size(), remarks.size());
    is_whole = shown >= remarks.size();
    std::string text;
    for (size_t i = 0; i < std::min(shown, remarks.size()); i++) {
        std::vector<std::string> lines = fold_words(remarks[i], scope.width - value_column + 1);
        if (scope.is_short() && lines.size() > text_rules.remark_lines) {
            is_whole = false;
            lines.resize(text_rules.remark_lines);
            lines.back() = with_dots(lines.back(), scope.width - value_column + 1);
        }
        for (const std::string &line : lines) {
            TextLine out;
            if (&line == &lines.front())
                out.left(3, i == 0 ? "quality" : "").left(13, ":");
            text += out.left(value_column, line).finished();
        }
    }
    return text;
}

// "mprof report --all (message sizes, files, ...)"
std::string more_words(const std::vector<std::string> &left_out)
{
    constexpr size_t named = 5;
    std::string names;
    for (size_t i = 0; i < std::min(named, left_out.size()); i++)
        names += (i == 0 ? "" : ", ") + left_out[i];
    if (left_out.size() > named)
        names += ", ...";
    return fmt::format("mprof report --all ({})", names);
}

constexpr const char *other_forms = "mprof report --html, --json, --csv; what the words mean: "
                                    "--explain";

void add_end(Page &page, const std::string &quality)
{
    page.text += quality;
    if (!page.left_out.empty())
        page.sentence("More", more_words(page.left_out));
    page.sentence("details", other_forms);
    page.empty();
    page.end();
}

}  // namespace

std::string render_text(const Report &report, size_t given_width, TextDetail detail)
{
    const size_t width = std::max<size_t>(given_width, 80);
    Page page{{width}, report, {width, detail}};
    page.begin(report.version);
    add_verdict(page);
    page.text += accounts_section(report, page.scope);
    add_time(page);
    add_run(page);
    bool has_all_remarks = true;
    const std::string quality = quality_text(report, page.scope, has_all_remarks);
    constexpr size_t lines_of_end = 6;  // More: two, details: two, and two more
    const size_t used = count_lines(page.text) + count_lines(quality) + lines_of_end;
    add_sections(page, text_rules.most_lines > used ? text_rules.most_lines - used : 0);
    if (!has_all_remarks)
        page.left_out.emplace_back("quality");
    add_end(page, quality);
    return page.text;
}

}  // namespace mprof
