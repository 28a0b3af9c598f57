#include "render/text/top/render_screen.h"

#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t margin = 2;
constexpr size_t with_times = 50;  // columns: less have no room for them

StyledLine title_line(const LiveView &view, const TopState &state, size_t width)
{
    const std::string last =
        state.paused ? "paused" : fmt::format("last {}", duration_text(view.length_s));
    std::string words =
        fmt::format(" mprof top  {}  {}  {}", view.program, view.size, duration_text(view.run_s));
    if (!view.steps.empty())
        words += "  " + view.steps;
    const size_t room = width - last.size() - 2;
    return StyledLine()
        .add(shortened(words, room), Ink::title)
        .to(width - last.size() - 1, Ink::title)
        .add(last + " ", Ink::title);
}

Ink ink_of(Judgement state)
{
    return state == Judgement::problem ? Ink::alarm
           : state == Judgement::watch ? Ink::watch
                                       : Ink::good;
}

void add_sign_of(StyledLine &line, Judgement state)
{
    switch (state) {
    case Judgement::problem:
        line.add_sign("▲", '!', Ink::alarm);
        return;
    case Judgement::watch:
        line.add_sign("◆", '?', Ink::watch);
        return;
    default:
        line.add_sign("●", '.', Ink::good);
    }
}

StyledLines answer_block(const LiveView &view, size_t width, size_t most)
{
    const std::string words = view.answer + ": " + view.sentence;
    std::vector<std::string> folded = fold_words(words, width - margin);
    if (folded.size() > most) {
        folded.resize(most);
        folded.back() = shortened(folded.back() + " ...", width - margin - 1);
    }
    StyledLines lines;
    for (size_t i = 0; i < folded.size(); i++) {
        StyledLine line;
        if (i > 0) {
            lines.push_back(line.to(margin).add(folded[i]));
            continue;
        }
        add_sign_of(line, view.state);
        const size_t end = std::min(view.answer.size() + 1, folded[0].size());
        line.add(" ").add(folded[0].substr(0, end), ink_of(view.state)).add(folded[0].substr(end));
        lines.push_back(std::move(line));
    }
    return lines;
}

StyledLine legend_line(const LiveView &view)
{
    constexpr TimeState always[] = {TimeState::computing, TimeState::cpu_wait, TimeState::waiting,
                                    TimeState::transfer};
    StyledLine line;
    double share = 0;
    for (const TimeStateRow *row = time_states; row->seconds != nullptr; row++) {
        share += view.split.*row->seconds;
        if (std::string_view(row->legend) == row[1].legend)
            continue;
        if (share >= verdict_thresholds.told_state_percent / 100 ||
            std::count(std::begin(always), std::end(always), row->state) > 0) {
            line.add("  ");
            add_state_name(line, row->state, row->legend);
            line.add(fmt::format(" {:.0f}%", 100 * share), Ink::strong);
        }
        share = 0;
    }
    return line;
}

// As many columns as fit, each the mean of its bins.
StyledLine waiting_line(const LiveView &view, size_t width)
{
    const std::string title = "  waiting since the start: ";
    StyledLine line;
    const auto &bins = view.waiting_by_time;
    if (bins.empty())
        return line;
    line.add(title, Ink::dim);
    const size_t columns = std::min(bins.size(), width - title.size() - margin);
    for (size_t c = 0; c < columns; c++) {
        const size_t begin = c * bins.size() / columns, end = (c + 1) * bins.size() / columns;
        double sum = 0;
        for (size_t i = begin; i < end; i++)
            sum += bins[i];
        line.add_level(sum / static_cast<double>(end - begin), TimeState::waiting);
    }
    return line;
}

std::string short_function(const std::string &function)
{
    return function.starts_with("MPI_") ? function.substr(4) : function;
}

std::string name_of_state(TimeState state)
{
    return state == TimeState::waiting     ? "in MPI"
           : state == TimeState::computing ? "compute"
                                           : "stopped or gone";
}

StyledLine dim_title(const std::string &title)
{
    return StyledLine().add("  ").add(title, Ink::dim);
}

}  // namespace

StyledLines top_head(const LiveView &view, const TopState &state, size_t width, size_t answer_lines)
{
    StyledLines lines = {title_line(view, state, width)};
    for (StyledLine &line : answer_block(view, width, answer_lines))
        lines.push_back(std::move(line));
    lines.emplace_back();
    lines.push_back(legend_line(view));
    StyledLine bar;
    bar.add("  [", Ink::dim);
    add_bar(bar, view.split, width - 2 * margin - 2);
    lines.push_back(bar.add("]", Ink::dim));
    if (!view.waiting_by_time.empty())
        lines.push_back(waiting_line(view, width));
    return lines;
}

