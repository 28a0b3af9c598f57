// The screen of mprof top and its keys (render_screen.h).
#include "render/text/top/render_screen.h"

#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace mprof {

namespace {

constexpr char escape = '\033';

std::optional<TopKey> arrow_of(char letter)
{
    switch (letter) {
    case 'A':
        return TopKey::up;
    case 'B':
        return TopKey::down;
    case 'C':
        return TopKey::right;
    case 'D':
        return TopKey::left;
    default:
        return {};
    }
}

std::optional<TopKey> letter_of(char letter)
{
    switch (letter) {
    case '\r':
    case '\n':
        return TopKey::enter;
    case 'w':
        return TopKey::waits;
    case 'c':
        return TopKey::sites;
    case 'n':
        return TopKey::nodes;
    case 's':
        return TopKey::sort;
    case 'p':
    case ' ':
        return TopKey::pause;
    case 'q':
        return TopKey::quit;
    case 'k':
        return TopKey::up;
    case 'j':
        return TopKey::down;
    case 'h':
        return TopKey::left;
    case 'l':
        return TopKey::right;
    default:
        return {};
    }
}

// "ESC [ ... letter" or "ESC O letter"; how many bytes that are, 0 = more have to come.
size_t sequence_length(const std::string &bytes)
{
    if (bytes.size() < 2)
        return 0;
    if (bytes[1] == 'O')
        return bytes.size() < 3 ? 0 : 3;
    if (bytes[1] != '[')
        return 1;
    for (size_t i = 2; i < bytes.size(); i++)
        if (bytes[i] >= '@' && bytes[i] <= '~')
            return i + 1;
    return 0;
}

void move_selection(TopState &state, const LiveView &view, ptrdiff_t by)
{
    const auto ranks = static_cast<ptrdiff_t>(view.rank_bars.size());
    const std::vector<size_t> order = order_of_ranks(view, state);
    const auto at = std::find(order.begin(), order.end(), row_at_cursor(view, state));
    const ptrdiff_t next = (at - order.begin()) + by;
    if (next < 0 || next >= ranks)
        return;
    state.cursor = static_cast<size_t>(next);
    state.is_chosen = true;
}

void show_or_hide(TopState &state, TopPanel panel)
{
    state.panel = state.panel == panel ? TopPanel::ranks : panel;
}

}  // namespace

std::vector<TopKey> take_keys(std::string &bytes)
{
    std::vector<TopKey> keys;
    while (!bytes.empty()) {
        size_t length = 1;
        std::optional<TopKey> key;
        if (bytes.front() == escape) {
            length = sequence_length(bytes);
            if (length == 0)
                break;
            key = length == 1 ? TopKey::back : arrow_of(bytes[length - 1]);
        } else {
            key = letter_of(bytes.front());
        }
        if (key)
            keys.push_back(*key);
        bytes.erase(0, length);
    }
    return keys;
}

std::vector<size_t> order_of_ranks(const LiveView &view, const TopState &state)
{
    std::vector<size_t> order(view.rank_bars.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (state.by_computing)
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
            return view.rank_bars[a].split.compute_s > view.rank_bars[b].split.compute_s;
        });
    return order;
}

size_t row_at_cursor(const LiveView &view, const TopState &state)
{
    const auto waited_for = std::find_if(view.rank_bars.begin(), view.rank_bars.end(),
                                         [](const LiveRank &rank) { return rank.waited_for; });
    if (!state.is_chosen && waited_for != view.rank_bars.end())
        return static_cast<size_t>(waited_for - view.rank_bars.begin());
    const std::vector<size_t> order = order_of_ranks(view, state);
    return order.empty() ? 0 : order[std::min(state.cursor, order.size() - 1)];
}

void press_key(TopKey key, const LiveView &view, size_t columns, TopState &state)
{
    const auto row = static_cast<ptrdiff_t>(columns);
    switch (key) {
    case TopKey::up:
        return move_selection(state, view, -row);
    case TopKey::down:
        return move_selection(state, view, row);
    case TopKey::left:
        return move_selection(state, view, -1);
    case TopKey::right:
        return move_selection(state, view, 1);
    case TopKey::enter:
        return show_or_hide(state, TopPanel::stack);
    case TopKey::waits:
        return show_or_hide(state, TopPanel::waits);
    case TopKey::sites:
        return show_or_hide(state, TopPanel::sites);
    case TopKey::nodes:
        return show_or_hide(state, TopPanel::nodes);
    case TopKey::sort:
        state.by_computing = !state.by_computing;
        return;
    case TopKey::pause:
        state.paused = !state.paused;
        return;
    case TopKey::back:
        state.panel = TopPanel::ranks;
        return;
    default:
        state.quit = true;
    }
}

