// Puts the sections of a rank file together; those with many records are read in files of their
// own (record_checks.h). Each read_* function reads one kind of section into the RankFile and
// returns what is wrong with it, or nothing.
#include "read/rank_file.h"

#include "read/file_bytes.h"
#include "read/file_layout.h"
#include "read/record_checks.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <thread>

namespace mprof {

// Only of finished files do the bytes tell that the tables are the same.

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

namespace {

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

Result<RankFile> parse_rank_file(Bytes file_bytes, const std::string &file, ReadMemory *memory,
                                 bool is_checked)
{
    auto opened = open_rank_file(file_bytes, file, is_checked);
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

// The few facts of a rank that a list of runs needs (rank_file.h). A live file is as large as the
// memory of its record: what is wanted of it is put into a small live file, which is then checked
// and read as any other. So a length or an offset of the file is trusted nowhere here.

namespace {

using HeadBytes = std::vector<std::byte>;

// Those of libmprof have some kilobytes.
constexpr uint64_t most_directory_bytes = uint64_t{16} << 20U;
constexpr uint64_t most_section_bytes = uint64_t{1} << 20U;

bool is_wanted(const mprof_section &section)
{
    return section.type == MPROF_SECTION_RUN || section.type == MPROF_SECTION_CLOCK ||
           section.type == MPROF_SECTION_TEXT || section.type == MPROF_SECTION_THREAD;
}

Result<HeadBytes> read_part(const OpenFile &file, const PlaceOfRank &place, uint64_t offset,
                            uint64_t bytes, uint64_t most)
{
    if (bytes > most || offset > place.bytes || bytes > place.bytes - offset)
        return FileError{
            place.name, offset,
            fmt::format("at most {} bytes inside the {} of the file", most, place.bytes),
            fmt::format("{} bytes", bytes)};
    return read_file_part(file, place.name, place.offset + offset, bytes);
}

template <class T>
void append_record(HeadBytes &to, const T &record)
{
    const auto bytes = std::as_bytes(std::span(&record, 1));
    to.insert(to.end(), bytes.begin(), bytes.end());
}

// Header, directory and sections of the wanted types.
Result<HeadBytes> small_live_file(const OpenFile &file, const PlaceOfRank &place,
                                  mprof_file_header header)
{
    const auto directory =
        read_part(file, place, header.directory_offset,
                  uint64_t{header.section_count} * sizeof(mprof_section), most_directory_bytes);
    if (!directory.ok())
        return directory.error();
    std::vector<mprof_section> sections(header.section_count);
    if (!sections.empty())
        std::memcpy(sections.data(), directory.value().data(), directory.value().size());
    std::erase_if(sections, [](const mprof_section &section) { return !is_wanted(section); });
    header.directory_offset = sizeof header;
    header.section_count = static_cast<uint32_t>(sections.size());
    HeadBytes contents;
    const uint64_t first = sizeof header + sections.size() * sizeof(mprof_section);
    for (mprof_section &section : sections) {
        const auto content =
            read_part(file, place, section.offset, section.stored_bytes, most_section_bytes);
        if (!content.ok())
            return content.error();
        section.offset = first + contents.size();
        contents.insert(contents.end(), content.value().begin(), content.value().end());
        contents.resize((contents.size() + 7) / 8 * 8);
    }
    HeadBytes small;
    append_record(small, header);
    for (const mprof_section &section : sections)
        append_record(small, section);
    small.insert(small.end(), contents.begin(), contents.end());
    return small;
}

// Of the time that a rank lived, the last that it wrote.
std::optional<FileError> read_thread_facts(std::span<const std::byte> bytes, RankFile &rank)
{
    for (const mprof_section &section : rank.layout.sections) {
        if (section.type != MPROF_SECTION_THREAD)
            continue;
        const auto records = read_section_records<mprof_thread>(bytes, section, rank.file);
        if (!records.ok())
            return records.error();
        for (const mprof_thread &facts : records.value()) {
            rank.threads.emplace_back();
            rank.threads.back().number = section.number;
            rank.threads.back().facts = facts;
        }
    }
    return {};
}

Result<RankFile> read_once(const OpenFile &file, const PlaceOfRank &place, bool &is_live)
{
    mprof_file_header header = {};
    const uint64_t begin_bytes = std::min<uint64_t>(place.bytes, sizeof header);
    const auto begin = read_file_part(file, place.name, place.offset, begin_bytes);
    if (!begin.ok())
        return begin.error();
    std::copy(begin.value().begin(), begin.value().end(),
              std::as_writable_bytes(std::span(&header, 1)).begin());
    const bool is_known = begin_bytes == sizeof header &&
                          std::memcmp(header.magic, MPROF_MAGIC, MPROF_MAGIC_BYTES) == 0 &&
                          header.major == MPROF_FORMAT_MAJOR;
    if (!is_known)
        return parse_rank_head(begin.value(), place.name);  // which says what is wrong
    is_live = header.state == MPROF_FILE_LIVE;
    if (!is_live && place.bytes > max_file_bytes)
        return FileError{place.name,
                         0,
                         fmt::format("at most {} bytes", max_file_bytes),
                         fmt::format("{} bytes", place.bytes),
                         true,
                         FileTrouble::too_large};
    const auto bytes = is_live ? small_live_file(file, place, header)
                               : read_file_part(file, place.name, place.offset, place.bytes);
    if (!bytes.ok())
        return bytes.error();
    return parse_rank_head(bytes.value(), place.name);
}

}  // namespace

Result<RankFile> parse_rank_head(std::span<const std::byte> bytes, const std::string &name)
{
    auto opened = open_rank_file(bytes, name);
    if (!opened.ok())
        return opened.error();
    RankFile rank;
    rank.file = name;
    rank.layout = std::move(opened.value().layout);
    if (auto bad = read_facts(opened.value().bytes, rank, nullptr))
        return *bad;
    if (!rank.finished())
        if (auto bad = read_thread_facts(opened.value().bytes, rank))
            return *bad;
    return rank;
}

Result<RankFile> read_rank_head(const OpenFile &file, const PlaceOfRank &place)
{
    for (int attempt = 1;; attempt++) {
        const uint64_t now_ns = realtime_ns();
        bool is_live = false;
        auto rank = read_once(file, place, is_live);
        if (rank.ok())
            rank.value().read_realtime_ns = now_ns;
        // A running program may have moved a table, or finished its file, while we read.
        if (rank.ok() || !is_live || attempt == attempts_at_live_file)
            return rank;
        std::this_thread::sleep_for(pause_for_live_file);
    }
}

}  // namespace mprof
