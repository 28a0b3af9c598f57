// Files are recognised by their names; what is in a file of events is read here too, because it
// belongs to the run and not to a rank's file.
#include "merge/profile.h"

#include "mprof/format/format.h"
#include "read/file_bytes.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <system_error>
#include <tuple>

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

namespace {

// The run that a rank file, or one of a node, says it is of.
std::optional<uint64_t> run_of_file(const OpenFile &file, const std::string &path)
{
    const auto begin = read_file_part(file, path, 0, sizeof(mprof_file_header));
    if (!file.is_regular() || !begin.ok())
        return std::nullopt;
    const auto begins_with = [&](const char *magic) {
        return std::memcmp(begin.value().data(), magic, MPROF_MAGIC_BYTES) == 0;
    };
    mprof_file_header of_rank;
    mprof_node_header of_node;
    static_assert(sizeof of_rank == sizeof of_node);
    std::memcpy(&of_rank, begin.value().data(), sizeof of_rank);
    std::memcpy(&of_node, begin.value().data(), sizeof of_node);
    if (begins_with(MPROF_MAGIC))
        return of_rank.run_id;
    return begins_with(MPROF_NODE_MAGIC) ? std::optional(of_node.run_id) : std::nullopt;
}

std::optional<uint64_t> run_of_file(const std::string &path)
{
    return run_of_file(OpenFile(path), path);
}

// The run in the target of a link as libmprof makes it, FOLDER/mprof-RUN/NAME with 16 digits,
// unless the file there is of another one. A file that cannot be opened here is taken to be so.
std::optional<uint64_t> run_of_own_link(const fs::path &path)
{
    constexpr std::string_view begin = "mprof-";
    constexpr std::ptrdiff_t digits = 16;
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    const std::string folder = target.parent_path().filename().native();
    if (error || !is_rank_file_name(path.filename().native()) ||
        target.filename() != path.filename() || !folder.starts_with(begin))
        return std::nullopt;
    uint64_t run = 0;
    const char *first = folder.data() + begin.size();
    if (std::from_chars(first, folder.data() + folder.size(), run, 16).ptr != first + digits)
        return std::nullopt;
    const OpenFile file(path.native());
    const bool is_so = file.error() != 0 || run_of_file(file, path.native()) == run;
    return is_so ? std::optional(run) : std::nullopt;
}

// That of the files, and where there are links alone, that of the first one that libmprof made.
std::optional<uint64_t> run_of_folder(const std::vector<std::string> &files)
{
    std::optional<uint64_t> of_link;
    for (const std::string &path : files) {
        std::error_code error;
        if (!fs::is_symlink(path, error)) {
            if (const auto run = run_of_file(path))
                return run;
        } else if (!of_link) {
            of_link = run_of_own_link(path);
        }
    }
    return of_link;
}

}  // namespace

std::vector<std::string> without_links(const std::vector<std::string> &files,
                                       const std::string &path, std::vector<FileError> &left_out)
{
    const auto run = run_of_folder(files);
    std::vector<std::string> kept;
    for (const std::string &file : files) {
        std::error_code error;
        const bool is_link = file != path && fs::is_symlink(file, error);
        const auto run_of_link = is_link ? run_of_own_link(file) : std::nullopt;
        if (!is_link || (run_of_link && run_of_link == run))
            kept.push_back(file);
        else
            left_out.push_back({file, 0, "a file of the run", "a link, which is left out", false,
                                FileTrouble::link});
    }
    return kept;
}

bool is_events_name(std::string_view path)
{
    return path.ends_with(".events");
}

std::vector<std::string> hidden_files(const std::string &path)
{
    std::error_code error;
    std::vector<std::string> files;
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        if (it->path().filename().native().starts_with('.') && !it->is_directory(ignored))
            files.push_back(it->path().native());
    }
    std::sort(files.begin(), files.end());
    return files;
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

// There are two votes: first for the run, then in each of its worlds for the number of ranks.
// Files that lose a vote are left out, and the reason is kept.

