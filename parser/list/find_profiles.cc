// A search by names. Nothing is opened but folders, and then a file of each profile.
#include "list/find_profiles.h"

#include "merge/merged_file.h"
#include "merge/profile.h"
#include "read/file_bytes.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace mprof {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view profile_ending = ".mprof";

bool has_profile_ending(const std::string &name)
{
    return name.ends_with(profile_ending) && !name.starts_with('.');
}

}  // namespace

// Also a link that leads nowhere here: with MPROF_LIVE the record is on the node of its rank.
bool is_file_of_profile(const fs::directory_entry &entry)
{
    std::error_code error;
    return has_profile_ending(entry.path().filename().native()) &&
           entry.symlink_status(error).type() != fs::file_type::directory;
}

namespace {

bool is_rank_file(const fs::directory_entry &entry)
{
    return is_file_of_profile(entry) && is_rank_file_name(entry.path().filename().native());
}

template <class Condition>
bool has_entry(const std::string &folder, Condition &&is_so)
{
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    return !error && std::any_of(begin(entries), end(entries), is_so);
}

// "heat.1.mprof" below ".", and "./-heat.mprof", which is no option.
std::string path_below(const std::string &folder, const std::string &name)
{
    if (folder == "." && !name.starts_with('-'))
        return name;
    return folder + (folder.ends_with('/') ? "" : "/") + name;
}

class Search {
public:
    // `level`: how far the folder is below the first one.
    bool look_into(const std::string &folder, size_t level)
    {
        std::error_code error;
        std::vector<std::string> files, folders;
        fs::directory_iterator it(folder, error);
        if (error)
            return false;
        for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
            if (is_rank_file(*it)) {
                found_.paths.push_back(folder);
                return true;
            }
            note(*it, files, folders);
        }
        for (const std::string &name : files)
            found_.paths.push_back(path_below(folder, name));
        for (const std::string &name : folders)
            look_below(path_below(folder, name), name, level + 1);
        return true;
    }
    FoundProfiles take() { return std::move(found_); }

private:
    static void note(const fs::directory_entry &entry, std::vector<std::string> &files,
                     std::vector<std::string> &folders)
    {
        std::error_code error;
        const std::string name = entry.path().filename().native();
        if (name.starts_with('.'))
            return;
        if (entry.symlink_status(error).type() == fs::file_type::directory)
            folders.push_back(name);
        else if (has_profile_ending(name) && entry.is_regular_file(error))
            files.push_back(name);
    }
    void look_below(const std::string &folder, const std::string &name, size_t level)
    {
        if (level > most_levels)
            found_.has_deeper = true;
        else if (!look_into(folder, level)) {
            // Its row says that it may not be read.
            if (has_profile_ending(name))
                found_.paths.push_back(folder);
            else
                found_.closed_folders++;
        }
    }

    FoundProfiles found_;
};

Result<RankFile> head_of_file(const std::string &path)
{
    if (const auto merged = MergedFile::open(path)) {
        if (!merged->ok())
            return merged->error();
        return merged->value().read_head();
    }
    const OpenFile file(path);
    // What reads the whole file has the words for one that cannot be opened.
    if (!file.is_regular()) {
        const auto bytes = read_file_bytes(path);
        return bytes.ok() ? parse_rank_head(bytes.value(), path) : bytes.error();
    }
    return read_rank_head(file, {0, file.size(), path});
}

}  // namespace

bool is_rank_folder(const std::string &folder)
{
    return has_entry(folder, is_rank_file);
}

bool has_profile_files(const std::string &folder)
{
    return has_entry(folder, is_file_of_profile);
}

Result<FoundProfiles> find_profiles(const std::string &path)
{
    const auto files = profile_files(path);
    if (!files.ok())
        return files.error();
    std::error_code error;
    if (!fs::is_directory(path, error))
        return FoundProfiles{{path}, 0, false};
    std::string folder = path;
    while (folder.size() > 1 && folder.ends_with('/'))
        folder.pop_back();
    Search search;
    search.look_into(folder, 0);
    return search.take();
}

Result<RankFile> read_profile_head(const std::string &path)
{
    constexpr size_t most_files = 4;
    const auto files = profile_files(path);
    if (!files.ok())
        return files.error();
    Result<RankFile> head =
        FileError{path, 0, "rank files", "an empty folder", false, FileTrouble::empty_folder};
    for (size_t i = 0; i < std::min(most_files, files.value().size()); i++) {
        Result<RankFile> next = head_of_file(files.value()[i]);
        if (next.ok() || i == 0)
            head = std::move(next);
        if (head.ok())
            break;
    }
    return head;
}

}  // namespace mprof
