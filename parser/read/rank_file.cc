// Puts the sections of a rank file together; those with many records are read in files of their own
// (section_readers.h). Each read_* function reads one kind of section into the RankFile and returns
// what is wrong with it, or nothing.
#include "read/rank_file.h"

#include "read/file_bytes.h"
#include "read/record_checks.h"
#include "read/section_content.h"
#include "read/section_readers.h"
#include "read/tables/read_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <thread>

namespace mprof {
namespace {

using Bytes = std::span<const std::byte>;
using Problem = std::optional<FileError>;

const mprof_section *find_section(const FileLayout &layout, uint32_t type)
{
    const auto found =
        std::find_if(layout.sections.begin(), layout.sections.end(),
                     [&](const mprof_section &section) { return section.type == type; });
    return found == layout.sections.end() ? nullptr : &*found;
}

// Exactly one record in the only section of that type.
template <class T>
Problem read_single(Bytes bytes, const RankFile &rank, uint32_t type, T &into)
{
    const mprof_section *section = find_section(rank.layout, type);
    const auto name = section_type_name(type);
    if (section == nullptr)
        return FileError{rank.file, rank.header().directory_offset,
                         fmt::format("a section {}", name), "none"};
    auto records = read_section_records<T>(bytes, *section, rank.file);
    if (!records.ok())
        return records.error();
    if (records.value().empty())
        return FileError{rank.file, section->offset, fmt::format("one record in section {}", name),
                         "none"};
    into = records.value().front();
    return {};
}

// Function ids have 16 bits, and nobody has that many texts.
constexpr std::ptrdiff_t most_strings = 65536;

// Strings that each end with a NUL, in the content of the section.
Result<std::vector<std::string_view>> read_strings(Bytes content, const RankFile &rank,
                                                   const mprof_section &section)
{
    const auto count = std::count(content.begin(), content.end(), std::byte{0});
    if (count > most_strings)
        return FileError{rank.file, section.offset,
                         fmt::format("at most {} strings in section {}", most_strings,
                                     section_type_name(section.type)),
                         fmt::format("{}", count)};
    std::string_view rest(reinterpret_cast<const char *>(content.data()), content.size());
    std::vector<std::string_view> strings;
    strings.reserve(static_cast<size_t>(count));
    while (!rest.empty()) {
        const size_t end = rest.find('\0');
        if (end == std::string_view::npos)
            return FileError{
                rank.file, section.offset + section.stored_bytes,
                fmt::format("a NUL at the end of section {}", section_type_name(section.type)),
                "none"};
        strings.push_back(rest.substr(0, end));
        rest.remove_prefix(end + 1);
    }
    return strings;
}

Problem read_texts(Bytes bytes, RankFile &rank, const ReadMemory *memory)
{
    const mprof_section *section = find_section(rank.layout, MPROF_SECTION_TEXT);
    if (section == nullptr)
        return {};
    const auto content = read_section_content(bytes, *section, rank.file);
    if (!content.ok())
        return content.error();
    const auto strings = read_strings(content.value().bytes, rank, *section);
    if (!strings.ok())
        return strings.error();
    const auto &all = strings.value();
    std::vector<RankTexts::PairView> texts;
    texts.reserve(all.size() / 2);
    for (size_t i = 0; i < all.size() && !all[i].empty(); i += 2) {
        if (i + 1 == all.size())
            return FileError{rank.file, section->offset,
                             fmt::format("a value for the text '{}'", all[i]), "none"};
        texts.emplace_back(all[i], all[i + 1]);
    }
    rank.texts = RankTexts(texts, memory == nullptr ? nullptr : &memory->texts);
    return {};
}

Problem read_functions(Bytes bytes, RankFile &rank)
{
    const mprof_section *section = find_section(rank.layout, MPROF_SECTION_FUNCTIONS);
    if (section == nullptr)
        return FileError{rank.file, rank.header().directory_offset, "a section FUNCTIONS", "none"};
    const auto content = read_section_content(bytes, *section, rank.file);
    if (!content.ok())
        return content.error();
    const auto strings = read_strings(content.value().bytes, rank, *section);
    if (!strings.ok())
        return strings.error();
    rank.functions = std::vector<std::string>(strings.value().begin(), strings.value().end());
    return {};
}

// Functions, call paths and what they refer to.
Problem read_program(Bytes bytes, RankFile &rank, ReadMemory *memory)
{
    if (memory != nullptr && memory->tables.give_to(rank, bytes))
        return {};
    if (auto bad = read_functions(bytes, rank))
        return bad;
    if (auto bad = read_program_tables(bytes, rank))
        return bad;
    if (memory != nullptr)
        memory->tables.keep(rank, bytes);
    return {};
}

bool claims_to_be_live(Bytes bytes)
{
    mprof_file_header header;
    if (bytes.size() < sizeof header)
        return false;
    std::memcpy(&header, bytes.data(), sizeof header);
    return header.state == MPROF_FILE_LIVE;
}

}  // namespace

std::optional<double> RankFile::number(std::string_view key) const
{
    const std::string &digits = text(key);
    return digits.empty() ? std::nullopt : std::optional(std::strtod(digits.c_str(), nullptr));
}

std::string RankFile::function_name(uint32_t id) const
{
    if (id < functions.size() && !functions[id].empty())
        return functions[id];
    return fmt::format("function {}", id);
}

std::optional<FileError> read_facts(Bytes bytes, RankFile &rank, const ReadMemory *memory)
{
    if (auto bad = read_single(bytes, rank, MPROF_SECTION_RUN, rank.run))
        return bad;
    if (auto bad = read_single(bytes, rank, MPROF_SECTION_CLOCK, rank.clock))
        return bad;
    const mprof_section &clock_section = *find_section(rank.layout, MPROF_SECTION_CLOCK);
    if (auto bad = check_record(rank.clock, RecordPlace{rank, clock_section, 0}))
        return bad;
    return read_texts(bytes, rank, memory);
}

Result<RankFile> parse_rank_file(Bytes file_bytes, const std::string &file, ReadMemory *memory)
{
    auto opened = open_rank_file(file_bytes, file);
    if (!opened.ok())
        return opened.error();
    const Bytes bytes = opened.value().bytes;
    RankFile rank;
    rank.file = file;
    rank.layout = std::move(opened.value().layout);
    if (auto bad = read_facts(bytes, rank, memory))
        return *bad;
    if (auto bad = read_program(bytes, rank, memory))
        return *bad;
    if (auto bad = read_numbered_tables(bytes, rank))
        return *bad;
    KeyLists own_lists;
    const bool shares = memory != nullptr && memory->lists != nullptr;
    if (auto bad = read_threads(bytes, rank, shares ? *memory->lists : own_lists))
        return *bad;
    if (auto bad = read_journals(bytes, rank))
        return *bad;
    if (auto bad = read_results(bytes, rank))
        return *bad;
    if (auto bad = read_time(bytes, rank, memory == nullptr ? SIZE_MAX : memory->most_bins))
        return *bad;
    if (memory != nullptr) {
        if (!rank.texts.is_shared_with(memory->texts))
            memory->texts = rank.texts;
        rank.regions.share_with(memory->regions);
        memory->regions = rank.regions;
    }
    return rank;
}

Result<RankFile> read_rank_file(const std::string &path, ReadMemory *memory)
{
    for (int attempt = 1;; attempt++) {
        const uint64_t now_ns = realtime_ns();
        const auto bytes = read_file_bytes(path);
        if (!bytes.ok())
            return bytes.error();
        auto rank = parse_rank_file(bytes.value(), path, memory);
        if (rank.ok())
            rank.value().read_realtime_ns = now_ns;
        // A running program may have moved a table, or finished its file, while we read: look
        // again.
        if (rank.ok() || attempt == attempts_at_live_file || !claims_to_be_live(bytes.value()))
            return rank;
        std::this_thread::sleep_for(pause_for_live_file);
    }
}

const std::string &RankTexts::value_at(size_t place) const
{
    for (const Own &own : own_)
        if (own.place == place)
            return own.value;
    return shared_[place].second;
}

const std::string &RankTexts::find(std::string_view key) const
{
    static const std::string none;
    for (size_t place = 0; place < shared_.size(); place++)
        if (shared_[place].first == key)
            return value_at(place);
    return none;
}

std::vector<RankTexts::Pair> RankTexts::all() const
{
    std::vector<Pair> pairs = shared_.rows();
    for (const Own &own : own_)
        pairs[own.place].second = own.value;
    return pairs;
}

RankTexts::RankTexts(const std::vector<PairView> &all, const RankTexts *other)
{
    static const std::vector<Pair> none;
    const std::vector<Pair> &theirs = other == nullptr ? none : other->shared_.rows();
    const bool same_keys =
        std::equal(all.begin(), all.end(), theirs.begin(), theirs.end(),
                   [](const PairView &a, const Pair &b) { return a.first == b.first; });
    size_t differing = 0;
    for (size_t place = 0; same_keys && place < all.size(); place++)
        differing += all[place].second != theirs[place].second ? 1U : 0U;
    if (other == nullptr || !same_keys || differing * 2 > all.size()) {
        // The next ones share with this one.
        shared_ = std::vector<Pair>(all.begin(), all.end());
        return;
    }
    shared_ = other->shared_;
    own_.reserve(differing);
    for (size_t place = 0; place < all.size(); place++)
        if (all[place].second != theirs[place].second)
            own_.push_back({place, std::string(all[place].second)});
}

void RankTexts::share_with(const RankTexts &other)
{
    if (shared_.is_shared_with(other.shared_))
        return;
    const std::vector<Pair> pairs = all();
    *this = RankTexts(std::vector<PairView>(pairs.begin(), pairs.end()), &other);
}

}  // namespace mprof