namespace {

// As libmprof numbers them.
constexpr uint64_t most_worlds = 100'000;

struct Vote {
    size_t files = 0;
    uint64_t newest_ns = 0;
};

// The key of most files. If two keys have equally many, the key of the newest file.
template <class Key>
Key elect(const std::vector<RankFile> &files, const std::function<Key(const RankFile &)> &key_of)
{
    std::map<Key, Vote> votes;
    for (const RankFile &file : files) {
        Vote &vote = votes[key_of(file)];
        vote.files++;
        vote.newest_ns = std::max(vote.newest_ns, file.run.start_realtime_ns);
    }
    const auto best =
        std::max_element(votes.begin(), votes.end(), [](const auto &a, const auto &b) {
            return std::pair(a.second.files, a.second.newest_ns) <
                   std::pair(b.second.files, b.second.newest_ns);
        });
    return best->first;
}

void leave_out_unless(std::vector<RankFile> &files, std::vector<FileError> &left_out, size_t offset,
                      const std::string &expected,
                      const std::function<bool(const RankFile &)> &belongs,
                      const std::function<std::string(const RankFile &)> &found)
{
    for (const RankFile &file : files)
        if (!belongs(file))
            left_out.push_back(
                {file.file, offset, expected, found(file), true, FileTrouble::other_run});
    std::erase_if(files, [&](const RankFile &file) { return !belongs(file); });
}

void keep_one_run(std::vector<RankFile> &files, Profile &profile)
{
    profile.run_id = elect<uint64_t>(files, [](const RankFile &f) { return f.header().run_id; });
    leave_out_unless(
        files, profile.left_out, offsetof(mprof_file_header, run_id),
        fmt::format("run {:016x}", profile.run_id),
        [&](const RankFile &f) { return f.header().run_id == profile.run_id; },
        [](const RankFile &f) {
            return fmt::format("run {:016x}, another run", f.header().run_id);
        });
}

void keep_one_size(std::vector<RankFile> &files, Profile &profile, std::vector<FileError> &left_out)
{
    profile.ranks_expected =
        elect<uint32_t>(files, [](const RankFile &f) { return f.header().ranks; });
    leave_out_unless(
        files, left_out, offsetof(mprof_file_header, ranks),
        fmt::format("{} ranks", profile.ranks_expected),
        [&](const RankFile &f) { return f.header().ranks == profile.ranks_expected; },
        [](const RankFile &f) { return fmt::format("{} ranks", f.header().ranks); });
}

void keep_one_file_per_rank(std::vector<RankFile> &files, Profile &profile,
                            std::vector<FileError> &left_out)
{
    // The better file of a rank first: finished before live, newer before older.
    const auto is_before = [](const RankFile &a, const RankFile &b) {
        const auto key = [](const RankFile &f) {
            return std::tuple(f.header().rank, !f.finished(), ~f.run.stop_realtime_ns);
        };
        return key(a) < key(b);
    };
    if (!std::is_sorted(files.begin(), files.end(), is_before))
        std::stable_sort(files.begin(), files.end(), is_before);
    size_t kept = 0;
    for (RankFile &file : files) {
        if (kept > 0 && files[kept - 1].header().rank == file.header().rank)
            left_out.push_back(
                {file.file, offsetof(mprof_file_header, rank), "each rank once",
                 fmt::format("rank {}, which is in {}", file.header().rank, files[kept - 1].file),
                 true, FileTrouble::twice});
        else if (RankFile &place = files[kept++]; &place != &file)
            place = std::move(file);
    }
    files.erase(files.begin() + static_cast<std::ptrdiff_t>(kept), files.end());
    profile.ranks = std::move(files);
}

// The numbers from 0 up to `end` that are not among these sorted ones.
std::vector<RankRange> gaps(const std::vector<uint32_t> &numbers, uint32_t end)
{
    std::vector<RankRange> missing;
    uint32_t next = 0;
    for (const uint32_t number : numbers) {
        if (number > next)
            missing.push_back({next, number - 1});
        next = number + 1;
    }
    if (next < end)
        missing.push_back({next, end - 1});
    return missing;
}

std::vector<RankFile> take_readable(std::vector<std::vector<Result<RankFile>>> &pieces,
                                    std::vector<FileError> &damaged)
{
    size_t count = 0;
    for (const auto &piece : pieces)
        count += piece.size();
    std::vector<RankFile> readable;
    readable.reserve(count);
    for (auto &piece : pieces) {
        for (Result<RankFile> &file : piece)
            if (file.ok())
                readable.push_back(std::move(file.value()));
            else
                damaged.push_back(file.error());
        std::vector<Result<RankFile>>().swap(piece);
    }
    return readable;
}

// Nearly always there is one.
std::map<uint32_t, std::vector<RankFile>> by_world(std::vector<RankFile> files)
{
    std::map<uint32_t, std::vector<RankFile>> worlds;
    const uint32_t first = files.front().header().world;
    if (std::all_of(files.begin(), files.end(),
                    [&](const RankFile &file) { return file.header().world == first; })) {
        worlds.emplace(first, std::move(files));
        return worlds;
    }
    for (RankFile &file : files)
        worlds[file.header().world].push_back(std::move(file));
    return worlds;
}

Profile merge_world(uint64_t run_id, uint32_t number, std::vector<RankFile> files,
                    std::vector<FileError> &left_out)
{
    Profile world;
    world.run_id = run_id;
    world.world = number;
    keep_one_size(files, world, left_out);
    keep_one_file_per_rank(files, world, left_out);
    std::vector<uint32_t> ranks;
    for (const RankFile &rank : world.ranks)
        ranks.push_back(rank.header().rank);
    world.missing = gaps(ranks, world.ranks_expected);
    return world;
}

// "0, 1, 2"
std::string list_numbers(const std::vector<uint32_t> &numbers)
{
    constexpr size_t listed = 8;
    std::string text;
    for (size_t i = 0; i < std::min(listed, numbers.size()); i++)
        text += fmt::format("{}{}", i == 0 ? "" : ", ", numbers[i]);
    return numbers.size() > listed ? text + ", ..." : text;
}

FileError nothing_usable(const std::vector<FileError> &damaged, const std::string &folder)
{
    if (damaged.size() == 1)
        return damaged.front();
    if (damaged.empty())
        return FileError{
            folder, 0, "rank files", "an empty folder", false, FileTrouble::empty_folder};
    const bool same = std::all_of(damaged.begin(), damaged.end(), [&](const FileError &error) {
        return error.trouble == damaged.front().trouble;
    });
    return FileError{folder,
                     0,
                     "rank files",
                     fmt::format("{} files, none of them readable; the first: {}", damaged.size(),
                                 describe(damaged.front())),
                     false,
                     same ? damaged.front().trouble : FileTrouble::none_readable};
}

// Worlds that the first rank of a communicator has spawned, once for each.
uint64_t spawned_worlds(const Profile &world)
{
    uint64_t count = 0;
    for (const RankFile &file : world.ranks)
        for (const CommunicatorSlot &slot : file.communicators)
            if (slot.facts.remote_size > 0 && slot.facts.rank == 0 && slot.facts.made_by != 0 &&
                file.function_name(slot.facts.made_by - 1U).starts_with("MPI_Comm_spawn"))
                count += slot.facts.created;
    return count;
}

// Those that have left no file at all have no number: they are taken for the last ones.
void note_unseen_worlds(Profile &main, const std::vector<uint32_t> &numbers)
{
    uint64_t spawned = spawned_worlds(main);
    for (const Profile &other : main.other_worlds)
        spawned += spawned_worlds(other);
    const uint32_t last = numbers.back();
    if (spawned > last && spawned <= most_worlds)
        main.missing_worlds.push_back({last + 1, static_cast<uint32_t>(spawned)});
}

}  // namespace

