// Finds profiles, keeps verdicts and makes the list (profile_list.h). The search is one by names:
// nothing is opened but folders, and then a file of each profile.
#include "list/profile_list.h"

#include "measure/clocks.h"
#include "merge/merged_file.h"
#include "merge/profile.h"
#include "read/file_bytes.h"
#include "report/derived_figures.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

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

namespace {

// The first rank that can be read of a profile folder, rank file, node file or merged file, as
// read_rank_head() reads it. An error if none of the first few files can be.
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

}  // namespace

// A line is: files, bytes, time of change, class, canonical path, with tabs between. A path with a
// control character is not kept. The whole file is written anew each time: it has at most some
// hundred kilobytes, and homes on clusters are short of files rather than of bytes.

namespace {

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

// A row per profile: first what its head says, then what the user asked for.

namespace {

constexpr uint64_t ns_of_s = 1'000'000'000;

struct TroubleWord {
    FileTrouble trouble;
    const char *word;
};
constexpr std::array trouble_words = {
    TroubleWord{FileTrouble::unreadable, "not readable"},
    TroubleWord{FileTrouble::elsewhere, "on its node"},
    TroubleWord{FileTrouble::other_kind, "no profile"},
    TroubleWord{FileTrouble::empty_file, "empty"},
    TroubleWord{FileTrouble::cut_off, "cut off"},
    TroubleWord{FileTrouble::newer, "other version"},
    TroubleWord{FileTrouble::too_large, "too large"},
};

std::string word_of(FileTrouble trouble)
{
    for (const TroubleWord &row : trouble_words)
        if (row.trouble == trouble)
            return row.word;
    return "damaged";
}

int64_t changed_s(const std::string &path)
{
    struct stat facts = {};
    return stat(path.c_str(), &facts) == 0 ? int64_t{facts.st_mtim.tv_sec} : 0;
}

ListedState state_of(const RankFile &head, const ListFacts &facts)
{
    if (head.run.end == MPROF_END_ABORT)
        return ListedState::aborted;
    if (head.run.end == MPROF_END_EXIT)
        return ListedState::exited;
    if (head.finished())
        return ListedState::finished;
    const std::optional<bool> is_running = facts.is_running(head);
    if (is_running && *is_running)
        return ListedState::running;
    // mprof run notes the end of a job that it saw end.
    const bool is_ended = is_running || head.run.stop_realtime_ns != 0;
    return is_ended ? ListedState::killed : ListedState::unfinished;
}

std::optional<double> wallclock_of(const RankFile &head, ListedState state, int64_t now_s)
{
    const auto start_s = static_cast<double>(head.run.start_realtime_ns) / double{ns_of_s};
    if (state == ListedState::running)
        return std::max(0.0, static_cast<double>(now_s) - start_s);
    const TickClock clock(head.clock);
    double seconds = clock.latest_s();
    for (const ThreadRecord &thread : head.threads)
        seconds = std::max(seconds, clock.seconds_at(thread.facts.ticks));
    if (!head.finished() && head.run.stop_realtime_ns > head.run.start_realtime_ns)
        seconds = std::max(seconds,
                           seconds_of_ns(head.run.stop_realtime_ns - head.run.start_realtime_ns));
    return clock.known() || seconds > 0 ? std::optional(seconds) : std::nullopt;
}

// The first rank has it. What else a file says there is not believed.
std::string summary_of(const RankFile &head)
{
    constexpr size_t most_letters = 16;  // "MPI 100%"
    const std::string &words = head.text("summary");
    const bool is_plain =
        words.size() <= most_letters &&
        std::all_of(words.begin(), words.end(), [](char c) { return c >= ' ' && c <= '~'; });
    return is_plain ? words : "";
}

ListedProfile row_of(const std::string &path, const ListFacts &facts)
{
    ListedProfile row;
    row.path = path;
    const auto read = read_profile_head(path);
    if (!read.ok()) {
        row.state = ListedState::unreadable;
        row.problem = word_of(read.error().trouble);
        row.start_s = changed_s(path);
        return row;
    }
    const RankFile &head = read.value();
    row.start_s = static_cast<int64_t>(head.run.start_realtime_ns / ns_of_s);
    row.program = program_name(head.text("command"));
    row.ranks = head.header().ranks;
    row.summary = summary_of(head);
    row.state = state_of(head, facts);
    row.wallclock_s = wallclock_of(head, row.state, facts.now_s);
    return row;
}

bool is_wanted(const ListedProfile &row, const ListWish &wish)
{
    return (!wish.since_s || row.start_s >= *wish.since_s) &&
           (!wish.until_s || row.start_s < *wish.until_s) &&
           (wish.program.empty() || row.program == wish.program);
}

}  // namespace

std::string ListedProfile::verdict_word() const
{
    if (state == ListedState::unreadable)
        return problem;
    if (state == ListedState::running || state == ListedState::killed)
        return text_of(state);
    if (verdict)
        return text_of(*verdict);
    if (state == ListedState::aborted || state == ListedState::exited)
        return text_of(state);
    return summary.empty() ? "-" : summary;
}

Result<ProfileList> list_runs(const std::string &folder, const ListWish &wish,
                              const ListFacts &facts)
{
    const auto found = find_profiles(folder);
    if (!found.ok())
        return found.error();
    ProfileList list;
    list.version = MPROF_VERSION;
    list.folder = folder;
    list.found = found.value().paths.size();
    list.closed_folders = found.value().closed_folders;
    list.has_deeper = found.value().has_deeper;
    for (const std::string &path : found.value().paths)
        if (ListedProfile row = row_of(path, facts); is_wanted(row, wish))
            list.profiles.push_back(std::move(row));
    std::sort(list.profiles.begin(), list.profiles.end(),
              [](const ListedProfile &a, const ListedProfile &b) {
                  return std::tie(b.start_s, a.path) < std::tie(a.start_s, b.path);
              });
    list.fitting = list.profiles.size();
    list.profiles.resize(std::min(list.profiles.size(), wish.limit.value_or(SIZE_MAX)));
    for (ListedProfile &row : list.profiles)
        if (row.state != ListedState::unreadable)
            row.verdict = facts.verdicts.find(row.path);
    return list;
}

}  // namespace mprof
