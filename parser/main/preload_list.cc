// ld.so separates by colons and by spaces; both stay apart here. Another libmprof.so (an older one
// of an outer `mprof run`) goes out, because two of them in one process would count every call
// twice.
#include "main/preload_list.h"

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

}  // namespace mprof
