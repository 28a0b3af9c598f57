// A file of single calls (MPROF_EVENTS): a live file whose sections are rings of calls and
// messages. It can be larger than memory, so it is read piece by piece. It trusts nothing in it:
// records that cannot be are left to the caller, who knows the rank file.
#pragma once

#include "mprof/format/format.h"
#include "read/file_result.h"

#include <cstdint>
#include <string>
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
// now.
std::vector<mprof_last_call> read_events(const EventsFile &events, const EventRing &ring,
                                         uint64_t from, size_t most);

inline bool is_message(const mprof_last_call &item)
{
    return item.function == MPROF_MESSAGE_SENT || item.function == MPROF_MESSAGE_RECEIVED;
}

}  // namespace mprof
