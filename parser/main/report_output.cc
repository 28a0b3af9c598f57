#include "main/report_output.h"

#include "read/printable_text.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace mprof {
namespace {

bool write_stream(std::FILE *stream, std::string_view text)
{
    return std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
           std::fflush(stream) == 0;
}

TextMaker maker_of(const std::string &text)
{
    return [&text](const auto &sink) { sink(text); };
}

}  // namespace

void say(const std::string &message)
{
    fmt::print(stderr, "mprof: {}\n", message);
}

void say_problem(const std::string &plain, const std::string &details, bool verbose)
{
    say(plain);
    if (verbose)
        say(details);
}

void say_error(const FileError &error, bool verbose)
{
    say_problem(explain(error), describe(error), verbose);
}

size_t terminal_width(int stream)
{
    winsize size = {};
    if (isatty(stream) == 0 || ioctl(stream, TIOCGWINSZ, &size) != 0)
        return 80;
    return std::clamp<size_t>(size.ws_col, 80, 160);
}

bool wants_colours(int stream)
{
    const char *const refusal = std::getenv("NO_COLOR");
    const char *const terminal = std::getenv("TERM");
    return isatty(stream) != 0 && (refusal == nullptr || *refusal == '\0') && terminal != nullptr &&
           std::string_view(terminal) != "dumb";
}

// As the C library chooses the language.
bool speaks_utf8()
{
    for (const char *const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char *const value = std::getenv(name);
        const std::string_view locale = value == nullptr ? "" : value;
        if (!locale.empty())
            return locale.find("UTF-8") != std::string_view::npos ||
                   locale.find("utf8") != std::string_view::npos;
    }
    return false;
}

bool write_stdout(std::string_view text)
{
    if (write_stream(stdout, text))
        return true;
    say(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
    return false;
}

bool write_stderr(std::string_view text)
{
    return write_stream(stderr, text);
}

void say_replaced(const std::string &path)
{
    say(fmt::format("{} replaces the file of that name", printable_text(path)));
}

Outputs::Outputs(const std::vector<std::string> &profiles)
{
    for (const std::string &path : profiles)
        taken_.add_profile(path);
}

bool Outputs::write_file(const std::string &path, const TextMaker &make, bool &has_replaced)
{
    OutputFile file(path, taken_);
    make([&](std::string_view text) { file.write(text.data(), text.size()); });
    const std::string problem = file.finish();
    if (!problem.empty()) {
        say(fmt::format(
            "cannot write {}: {}. Name another file, in a place with space where you may write",
            printable_text(path), problem));
        return false;
    }
    taken_.add(path);
    has_replaced = has_replaced || file.has_replaced();
    return true;
}

bool Outputs::write(const std::string &path, const std::string &text)
{
    return write_pieces(path, maker_of(text));
}

bool Outputs::write_pieces(const std::string &path, const TextMaker &make)
{
    if (path == "-") {
        constexpr size_t most_bytes = 1 << 20;
        std::string piece;
        bool is_fine = true;
        const auto flush = [&] {
            is_fine = is_fine && write_stdout(piece);
            piece.clear();
        };
        make([&](std::string_view text) {
            piece += text;
            if (piece.size() >= most_bytes)
                flush();
        });
        flush();
        return is_fine;
    }
    bool has_replaced = false;
    if (!write_file(path, make, has_replaced))
        return false;
    if (has_replaced)
        say_replaced(path);
    return true;
}

bool Outputs::write_files(const std::string &folder,
                          const std::vector<std::pair<std::string, std::string>> &names_and_texts)
{
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        say(fmt::format("cannot make the folder {}: {}. Name another one, where you may write",
                        printable_text(folder), error.message()));
        return false;
    }
    bool has_replaced = false;
    for (const auto &[name, text] : names_and_texts)
        if (!write_file((std::filesystem::path(folder) / name).native(), maker_of(text),
                        has_replaced))
            return false;
    if (has_replaced)
        say(fmt::format("the files in {} replace earlier ones", printable_text(folder)));
    return true;
}

}  // namespace mprof