uint64_t Profile::missing_count() const
{
    uint64_t count = 0;
    for (const RankRange &range : missing)
        count += uint64_t{range.last} - range.first + 1;
    return count;
}

Result<Profile> merge_ranks(std::vector<Result<RankFile>> files, const std::string &folder,
                            std::optional<uint32_t> world)
{
    std::vector<std::vector<Result<RankFile>>> pieces;
    pieces.push_back(std::move(files));
    return merge_pieces(std::move(pieces), folder, world);
}

Result<Profile> merge_pieces(std::vector<std::vector<Result<RankFile>>> pieces,
                             const std::string &folder, std::optional<uint32_t> world)
{
    Profile profile;
    std::vector<RankFile> readable = take_readable(pieces, profile.damaged);
    if (readable.empty())
        return nothing_usable(profile.damaged, folder);
    keep_one_run(readable, profile);

    std::map<uint32_t, std::vector<RankFile>> worlds = by_world(std::move(readable));
    std::vector<uint32_t> numbers;
    for (const auto &[number, files_of_world] : worlds)
        numbers.push_back(number);
    const uint32_t reported = world.value_or(numbers.front());
    if (!worlds.contains(reported))
        return FileError{folder,
                         offsetof(mprof_file_header, world),
                         fmt::format("world {}", reported),
                         fmt::format("only worlds {}", list_numbers(numbers)),
                         false,
                         FileTrouble::no_such_part};
    Profile main =
        merge_world(profile.run_id, reported, std::move(worlds.at(reported)), profile.left_out);
    for (auto &[number, files_of_world] : worlds)
        if (number != reported)
            main.other_worlds.push_back(
                merge_world(profile.run_id, number, std::move(files_of_world), profile.left_out));
    main.missing_worlds = gaps(numbers, 0);
    note_unseen_worlds(main, numbers);
    main.damaged = std::move(profile.damaged);
    main.left_out = std::move(profile.left_out);
    return main;
}

}  // namespace mprof
