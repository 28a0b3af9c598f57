// Divides a sum among bins of limited room, so that nothing of it gets lost.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

namespace mprof {

using BinValues = std::vector<double>;

inline double sum_of(const BinValues &values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// In proportion to `weights`, in each bin at most its `room`. What does not fit goes where room is
// left. The rest, if the room of all bins is too small, is not given out.
inline BinValues fill_bins(double total, const BinValues &weights, const BinValues &room)
{
    BinValues filled(room.size());
    BinValues parts = weights;
    for (int turn = 0; turn < 4 && total > 0; turn++) {
        double sum = 0;
        for (size_t i = 0; i < room.size(); i++) {
            parts[i] = filled[i] < room[i] ? parts[i] : 0;
            sum += parts[i];
        }
        if (sum <= 0)
            break;
        double given = 0;
        for (size_t i = 0; i < room.size(); i++) {
            const double part = std::min(room[i] - filled[i], total * parts[i] / sum);
            filled[i] += std::max(0.0, part);
            given += std::max(0.0, part);
        }
        total -= given;
    }
    const double left = sum_of(room) - sum_of(filled);
    if (total > 0 && left > 0)
        for (size_t i = 0; i < room.size(); i++)
            filled[i] += std::min(1.0, total / left) * (room[i] - filled[i]);
    return filled;
}

// What does not fit into its bin goes to the bins before it: a call covers the time before its end.
inline BinValues fill_backwards(const BinValues &parts, const BinValues &room)
{
    BinValues filled(room.size());
    double carry = 0;
    for (size_t i = room.size(); i-- > 0;) {
        carry += i < parts.size() ? parts[i] : 0;
        filled[i] = std::clamp(carry, 0.0, room[i]);
        carry -= filled[i];
    }
    if (carry <= 0)
        return filled;
    const double left = sum_of(room) - sum_of(filled);
    if (left > 0)
        for (size_t i = 0; i < room.size(); i++)
            filled[i] += std::min(1.0, carry / left) * (room[i] - filled[i]);
    return filled;
}

}  // namespace mprof
