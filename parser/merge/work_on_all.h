// A number of pieces of work, done by several threads: each takes the next one off a shared
// counter. With `show_progress` work of over a second tells on stderr how far it is (only if that
// is a terminal).
#pragma once

#include <cstddef>
#include <functional>

namespace mprof {

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
