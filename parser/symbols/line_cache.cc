// A file is written beside its place and renamed, so that two commands at once leave one of both.
#include "symbols/line_cache.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace mprof {
namespace {

namespace files = std::filesystem;

bool is_build_id(const std::string &text)
{
    constexpr size_t least = 8, most = 128;
    return text.size() >= least && text.size() <= most &&
           text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

struct KeptFile {
    files::path path;
    files::file_time_type written;
    uintmax_t bytes = 0;
};

}  // namespace

std::string line_cache_folder()
{
    const char *wanted = std::getenv("MPROF_CACHE");
    if (wanted != nullptr && (std::string_view(wanted) == "off" || std::string_view(wanted) == "0"))
        return "";
    // An empty or relative one does not count (XDG Base Directory Specification).
    const char *cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/')
        return std::string(cache) + "/mprof/lines";
    const char *home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? std::string(home) + "/.cache/mprof/lines" : "";
}

std::string LineCache::path_of(const std::string &build_id) const
{
    return folder_.empty() || !is_build_id(build_id) ? "" : folder_ + "/" + build_id;
}

PlaceNames LineCache::read(const std::string &build_id) const
{
    PlaceNames names;
    const std::string path = path_of(build_id);
    std::error_code problem;
    if (path.empty() || !files::is_regular_file(path, problem) ||
        files::file_size(path, problem) > most_file_bytes)
        return names;
    std::ifstream file(path, std::ios::binary);
    std::vector<std::byte> content;
    std::transform(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(),
                   std::back_inserter(content), [](char c) { return static_cast<std::byte>(c); });
    if (!names.decode(content))
        return {};
    return names;
}

void LineCache::write(const std::string &build_id, const PlaceNames &names) const
{
    const std::string path = path_of(build_id);
    const std::vector<std::byte> content = names.encode();
    if (path.empty() || content.empty() || content.size() > most_file_bytes)
        return;
    std::error_code problem;
    if (files::create_directories(folder_, problem))  // its names are the user's alone
        files::permissions(folder_, files::perms::owner_all, problem);
    const std::string beside = path + ".new." + std::to_string(getpid());
    std::ofstream file(beside, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char *>(content.data()),
               static_cast<std::streamsize>(content.size()));
    file.close();
    if (file.fail())
        files::remove(beside, problem);
    else
        files::rename(beside, path, problem);
    make_room();
}

void LineCache::make_room() const
{
    std::vector<KeptFile> kept;
    uintmax_t sum = 0;
    std::error_code problem;
    for (const auto &entry : files::directory_iterator(folder_, problem)) {
        if (!entry.is_regular_file(problem))
            continue;
        kept.push_back({entry.path(), entry.last_write_time(problem), entry.file_size(problem)});
        sum += kept.back().bytes;
    }
    std::sort(kept.begin(), kept.end(),
              [](const KeptFile &a, const KeptFile &b) { return a.written < b.written; });
    for (const KeptFile &file : kept) {
        if (sum <= most_bytes)
            return;
        files::remove(file.path, problem);
        sum -= file.bytes;
    }
}

}  // namespace mprof
