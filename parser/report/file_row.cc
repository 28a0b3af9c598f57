// Figures of a file that follow from others (file_row.h).
#include "report/file_row.h"

namespace mprof {

std::optional<uint64_t> FileRow::mean_bytes() const
{
    return calls() == 0 ? std::nullopt : std::optional(bytes() / calls());
}

std::optional<double> FileRow::collective_percent() const
{
    if (calls() == 0)
        return {};
    return 100 * static_cast<double>(reads.collective_calls + writes.collective_calls) /
           static_cast<double>(calls());
}

std::optional<double> FileRow::rate() const
{
    return longest_move_s > 0 ? std::optional(static_cast<double>(bytes()) / longest_move_s)
                              : std::nullopt;
}

std::optional<double> FileRow::rank_rate() const
{
    return move_s() > 0 ? std::optional(static_cast<double>(bytes()) / move_s()) : std::nullopt;
}

}  // namespace mprof
