// Memory may run out on any thread. Then the one that waits for all of them tells.
#include "measure/for_all_ranks.h"

#include "merge/work_on_all.h"

#include <algorithm>
#include <exception>
#include <mutex>

namespace mprof {

void for_blocks_of_ranks(size_t ranks, const std::function<void(size_t first, size_t end)> &work,
                         size_t block)
{
    if (ranks <= block)
        return work(0, ranks);
    const size_t blocks = (ranks + block - 1) / block;
    std::exception_ptr problem;
    std::mutex mutex;
    const auto work_guarded = [&](size_t /*worker*/, size_t number) {
        try {
            work(number * block, std::min(ranks, (number + 1) * block));
        } catch (...) {
            const std::lock_guard lock(mutex);
            problem = std::current_exception();
        }
    };
    work_on_all(blocks, {workers_for(blocks, 2), false}, work_guarded);
    if (problem)
        std::rethrow_exception(problem);
}

void do_both(size_t ranks, const std::function<void()> &first, const std::function<void()> &second)
{
    constexpr size_t many_ranks = 4096;
    if (ranks < many_ranks) {
        first();
        second();
        return;
    }
    const auto work = [&](size_t piece, size_t) { piece == 0 ? first() : second(); };
    for_blocks_of_ranks(2, work, 1);
}

}  // namespace mprof
