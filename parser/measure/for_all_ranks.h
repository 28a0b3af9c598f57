// What work over many ranks needs: doing the same for each of them, and tables of values by rank.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace mprof {

// ---- the same for each rank ---------------------------------------------------------------------

// Does the same for each rank, on several threads where there are many ranks. What is done for a
// rank must not touch what belongs to another one; sums over ranks are made afterwards, in the
// order of the ranks, so that they do not depend on who was faster.

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

// ---- values by number ---------------------------------------------------------------------------

// Values by a number of up to 64 bits, of which many neighbours or few are used: sums by rank, or
// by the distance of ranks. Pages of values are made when one of them is asked for. With a million
// ranks a std::map takes six times the memory and ten times the time.

template <class Value>
class PagedTable {
public:
    Value &operator[](uint64_t number)
    {
        const uint64_t of_page = number / page_values;
        if (last_ == nullptr || of_page != last_number_) {
            std::unique_ptr<Page> &page = pages_[of_page];
            if (!page)
                page = std::make_unique<Page>();
            last_ = page.get();
            last_number_ = of_page;
        }
        last_->used.set(number % page_values);
        return last_->values[number % page_values];
    }

    // Those that were asked for, by number.
    template <class Use>
    void for_each(Use use) const
    {
        std::vector<uint64_t> numbers;
        numbers.reserve(pages_.size());
        for (const auto &[number, page] : pages_)
            numbers.push_back(number);
        std::sort(numbers.begin(), numbers.end());
        for (const uint64_t number : numbers) {
            const Page &page = *pages_.at(number);
            for (size_t i = 0; i < page_values; i++)
                if (page.used.test(i))
                    use(number * page_values + i, page.values[i]);
        }
    }

private:
    static constexpr size_t page_values = 32;
    struct Page {
        std::array<Value, page_values> values{};
        std::bitset<page_values> used;
    };

    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
    Page *last_ = nullptr;
    uint64_t last_number_ = 0;
};

}  // namespace mprof
