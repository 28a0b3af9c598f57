// Work on the files of many ranks: shared by several threads, with a line on stderr that tells how
// far it is, and with memory that goes back to the system.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace mprof {

// "mprof: reading, 37%": a line on stderr for what takes longer than a second, only if stderr is a
// terminal. It goes away when the work is done.
class ProgressLine {
public:
    // `rest` is asked on another thread for what follows `doing`.
    explicit ProgressLine(std::string doing, std::function<std::string()> rest = nullptr);

private:
    std::jthread thread_;  // ends, and removes the line, when this does
};

// When memory that is free goes back to the system. The C library keeps it for later, in pieces
// that are too small for what a large run needs next.

// From now on, each piece of a megabyte or more goes back as soon as it is free. What a block of
// ranks is decompressed into leaves no holes between what is kept then. The C library would stop
// doing so after the first block.
inline void give_large_memory_back()
{
#ifdef __GLIBC__
    constexpr int large = 1 << 20;
    mallopt(M_MMAP_THRESHOLD, large);
#endif
}

// Once: all pages that are free.
inline void give_free_memory_back()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

// A number of pieces of work, done by several threads: each takes the next one off a shared
// counter. With `show_progress` work of over a second tells on stderr how far it is (only if that
// is a terminal).
struct Crowd {
    size_t workers = 1;
    bool show_progress = false;
    const char *doing = "reading";  // what the progress line says
};

// With fewer pieces per thread, a thread costs more than it saves. There are never more threads
// than CPUs that this process may use.
size_t workers_for(size_t pieces, size_t pieces_per_worker);

// `work(worker, piece)`, with `worker` below crowd.workers. It must not throw.
void work_on_all(size_t pieces, const Crowd &crowd,
                 const std::function<void(size_t worker, size_t piece)> &work);

}  // namespace mprof
