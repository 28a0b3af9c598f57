// A row per file that the program reads or writes itself, without MPI, by name and how it was
// opened, over all ranks, and one for what went to no file that is known. Files of MPI-IO are not
// here: the MPI library reads and writes them as a program would.
#include "analyse/analysis_parts.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace mprof {
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

// What MPI-IO moved is in the kernel's count, too.
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
