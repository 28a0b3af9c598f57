// Items of a ring are written in the order of their begin, so where the oldest is can be found by
// halving: from there on all begin earlier than the first one, or are empty.
#include "read/time/events_file.h"

#include "read/file_bytes.h"
#include "read/open_file.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr uint32_t most_rings = 1024;
constexpr uint64_t item_bytes = sizeof(mprof_last_call);

template <class T>
std::vector<T> read_records(const OpenFile &file, const std::string &path, uint64_t offset,
                            uint64_t count)
{
    const auto bytes = read_file_part(file, path, offset, count * sizeof(T));
    if (!bytes.ok())
        return {};
    std::vector<T> records(count);
    if (count > 0)
        std::memcpy(records.data(), bytes.value().data(), count * sizeof(T));
    return records;
}

uint64_t start_at(const OpenFile &file, const std::string &path, const EventRing &ring,
                  uint64_t number)
{
    const auto item = read_records<uint64_t>(file, path, ring.offset + number * item_bytes, 1);
    return item.empty() ? 0 : item.front();
}

void find_oldest(const OpenFile &file, const std::string &path, EventRing &ring)
{
    const uint64_t first = ring.items == 0 ? 0 : start_at(file, path, ring, 0);
    uint64_t low = 0;
    uint64_t high = ring.items;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const uint64_t start = start_at(file, path, ring, middle);
        if (start == 0 || start < first)
            high = middle;
        else
            low = middle + 1;
    }
    const bool is_full = ring.items > 0 && start_at(file, path, ring, ring.items - 1) != 0;
    ring.is_cut = is_full && low < ring.items;
    ring.oldest = ring.is_cut ? low : 0;
    if (!is_full)
        ring.items = low;
}

FileError refused(const std::string &path, uint64_t offset, const char *expected,
                  const std::string &found)
{
    return {path, offset, expected, found, true, FileTrouble::damaged};
}

}  // namespace

Result<EventsFile> open_events_file(const std::string &path)
{
    const OpenFile file(path);
    if (!file.is_regular())
        return FileError{
            path, 0, "a file of events", "none that can be read", false, FileTrouble::unreadable};
    EventsFile events;
    events.path = path;
    const auto headers = read_records<mprof_file_header>(file, path, 0, 1);
    if (headers.empty() || std::memcmp(headers[0].magic, MPROF_MAGIC, MPROF_MAGIC_BYTES) != 0 ||
        headers[0].major != MPROF_FORMAT_MAJOR || headers[0].state != MPROF_FILE_LIVE)
        return refused(path, 0, "the header of a file of events", "something else");
    events.header = headers[0];
    if (events.header.section_count > most_rings)
        return refused(path, offsetof(mprof_file_header, section_count), "at most 1024 rings",
                       fmt::format("{}", events.header.section_count));
    for (const mprof_section &section : read_records<mprof_section>(
             file, path, events.header.directory_offset, events.header.section_count)) {
        if (section.type != MPROF_SECTION_EVENTS || section.record_bytes != item_bytes)
            continue;
        if (section.offset > file.size() || section.stored_bytes > file.size() - section.offset)
            return refused(path, section.offset, "a section EVENTS inside the file",
                           fmt::format("{} bytes", section.stored_bytes));
        EventRing ring{section.number, section.offset, section.stored_bytes / item_bytes, 0, false};
        find_oldest(file, path, ring);
        events.rings.push_back(ring);
    }
    return events;
}

std::vector<mprof_last_call> read_events(const EventsFile &events, const EventRing &ring,
                                         uint64_t from, size_t most)
{
    if (from >= ring.items)
        return {};
    const uint64_t at = (ring.oldest + from) % ring.items;
    const uint64_t count = std::min<uint64_t>({most, ring.items - from, ring.items - at});
    const OpenFile file(events.path);
    return file.is_regular() ? read_records<mprof_last_call>(file, events.path,
                                                             ring.offset + at * item_bytes, count)
                             : std::vector<mprof_last_call>();
}

}  // namespace mprof