// The head and the last lines of a screen are always there. What is between them shows the ranks,
// or the panel that a key has opened; a wide and high terminal has room for lists beside the ranks
// and for the phases below.

namespace {

constexpr size_t numbers_width = 36;  // of the three columns behind the names
constexpr const char *over_sentence =
    "The job is over: these are totals of the whole run. mprof report says what it waited for.";

void add_folded(std::vector<std::string> &lines, const std::string &text, size_t width)
{
    constexpr size_t margin = 2;
    for (const std::string &line : fold_words(text, width - margin))
        lines.push_back(TextLine().left(margin + 1, line).finished());
}

// What its columns would show as 0.0 matters to nobody.
bool has_share(const LiveRow &row)
{
    constexpr double least_shown = 0.05;
    return row.run_percent >= least_shown || row.now_percent.value_or(0) >= least_shown;
}

std::vector<LiveRow> rows_with_share(std::vector<LiveRow> rows)
{
    std::erase_if(rows, [](const LiveRow &row) { return !has_share(row); });
    return rows;
}

// Of a job that is over, how often it made a call says more than how often in a second.
std::string calls_cell(const LiveRow &row, bool running)
{
    return running ? fixed_text(row.calls_per_s, 0) : count_text(row.calls);
}

void add_table(std::vector<std::string> &lines, const std::string &title,
               const std::vector<LiveRow> &all, bool running, size_t width, size_t most)
{
    const std::vector<LiveRow> rows = rows_with_share(all);
    if (rows.empty())
        return;
    // A first view knows nothing of before, so it has no now.
    const bool has_now = std::any_of(
        rows.begin(), rows.end(), [](const LiveRow &row) { return row.now_percent.has_value(); });
    const size_t names_end = width - numbers_width;
    TextLine head;
    head.left(3, title);
    if (has_now)
        head.right(names_end + 12, "now %wall");
    lines.push_back(TextLine().finished());
    lines.push_back(head.right(names_end + 24, "run %wall")
                        .right(width, running ? "calls/s" : "calls")
                        .finished());
    for (size_t i = 0; i < std::min(most, rows.size()); i++) {
        const LiveRow &row = rows[i];
        const std::string name = shortened(row.name, names_end - 3);
        TextLine line;
        line.left(3, name);
        if (has_now)
            line.right(names_end + 12, row.now_percent ? fixed_text(*row.now_percent, 1) : "-");
        lines.push_back(line.right(names_end + 24, fixed_text(row.run_percent, 1))
                            .right(width, calls_cell(row, running))
                            .finished());
    }
}

}  // namespace

std::string render_top(const LiveView &view, size_t width, size_t height)
{
    std::vector<std::string> lines;
    add_folded(lines, view.headline, width);
    add_folded(lines, view.balance, width);
    if (!view.waiting.empty())
        add_folded(lines, view.waiting, width);
    if (!view.running)
        add_folded(lines, over_sentence, width);
    if (!view.ranks.empty())
        lines.push_back(TextLine().finished());
    for (const std::string &sentence : view.ranks)
        add_folded(lines, sentence, width);
    const size_t left = height > lines.size() + 6 ? height - lines.size() - 6 : 2;
    add_table(lines, "function", view.functions, view.running, width,
              std::max<size_t>(2, left / 2));
    add_table(lines, "line", view.lines, view.running, width, std::max<size_t>(2, left - left / 2));
    std::string text;
    for (size_t i = 0; i < std::min(lines.size(), std::max<size_t>(height, 10)); i++)
        text += lines[i];
    return text;
}

namespace {

constexpr size_t least_height = 12, wide_columns = 100, high_lines = 32;
constexpr size_t beside_column = 66;  // of the lists in a wide terminal
constexpr size_t half_column = 42;    // of the call sites below the ranks

// Where things stand.
struct Layout {
    StyledLines head;
    bool wide = false, high = false;
    size_t width = 80, body = 10;  // lines between head and last lines

