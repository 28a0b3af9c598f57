// A file of single calls (MPROF_EVENTS): a live file whose sections are rings of calls and
// messages. It can be larger than memory, so it is read piece by piece, and it trusts nothing in
// it.
#pragma once

#include "mprof/format/format.h"
#include "read/file_result.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mprof {

struct EventRing {
    uint32_t thread = 0;  // number of the thread's record
    uint64_t offset = 0;  // in the file
    uint64_t items = 0;   // that are in use, in order of time from `oldest` on, around the end
    uint64_t oldest = 0;
    bool is_cut = false;  // earlier items were overwritten
};

struct EventsFile {
    std::string path;
    mprof_file_header header{};
    std::vector<EventRing> rings;
};

// Looks at header, directory, and where each ring begins.
Result<EventsFile> open_events_file(const std::string &path);

// The items of a ring from the `from`th oldest on, at most `most`; fewer if the file is shorter
// now. Where the file has no data (a sparse one), `from` goes to where it has.
std::vector<mprof_last_call> read_events(const EventsFile &events, const EventRing &ring,
                                         uint64_t &from, size_t most);

inline bool is_message(const mprof_last_call &item)
{
    return item.function == MPROF_MESSAGE_SENT || item.function == MPROF_MESSAGE_RECEIVED;
}

// What an item can be, by its rank file.
struct EventLimits {
    uint64_t first_ticks = 1, last_ticks = UINT64_MAX;
    uint64_t functions = 0;
};

// The calls and messages of a ring one by one: the only place that reads items. Empty ones are
// passed over; those that cannot be are counted.
class EventItems {
public:
    EventItems(EventsFile file, EventRing ring, EventLimits wanted, uint64_t from = 0)
        : file_(std::move(file)), ring_(ring), limits_(wanted), begin_(from), read_(from)
    {
    }
    bool next(mprof_last_call &item);  // false: there are no more
    void rewind();
    uint64_t dropped() const { return dropped_; }  // since the start

private:
    static constexpr size_t piece_items = 2048;
    bool can_be(const mprof_last_call &item) const;

    EventsFile file_;
    EventRing ring_;
    EventLimits limits_;
    uint64_t begin_;
    std::vector<mprof_last_call> items_;
    size_t at_ = 0;  // in `items_`
    uint64_t read_;  // of the ring
    uint64_t dropped_ = 0;
};

}  // namespace mprof
