// Items of a ring are written in the order in which they began, so where the oldest is can be found
// by halving: from there on all begin earlier than the first one, or are empty.
#include "read/events_file.h"

#include "read/file_bytes.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace mprof {
namespace {

constexpr uint32_t most_rings = 1024;
constexpr uint64_t item_bytes = sizeof(mprof_last_call);
constexpr uint64_t most_ring_bytes = uint64_t{64} << 30U;  // of MPROF_EVENTS

template <class T>
Result<std::vector<T>> read_records(const OpenFile &file, const std::string &path, uint64_t offset,
                                    uint64_t count)
{
    const auto bytes = read_file_part(file, path, offset, count * sizeof(T));
    if (!bytes.ok())
        return bytes.error();
    std::vector<T> records(count);
    if (count > 0)
        std::memcpy(records.data(), bytes.value().data(), count * sizeof(T));
    return records;
}

uint64_t start_at(const OpenFile &file, const std::string &path, const EventRing &ring,
                  uint64_t number)
{
    const auto item = read_records<uint64_t>(file, path, ring.offset + number * item_bytes, 1);
    return item.ok() ? item.value().front() : 0;
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

FileError refused(const std::string &path, uint64_t offset, const std::string &expected,
                  const std::string &found, FileTrouble trouble = FileTrouble::damaged)
{
    return {path, offset, expected, found, true, trouble};
}

Result<mprof_file_header> read_header(const OpenFile &file, const std::string &path)
{
    const auto read = read_records<mprof_file_header>(file, path, 0, 1);
    if (!read.ok())
        return read.error();
    const mprof_file_header &header = read.value().front();
    if (std::memcmp(header.magic, MPROF_MAGIC, MPROF_MAGIC_BYTES) != 0)
        return refused(path, 0, "the header of a file of events", "something else");
    if (header.major != MPROF_FORMAT_MAJOR)
        return refused(path, offsetof(mprof_file_header, major),
                       fmt::format("format version {}.x", +MPROF_FORMAT_MAJOR),
                       fmt::format("version {}.{}", header.major, header.minor),
                       FileTrouble::newer);
    if (header.state != MPROF_FILE_LIVE)
        return refused(path, offsetof(mprof_file_header, state), "state 1 (live)",
                       fmt::format("{}", header.state));
    if (header.section_count > most_rings)
        return refused(path, offsetof(mprof_file_header, section_count),
                       fmt::format("at most {} rings", most_rings),
                       fmt::format("{}", header.section_count));
    return header;
}

// A ring is inside the file, behind the ring before it, whose end is `end`.
std::optional<FileError> problem_of(const mprof_section &section, uint64_t at, uint64_t end,
                                    const OpenFile &file, const std::string &path)
{
    if (section.record_bytes != item_bytes)
        return refused(path, at + offsetof(mprof_section, record_bytes),
                       fmt::format("items of {} bytes", item_bytes),
                       fmt::format("{}", section.record_bytes));
    if (section.stored_bytes > most_ring_bytes)
        return refused(path, at + offsetof(mprof_section, stored_bytes),
                       fmt::format("a ring of at most {} bytes", most_ring_bytes),
                       fmt::format("{}", section.stored_bytes));
    if (section.offset < end)
        return refused(path, at + offsetof(mprof_section, offset),
                       fmt::format("a ring behind {}", end), fmt::format("{}", section.offset));
    if (section.offset > file.size() || section.stored_bytes > file.size() - section.offset)
        return refused(path, at + offsetof(mprof_section, stored_bytes),
                       fmt::format("a ring inside the file of {} bytes", file.size()),
                       fmt::format("{} bytes at {}", section.stored_bytes, section.offset),
                       FileTrouble::cut_off);
    return std::nullopt;
}

// The end of the data behind which the file system has nothing but zeros, or `at`.
uint64_t data_from(const OpenFile &file, uint64_t at)
{
    const off_t data = lseek(file.fd(), static_cast<off_t>(at), SEEK_DATA);
    if (data >= 0)
        return static_cast<uint64_t>(data);
    return errno == ENXIO ? UINT64_MAX : at;
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
    const auto header = read_header(file, path);
    if (!header.ok())
        return header.error();
    events.header = header.value();
    const uint64_t directory = events.header.directory_offset;
    const auto sections =
        read_records<mprof_section>(file, path, directory, events.header.section_count);
    if (!sections.ok())
        return sections.error();
    uint64_t end = directory + sections.value().size() * sizeof(mprof_section);
    for (size_t i = 0; i < sections.value().size(); i++) {
        const mprof_section &section = sections.value()[i];
        if (section.type != MPROF_SECTION_EVENTS)
            continue;
        if (auto bad = problem_of(section, directory + i * sizeof section, end, file, path))
            return *bad;
        end = section.offset + section.stored_bytes;
        EventRing ring{section.number, section.offset, section.stored_bytes / item_bytes, 0, false};
        find_oldest(file, path, ring);
        events.rings.push_back(ring);
    }
    return events;
}

std::vector<mprof_last_call> read_events(const EventsFile &events, const EventRing &ring,
                                         uint64_t &from, size_t most)
{
    const OpenFile file(events.path);
    while (file.is_regular() && from < ring.items) {
        const uint64_t at = (ring.oldest + from) % ring.items;
        const uint64_t offset = ring.offset + at * item_bytes;
        const uint64_t data = data_from(file, offset);
        const uint64_t skipped = data > offset ? (data - offset) / item_bytes : 0;
        const uint64_t in_a_row = std::min(ring.items - from, ring.items - at);
        if (skipped > 0) {
            from += std::min(skipped, in_a_row);
            continue;
        }
        const uint64_t count = std::min<uint64_t>(most, in_a_row);
        const auto items = read_records<mprof_last_call>(file, events.path, offset, count);
        return items.ok() ? items.value() : std::vector<mprof_last_call>();
    }
    return {};
}

bool EventItems::can_be(const mprof_last_call &item) const
{
    const bool in_time = item.start_ticks >= limits_.first_ticks &&
                         item.start_ticks <= limits_.last_ticks &&
                         (is_message(item) || item.ticks <= limits_.last_ticks - item.start_ticks);
    return in_time && (is_message(item) || item.function <= limits_.functions);
}

bool EventItems::next(mprof_last_call &item)
{
    while (true) {
        if (at_ == items_.size()) {
            items_ = read_events(file_, ring_, read_, piece_items);
            read_ += items_.size();
            at_ = 0;
        }
        if (items_.empty())
            return false;
        item = items_[at_++];
        if (item.start_ticks == 0 || item.function == 0)
            continue;
        if (can_be(item))
            return true;
        dropped_++;
    }
}

void EventItems::rewind()
{
    items_.clear();
    at_ = 0;
    read_ = begin_;
    dropped_ = 0;
}

}  // namespace mprof
