// Hashes of what calls carried (mprof_result): section_readers.h. Nothing else refers to them, and
// they refer to callsites and functions, which are read before.
#include "read/record_checks.h"
#include "read/section_content.h"
#include "read/section_readers.h"

#include <fmt/format.h>

namespace mprof {
namespace {

std::optional<FileError> check_result(const mprof_result &result, const RecordPlace &place)
{
    if (auto bad = place.check_below("kind of a result", result.kind, MPROF_RESULT_KINDS))
        return bad;
    return place.check_below("function of a result", result.function,
                             place.rank.functions.size() + 1);
}

std::optional<FileError> add_results(std::span<const std::byte> bytes, const mprof_section &section,
                                     const RankFile &rank, std::vector<mprof_result> &list)
{
    auto records = read_section_records<mprof_result>(bytes, section, rank.file);
    if (!records.ok())
        return records.error();
    for (size_t i = 0; i < records.value().size(); i++) {
        mprof_result result = records.value()[i];
        if (result.kind == MPROF_RESULT_NONE)
            continue;
        auto bad = check_result(result, RecordPlace{rank, section, i});
        if (bad && rank.finished())
            return bad;
        if (bad)
            continue;
        if (find_slot(rank.callsites, result.callsite) == nullptr)
            result.callsite = 0;
        list.push_back(result);
    }
    return {};
}

}  // namespace

std::optional<FileError> read_results(std::span<const std::byte> bytes, RankFile &rank)
{
    std::vector<mprof_result> list;
    for (const mprof_section &section : rank.layout.sections) {
        if (section.type == MPROF_SECTION_RESULT_HASHES)
            if (auto bad = add_results(bytes, section, rank, list))
                return bad;
        if (section.type != MPROF_SECTION_RESULTS)
            continue;
        auto records = read_section_records<mprof_results>(bytes, section, rank.file);
        if (!records.ok())
            return records.error();
        if (!records.value().empty())
            rank.results = records.value().front();
    }
    if (rank.results && rank.results->level > 63)
        return FileError{rank.file, 0, "results of a level below 64",
                         fmt::format("{}", rank.results->level)};
    rank.result_hashes = list;
    return {};
}

}  // namespace mprof
