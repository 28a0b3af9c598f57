#include "diff/diff_arguments.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace mprof {

namespace {

std::vector<std::string> split_at_commas(const std::string &text)
{
    std::vector<std::string> list;
    size_t begin = 0;
    while (begin <= text.size()) {
        const size_t end = std::min(text.find(',', begin), text.size());
        list.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return list;
}

}  // namespace

std::vector<std::string> split_runs(const std::string &paths)
{
    std::error_code error;
    if (std::filesystem::exists(paths, error))
        return {paths};
    return split_at_commas(paths);
}

std::optional<double> parse_percent(const std::string &text)
{
    char *end = nullptr;
    const double percent = std::strtod(text.c_str(), &end);
    const bool number = end != text.c_str() && std::isfinite(percent) && percent >= 0;
    const std::string rest = end;
    return number && (rest.empty() || rest == "%") ? std::optional(percent) : std::nullopt;
}

std::optional<std::vector<Limit>> parse_limits(const std::string &text)
{
    const std::string of_cpu = "cpu:";
    std::vector<Limit> limits;
    for (const std::string &part : split_at_commas(text)) {
        const bool is_cpu = part.starts_with(of_cpu);
        const auto percent = parse_percent(is_cpu ? part.substr(of_cpu.size()) : part);
        if (!percent)
            return std::nullopt;
        limits.push_back({is_cpu ? RunFigure::on_cpu : RunFigure::wallclock, *percent});
    }
    return limits;
}

}  // namespace mprof
