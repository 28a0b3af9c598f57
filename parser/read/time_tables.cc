// The two sections belong together: without a sound mprof_time no bin has a place in time. A LIVE
// file may be seen while bins are added together; what does not fit then is left out, all of it,
// because half of the bins would tell a wrong story.
#include "read/record_checks.h"
#include "read/section_content.h"
#include "read/section_readers.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

using Bytes = std::span<const std::byte>;
using Problem = std::optional<FileError>;

const mprof_section *find_section(const RankFile &rank, uint32_t type)
{
    const auto &sections = rank.layout.sections;
    const auto found = std::find_if(sections.begin(), sections.end(),
                                    [&](const auto &section) { return section.type == type; });
    return found == sections.end() ? nullptr : &*found;
}

// A communicator that was counted may be missing in a live file: then its journal is not used.
Problem settle_communicators(mprof_time &time, const RecordPlace &place)
{
    for (uint32_t &slot : time.communicators) {
        if (slot == MPROF_COMM_SLOT_NONE || find_slot(place.rank.communicators, slot) != nullptr)
            continue;
        if (place.rank.finished())
            return place.error("a communicator that is there", fmt::format("slot {}", slot));
        slot = MPROF_COMM_SLOT_NONE;
    }
    return {};
}

// The last bin must end within 64 bits.
Problem check_length(const mprof_time &time, size_t records, const RecordPlace &place)
{
    if (time.bins > records)
        return place.error(fmt::format("at most {} bins", records), fmt::format("{}", time.bins));
    if (time.bins > 0 && time.bin_ticks == 0)
        return place.error("bins that have a length", "0 ticks");
    if (time.bins > 0 && time.bin_ticks > (UINT64_MAX - time.begin_ticks) / time.bins)
        return place.error("bins that end below 2^64 ticks",
                           fmt::format("{} of {}", time.bins, time.bin_ticks));
    return {};
}

// A sum of neighbours; the positions in the journals are those of the later one.
mprof_time_bin sum_of(const mprof_time_bin &first, const mprof_time_bin &second)
{
    mprof_time_bin sum = first.site_kiloticks >= second.site_kiloticks ? first : second;
    for (size_t i = 0; i < MPROF_TIME_CLASSES; i++)
        sum.ticks[i] = first.ticks[i] + second.ticks[i];
    sum.calls = first.calls + second.calls;
    sum.bytes = first.bytes + second.bytes;
    sum.queue_ns = first.queue_ns + second.queue_ns;
    sum.blocked_ns = first.blocked_ns + second.blocked_ns;
    for (size_t i = 0; i < MPROF_GPU_STATES; i++)
        sum.gpu_ticks[i] = first.gpu_ticks[i] + second.gpu_ticks[i];
    sum.read_bytes = first.read_bytes + second.read_bytes;
    sum.written_bytes = first.written_bytes + second.written_bytes;
    for (size_t i = 0; i < MPROF_TIME_JOURNALS; i++)
        sum.instances[i] = std::max(first.instances[i], second.instances[i]);
    const bool same = first.callsite == second.callsite && first.function == second.function;
    const uint64_t kiloticks = uint64_t{first.site_kiloticks} + second.site_kiloticks;
    if (same)
        sum.site_kiloticks = static_cast<uint32_t>(std::min<uint64_t>(kiloticks, UINT32_MAX));
    sum.region = second.calls > 0 ? second.region : first.region;
    return sum;
}

// Adds neighbours together.
void thin(std::vector<mprof_time_bin> &bins, mprof_time &time, size_t most_bins)
{
    while (bins.size() > most_bins && time.bin_ticks <= UINT64_MAX / 2) {
        for (size_t i = 0; i < bins.size(); i += 2)
            bins[i / 2] = i + 1 < bins.size() ? sum_of(bins[i], bins[i + 1]) : bins[i];
        bins.resize((bins.size() + 1) / 2);
        time.bin_ticks *= 2;
        time.bins = static_cast<uint32_t>(bins.size());
    }
}

Problem read_bins(Bytes bytes, const mprof_section &section, RankFile &rank, size_t most_bins)
{
    auto records = read_section_records<mprof_time_bin>(bytes, section, rank.file);
    if (!records.ok())
        return records.error();
    std::vector<mprof_time_bin> &bins = records.value();
    if (auto bad = check_length(rank.time, bins.size(), RecordPlace{rank, section, 0}))
        return bad;
    bins.resize(rank.time.bins);
    for (size_t i = 0; i < bins.size(); i++) {
        const RecordPlace place{rank, section, i};
        if (auto bad = check_record(bins[i], place))
            return bad;
        if (auto bad = settle_callsites(bins[i], place))
            return bad;
    }
    thin(bins, rank.time, most_bins);
    rank.time_bins = bins;
    return {};
}

Problem read_both(Bytes bytes, RankFile &rank, size_t most_bins)
{
    const mprof_section *time = find_section(rank, MPROF_SECTION_TIME);
    const mprof_section *bins = find_section(rank, MPROF_SECTION_TIME_BINS);
    if (time == nullptr || bins == nullptr)
        return {};
    auto records = read_section_records<mprof_time>(bytes, *time, rank.file);
    if (!records.ok())
        return records.error();
    const RecordPlace place{rank, *time, 0};
    if (records.value().size() != 1)
        return place.error("one record", fmt::format("{}", records.value().size()));
    rank.time = records.value().front();
    if (auto bad = settle_communicators(rank.time, place))
        return bad;
    return read_bins(bytes, *bins, rank, most_bins);
}

}  // namespace

Problem read_time(Bytes bytes, RankFile &rank, size_t most_bins)
{
    auto bad = read_both(bytes, rank, most_bins);
    if (!bad)
        return {};
    rank.time = {};
    rank.time_bins.clear();
    return rank.finished() ? bad : Problem();
}

void thin_time_bins(RankFile &rank, size_t most_bins)
{
    if (rank.time_bins.size() <= most_bins)
        return;
    std::vector<mprof_time_bin> bins = rank.time_bins.all();
    thin(bins, rank.time, most_bins);
    rank.time_bins = bins;
}

}  // namespace mprof
