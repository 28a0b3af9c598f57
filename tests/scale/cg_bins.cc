#include "cg_bins.h"

#include <algorithm>

namespace mprof_test {
namespace {

// As many as a finished file has of a run of so many ranks (libmprof/record/time/time_bins.h).
size_t most_bins(uint32_t ranks)
{
    return ranks > 1024 ? 128 : 256;
}

}  // namespace

CgBins::CgBins(uint64_t begin_ticks, uint64_t wallclock_ns, uint32_t ranks)
    : begin_ticks_(begin_ticks), wallclock_ns_(wallclock_ns)
{
    while (wallclock_ns_ / bin_ns_ >= most_bins(ranks))
        bin_ns_ *= 2;
    bins_.resize(wallclock_ns_ / bin_ns_ + 1);
}

mprof_time_bin &CgBins::bin_at(uint64_t ns)
{
    return bins_[std::min<size_t>(bins_.size() - 1, ns / bin_ns_)];
}

void CgBins::call(const BinnedCalls &calls, uint64_t ns)
{
    mprof_time_bin &first = bin_at(now_ns_);
    first.calls += calls.calls;
    first.bytes += calls.bytes;
    for (const uint64_t end_ns = now_ns_ + ns; now_ns_ < end_ns;) {
        const size_t bin = std::min<size_t>(bins_.size() - 1, now_ns_ / bin_ns_);
        if (bin != line_bin_)
            choose_line();
        line_bin_ = bin;
        const bool is_last = bin + 1 == bins_.size();
        const uint64_t until_ns = is_last ? end_ns : std::min(end_ns, (bin + 1) * bin_ns_);
        bins_[bin].ticks[calls.time_class] += until_ns - now_ns_;
        bins_[bin].region = calls.region;
        add_line({calls.callsite, calls.function}, until_ns - now_ns_);
        now_ns_ = until_ns;
    }
}

void CgBins::add_line(Line line, uint64_t ns)
{
    const auto at = std::find_if(lines_.begin(), lines_.end(),
                                 [&](const auto &known) { return known.first == line; });
    if (at == lines_.end())
        lines_.emplace_back(line, ns);
    else
        at->second += ns;
}

// The line with most of the time in the bin that ended.
void CgBins::choose_line()
{
    const auto most =
        std::max_element(lines_.begin(), lines_.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    if (most == lines_.end())
        return;
    mprof_time_bin &bin = bins_[line_bin_];
    bin.callsite = most->first.first;
    bin.function = static_cast<uint16_t>(most->first.second + 1);
    bin.site_kiloticks = static_cast<uint32_t>(most->second / 1024 + 1);
    lines_.clear();
}

void CgBins::end_instance(size_t journal)
{
    bin_at(now_ns_).instances[journal] = ++instances_[journal];
}

void CgBins::put_into(RankFileContent &rank, uint32_t first, uint32_t second)
{
    choose_line();
    rank.time.begin_ticks = begin_ticks_;
    rank.time.bin_ticks = bin_ns_;
    rank.time.end_ticks = begin_ticks_ + wallclock_ns_;
    rank.time.bins = static_cast<uint32_t>(bins_.size());
    rank.time.communicators[0] = first;
    rank.time.communicators[1] = second;
    rank.time_bins = bins_;
}

}  // namespace mprof_test