    size_t grid_width() const { return wide ? beside_column : width - 2; }
    // Rows of ranks, without their title.
    size_t grid_rows() const
    {
        const size_t others = wide ? (high ? 8 : 1) : 6;
        return body > others + 1 ? body - others : 1;
    }
};

Layout layout_of(const LiveView &view, const TopState &state, const ScreenSize &size)
{
    Layout layout;
    layout.width = std::max<size_t>(size.width, 60);
    layout.wide = layout.width >= wide_columns;
    layout.high = size.height >= high_lines;
    layout.head = top_head(view, state, layout.width, layout.high ? 3 : 2);
    layout.head.emplace_back();
    const size_t last = layout.high ? 4 : 2;
    const size_t height = std::max(size.height, least_height);
    layout.body = height > layout.head.size() + last ? height - layout.head.size() - last : 1;
    return layout;
}

void append(StyledLines &lines, StyledLines more)
{
    for (StyledLine &line : more)
        lines.push_back(std::move(line));
}

StyledLines lists_beside(const LiveView &view, size_t width, size_t rows)
{
    const size_t each = std::max<size_t>(3, rows / 3);
    StyledLines lines = waits_block(view, width, std::min<size_t>(each, 5));
    lines.emplace_back();
    append(lines, now_block(view, width, std::min<size_t>(each, 6)));
    lines.emplace_back();
    const size_t left = rows > lines.size() ? rows - lines.size() : 0;
    append(lines, sites_block(view, width, left));
    return lines;
}

StyledLines wide_body(const LiveView &view, const TopState &state, const Layout &layout)
{
    const GridShape shape = shape_of_grid(view, state, layout.grid_width(), layout.grid_rows());
    const StyledLines grid = rank_grid(view, state, shape);
    const size_t rows = std::max<size_t>(grid.size(), std::min<size_t>(layout.body, 18));
    StyledLines lines =
        beside(grid, lists_beside(view, layout.width - beside_column - 2, rows), beside_column + 2);
    if (layout.body > lines.size() + 2) {
        lines.emplace_back();
        append(lines, phases_block(view, layout.width, layout.body - lines.size()));
    }
    return lines;
}

StyledLines narrow_body(const LiveView &view, const TopState &state, const Layout &layout)
{
    StyledLines lines =
        rank_grid(view, state, shape_of_grid(view, state, layout.grid_width(), layout.grid_rows()));
    lines.emplace_back();
    const size_t left = layout.body > lines.size() + 1 ? layout.body - lines.size() - 1 : 0;
    if (layout.high) {
        append(lines, lists_beside(view, layout.width, left));
        return lines;
    }
    append(lines, beside(waits_block(view, half_column - 1, left),
                         sites_block(view, layout.width - half_column - 1, left), half_column));
    lines.push_back(now_line(view));
    return lines;
}

StyledLines body_of(const LiveView &view, const TopState &state, const Layout &layout)
{
    switch (state.panel) {
    case TopPanel::stack:
        return stack_block(view, state, layout.width, layout.body);
    case TopPanel::waits:
        return waits_block(view, layout.width, layout.body);
    case TopPanel::sites:
        return sites_block(view, layout.width - 1, layout.body);
    case TopPanel::nodes:
        return nodes_block(view, layout.width, layout.body);
    default:
        return layout.wide ? wide_body(view, state, layout) : narrow_body(view, state, layout);
    }
}

}  // namespace

std::string render_screen(const LiveView &view, const TopState &state, const ScreenSize &size,
                          const ScreenStyle &style)
{
    const Layout layout = layout_of(view, state, size);
    StyledLines lines = layout.head;
    StyledLines body = body_of(view, state, layout);
    body.resize(layout.body);
    append(lines, std::move(body));
    if (layout.high)
        lines.emplace_back();
    append(lines, rank_block(view, state, layout.width, layout.high));
    lines.push_back(keys_line(state, layout.width));
    std::string text;
    for (const StyledLine &line : lines)
        text += line.finished(style, size.width);
    return text;
}

size_t ranks_in_row(const LiveView &view, const TopState &state, const ScreenSize &size)
{
    const Layout layout = layout_of(view, state, size);
    const GridShape shape = shape_of_grid(view, state, layout.grid_width(), layout.grid_rows());
    return shape.per_row * shape.group;
}

}  // namespace mprof
