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

}  // namespace mprof