StyledLines waits_block(const LiveView &view, size_t width, size_t rows)
{
    StyledLines lines = {dim_title("who waits for whom")};
    for (const LiveWait &wait : view.waits) {
        if (lines.size() >= rows)
            break;
        StyledLine line;
        line.add(fmt::format("  {:>9} ", wait.who), Ink::strong)
            .add_sign("▶", '>', Ink::alarm)
            .add(fmt::format(" {}", wait.rank), lines.size() == 1 ? Ink::alarm : Ink::strong);
        line.to(18);
        if (width >= with_times)
            line.add(fmt::format(" {:>8}", duration_text(wait.wait_s)), Ink::dim);
        line.add(" ");
        const size_t room = width > line.width() + 4 ? width - line.width() : 4;
        lines.push_back(line.add(
            shortened(width >= with_times ? wait.place : short_function(wait.place), room)));
    }
    if (lines.size() == 1 && rows > 1)
        lines.push_back(StyledLine().add("  nobody for long"));
    return lines;
}

StyledLine now_line(const LiveView &view)
{
    std::string words = "  now:";
    for (const TimeState state : {TimeState::waiting, TimeState::computing, TimeState::blocked}) {
        uint64_t ranks = 0;
        for (const LiveNow &now : view.now)
            ranks += now.state == state ? now.ranks : 0;
        if (ranks > 0)
            words += fmt::format("{} {} {}", words.back() == ':' ? "" : ",", ranks,
                                 name_of_state(state));
    }
    return StyledLine().add(view.now.empty() ? "  now: all ranks have ended" : words);
}

StyledLines now_block(const LiveView &view, size_t width, size_t rows)
{
    StyledLines lines = {dim_title("now")};
    for (const LiveNow &now : view.now) {
        if (lines.size() >= rows)
            break;
        StyledLine line;
        line.add("  ").add_state(now.state, 1).add(fmt::format(" {:>4} ", now.ranks), Ink::strong);
        const std::string longest = " " + duration_text(now.longest_s);
        const size_t room = width - line.width() - longest.size();
        lines.push_back(line.add(shortened(now.words, room)).add(longest, Ink::dim));
    }
    return lines;
}

StyledLines sites_block(const LiveView &view, size_t width, size_t rows)
{
    const bool with_bar = width >= 60;
    const bool has_waiting =
        std::any_of(view.sites.begin(), view.sites.end(),
                    [](const LiveSite &site) { return site.wait_percent.has_value(); });
    StyledLine title = dim_title("call sites");
    StyledLines lines = {
        title.to(width - 15).add(has_waiting ? "  time  waiting" : "  time", Ink::dim)};
    for (const LiveSite &site : view.sites) {
        if (lines.size() >= rows)
            break;
        const std::string waiting = site.wait_percent ? fmt::format("{:.0f}%", *site.wait_percent)
                                    : has_waiting     ? "-"
                                                      : "";
        StyledLine line;
        const size_t room = width - margin - 16 - (with_bar ? 22 : 0);
        const std::string words =
            (site.place.empty() ? "(no line)" : site.place) + " " + short_function(site.function);
        line.add("  ").add(shortened(words, room)).to(margin + room + 1);
        if (with_bar)
            line.add_state(site.state,
                           static_cast<size_t>(std::clamp(site.percent / 5, 0.0, 20.0)));
        lines.push_back(
            line.to(width - 15)
                .add(fmt::format("{:>6} {:>8}", fmt::format("{:.0f}%", site.percent), waiting)));
    }
    return lines;
}

StyledLines phases_block(const LiveView &view, size_t width, size_t rows)
{
    StyledLines lines;
    if (view.phases.empty() || rows < 2)
        return lines;
    lines.push_back(dim_title("phases so far")
                        .to(24)
                        .add("    from      to   % MPI   waiting  slowest rank", Ink::dim));
    const size_t first = view.phases.size() - std::min(view.phases.size(), rows - 1);
    for (size_t i = first; i < view.phases.size(); i++) {
        const PhaseRow &phase = view.phases[i];
        StyledLine line;
        add_sign_of(line.add("  "), phase.state);
        line.add(" " + shortened(phase.name, 18), Ink::strong).to(24);
        line.add(fmt::format(
            "{:>8} {:>7} {:>7} {:>9}", fixed_text(phase.from_s, 1),
            i + 1 == view.phases.size() && view.running ? "now" : fixed_text(phase.to_s, 1),
            fmt::format("{:.0f}%", phase.mpi_percent), duration_text(phase.wait_s)));
        if (phase.slowest_rank)
            line.add(fmt::format("  {}, {:.2f} times", *phase.slowest_rank, phase.slowest_over));
        lines.push_back(std::move(line));
    }
    (void)width;
    return lines;
}

