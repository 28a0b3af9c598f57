// The value that a part of all values does not exceed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mprof {

// `values` is not empty, and in another order afterwards; `part` is 0 to 1.
template <class T>
T quantile(std::vector<T> &values, double part)
{
    const auto at = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<size_t>(at)];
}

}  // namespace mprof
