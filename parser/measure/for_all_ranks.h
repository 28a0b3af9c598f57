// Does the same for each rank, on several threads where there are many ranks. What is done for a
// rank must not touch what belongs to another one; sums over ranks are made afterwards, in the
// order of the ranks, so that they do not depend on who was faster.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace mprof {

// For ranks from `first` to before `end`; a thread takes `block` of them at once.
void for_blocks_of_ranks(size_t ranks, const std::function<void(size_t first, size_t end)> &work,
                         size_t block = 256);

template <class Work>
void for_all_ranks(size_t ranks, Work work, size_t block = 256)
{
    for_blocks_of_ranks(
        ranks,
        [&](size_t first, size_t end) {
            for (size_t rank = first; rank < end; rank++)
                work(rank);
        },
        block);
}

// Two pieces of work, at the same time where there are many ranks. Neither may change what the
// other one reads.
void do_both(size_t ranks, const std::function<void()> &first, const std::function<void()> &second);

// `make(rank)` on several threads, `batch` ranks at a time, then `use(rank, value)` on this one, in
// the order of the ranks. The values of a batch are in memory at once.
template <class Make, class Use>
void make_for_all_ranks(size_t ranks, Make make, Use use, size_t batch = 4096, size_t block = 256)
{
    std::vector<decltype(make(size_t{0}))> values(std::min(ranks, batch));
    for (size_t first = 0; first < ranks; first += batch) {
        const size_t count = std::min(batch, ranks - first);
        for_all_ranks(
            count, [&](size_t i) { values[i] = make(first + i); }, block);
        for (size_t i = 0; i < count; i++)
            use(first + i, values[i]);
    }
}

}  // namespace mprof
