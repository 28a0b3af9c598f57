// A file of events that cannot be read is as if it were not there: the profile does not need it.
#include "merge/profile_events.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace mprof {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_last_items = 1024;

void add_of_thread(const EventsFile &file, const EventRing &ring, const RankFile &rank,
                   std::vector<mprof_last_call> &calls)
{
    const uint64_t from = ring.items - std::min<uint64_t>(ring.items, most_last_items);
    for (uint64_t at = from; at < ring.items;) {
        const auto items = read_events(file, ring, at, most_last_items);
        if (items.empty())
            break;
        at += items.size();
        for (mprof_last_call item : items) {
            if (item.start_ticks == 0 || item.function == 0 || is_message(item) ||
                item.function > rank.functions.size())
                continue;
            if (find_slot(rank.callsites, item.callsite) == nullptr)
                item.callsite = 0;
            calls.push_back(item);
        }
    }
    std::stable_sort(calls.begin(), calls.end(),
                     [](const mprof_last_call &a, const mprof_last_call &b) {
                         return a.start_ticks < b.start_ticks;
                     });
}

}  // namespace

ProfileEvents events_of_profile(const std::string &path, const Profile &profile)
{
    ProfileEvents events;
    std::error_code error;
    const fs::path folder = fs::is_directory(path, error)      ? fs::path(path)
                            : fs::path(path).has_parent_path() ? fs::path(path).parent_path()
                                                               : fs::path(".");
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const std::string &name = it->path().native();
        if (!name.ends_with(events_ending))
            continue;
        auto opened = open_events_file(name);
        if (opened.ok() && opened.value().header.run_id == profile.run_id &&
            opened.value().header.world == profile.world)
            events.emplace(opened.value().header.rank, std::move(opened.value()));
    }
    return events;
}

void add_last_calls(const ProfileEvents &events, Profile &profile)
{
    for (RankFile &rank : profile.ranks) {
        const auto file = events.find(rank.header().rank);
        if (rank.finished() || file == events.end())
            continue;
        for (ThreadRecord &thread : rank.threads)
            for (const EventRing &ring : file->second.rings)
                if (ring.thread == thread.number)
                    add_of_thread(file->second, ring, rank, thread.last_calls);
    }
}

}  // namespace mprof
