// Reads what a rank kept of its run over time (record_checks.h): journals with the instances that
// they kept, and bins of time.
//
// The cost of the instances is one hash per instance and thinning, 1 s for 10^9 collectives.
#include "read/journals.h"

#include "read/file_layout.h"
#include "read/record_checks.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace mprof {

namespace {

constexpr uint64_t most_instances = uint64_t{1} << 32;
constexpr uint32_t most_thinning = 62;

size_t items_of(const RankFile &rank)
{
    size_t items = 0;
    for (const JournalRecord &journal : rank.journals)
        items += journal.items.size();
    return items;
}

}  // namespace

size_t KeptInstances::count(uint64_t instances, size_t limit)
{
    while (next_ < instances && numbers_.size() <= limit) {
        if (mprof_journal_keeps(next_, thinning_) != 0)
            numbers_.push_back(next_);
        next_++;
    }
    return listed_of(instances);
}

size_t KeptInstances::listed_of(uint64_t instances) const
{
    return static_cast<size_t>(std::lower_bound(numbers_.begin(), numbers_.end(), instances) -
                               numbers_.begin());
}

bool is_usable(const JournalRecord &journal, KeptByThinning &kept)
{
    constexpr uint64_t chance = 64;  // how many items more or less than the mean are possible
    const size_t items = journal.items.size();
    const uint64_t mean = journal.facts.instances >> journal.facts.thinning;
    if (items == 0 || journal.facts.instances > most_instances || mean > 2 * items + chance)
        return false;
    const size_t expected = kept.of(journal.facts.thinning).count(journal.facts.instances, items);
    return items == expected || items == expected + 1;
}

std::vector<uint32_t> thinned_items(const JournalRecord &journal, uint32_t thinning,
                                    KeptByThinning &kept)
{
    const std::vector<uint32_t> &items = journal.items;
    KeptInstances &numbers = kept.of(journal.facts.thinning);
    const size_t count =
        std::min(items.size(), numbers.count(journal.facts.instances, items.size()));
    std::vector<uint32_t> left;
    for (size_t i = 0; i < count; i++)
        if (mprof_journal_keeps(numbers[i], thinning) != 0)
            left.push_back(items[i]);
    return left;
}

void thin_journals(RankFile &rank, size_t most_items, KeptByThinning &kept)
{
    while (items_of(rank) > most_items) {
        const auto longest = std::max_element(
            rank.journals.begin(), rank.journals.end(),
            [](const auto &a, const auto &b) { return a.items.size() < b.items.size(); });
        const uint32_t thinning = longest->facts.thinning + 1;
        if (thinning > most_thinning || !is_usable(*longest, kept)) {
            std::vector<uint32_t>().swap(longest->items);  // nobody can line it up
            continue;
        }
        longest->items = thinned_items(*longest, thinning, kept);
        longest->items.shrink_to_fit();
        longest->facts.thinning = thinning;
        longest->facts.items = static_cast<uint32_t>(longest->items.size());
    }
}

// A JOURNALS section is a journal's record, room for its items, the next journal's record and so
// on. A live file has several such sections, each with room for one or more; behind the last
// journal in use there may be zeros.
namespace {

using Bytes = std::span<const std::byte>;
using Problem = std::optional<FileError>;

// Reads one journal off the front of `rest`. In a live file it may be incomplete: then `rest` ends.
Problem read_journal(Bytes &rest, RankFile &rank, const RecordPlace &place)
{
    JournalRecord journal;
    // Another minor version may have a longer record, or a shorter one.
    const size_t record_bytes =
        std::max<size_t>(place.section.record_bytes, offsetof(mprof_journal, instances));
    Problem bad;
    if (rest.size() < record_bytes) {
        bad = place.error(fmt::format("{} bytes", record_bytes), fmt::format("{}", rest.size()));
    } else {
        std::memcpy(&journal.facts, rest.data(), std::min(record_bytes, sizeof journal.facts));
        rest = rest.subspan(record_bytes);
        bad = check_record(journal.facts, place);
    }
    const uint64_t room = uint64_t{journal.facts.capacity} * sizeof(uint32_t);
    if (!bad && room > rest.size())
        bad = place.error(fmt::format("room for {} items", journal.facts.capacity),
                          fmt::format("{} bytes", rest.size()));
    if (bad) {
        rest = {};
        return rank.finished() ? bad : Problem();
    }
    journal.items.resize(journal.facts.items);
    if (!journal.items.empty())
        std::memcpy(journal.items.data(), rest.data(), journal.items.size() * sizeof(uint32_t));
    rest = rest.subspan(room);
    if (journal.facts.communicator != MPROF_COMM_SLOT_NONE)
        rank.journals.push_back(std::move(journal));
    return {};
}

// A live file may hold two journals of a communicator while one is being moved. The one with more
// instances is used.
Problem keep_one_per_communicator(RankFile &rank)
{
    auto &journals = rank.journals;
    std::stable_sort(journals.begin(), journals.end(),
                     [](const JournalRecord &a, const JournalRecord &b) {
                         return std::pair(a.facts.communicator, b.facts.instances) <
                                std::pair(b.facts.communicator, a.facts.instances);
                     });
    const auto twice = std::unique(journals.begin(), journals.end(),
                                   [](const JournalRecord &a, const JournalRecord &b) {
                                       return a.facts.communicator == b.facts.communicator;
                                   });
    if (twice != journals.end() && rank.finished())
        return FileError{rank.file, rank.header().directory_offset, "one journal per communicator",
                         "two"};
    journals.erase(twice, journals.end());
    return {};
}

}  // namespace

Problem read_journals(Bytes bytes, RankFile &rank)
{
    for (const mprof_section &section : rank.layout.sections) {
        if (section.type != MPROF_SECTION_JOURNALS)
            continue;
        const auto content = read_section_content(bytes, section, rank.file);
        if (!content.ok())
            return content.error();
        Bytes rest = content.value().bytes;
        for (size_t number = 0; !rest.empty(); number++)
            if (auto bad = read_journal(rest, rank, RecordPlace{rank, section, number}))
                return bad;
    }
    return keep_one_per_communicator(rank);
}

// The two sections belong together: without a sound mprof_time no bin has a place in time. A LIVE
// file may be seen while bins are added together; what does not fit then is left out, all of it,
// because half of the bins would tell a wrong story.

namespace {

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
