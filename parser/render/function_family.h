// What kind of call an MPI function is, by its name: the page colours calls by that.
#pragma once

#include <string_view>

namespace mprof {

// html/palette.js has the colours in this order.
enum class FunctionFamily { collective, point_to_point, synchronisation, one_sided, file, other };

FunctionFamily family_of(std::string_view function);

}  // namespace mprof
