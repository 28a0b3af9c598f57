// Files that the program reads and writes: with MPI-IO, and itself.
#include "analyse/analysis_parts.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace mprof {

// ---- with MPI-IO --------------------------------------------------------------------------------

// A row per file that the program opened with MPI, by name and how it was opened, over all ranks
// and communicators. A program that writes a file per rank, or per step, has many whose names
// differ in numbers alone. They are one row, so that the list stays short.

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

// ---- without MPI-IO -----------------------------------------------------------------------------

// A row per file that the program reads or writes itself, without MPI, by name and how it was
// opened, over all ranks, and one for what went to no file that is known. Files of MPI-IO are not
// here: the MPI library reads and writes them as a program would.

namespace {

constexpr uint64_t most_plain_alike = 8;  // files are listed one by one

std::string access_text(uint32_t access)
{
    std::string text;
    for (const auto &[flag, word] : {std::pair<uint32_t, const char *>(MPROF_MODE_READ, "read"),
                                     {MPROF_MODE_WRITE, "write"},
                                     {MPROF_MODE_APPEND, "append"}})
        if ((access & flag) != 0)
            text += (text.empty() ? "" : ", ") + std::string(word);
    return text;
}

std::string_view plain_base_name(std::string_view name)
{
    return name.substr(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
}

// The kernel's count includes what MPI-IO moved.
struct MpiFiles {
    std::set<std::string, std::less<>> names;
    std::vector<uint64_t> read_bytes, written_bytes;  // by rank

    explicit MpiFiles(const RankMeasures &ranks)
        : read_bytes(ranks.size()), written_bytes(ranks.size())
    {
        for (size_t r = 0; r < ranks.size(); r++)
            for (const FileSlot &slot : ranks[r].file->files) {
                const auto &moves = slot.facts.moves;
                names.insert(std::string(plain_base_name(slot.name)));
                read_bytes[r] +=
                    moves[MPROF_MOVES_READ].bytes + moves[MPROF_MOVES_READ_COLLECTIVE].bytes;
                written_bytes[r] +=
                    moves[MPROF_MOVES_WRITE].bytes + moves[MPROF_MOVES_WRITE_COLLECTIVE].bytes;
            }
    }
    bool has(const std::string &name) const { return names.contains(plain_base_name(name)); }
};

using PlainFileKey = std::pair<std::string, uint32_t>;  // name, access; "" = not known

struct PlainFileSum {
    PlainFileRow row;
    std::set<std::string> names;
    std::set<uint32_t> ranks;

    void note_rank(uint32_t rank, uint64_t bytes, double busy_s)
    {
        if (bytes == 0)
            return;
        ranks.insert(rank);
        row.busy_s = std::max(row.busy_s, busy_s);
        if (!row.most_rank || bytes > row.most_bytes) {
            row.most_rank = rank;
            row.most_bytes = bytes;
        }
    }
};

uint64_t without_part(uint64_t all, uint64_t part)
{
    return all > part ? all - part : 0;
}

class PlainFiles {
public:
    PlainFiles(const RankMeasures &ranks, const Totals &totals)
        : ranks_(ranks), of_mpi_(ranks), has_likely_(is_likely_known(totals))
    {
        for (const RankMeasure &rank : ranks)
            for (const PlainFileSlot &slot : rank.file->plain_files)
                alike_[{name_without_numbers(slot.name), slot.facts.access}].insert(slot.name);
    }

    std::vector<PlainFileRow> rows()
    {
        for (size_t r = 0; r < ranks_.size(); r++)
            add_rank(r);
        std::vector<PlainFileRow> rows;
        for (auto &[key, sum] : sums_) {
            sum.row.files = std::max<uint64_t>(1, sum.names.size());
            sum.row.ranks = sum.ranks.size();
            if (sum.row.bytes() > 0)
                rows.push_back(std::move(sum.row));
        }
        std::stable_sort(rows.begin(), rows.end(),
                         [](const auto &a, const auto &b) { return a.bytes() > b.bytes(); });
        return rows;
    }

private:
    // An MPI that sends by write() moves no position either: where messages are as much, nobody
    // knows what was of a file.
    bool is_likely_known(const Totals &totals) const
    {
        uint64_t likely = 0;
        for (const RankMeasure &rank : ranks_)
            for (const PlainFileSlot &slot : rank.file->plain_files)
                likely += slot.facts.likely_read_bytes + slot.facts.likely_written_bytes;
        return likely > totals.sent_bytes;
    }

    void add_rank(size_t r);

    const RankMeasures &ranks_;
    const MpiFiles of_mpi_;
    const bool has_likely_;
    std::map<PlainFileKey, std::set<std::string>> alike_;
    std::map<PlainFileKey, PlainFileSum> sums_;
};

void PlainFiles::add_rank(size_t r)
{
    const uint32_t rank = ranks_[r].rank();
    uint64_t read = 0, written = 0;  // of no file that is known
    for (const PlainFileSlot &slot : ranks_[r].file->plain_files) {
        const mprof_plain_file &facts = slot.facts;
        const double busy_s = static_cast<double>(facts.busy_ns) * 1e-9;
        if (slot.slot == 0) {
            read += facts.read_bytes;
            written += facts.written_bytes;
            sums_[{"", 0}].row.busy_s = std::max(sums_[{"", 0}].row.busy_s, busy_s);
            sums_[{"", 0}].row.read_calls += facts.read_calls;
            sums_[{"", 0}].row.write_calls += facts.write_calls;
            continue;
        }
        const uint64_t likely_read = has_likely_ ? facts.likely_read_bytes : 0;
        const uint64_t likely_written = has_likely_ ? facts.likely_written_bytes : 0;
        read += facts.likely_read_bytes - likely_read;
        written += facts.likely_written_bytes - likely_written;
        if (of_mpi_.has(slot.name))
            continue;
        PlainFileKey key{name_without_numbers(slot.name), facts.access};
        if (alike_.at(key).size() <= most_plain_alike)
            key.first = slot.name;
        PlainFileSum &sum = sums_[key];
        sum.row.name = key.first;
        sum.row.mode = access_text(facts.access);
        sum.names.insert(slot.name);
        sum.row.read_bytes += facts.read_bytes + likely_read;
        sum.row.written_bytes += facts.written_bytes + likely_written;
        sum.row.likely_bytes += likely_read + likely_written;
        sum.row.read_calls += facts.read_calls;
        sum.row.write_calls += facts.write_calls;
        sum.row.opens += facts.opens;
        sum.note_rank(rank, facts.read_bytes + likely_read + facts.written_bytes + likely_written,
                      busy_s);
    }
    PlainFileSum &rest = sums_[{"", 0}];
    read = without_part(read, of_mpi_.read_bytes[r]);
    written = without_part(written, of_mpi_.written_bytes[r]);
    rest.row.read_bytes += read;
    rest.row.written_bytes += written;
    rest.note_rank(rank, read + written, rest.row.busy_s);
}

}  // namespace

// What a program reads of its own settings, and what the MPI says to its launcher, is no matter.
std::vector<PlainFileRow> analyse_plain_files(const RankMeasures &ranks, const Totals &totals)
{
    std::vector<PlainFileRow> rows = PlainFiles(ranks, totals).rows();
    std::erase_if(rows, [](const PlainFileRow &row) {
        return row.bytes() < verdict_thresholds.plain_file_bytes;
    });
    return rows;
}

}  // namespace mprof
