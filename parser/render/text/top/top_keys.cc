#include "render/text/top/top_keys.h"

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

void move(TopState &state, const LiveView &view, ptrdiff_t by)
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
        return move(state, view, -row);
    case TopKey::down:
        return move(state, view, row);
    case TopKey::left:
        return move(state, view, -1);
    case TopKey::right:
        return move(state, view, 1);
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

}  // namespace mprof
