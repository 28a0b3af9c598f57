// Text that came from a file or a file name, made safe for a terminal, a log and a grep.
#pragma once

#include <string>
#include <string_view>

namespace mprof {

// Printable ASCII stays; every other byte becomes \xNN (tab and line ends \t \n \r), a backslash
// stays one.
std::string printable_ascii(std::string_view text);

// As above, but well-formed UTF-8 of printable characters stays; for files that are UTF-8 by
// contract (CSV).
std::string printable_utf8(std::string_view text);

}  // namespace mprof
