#include "read/text/text_file.h"

#include <fstream>

namespace mprof {

FileError text_error(const std::string &path, uint64_t offset, const std::string &expected,
                     const std::string &found)
{
    constexpr size_t longest = 60;
    FileError error;
    error.file = path;
    error.offset = offset;
    error.expected = expected;
    error.found = found.size() > longest ? found.substr(0, longest) + "..." : found;
    return error;
}

Result<std::string> read_text_file(const std::string &path)
{
    constexpr uint64_t most_bytes = 256U << 20U;
    std::ifstream file(path, std::ios::binary);
    std::string text;
    char block[1 << 16];
    while (file && text.size() <= most_bytes) {
        file.read(block, sizeof block);
        text.append(block, static_cast<size_t>(file.gcount()));
    }
    if (!file.eof()) {
        FileError error = text_error(path, text.size(), "a text of at most 256 MiB",
                                     text.empty() ? "nothing that can be read" : "more");
        error.trouble = FileTrouble::unreadable;
        return error;
    }
    return text;
}

}  // namespace mprof
