// A row per file that the program opened with MPI, by name and how it was opened, over all ranks
// and communicators. A program that writes a file per rank, or per step, has many whose names
// differ in numbers alone. They are one row, so that the list stays short.
#include "analyse/analysis_parts.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

namespace mprof {
namespace {

constexpr uint64_t most_alike = 8;  // files are listed one by one

struct ModeWord {
    uint32_t mode;
    const char *word;
};
constexpr ModeWord mode_words[] = {
    {MPROF_MODE_READ, "read"},          {MPROF_MODE_WRITE, "write"},
    {MPROF_MODE_CREATE, "create"},      {MPROF_MODE_EXCL, "new"},
    {MPROF_MODE_APPEND, "append"},      {MPROF_MODE_SEQUENTIAL, "sequential"},
    {MPROF_MODE_UNIQUE_OPEN, "unique"}, {MPROF_MODE_DELETE_ON_CLOSE, "deleted on close"},
};

std::string mode_text(uint32_t mode)
{
    std::string text;
    for (const ModeWord &known : mode_words)
        if ((mode & known.mode) != 0)
            text += (text.empty() ? "" : ", ") + std::string(known.word);
    return text;
}

using FileKey = std::pair<std::string, uint32_t>;  // name, mode

struct FileSum {
    FileRow row;
    std::set<std::string> names;
    std::map<uint32_t, double> move_s;  // by rank
    std::set<uint32_t> ranks;
};

// One rank's part of the analysis: what converts its numbers.
struct RankFiles {
    const RankMeasure &rank;
    size_t index;  // among the ranks
    CallPaths &paths;

    // Net of the clock reads in them, as all times are.
    double seconds(uint64_t ticks, uint64_t calls) const
    {
        const uint64_t reads = calls * rank.clock.read_ticks();
        return ticks > reads ? static_cast<double>(ticks - reads) * rank.clock.seconds_per_tick()
                             : 0;
    }
    void note_place(std::string &place, uint32_t callsite) const
    {
        if (place.empty() && callsite != 0)
            place = paths.site_of(paths.node_of(index, callsite)).place();
    }
};

void add_moves(const RankFiles &of, const mprof_file_moves &moves, bool collective,
               FileRow::Moves &sum, FileRow &row)
{
    sum.calls += moves.calls;
    sum.collective_calls += collective ? moves.calls : 0;
    sum.bytes += moves.bytes;
    sum.time_s += of.seconds(moves.ticks, moves.calls);
    of.note_place(row.move_place, moves.callsite);
    if (moves.completed == 0)
        return;
    row.min_bytes = std::min(row.min_bytes.value_or(UINT64_MAX), moves.min_bytes);
    row.max_bytes = std::max(row.max_bytes.value_or(0), moves.max_bytes);
}

void add_slot(const RankFiles &of, const FileSlot &slot, FileSum &sum)
{
    const mprof_file &facts = slot.facts;
    FileRow &row = sum.row;
    const double before_s = row.move_s();
    add_moves(of, facts.moves[MPROF_MOVES_READ], false, row.reads, row);
    add_moves(of, facts.moves[MPROF_MOVES_READ_COLLECTIVE], true, row.reads, row);
    add_moves(of, facts.moves[MPROF_MOVES_WRITE], false, row.writes, row);
    add_moves(of, facts.moves[MPROF_MOVES_WRITE_COLLECTIVE], true, row.writes, row);
    sum.move_s[of.rank.rank()] += row.move_s() - before_s;
    sum.ranks.insert(of.rank.rank());
    row.opens += facts.opens;
    row.open_s +=
        of.seconds(facts.open_ticks, facts.opens) + of.seconds(facts.close_ticks, facts.closes);
    row.syncs += facts.syncs;
    row.sync_s += of.seconds(facts.sync_ticks, facts.syncs);
    row.others += facts.others;
    row.other_s += of.seconds(facts.other_ticks, facts.others);
    of.note_place(row.open_place, facts.open_callsite);
    of.note_place(row.sync_place, facts.sync_callsite);
    if (const CommunicatorSlot *made_of =
            find_slot(of.rank.file->communicators, facts.communicator))
        row.communicator_size = std::max<uint64_t>(row.communicator_size, made_of->facts.size);
}

// Of how many names each pattern is made.
std::map<FileKey, std::set<std::string>> names_by_pattern(const RankMeasures &ranks)
{
    std::map<FileKey, std::set<std::string>> names;
    for (const RankMeasure &rank : ranks)
        for (const FileSlot &slot : rank.file->files)
            names[{name_without_numbers(slot.name), slot.facts.mode}].insert(slot.name);
    return names;
}

FileRow finished_row(FileSum &sum)
{
    FileRow &row = sum.row;
    row.files = std::max<uint64_t>(1, sum.names.size());
    row.ranks = sum.ranks.size();
    for (const auto &[rank, seconds] : sum.move_s)
        if (row.calls() > 0 && (!row.slowest_rank || seconds > row.longest_move_s)) {
            row.slowest_rank = rank;
            row.longest_move_s = seconds;
        }
    return std::move(row);
}

}  // namespace

std::string name_without_numbers(const std::string &name)
{
    std::string pattern;
    for (const char c : name) {
        if (std::isdigit(static_cast<unsigned char>(c)) == 0)
            pattern += c;
        else if (!pattern.ends_with('#'))
            pattern += '#';
    }
    return pattern;
}

std::vector<FileRow> analyse_files(const RankMeasures &ranks, const Merged &merged)
{
    const auto alike = names_by_pattern(ranks);
    std::map<FileKey, FileSum> sums;
    for (size_t r = 0; r < ranks.size(); r++)
        for (const FileSlot &slot : ranks[r].file->files) {
            FileKey key{name_without_numbers(slot.name), slot.facts.mode};
            if (alike.at(key).size() <= most_alike)
                key.first = slot.name;
            FileSum &sum = sums[key];
            sum.row.name = slot.slot == 0 ? "(other files)" : key.first;
            sum.row.mode = mode_text(slot.facts.mode);
            sum.names.insert(slot.name);
            add_slot({ranks[r], r, merged.paths}, slot, sum);
        }
    std::vector<FileRow> rows;
    for (auto &[key, sum] : sums)
        rows.push_back(finished_row(sum));
    std::stable_sort(rows.begin(), rows.end(),
                     [](const FileRow &a, const FileRow &b) { return a.time_s() > b.time_s(); });
    return rows;
}

}  // namespace mprof
