// libFuzzer target: a file of single calls. It is refused in words, or read to its end: no ring has
// more items than the file, and messages without a call do not gather.
#include "fuzz_input.h"

#include "read/events_file.h"
#include "trace/trace.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    using namespace mprof;
    const mprof_fuzz::InputFile input(mprof_fuzz::as_bytes(data, size));
    const auto file = open_events_file(input.path());
    if (!file.ok()) {
        mprof_fuzz::expect_printable(describe(file.error()));
        return 0;
    }
    uint64_t read = 0;
    for (const EventRing &ring : file.value().rings) {
        EventItems items(file.value(), ring, {1, UINT64_MAX / 2, 100});
        MessagesOfCall messages;
        for (mprof_last_call item; items.next(item); read++) {
            if (is_message(item))
                messages.add(item);
            else if (messages.take(item.start_ticks).size() > MessagesOfCall::most)
                std::abort();
        }
    }
    if (read > size / sizeof(mprof_last_call))
        std::abort();
    return 0;
}
