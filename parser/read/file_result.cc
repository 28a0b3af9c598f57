// How a file error reads. The four facts always come in the same order, so that scripts can find
// them.
#include "read/file_result.h"

#include "read/printable_text.h"

#include <fmt/format.h>

namespace mprof {

std::string describe(const FileError &error)
{
    return fmt::format("{}: offset {}: expected {}, found {}", printable_ascii(error.file),
                       error.offset, printable_ascii(error.expected), printable_ascii(error.found));
}

}  // namespace mprof
