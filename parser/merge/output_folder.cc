#include "merge/output_folder.h"

#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <system_error>

namespace mprof {

namespace fs = std::filesystem;

OutputFolder::OutputFolder(const std::string &path) : place_(path)
{
    while (place_.size() > 1 && place_.ends_with('/'))
        place_.pop_back();
    std::error_code error;
    const auto kind = fs::symlink_status(place_, error).type();
    if (kind != fs::file_type::not_found &&
        (kind != fs::file_type::directory || !fs::is_empty(place_, error))) {
        problem_ = "it is there already; remove it, or name another folder";
        return;
    }
    std::random_device random;
    const fs::path at(place_);
    beside_ = (at.parent_path() /
               fmt::format(".{}.{:08x}{:08x}", at.filename().native(), random(), random()))
                  .native();
}

OutputFolder::~OutputFolder()
{
    std::error_code error;
    if (!beside_.empty())
        fs::remove_all(beside_, error);
}

// An empty folder in its place goes away by that.
std::string OutputFolder::finish()
{
    if (!problem_.empty())
        return problem_;
    std::error_code error;
    fs::rename(beside_, place_, error);
    if (error)
        problem_ = error.message();
    else
        beside_.clear();
    return problem_;
}

}  // namespace mprof
