#include "main/usage/size_list.h"

#include <algorithm>

namespace mprof {

std::vector<uint32_t> parse_sizes(const std::string &text)
{
    constexpr unsigned long most_ranks = 10'000'000;
    std::vector<uint32_t> sizes;
    for (size_t at = 0; at <= text.size();) {
        const size_t comma = std::min(text.find(',', at), text.size());
        const std::string word = text.substr(at, comma - at);
        const bool is_number = !word.empty() && word.size() < 9 &&
                               word.find_first_not_of("0123456789") == std::string::npos;
        const unsigned long size = is_number ? std::stoul(word) : 0;
        if (size < 1 || size > most_ranks ||
            std::find(sizes.begin(), sizes.end(), size) != sizes.end())
            return {};
        sizes.push_back(static_cast<uint32_t>(size));
        at = comma + 1;
    }
    return sizes;
}

}  // namespace mprof
