// How a place in the program reads in tables and sentences.
#include "report/library_kinds.h"
#include "report/report.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

std::string without_folders(const std::string &path)
{
    return path.substr(path.rfind('/') + 1);
}

// Without a source line a function says more than an offset.
std::string words_of(const std::string &place, bool has_line, const std::string &symbol)
{
    return has_line || symbol.empty() || symbol == jit_symbol
               ? place
               : fmt::format("{} ({})", without_arguments(symbol), place);
}

}  // namespace

std::string without_arguments(const std::string &symbol)
{
    size_t depth = 0;
    for (size_t at = symbol.rfind(')'); at != std::string::npos && at > 0; at--) {
        if (symbol[at] == ')')
            depth++;
        else if (symbol[at] == '(' && --depth == 0)
            return symbol.substr(0, at);
    }
    return symbol;
}

bool Frame::is_jit() const
{
    return symbol == jit_symbol;
}

std::string Frame::place() const
{
    std::string where;
    if (!file.empty() && line != 0)
        where = fmt::format("{}:{}", file_name(), line);
    else if (offset != 0)
        where = module.empty() ? fmt::format("{:#x}", offset)
                               : fmt::format("{}+{:#x}", module_name(), offset);
    if (!is_jit())
        return where;
    return where.empty() ? symbol : fmt::format("{} called at {}", symbol, where);
}

std::string Frame::words() const
{
    return words_of(place(), !file.empty() && line != 0, symbol);
}

std::string CallLineRow::words() const
{
    return words_of(place, has_line, symbol);
}

std::string Frame::file_name() const
{
    return without_folders(file);
}

std::string Frame::module_name() const
{
    return without_folders(module);
}

std::string Frame::function_words() const
{
    const bool waits = library_kind(module_name()) == LibraryKind::gpu;
    const std::string remark = waits ? text_of(LibraryKind::gpu) : "";
    if (symbol.empty())
        return waits ? fmt::format("{} ({})", module_name(), remark) : module_name();
    const std::string name = without_arguments(symbol);
    std::string where = line != 0 ? place() : module_name();
    if (waits)
        where += ", " + remark;
    return where.empty() ? name : fmt::format("{} ({})", name, where);
}

std::string HotPlaceRow::caller_words() const
{
    constexpr size_t most = 4;
    std::vector<std::string> names;
    for (const Frame &caller : path)
        names.push_back(caller.symbol.empty() ? caller.module_name()
                                              : without_arguments(caller.symbol));
    if (names.empty())
        return "";
    const bool cut = names.size() > most;
    names.resize(std::min(names.size(), most));
    return fmt::format("{}{} ({:.0f}%)", fmt::join(names, " < "), cut ? " < ..." : "",
                       path_percent);
}

}  // namespace mprof
