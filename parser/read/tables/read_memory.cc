// Only of finished files do the bytes tell that the tables are the same.
#include "read/tables/read_memory.h"

#include <algorithm>
#include <cstring>

namespace mprof {
namespace {

using Bytes = std::span<const std::byte>;

bool is_of_program(const mprof_section &section)
{
    static constexpr uint32_t types[] = {MPROF_SECTION_FUNCTIONS, MPROF_SECTION_MODULES,
                                         MPROF_SECTION_SCRIPTS, MPROF_SECTION_CALLSITES,
                                         MPROF_SECTION_OPERATIONS};
    return std::find(std::begin(types), std::end(types), section.type) != std::end(types);
}

bool is_same(const mprof_section &a, Bytes of_a, const mprof_section &b, Bytes of_b)
{
    return a.type == b.type && a.number == b.number && a.record_bytes == b.record_bytes &&
           a.stored_bytes == b.stored_bytes && a.form == b.form &&
           (a.stored_bytes == 0 ||
            std::memcmp(of_a.data() + a.offset, of_b.data() + b.offset, a.stored_bytes) == 0);
}

}  // namespace

bool KnownTables::give_to(RankFile &rank, Bytes bytes) const
{
    if (!rank.finished() || sections_.empty() || rank.header().minor != minor_)
        return false;
    auto known = sections_.begin();
    for (const mprof_section &section : rank.layout.sections) {
        if (!is_of_program(section))
            continue;
        if (known == sections_.end() || !is_same(*known, bytes_, section, bytes))
            return false;
        ++known;
    }
    if (known != sections_.end())
        return false;
    rank.functions = functions_;
    rank.callsites = callsites_;
    rank.modules = modules_;
    rank.scripts = scripts_;
    rank.operations = operations_;
    return true;
}

void KnownTables::keep(const RankFile &rank, Bytes bytes)
{
    sections_.clear();
    bytes_.clear();
    if (!rank.finished())
        return;
    for (mprof_section section : rank.layout.sections) {
        if (!is_of_program(section))
            continue;
        const Bytes content = bytes.subspan(section.offset, section.stored_bytes);
        section.offset = bytes_.size();
        bytes_.insert(bytes_.end(), content.begin(), content.end());
        sections_.push_back(section);
    }
    minor_ = rank.header().minor;
    functions_ = rank.functions;
    callsites_ = rank.callsites;
    modules_ = rank.modules;
    scripts_ = rank.scripts;
    operations_ = rank.operations;
}

}  // namespace mprof
