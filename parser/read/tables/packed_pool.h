// Memory for packed tables of many ranks that are given up together. Tables that are freed one by
// one leave holes between what is kept, and nothing else fits into them.
//
// Of one thread. What was taken is valid until the pool goes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace mprof {

class PackedPool {
public:
    uint8_t *take(size_t bytes)
    {
        if (bytes > left_) {
            left_ = std::max(bytes, piece_bytes);
            pieces_.push_back(std::make_unique_for_overwrite<uint8_t[]>(left_));
            next_ = pieces_.back().get();
        }
        uint8_t *taken = next_;
        next_ += bytes;
        left_ -= bytes;
        return taken;
    }

private:
    static constexpr size_t piece_bytes = size_t{1} << 20U;  // goes back to the system when freed

    std::vector<std::unique_ptr<uint8_t[]>> pieces_;
    uint8_t *next_ = nullptr;
    size_t left_ = 0;
};

}  // namespace mprof
