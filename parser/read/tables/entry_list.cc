#include "read/tables/entry_list.h"

#include <algorithm>
#include <limits>

namespace mprof {
namespace {

// FNV-1a over words: a list is looked for where its hash says, and then compared.
uint64_t hash_of(const std::vector<EntryKey> &keys)
{
    uint64_t hash = 0xcbf29ce484222325U;
    const auto add = [&](uint64_t word) { hash = (hash ^ word) * 0x100000001b3U; };
    for (const EntryKey &key : keys) {
        add(key.size);
        add(key.callsite | uint64_t{key.function} << 32U | uint64_t{key.region} << 48U);
        add(key.communicator | uint64_t{key.kind} << 16U | uint64_t{key.precision} << 24U);
    }
    return hash ^ hash >> 32U;
}

}  // namespace

void sort_entries(std::vector<mprof_entry> &entries)
{
    std::stable_sort(entries.begin(), entries.end(),
                     [](const mprof_entry &a, const mprof_entry &b) {
                         return order_of_entry(a) < order_of_entry(b);
                     });
}

SharedTable<EntryKey> KeyLists::shared(std::vector<EntryKey> keys)
{
    const size_t place = hash_of(keys) % most_lists;
    SharedTable<EntryKey> list(std::move(keys));
    const std::lock_guard lock(mutex_);
    list.share_with(lists_[place]);
    lists_[place] = list;
    return list;
}

EntryList::EntryList(const std::vector<mprof_entry> &entries, KeyLists &lists)
{
    std::vector<EntryKey> keys;
    keys.reserve(entries.size());
    values_.reserve(entries.size());
    for (const mprof_entry &entry : entries) {
        const EntryKey key = key_of_entry(entry);
        Values values;
        values.calls = static_cast<uint32_t>(entry.calls);
        values.time.ticks = entry.ticks;
        values.ends[0].ticks = entry.min_ticks;
        values.ends[1].ticks = entry.max_ticks;
        if (entry.calls > std::numeric_limits<uint32_t>::max() ||
            entry.bytes != usual_bytes(key, entry.calls)) {
            large_.push_back({entry.calls, entry.bytes});
            values.large = static_cast<uint32_t>(large_.size());
        }
        keys.push_back(key);
        values_.push_back(values);
    }
    large_.shrink_to_fit();
    keys_ = lists.shared(std::move(keys));
}

}  // namespace mprof
