// A word, and how many values it has at least; a line with fewer is left out.
#include "machine/read_answer.h"

#include <charconv>

namespace mprof {
namespace {

constexpr std::string_view mark = "mprof-machine\t";
constexpr double nanosecond = 1e-9;

class AnswerValues {
public:
    explicit AnswerValues(std::string_view text)
    {
        while (true) {
            const size_t end = text.find('\t');
            values_.push_back(text.substr(0, end));
            if (end == std::string_view::npos)
                return;
            text.remove_prefix(end + 1);
        }
    }

    size_t count() const { return values_.size() - 1; }
    std::string_view word() const { return values_[0]; }
    std::string text(size_t index) const
    {
        return index < count() ? std::string(values_[index + 1]) : std::string();
    }
    // 0 for what is no number.
    uint64_t number(size_t index) const
    {
        uint64_t value = 0;
        if (index < count()) {
            const std::string_view text = values_[index + 1];
            const char *end = text.data() + text.size();
            if (std::from_chars(text.data(), end, value).ptr != end)
                return 0;
        }
        return value;
    }
    uint32_t small(size_t index) const { return static_cast<uint32_t>(number(index)); }
    double seconds(size_t index) const { return nanosecond * static_cast<double>(number(index)); }

private:
    std::vector<std::string_view> values_;
};

RankDistance distance_of_text(const std::string &text)
{
    for (size_t i = 0; i < texts_of<RankDistance>.size(); i++)
        if (text == texts_of<RankDistance>[i])
            return static_cast<RankDistance>(i);
    return RankDistance::unknown;
}

using TakeAnswer = void (*)(const AnswerValues &, MachineFigures &);

void take_node(const AnswerValues &values, MachineFigures &figures)
{
    MachineNode node;
    node.host = values.text(0);
    node.ranks = values.number(1);
    node.arithmetic_s = values.seconds(2);
    const double copy_s = values.seconds(3);
    node.copy_bytes_s = copy_s > 0 ? static_cast<double>(values.number(4)) / copy_s : 0;
    figures.nodes.push_back(node);
}

void take_link(const AnswerValues &values, MachineFigures &figures)
{
    MachineLink link;
    link.a = values.small(0);
    link.b = values.small(1);
    link.latency_s = values.seconds(2);
    link.bytes = values.number(3);
    link.time_s = values.seconds(4);
    link.checked = values.number(5) > 0;
    if (link.a < figures.nodes.size() && link.b < figures.nodes.size() && link.bytes > 0)
        figures.links.push_back(link);
}

void take_distance(const AnswerValues &values, MachineFigures &figures)
{
    MachineCurve curve;
    curve.distance = distance_of_text(values.text(0));
    curve.ranks = {values.small(1), values.small(2)};
    figures.curves.push_back(curve);
}

void take_point(const AnswerValues &values, MachineFigures &figures)
{
    if (figures.curves.empty())
        return;
    MachinePoint point;
    point.bytes = values.number(0);
    point.time_s = values.seconds(1);
    point.best_s = values.seconds(2);
    if (values.number(3) > 0)
        point.stream_s = values.seconds(3);
    point.repeats = values.number(4);
    figures.curves.back().points.push_back(point);
}

void take_eager(const AnswerValues &values, MachineFigures &figures)
{
    if (figures.curves.empty())
        return;
    figures.curves.back().eager =
        EagerStep{values.number(0), values.seconds(1), values.seconds(2), EagerSource::tried};
}

void take_collective(const AnswerValues &values, MachineFigures &figures)
{
    figures.collectives.push_back({values.text(0), values.small(1), values.number(2),
                                   values.seconds(3), values.seconds(4), values.number(5)});
}

void take_setting(const AnswerValues &values, MachineFigures &figures)
{
    figures.settings.push_back(
        {values.text(0), values.text(1), values.text(2), SettingKind::other, false});
}

void take_environment(const AnswerValues &values, MachineFigures &figures)
{
    figures.settings.push_back({values.text(0), values.text(1), "", SettingKind::other, true});
}

constexpr struct {
    std::string_view word;
    size_t least;
    TakeAnswer take;
} words[] = {
    {"library", 1, [](const AnswerValues &v, MachineFigures &f) { f.library = v.text(0); }},
    {"path", 1, [](const AnswerValues &v, MachineFigures &f) { f.path = v.text(0); }},
    {"abi", 1, [](const AnswerValues &v, MachineFigures &f) { f.abi = v.text(0); }},
    {"ranks", 1, [](const AnswerValues &v, MachineFigures &f) { f.ranks = v.small(0); }},
    {"fact", 2,
     [](const AnswerValues &v, MachineFigures &f) { f.facts.emplace_back(v.text(0), v.text(1)); }},
    {"node", 5, take_node},
    {"link", 6, take_link},
    {"distance", 3, take_distance},
    {"point", 5, take_point},
    {"eager", 3, take_eager},
    {"collective", 6, take_collective},
    {"setting", 2, take_setting},
    {"environment", 2, take_environment},
};

}  // namespace

bool AnswerReader::take(std::string_view line)
{
    const size_t begin = line.find(mark);
    if (begin == std::string_view::npos)
        return false;
    line.remove_prefix(begin + mark.size());
    while (line.ends_with('\n') || line.ends_with('\r'))
        line.remove_suffix(1);
    const AnswerValues values(line);
    if (values.word() == "progress")
        progress_ = values.text(0);
    ended_ = ended_ || values.word() == "end";
    for (const auto &known : words)
        if (values.word() == known.word && values.count() >= known.least)
            known.take(values, figures);
    return true;
}

}  // namespace mprof
