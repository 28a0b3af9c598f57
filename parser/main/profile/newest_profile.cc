// A profile folder may have any name: what makes it one is a file NAME.mprof in it. Its age is that
// of its last new name: each rank's finished file gets its name when the run ends.
#include "main/profile/newest_profile.h"

#include "main/report_output.h"
#include "merge/profile_files.h"
#include "read/printable_text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace mprof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".mprof";

bool is_file_of_profile(const fs::directory_entry &entry)
{
    std::error_code error;
    const std::string name = entry.path().filename().native();
    return name.ends_with(ending) && !name.starts_with('.') &&
           entry.symlink_status(error).type() != fs::file_type::directory;
}

struct Found {
    std::string name;
    fs::file_time_type changed;
};

void add_profile(const fs::directory_entry &entry, const std::string &folder,
                 std::vector<Found> &found)
{
    std::error_code error;
    const std::string name = entry.path().filename().native();
    const bool is_folder = entry.is_directory(error);
    if (is_folder ? !has_profile_files(entry.path().native()) : !is_file_of_profile(entry))
        return;
    const auto changed = entry.last_write_time(error);
    if (!error)
        found.push_back({folder == "." ? name : entry.path().native(), changed});
}

// Somebody went into a profile folder to look at it.
bool is_rank_folder(const std::string &folder)
{
    std::error_code error;
    fs::directory_iterator files(folder, error);
    return !error && std::any_of(begin(files), end(files), [](const fs::directory_entry &entry) {
        return is_file_of_profile(entry) && is_rank_file_name(entry.path().filename().native());
    });
}

}  // namespace

bool has_profile_files(const std::string &folder)
{
    std::error_code error;
    fs::directory_iterator files(folder, error);
    return !error && std::any_of(begin(files), end(files), is_file_of_profile);
}

std::vector<std::string> list_profiles(const std::string &folder)
{
    std::vector<Found> found;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        add_profile(*it, folder, found);
    std::stable_sort(found.begin(), found.end(),
                     [](const Found &a, const Found &b) { return a.changed > b.changed; });
    std::vector<std::string> names;
    for (Found &profile : found)
        names.push_back(std::move(profile.name));
    return names;
}

std::optional<std::string> given_or_newest(const std::string &path, const std::string &command)
{
    if (!path.empty())
        return path;
    const std::vector<std::string> profiles =
        is_rank_folder(".") ? std::vector<std::string>{"."} : list_profiles(".");
    if (profiles.empty()) {
        say(fmt::format("there is no profile in this folder. Make one: mprof run -- mpirun -n 4 "
                        "./app, or name one: mprof {} FOLDER",
                        command));
        return std::nullopt;
    }
    const std::string others =
        profiles.size() == 1 ? "" : fmt::format(", the newest of {} here", profiles.size());
    say(fmt::format("this is {}{}",
                    profiles.front() == "." ? "the profile in this folder"
                                            : printable_ascii(profiles.front()),
                    others));
    return profiles.front();
}

}  // namespace mprof
