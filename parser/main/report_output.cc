#include "main/report_output.h"

#include "read/printable_text.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace mprof {
namespace {

bool write_stream(std::FILE *stream, const std::string &text)
{
    return std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
           std::fflush(stream) == 0;
}

}  // namespace

void say(const std::string &message)
{
    fmt::print(stderr, "mprof: {}\n", message);
}

size_t terminal_width()
{
    winsize size = {};
    if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 80;
    return std::clamp<size_t>(size.ws_col, 80, 160);
}

bool write_stdout(const std::string &text)
{
    if (write_stream(stdout, text))
        return true;
    say(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
    return false;
}

bool write_file(const std::string &path, const std::string &text)
{
    std::FILE *stream = std::fopen(path.c_str(), "wb");
    bool written = stream != nullptr && write_stream(stream, text);
    if (stream != nullptr && std::fclose(stream) != 0)
        written = false;
    if (!written)
        say(fmt::format("cannot write {}: {}", printable_ascii(path), std::strerror(errno)));
    return written;
}

bool write_to(const std::string &path, const std::string &text)
{
    return path == "-" ? write_stdout(text) : write_file(path, text);
}

}  // namespace mprof
