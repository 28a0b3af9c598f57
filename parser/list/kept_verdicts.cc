// A line is: files, bytes, time of change, class, canonical path, with tabs between. A path with a
// control character is not kept. The whole file is written anew each time: it has at most some
// hundred kilobytes, and homes on clusters are short of files rather than of bytes.
#include "list/kept_verdicts.h"

#include "read/file_bytes.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <utility>
#include <vector>

namespace mprof {
namespace {

namespace fs = std::filesystem;

constexpr const char *file_name = "verdicts";
constexpr std::string_view first_line = "mprof verdicts 1";
constexpr uintmax_t most_file_bytes = uintmax_t{2} << 20U;

int64_t changed_ns(const struct stat &facts)
{
    constexpr int64_t ns_of_s = 1'000'000'000;
    return int64_t{facts.st_ctim.tv_sec} * ns_of_s + facts.st_ctim.tv_nsec;
}

void add_file(const std::string &path, ProfileMark &mark)
{
    struct stat facts = {};
    if (stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode))
        return;
    mark.files++;
    mark.bytes += static_cast<uint64_t>(facts.st_size);
    mark.changed_ns = std::max(mark.changed_ns, changed_ns(facts));
}

std::string canonical_path(const std::string &path)
{
    std::error_code error;
    const std::string canonical = fs::canonical(path, error).native();
    const bool is_plain =
        std::none_of(canonical.begin(), canonical.end(), [](char c) { return c >= 0 && c < ' '; });
    return error || !is_plain ? "" : canonical;
}

std::string_view take_word(std::string_view &rest)
{
    const size_t end = std::min(rest.find('\t'), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return word;
}

template <class Number>
bool take_number(std::string_view &rest, Number &number)
{
    const std::string_view word = take_word(rest);
    const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
    return read.ec == std::errc() && read.ptr == word.data() + word.size();
}

struct KeptLine {
    std::string path;
    ProfileMark mark;
    VerdictClass verdict = VerdictClass::unknown;
};

std::optional<KeptLine> parse_line(std::string_view rest)
{
    KeptLine line;
    if (!take_number(rest, line.mark.files) || !take_number(rest, line.mark.bytes) ||
        !take_number(rest, line.mark.changed_ns))
        return std::nullopt;
    const std::string_view word = take_word(rest);
    const auto &texts = texts_of<VerdictClass>;
    const auto *const known = std::find(texts.begin(), texts.end(), word);
    if (known == texts.end() || !rest.starts_with('/'))
        return std::nullopt;
    line.verdict = static_cast<VerdictClass>(known - texts.begin());
    line.path = rest;
    return line;
}

// The newest first.
std::vector<KeptLine> read_lines(const std::string &folder)
{
    std::vector<KeptLine> lines;
    const std::string path = folder + "/" + file_name;
    std::error_code error;
    if (folder.empty() || !fs::is_regular_file(path, error) ||
        fs::file_size(path, error) > most_file_bytes)
        return lines;
    std::ifstream file(path, std::ios::binary);
    std::string text;
    if (!std::getline(file, text) || text != first_line)
        return lines;
    while (lines.size() < KeptVerdicts::most_profiles && std::getline(file, text))
        if (auto line = parse_line(text))
            lines.push_back(std::move(*line));
    return lines;
}

}  // namespace

std::optional<ProfileMark> mark_of_profile(const std::string &path)
{
    struct stat facts = {};
    if (stat(path.c_str(), &facts) != 0)
        return std::nullopt;
    ProfileMark mark;
    if (!S_ISDIR(facts.st_mode)) {
        add_file(path, mark);
        return mark;
    }
    mark.changed_ns = changed_ns(facts);
    std::error_code error;
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
        add_file(it->path().native(), mark);
    return error ? std::nullopt : std::optional(mark);
}

KeptVerdicts::KeptVerdicts(const std::string &folder)
{
    for (KeptLine &line : read_lines(folder))
        kept_.try_emplace(std::move(line.path), Kept{line.mark, line.verdict});
}

std::optional<VerdictClass> KeptVerdicts::find(const std::string &path) const
{
    if (kept_.empty())
        return std::nullopt;
    const auto kept = kept_.find(canonical_path(path));
    if (kept == kept_.end() || mark_of_profile(path) != kept->second.mark)
        return std::nullopt;
    return kept->second.verdict;
}

void keep_verdict(const std::string &folder, const std::string &path, const ProfileMark &mark,
                  VerdictClass verdict)
{
    const std::string canonical = canonical_path(path);
    if (folder.empty() || canonical.empty() || verdict == VerdictClass::unknown)
        return;
    std::vector<KeptLine> lines = read_lines(folder);
    std::erase_if(lines, [&](const KeptLine &line) { return line.path == canonical; });
    lines.insert(lines.begin(), {canonical, mark, verdict});
    std::string text = fmt::format("{}\n", first_line);
    for (size_t i = 0; i < std::min(lines.size(), KeptVerdicts::most_profiles); i++) {
        const KeptLine &line = lines[i];
        const std::string next =
            fmt::format("{}\t{}\t{}\t{}\t{}\n", line.mark.files, line.mark.bytes,
                        line.mark.changed_ns, text_of(line.verdict), line.path);
        if (text.size() + next.size() > most_file_bytes)
            break;
        text += next;
    }
    keep_file(folder, file_name, std::as_bytes(std::span(text)));
}

}  // namespace mprof
