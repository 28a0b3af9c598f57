#include "diff/diff_arguments.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace mprof {

std::vector<std::string> split_runs(const std::string &paths)
{
    std::error_code error;
    if (std::filesystem::exists(paths, error))
        return {paths};
    std::vector<std::string> list;
    size_t begin = 0;
    while (begin <= paths.size()) {
        const size_t end = std::min(paths.find(',', begin), paths.size());
        list.push_back(paths.substr(begin, end - begin));
        begin = end + 1;
    }
    return list;
}

std::optional<double> parse_percent(const std::string &text)
{
    char *end = nullptr;
    const double percent = std::strtod(text.c_str(), &end);
    const bool number = end != text.c_str() && std::isfinite(percent) && percent >= 0;
    const std::string rest = end;
    return number && (rest.empty() || rest == "%") ? std::optional(percent) : std::nullopt;
}

}  // namespace mprof
