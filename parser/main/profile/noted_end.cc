// A script may go on for long after the program that it started. So the program has to be the one
// that stands behind the launchers of the command (noted_end.h).
#include "main/profile/noted_end.h"

#include "check/find_program.h"
#include "main/observe_run.h"
#include "merge/folder_reader.h"
#include "merge/merged_file.h"
#include "merge/profile_files.h"
#include "mprof/format/format.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <thread>
#include <unistd.h>

namespace mprof {
namespace {

template <class Record>
bool read_at(int file, uint64_t offset, Record &record)
{
    return pread(file, &record, sizeof record, static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(sizeof record);
}

// Where the mprof_run of a live rank file is that begins at `begin`; nothing if it is none.
std::optional<uint64_t> place_of_run(int file, uint64_t begin)
{
    mprof_file_header header;
    if (!read_at(file, begin, header) ||
        std::memcmp(header.magic, MPROF_MAGIC, MPROF_MAGIC_BYTES) != 0 ||
        header.major != MPROF_FORMAT_MAJOR || header.state != MPROF_FILE_LIVE)
        return std::nullopt;
    for (uint32_t i = 0; i < header.section_count; i++) {
        mprof_section section;
        if (!read_at(file, begin + header.directory_offset + i * sizeof section, section))
            return std::nullopt;
        if (section.type == MPROF_SECTION_RUN)
            return begin + section.offset;
    }
    return std::nullopt;
}

void note_in_record(int file, uint64_t begin, uint64_t end_ns)
{
    mprof_run run;
    const std::optional<uint64_t> place = place_of_run(file, begin);
    if (!place || !read_at(file, *place, run) || run.end != MPROF_END_NONE)
        return;
    run.stop_realtime_ns = end_ns;
    const uint64_t at = *place + offsetof(mprof_run, stop_realtime_ns);
    (void)!pwrite(file, &run.stop_realtime_ns, sizeof run.stop_realtime_ns, static_cast<off_t>(at));
}

void note_in_file(const std::string &path, uint64_t end_ns)
{
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return;
    const OpenFile opened(path);
    const auto parts = read_node_parts(opened, path);
    if (parts.ok())
        for (const NodePart &part : parts.value())
            note_in_record(file, part.offset, end_ns);
    else
        note_in_record(file, 0, end_ns);
    close(file);
}

bool is_unfinished(const RankFile &file)
{
    return !file.finished() && file.run.end == MPROF_END_NONE;
}

// A launcher that is ended may be gone before its ranks are.
bool is_still_running(const Profile &profile)
{
    constexpr int looks = 50;
    constexpr auto between = std::chrono::milliseconds(20);
    for (int i = 0; i < looks; i++) {
        if (!observe_run_here(profile).running)
            return false;
        std::this_thread::sleep_for(between);
    }
    return true;
}

// The ranks that did not finish ran this program, here, and none of them is left.
bool ended_with_command(const Profile &profile, const std::string &program)
{
    std::error_code error;
    const std::string path = std::filesystem::canonical(program, error).native();
    char host[256] = "";
    if (error || gethostname(host, sizeof host - 1) != 0)
        return false;
    return std::any_of(profile.ranks.begin(), profile.ranks.end(), is_unfinished) &&
           std::all_of(profile.ranks.begin(), profile.ranks.end(),
                       [&](const RankFile &file) {
                           return !is_unfinished(file) ||
                                  (file.text("executable") == path && file.text("host") == host);
                       }) &&
           !is_still_running(profile);
}

}  // namespace

void note_end_of_job(const std::string &profile, const std::vector<std::string> &command,
                     uint64_t end_ns)
{
    const auto files = profile_files(profile);
    const auto read = read_profile(profile, false, std::nullopt);
    if (!files.ok() || !read.ok() ||
        !ended_with_command(read.value(), find_behind_launchers(command).path))
        return;
    for (const std::string &file : files.value())
        note_in_file(file, end_ns);
}

}  // namespace mprof
