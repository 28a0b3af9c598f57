// Files are told by their names; what is in a file of events is read here too, because it belongs
// to the run and not to a rank's file.
#include "merge/profile_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace mprof {

namespace fs = std::filesystem;

Result<std::vector<std::string>> profile_files(const std::string &path)
{
    std::error_code error;
    const auto status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
        return FileError{path,
                         0,
                         "a profile folder or a rank file",
                         "no such file or folder",
                         false,
                         FileTrouble::absent};
    if (error)
        return FileError{path,
                         0,
                         "a profile folder or a rank file",
                         error.message(),
                         false,
                         FileTrouble::unreadable};
    if (!fs::is_directory(status) && is_events_name(path))
        return FileError{path,
                         0,
                         "a profile folder or a rank file",
                         "single calls of a rank",
                         false,
                         FileTrouble::events};
    if (!fs::is_directory(status))
        return std::vector{path};
    std::vector<std::string> files;
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        const std::string &name = it->path().native();
        if (it->is_directory(ignored) || it->path().filename().native().starts_with('.') ||
            is_events_name(name))
            continue;
        files.push_back(it->path().native());
    }
    if (error)
        return FileError{
            path, 0, "a readable folder", error.message(), false, FileTrouble::unreadable};
    std::sort(files.begin(), files.end(), [](const std::string &a, const std::string &b) {
        return std::pair(a.size(), std::string_view(a)) < std::pair(b.size(), std::string_view(b));
    });
    return files;
}

std::vector<std::string> events_files(const std::string &path)
{
    std::error_code error;
    const fs::path folder = fs::is_directory(path, error)      ? fs::path(path)
                            : fs::path(path).has_parent_path() ? fs::path(path).parent_path()
                                                               : fs::path(".");
    std::vector<std::string> files;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (is_events_name(it->path().native()) && !it->path().filename().native().starts_with('.'))
            files.push_back(it->path().native());
    std::sort(files.begin(), files.end());
    return files;
}

bool is_events_name(std::string_view path)
{
    return path.ends_with(".events");
}

bool is_rank_file_name(std::string_view name)
{
    return name.starts_with("rank-") || name.starts_with("node-") || name.starts_with("world-") ||
           name == "job.mprof";
}

// A file of events that cannot be read is named and left out: the profile does not need it.

namespace {

constexpr size_t most_last_items = 1024;

void add_of_thread(const EventsFile &file, const EventRing &ring, const RankFile &rank,
                   std::vector<mprof_last_call> &calls)
{
    EventItems items(file, ring, event_limits(rank),
                     ring.items - std::min<uint64_t>(ring.items, most_last_items));
    for (mprof_last_call item; items.next(item);) {
        if (is_message(item))
            continue;
        if (find_slot(rank.callsites, item.callsite) == nullptr)
            item.callsite = 0;
        calls.push_back(item);
    }
    std::stable_sort(calls.begin(), calls.end(),
                     [](const mprof_last_call &a, const mprof_last_call &b) {
                         return a.start_ticks < b.start_ticks;
                     });
}

}  // namespace

EventLimits event_limits(const RankFile &rank)
{
    constexpr double before_ns = 600e9, behind_ns = 1e9;  // MPI_Init; what was known of the rank
    const mprof_clock_pair &start = rank.clock.start;
    const mprof_clock_pair &latest = rank.clock.latest;
    const bool is_known =
        latest.monotonic_ns > start.monotonic_ns && latest.ticks_after > start.ticks_after;
    const double rate = is_known ? static_cast<double>(latest.ticks_after - start.ticks_after) /
                                       static_cast<double>(latest.monotonic_ns - start.monotonic_ns)
                                 : 0;
    const auto ticks_of = [&](double ns) {
        return static_cast<uint64_t>(std::min(rate * ns, 0x1p62));
    };
    uint64_t last = latest.ticks_after;
    for (const ThreadRecord &thread : rank.threads)
        last = std::max(last, thread.facts.ticks);
    const uint64_t first = start.ticks_before;
    return {std::max<uint64_t>(1, first - std::min(first, ticks_of(before_ns))),
            last + std::min(ticks_of(behind_ns), UINT64_MAX - last), rank.functions.size()};
}

ProfileEvents events_of_profile(const std::string &path, const Profile &profile)
{
    ProfileEvents events;
    for (const std::string &name : events_files(path)) {
        auto opened = open_events_file(name);
        if (!opened.ok())
            events.damaged.push_back(opened.error());
        else if (opened.value().header.run_id == profile.run_id &&
                 opened.value().header.world == profile.world)
            events.files.emplace(opened.value().header.rank, std::move(opened.value()));
    }
    return events;
}

void add_last_calls(const ProfileEvents &events, Profile &profile)
{
    for (RankFile &rank : profile.ranks) {
        const auto file = events.files.find(rank.header().rank);
        if (rank.finished() || file == events.files.end())
            continue;
        for (ThreadRecord &thread : rank.threads)
            for (const EventRing &ring : file->second.rings)
                if (ring.thread == thread.number)
                    add_of_thread(file->second, ring, rank, thread.last_calls);
    }
}

}  // namespace mprof
