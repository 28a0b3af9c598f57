// A file is read once, and its lines are kept as long as the reader lives. What tells whether it
// has changed is the time of its last change: compilers seldom leave a checksum. A module that is
// newer than the run is another build, whose sources may be others.
#include "symbols/source_lines.h"

#include "read/file_bytes.h"
#include "read/printable_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace mprof {
namespace {

constexpr uint64_t largest_source = 16U << 20U;
constexpr size_t longest_line = 240;
// The node that made a file and the one that ran the program have clocks of their own.
constexpr double clocks_differ_s = 2;

std::string_view name_of(std::string_view path)
{
    return path.substr(path.rfind('/') + 1);
}

// A profile may name any file, and a page is passed on: /etc/passwd is no source.
bool is_called_as_source(std::string_view path)
{
    static constexpr std::array endings = {
        "c",   "C",   "cc",  "cpp", "cxx", "c++", "h",   "H",   "hh",  "hpp", "hxx",
        "inc", "inl", "ipp", "tcc", "f",   "F",   "for", "FOR", "f77", "f90", "F90",
        "f95", "F95", "f03", "F03", "f08", "F08", "py",  "pyx", "cu",  "cuh", "hip",
        "jl",  "rs",  "d",   "s",   "S",   "m",   "mm",  "cl",  "y",   "l"};
    const std::string_view name = name_of(path);
    const size_t point = name.rfind('.');
    return point != std::string_view::npos && point > 0 &&
           std::find(endings.begin(), endings.end(), name.substr(point + 1)) != endings.end();
}

double changed_s(const OpenFile &file)
{
    return static_cast<double>(file.modified_ns()) / 1e9;
}

std::string shown_line(std::string_view line)
{
    std::string text;
    for (const char c : line.substr(0, longest_line))
        text += c == '\t' ? std::string(4, ' ') : std::string(1, c);
    while (!text.empty() && (text.back() == '\r' || text.back() == ' '))
        text.pop_back();
    return printable_utf8(text);
}

std::map<uint32_t, std::string> lines_of(std::string_view text)
{
    std::map<uint32_t, std::string> lines;
    for (uint32_t number = 1; !text.empty(); number++) {
        const size_t end = std::min(text.find('\n'), text.size());
        lines.emplace(number, shown_line(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

}  // namespace

std::string SourceFiles::problem_of(const std::string &file, const std::string &module) const
{
    if (!file.starts_with('/') || !is_called_as_source(file))
        return "does not have the name of a source file";
    const OpenFile source(sysroot_ + file);
    if (source.error() != 0)
        return "is not here, or may not be read";
    if (!source.is_regular() || source.size() > largest_source)
        return "is no source file";
    if (module == file)
        return changed_s(source) <= run_start_s_ + clocks_differ_s ? ""
                                                                   : "has changed since the run";
    const std::string name(name_of(module));
    const OpenFile built(sysroot_ + module);
    if (module.empty() || !built.is_regular())
        return fmt::format("may have changed: {} is not here, so nothing tells when it was built",
                           name.empty() ? "the program" : name);
    if (changed_s(built) > run_start_s_ + clocks_differ_s)
        return fmt::format("may have changed: {} is newer than the run", name);
    return source.modified_ns() <= built.modified_ns()
               ? ""
               : fmt::format("has changed since {} was built", name);
}

const SourceFiles::Text &SourceFiles::text_of_file(const std::string &file,
                                                   const std::string &module)
{
    const auto [at, is_new] = texts_.try_emplace(file + '\n' + module);
    if (!is_new)
        return at->second;
    at->second.problem = problem_of(file, module);
    if (!at->second.problem.empty())
        return at->second;
    const auto bytes = read_file_bytes(sysroot_ + file, OtherFiles::whole);
    if (bytes.ok())
        at->second.lines = lines_of(std::string_view(
            reinterpret_cast<const char *>(bytes.value().data()), bytes.value().size()));
    else
        at->second.problem = "is not here, or may not be read";
    return at->second;
}

void SourceFiles::add(const std::string &file, uint32_t line, const std::string &module)
{
    if (file.empty() || line == 0)
        return;
    const Text &text = text_of_file(file, module);
    SourceFile &shown = files_[file];
    shown.file = file;
    if (!text.problem.empty())
        shown.problem = text.problem;
    const uint32_t first = line > source_lines_around ? line - source_lines_around : 1;
    for (auto at = text.lines.lower_bound(first);
         at != text.lines.end() && at->first - first <= line + source_lines_around - first; ++at)
        shown.lines.insert(*at);
}

}  // namespace mprof
