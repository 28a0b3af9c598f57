// ld.so separates LD_PRELOAD by colons and by spaces, LD_LIBRARY_PATH by colons and by semicolons.
// Another libmprof.so (an older one of an outer `mprof run`) goes out, because two of them in one
// process would count every call twice.
#include "main/preload.h"

#include <algorithm>
#include <array>

namespace mprof {

std::string preload_list(std::string_view library, std::string_view before)
{
    std::string list(library);
    while (!before.empty()) {
        const size_t end = std::min(before.find_first_of(": "), before.size());
        const std::string_view item = before.substr(0, end);
        before.remove_prefix(end == before.size() ? end : end + 1);
        const std::string_view name = item.substr(item.find_last_of('/') + 1);  // npos + 1 = 0
        if (item.empty() || name == "libmprof.so")
            continue;
        list += ':';
        list += item;
    }
    return list;
}

bool is_expanded_by_linker(std::string_view path)
{
    constexpr std::array<std::string_view, 3> names = {"ORIGIN", "LIB", "PLATFORM"};
    for (size_t at = path.find('$'); at != std::string_view::npos; at = path.find('$', at + 1)) {
        std::string_view name = path.substr(at + 1);
        if (name.starts_with('{'))
            name.remove_prefix(1);
        if (std::any_of(names.begin(), names.end(),
                        [&](std::string_view known) { return name.starts_with(known); }))
            return true;
    }
    return false;
}

std::optional<PreloadVariables> preload_variables(std::string_view library,
                                                  std::string_view preload_before,
                                                  std::string_view library_path_before)
{
    const size_t name_at = library.find_last_of('/') + 1;  // npos + 1 = 0
    const std::string_view name = library.substr(name_at);
    if (library.find(':') != std::string_view::npos || is_expanded_by_linker(library))
        return std::nullopt;
    if (library.find(' ') == std::string_view::npos)
        return PreloadVariables{preload_list(library, preload_before), std::nullopt};
    if (library.find(';') != std::string_view::npos || name.find(' ') != std::string_view::npos ||
        name_at == 0)
        return std::nullopt;
    // An empty part of LD_LIBRARY_PATH would be the working directory.
    std::string path(library.substr(0, name_at - 1));
    if (!library_path_before.empty() && library_path_before != path &&
        !library_path_before.starts_with(path + ':'))
        path.append(":").append(library_path_before);
    else if (!library_path_before.empty())
        path = library_path_before;
    return PreloadVariables{preload_list(name, preload_before), path};
}

}  // namespace mprof