StyledLines nodes_block(const LiveView &view, size_t width, size_t rows)
{
    StyledLines lines = {dim_title("node").to(24).add("ranks  mean of its ranks", Ink::dim)};
    for (const LiveNode &node : view.nodes) {
        if (lines.size() >= rows)
            break;
        StyledLine line;
        line.add("  ")
            .add(shortened_middle(node.host, 20), node.waited_for ? Ink::alarm : Ink::plain)
            .to(24)
            .add(fmt::format("{:>5}  ", node.ranks));
        add_bar(line, node.split, std::min<size_t>(width - 36, 60));
        if (node.waited_for)
            line.add_sign("◀", '<', Ink::alarm);
        lines.push_back(std::move(line));
    }
    if (view.nodes.size() + 1 > lines.size())
        lines.back() = StyledLine().add(
            fmt::format("  ... {} more", view.nodes.size() + 2 - lines.size()), Ink::dim);
    return lines;
}

StyledLines rank_block(const LiveView &view, const TopState &state, size_t width, bool tall)
{
    StyledLines lines;
    if (view.rank_bars.empty())
        return lines;
    const LiveRank &rank = view.rank_bars[row_at_cursor(view, state)];
    const std::string name = fmt::format("  rank {}", rank.rank);
    if (!tall) {
        lines.push_back(StyledLine()
                            .add(name + ": ", Ink::strong)
                            .add(shortened(rank.now, width - name.size() - 2)));
        return lines;
    }
    const auto add = [&](const std::string &key, const std::string &words) {
        lines.push_back(StyledLine()
                            .add(fmt::format("{:<12} {}", key, words).substr(0, width), Ink::bar)
                            .to(width, Ink::bar));
    };
    add(name, fmt::format("{}   compute {:.0f}%, waiting {:.0f}%, off CPU {:.0f}%", rank.facts,
                          100 * rank.split.compute_s, 100 * rank.split.wait_s,
                          100 * (rank.split.contention_s + rank.split.blocked_s)));
    add("  now", rank.now);
    return lines;
}

StyledLines stack_block(const LiveView &view, const TopState &state, size_t width, size_t rows)
{
    StyledLines lines;
    if (view.rank_bars.empty())
        return lines;
    const LiveRank &rank = view.rank_bars[row_at_cursor(view, state)];
    lines.push_back(dim_title(fmt::format("rank {}, {}", rank.rank, rank.facts)));
    lines.push_back(StyledLine().add("  ").add(rank.now, Ink::strong));
    constexpr size_t most_frames = 8;
    for (size_t i = 0; i < std::min(most_frames, rank.stack.size()); i++)
        lines.push_back(StyledLine()
                            .add("  ")
                            .add_sign("←", '<', Ink::dim)
                            .add(" " + shortened(rank.stack[i], width - 4)));
    lines.emplace_back();
    const std::vector<std::string> calls = last_call_lines(
        view.last_calls, rank.rank, width, rows > lines.size() + 1 ? rows - lines.size() - 1 : 1);
    lines.push_back(dim_title(calls.empty() ? "its last calls are not known"
                                            : "last calls (seconds after the start, duration)"));
    for (const std::string &call : calls)
        lines.push_back(StyledLine().add(call));
    return lines;
}

StyledLine keys_line(const TopState &state, size_t width)
{
    struct Named {
        const char *key, *name;
        bool is_on;
    };
    const std::array<Named, 8> keys = {{{"arrows", "rank", false},
                                        {"Enter", "stack", state.panel == TopPanel::stack},
                                        {"w", "waits", state.panel == TopPanel::waits},
                                        {"c", "call sites", state.panel == TopPanel::sites},
                                        {"n", "nodes", state.panel == TopPanel::nodes},
                                        {"s", "sort", state.by_computing},
                                        {"p", "pause", state.paused},
                                        {"q", width < 100 ? "" : "quit", false}}};
    StyledLine line;
    for (const Named &key : keys)
        line.add(" ")
            .add(key.key, Ink::key)
            .add(std::string(" ") + key.name + " ", key.is_on ? Ink::strong : Ink::dim);
    return line;
}

}  // namespace mprof
