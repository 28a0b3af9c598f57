// What the fuzz targets share: input as a file, checksums that are right, and what must hold of
// every output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mprof_fuzz {

// The input under a path that mprof can open, as long as this is there.
class InputFile {
public:
    explicit InputFile(std::span<const std::byte> bytes);
    ~InputFile();
    InputFile(const InputFile &) = delete;
    InputFile &operator=(const InputFile &) = delete;
    const std::string &path() const { return path_; }

private:
    int file_;
    std::string path_;
};

inline std::span<const std::byte> as_bytes(const uint8_t *data, size_t size)
{
    return std::as_bytes(std::span(data, size));
}

// The checksums and the length of a finished rank file, made right as far as the file is one, so
// that the checks behind them are reached.
void seal_rank_file(std::vector<std::byte> &file);

// Ends the process, which is a finding, if a terminal would get anything but printable ASCII and
// line ends.
void expect_printable(std::string_view output);

}  // namespace mprof_fuzz
