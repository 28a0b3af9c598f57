// Passes over what is not matched yet, from the surest way to the least sure one.
#include "diff/comparison_parts.h"

#include "report/derived_figures.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <tuple>

namespace mprof {
namespace {

using Positions = std::vector<int64_t>;

// A part of both lists, and of what it consists there.
struct Window {
    size_t a_begin, a_end, b_begin, b_end;
    size_t a_size() const { return a_end - a_begin; }
    size_t b_size() const { return b_end - b_begin; }
};

// More than a person wrote into one function: not worth the time to look for a shift.
constexpr size_t most_combinations = 1'000'000;

// The shift of the lines of a with which most of them meet a line of b. If several shifts are
// equally good, the smallest one.
int64_t best_shift(const Positions &a, const Positions &b, const Window &window)
{
    std::map<int64_t, size_t> met;
    for (size_t i = window.a_begin; i < window.a_end; i++)
        for (size_t j = window.b_begin; j < window.b_end; j++)
            met[b[j] - a[i]]++;
    const auto best = std::max_element(met.begin(), met.end(), [](const auto &x, const auto &y) {
        return std::pair(x.second, -std::abs(x.first)) < std::pair(y.second, -std::abs(y.first));
    });
    return best->first;
}

// At least one pair has the best shift, so that what is between pairs is smaller than the window.
std::vector<PositionPair> pairs_with_shift(const Positions &a, const Positions &b,
                                           const Window &window, int64_t shift)
{
    std::vector<PositionPair> pairs;
    size_t j = window.b_begin;
    for (size_t i = window.a_begin; i < window.a_end && j < window.b_end; i++) {
        while (j < window.b_end && b[j] < a[i] + shift)
            j++;
        if (j < window.b_end && b[j] == a[i] + shift)
            pairs.emplace_back(i, j++);
    }
    return pairs;
}

void align(const Positions &a, const Positions &b, const Window &window,
           std::vector<PositionPair> &found)
{
    if (window.a_size() == window.b_size()) {
        for (size_t i = 0; i < window.a_size(); i++)
            found.emplace_back(window.a_begin + i, window.b_begin + i);
        return;
    }
    if (window.a_size() == 0 || window.b_size() == 0)
        return;
    const bool many = window.a_size() > most_combinations / window.b_size();
    const auto pairs = pairs_with_shift(a, b, window, many ? 0 : best_shift(a, b, window));
    if (pairs.empty())
        return;
    Window between = window;
    for (const auto &[i, j] : pairs) {
        between.a_end = i;
        between.b_end = j;
        align(a, b, between, found);
        found.emplace_back(i, j);
        between.a_begin = i + 1;
        between.b_begin = j + 1;
    }
    between.a_end = window.a_end;
    between.b_end = window.b_end;
    align(a, b, between, found);
}

using GroupKey = std::tuple<std::string, std::string, std::string>;

std::optional<GroupKey> by_module(const Site &site)
{
    return site.at.offset == 0 ? std::nullopt
                               : std::optional(GroupKey{site.function, site.module, ""});
}

struct Group {
    std::vector<size_t> a, b;
};

class SiteMatcher {
public:
    SiteMatcher(const std::vector<Site> &a, const std::vector<Site> &b)
        : a_(a), b_(b), a_taken_(a.size()), b_taken_(b.size())
    {
    }

    std::vector<SitePair> run()
    {
        match(Match::line, [](const Site &site) -> std::optional<GroupKey> {
            if (site.at.line != 0)
                return GroupKey{site.function, site.at.file_name(), site.at.symbol};
            if (site.at.offset == 0)  // not recorded
                return GroupKey{site.function, "", ""};
            return std::nullopt;
        });
        match(Match::offset, by_module);
        match(Match::symbol, [](const Site &site) -> std::optional<GroupKey> {
            if (site.at.offset == 0 || site.at.symbol.empty())
                return std::nullopt;
            return GroupKey{site.function, site.module, site.at.symbol};
        });
        match(Match::order, by_module);
        add_unmatched();
        return std::move(pairs_);
    }

private:
    using KeyOf = std::function<std::optional<GroupKey>(const Site &)>;

    void match(Match kind, const KeyOf &key_of)
    {
        std::map<GroupKey, Group> groups;
        for (size_t i = 0; i < a_.size(); i++)
            if (const auto key = a_taken_[i] ? std::nullopt : key_of(a_[i]))
                groups[*key].a.push_back(i);
        for (size_t i = 0; i < b_.size(); i++)
            if (const auto key = b_taken_[i] ? std::nullopt : key_of(b_[i]))
                groups[*key].b.push_back(i);
        for (auto &[key, group] : groups)
            match_group(kind, group);
    }

    void match_group(Match kind, Group &group)
    {
        const bool by_line = kind == Match::line;
        const auto has_line = [](const std::vector<Site> &sites) {
            return [&sites](size_t i) { return sites[i].at.line != 0; };
        };
        // Where lines are known on both sides, they have decided.
        if (!by_line && std::all_of(group.a.begin(), group.a.end(), has_line(a_)) &&
            std::all_of(group.b.begin(), group.b.end(), has_line(b_)))
            return;
        if (kind == Match::order && group.a.size() != group.b.size())
            return;
        const Positions a = sorted_positions(a_, group.a, by_line);
        const Positions b = sorted_positions(b_, group.b, by_line);
        if (kind == Match::offset && a != b)
            return;
        for (const auto &[i, j] : align_positions(a, b)) {
            pairs_.push_back({group.a[i], group.b[j], kind});
            a_taken_[group.a[i]] = true;
            b_taken_[group.b[j]] = true;
        }
    }

    static Positions sorted_positions(const std::vector<Site> &sites, std::vector<size_t> &members,
                                      bool by_line)
    {
        const auto position = [&](size_t i) {
            return by_line ? int64_t{sites[i].at.line} : static_cast<int64_t>(sites[i].at.offset);
        };
        std::sort(members.begin(), members.end(),
                  [&](size_t x, size_t y) { return position(x) < position(y); });
        Positions positions;
        for (const size_t i : members)
            positions.push_back(position(i));
        return positions;
    }

    void add_unmatched()
    {
        for (size_t i = 0; i < a_.size(); i++)
            if (!a_taken_[i])
                pairs_.push_back({i, std::nullopt, Match::none});
        for (size_t i = 0; i < b_.size(); i++)
            if (!b_taken_[i])
                pairs_.push_back({std::nullopt, i, Match::none});
    }

    const std::vector<Site> &a_, &b_;
    std::vector<bool> a_taken_, b_taken_;
    std::vector<SitePair> pairs_;
};

}  // namespace

std::string module_key(const Frame &at, const std::string &command)
{
    const std::string name = at.module_name();
    if (name == executable_name(command))
        return "";
    const size_t suffix = name.find(".so");
    return suffix == std::string::npos ? name : name.substr(0, suffix + 3);
}

std::vector<SitePair> match_sites(const std::vector<Site> &a, const std::vector<Site> &b)
{
    return SiteMatcher(a, b).run();
}

std::vector<PositionPair> align_positions(const std::vector<int64_t> &a,
                                          const std::vector<int64_t> &b)
{
    std::vector<PositionPair> found;
    align(a, b, {0, a.size(), 0, b.size()}, found);
    return found;
}

}  // namespace mprof
