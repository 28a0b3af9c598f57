// Values by a number of up to 64 bits, of which many neighbours or few are used: sums by rank, or
// by the distance of ranks. Pages of values are made when one of them is asked for. With a million
// ranks a std::map takes six times the memory and ten times the time.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace mprof {

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
