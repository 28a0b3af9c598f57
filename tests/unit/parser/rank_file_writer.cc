// Lays out: header, directory, then the sections in the order in which they were added, each at a
// multiple of 8.
#include "rank_file_writer.h"

extern "C" {
#include "file/pack.h"
}

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>

#include <zstd.h>

namespace mprof_test {
namespace {

using Bytes = std::vector<std::byte>;

struct Section {
    mprof_section facts{};
    Bytes stored;
};

template <class T>
void append(Bytes &bytes, const T &value)
{
    const auto raw = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

void append_string(Bytes &bytes, const std::string &text)
{
    for (const char c : text)
        bytes.push_back(static_cast<std::byte>(c));
    bytes.push_back(std::byte{0});
}

// With one context per thread: making one takes longer than compressing a small section.
Bytes compress(const Bytes &content, int level, std::span<const char> dictionary = {})
{
    thread_local const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(
        ZSTD_createCCtx(), ZSTD_freeCCtx);
    Bytes stored(ZSTD_compressBound(content.size()));
    const size_t bytes =
        ZSTD_compress_usingDict(context.get(), stored.data(), stored.size(), content.data(),
                                content.size(), dictionary.data(), dictionary.size(), level);
    if (ZSTD_isError(bytes) != 0)
        throw std::runtime_error(ZSTD_getErrorName(bytes));
    stored.resize(bytes);
    return stored;
}

// The n-th byte of every record, for n from 0: compression 2 before zstd.
Bytes by_columns(const Bytes &records, size_t record_bytes)
{
    Bytes columns;
    for (size_t n = 0; n < record_bytes; n++)
        for (size_t at = n; at < records.size(); at += record_bytes)
            columns.push_back(records[at]);
    return columns;
}

class Composer {
public:
    explicit Composer(const RankFileContent &content) : content_(content) {}

    uint32_t add(uint32_t type, uint32_t number, size_t record_bytes, const Bytes &content)
    {
        Section section;
        section.facts.type = type;
        section.facts.number = number;
        section.facts.record_bytes = static_cast<uint32_t>(record_bytes);
        section.facts.content_bytes = content.size();
        const bool zstd = content_.finished && content_.compressed && !content_.packed;
        const bool columns =
            zstd && record_bytes > 1 && content_.minor >= 2 && content.size() % record_bytes == 0;
        section.facts.compression = columns ? MPROF_COMPRESSION_COLUMNS
                                    : zstd  ? MPROF_COMPRESSION_ZSTD
                                            : MPROF_COMPRESSION_NONE;
        section.stored =
            columns ? compress(by_columns(content, record_bytes), content_.compression_level)
            : zstd  ? compress(content, content_.compression_level)
                    : content;
        section.facts.stored_bytes = section.stored.size();
        sections_.push_back(std::move(section));
        return static_cast<uint32_t>(sections_.size() - 1);
    }

    Bytes file()
    {
        mprof_file_header header = {};
        std::memcpy(header.magic, MPROF_MAGIC, MPROF_MAGIC_BYTES);
        header.major = content_.major;
        header.minor = content_.minor;
        header.state = content_.finished ? MPROF_FILE_FINISHED : MPROF_FILE_LIVE;
        header.directory_offset = sizeof header;
        header.section_count = static_cast<uint32_t>(sections_.size());
        header.run_id = content_.run_id;
        header.world = content_.world;
        header.rank = content_.rank;
        header.ranks = content_.ranks;
        uint64_t offset = sizeof header + sections_.size() * sizeof(mprof_section);
        for (Section &section : sections_) {
            offset = (offset + 7) / 8 * 8;
            section.facts.offset = offset;
            offset += section.stored.size();
        }
        header.file_bytes = content_.finished ? offset : 0;
        Bytes bytes;
        append(bytes, header);
        for (const Section &section : sections_)
            append(bytes, section.facts);
        for (const Section &section : sections_) {
            bytes.resize(section.facts.offset);
            bytes.insert(bytes.end(), section.stored.begin(), section.stored.end());
        }
        if (content_.finished)
            seal(bytes);
        return bytes;
    }

private:
    const RankFileContent &content_;
    std::vector<Section> sections_;
};

void add_texts(Composer &composer, const RankFileContent &content)
{
    Bytes texts;
    for (const auto &[key, value] : content.texts) {
        append_string(texts, key);
        append_string(texts, value);
    }
    texts.push_back(std::byte{0});
    composer.add(MPROF_SECTION_TEXT, 0, 1, texts);
    Bytes names;
    for (const std::string &name : content.functions)
        append_string(names, name);
    composer.add(MPROF_SECTION_FUNCTIONS, 0, 1, names);
}

// A section of records, of each only the first `record_bytes`; none if there are no records.
template <class T>
uint32_t add_records(Composer &composer, uint32_t type, uint32_t number,
                     const std::vector<T> &records, size_t record_bytes = sizeof(T))
{
    Bytes bytes;
    for (const T &record : records) {
        append(bytes, record);
        bytes.resize(bytes.size() - sizeof(T) + record_bytes, std::byte{0xee});
    }
    return composer.add(type, number, record_bytes, bytes);
}

template <class T>
uint32_t add_optional(Composer &composer, uint32_t type, uint32_t number,
                      const std::vector<T> &records)
{
    return records.empty() ? 0 : add_records(composer, type, number, records);
}

void add_thread(Composer &composer, const RankFileContent &content, const ThreadContent &thread,
                uint32_t number)
{
    const bool shorter = content.shorter_records;
    mprof_thread facts = thread.facts;
    facts.entries_section = add_records(composer, MPROF_SECTION_ENTRIES, number, thread.entries,
                                        sizeof(mprof_entry) + content.longer_entries);
    facts.partners_section =
        add_records(composer, MPROF_SECTION_PARTNERS, number, thread.partners,
                    shorter ? offsetof(mprof_partner, ticks) : sizeof(mprof_partner));
    facts.segments_section =
        add_optional(composer, MPROF_SECTION_SEGMENTS, number, thread.segments);
    facts.counter_values_section =
        add_optional(composer, MPROF_SECTION_COUNTER_VALUES, number, thread.counter_values);
    facts.off_cpu_section = add_optional(composer, MPROF_SECTION_OFF_CPU, number, thread.off_cpu);
    facts.cpu_samples_section =
        add_optional(composer, MPROF_SECTION_CPU_SAMPLES, number, thread.cpu_samples);
    facts.sample_paths_section =
        add_optional(composer, MPROF_SECTION_SAMPLE_PATHS, number, thread.sample_paths);
    facts.last_calls_section =
        add_optional(composer, MPROF_SECTION_LAST_CALLS, number, thread.last_calls);
    add_records(composer, MPROF_SECTION_THREAD, number, std::vector{facts},
                shorter ? offsetof(mprof_thread, segments_section) : sizeof facts);
}

// A finished file has all journals in one section, a live one a section for each, with room.
void add_journals(Composer &composer, const RankFileContent &content)
{
    Bytes bytes;
    uint32_t number = 0;
    for (const JournalContent &journal : content.journals) {
        std::vector<uint32_t> room = journal.items;
        room.resize((room.size() + 1) / 2 * 2 + (content.finished ? 0 : 4));
        mprof_journal facts = journal.facts;
        facts.items = static_cast<uint32_t>(journal.items.size());
        facts.capacity = static_cast<uint32_t>(room.size());
        append(bytes, facts);
        for (const uint32_t item : room)
            append(bytes, item);
        if (content.finished)
            continue;
        composer.add(MPROF_SECTION_JOURNALS, number++, sizeof(mprof_journal), bytes);
        bytes.clear();
    }
    if (!bytes.empty())
        composer.add(MPROF_SECTION_JOURNALS, 0, sizeof(mprof_journal), bytes);
}

void seal_header(std::vector<std::byte> &file, mprof_file_header header)
{
    header.header_checksum = 0;
    header.header_checksum = mprof_crc32(&header, sizeof header);
    std::memcpy(file.data(), &header, sizeof header);
}

std::vector<mprof_section> directory_of(const Bytes &file, const mprof_file_header &header)
{
    std::vector<mprof_section> sections(header.section_count);
    std::memcpy(sections.data(), file.data() + header.directory_offset,
                sections.size() * sizeof(mprof_section));
    return sections;
}

}  // namespace

std::vector<std::byte> packed(const std::vector<std::byte> &plain, int level, uint64_t quantum)
{
    Bytes copy = plain;
    mprof_file_header header;
    std::memcpy(&header, copy.data(), sizeof header);
    const auto sections = directory_of(copy, header);
    uint64_t callsites = 0;
    for (const mprof_section &section : sections)
        if (section.type == MPROF_SECTION_CALLSITES)
            callsites = section.content_bytes / section.record_bytes;
    std::vector<mprof_clue> clues(std::min<uint64_t>(callsites, MPROF_MOST_CLUES));
    Bytes body(2 * copy.size() + sections.size() * PACK_SECTION_BYTES);
    packer packer;
    pack_begin(&packer, reinterpret_cast<uint8_t *>(body.data()),
               {clues.data(), static_cast<uint32_t>(clues.size())}, quantum);
    for (const mprof_section &section : sections) {
        const struct section_to_pack facts = {section.type, section.number, section.record_bytes,
                                              reinterpret_cast<uint8_t *>(&copy[section.offset]),
                                              section.content_bytes};
        pack_section(&packer, &facts);
    }
    body.resize(packer.used);
    header.content_bytes = static_cast<uint32_t>(body.size());
    if (level > 0)
        body = compress(body, level, mprof_dictionary);
    header.state = MPROF_FILE_PACKED;
    header.directory_offset = 0;
    header.file_bytes = sizeof header + body.size();
    header.directory_checksum = mprof_crc32(body.data(), body.size());
    body.insert(body.begin(), sizeof header, std::byte{0});
    seal_header(body, header);
    return body;
}

void seal(std::vector<std::byte> &file)
{
    mprof_file_header header;
    if (file.size() < sizeof header)
        return;
    std::memcpy(&header, file.data(), sizeof header);
    if (header.state == MPROF_FILE_PACKED) {
        header.directory_checksum =
            mprof_crc32(file.data() + sizeof header, file.size() - sizeof header);
        return seal_header(file, header);
    }
    if (header.state != MPROF_FILE_FINISHED || header.directory_offset > file.size())
        return;
    std::byte *directory = file.data() + header.directory_offset;
    const size_t room = (file.size() - header.directory_offset) / sizeof(mprof_section);
    const size_t count = std::min<size_t>(header.section_count, room);
    for (size_t i = 0; i < count; i++) {
        mprof_section section;
        std::memcpy(&section, directory + i * sizeof section, sizeof section);
        if (section.offset > file.size() || section.stored_bytes > file.size() - section.offset)
            continue;
        section.checksum = mprof_crc32(file.data() + section.offset, section.stored_bytes);
        std::memcpy(directory + i * sizeof section, &section, sizeof section);
    }
    header.directory_checksum = mprof_crc32(directory, count * sizeof(mprof_section));
    seal_header(file, header);
}

std::vector<std::byte> compose(const RankFileContent &content)
{
    Composer composer(content);
    Bytes run;
    append(run, content.run);
    if (content.shorter_records)
        run.resize(offsetof(mprof_run, lost_calls));
    composer.add(MPROF_SECTION_RUN, 0, static_cast<uint32_t>(run.size()), run);
    Bytes clock;
    append(clock, content.clock);
    composer.add(MPROF_SECTION_CLOCK, 0, sizeof content.clock, clock);
    add_texts(composer, content);
    uint32_t number = 0;
    for (const ThreadContent &thread : content.threads)
        add_thread(composer, content, thread, number++);
    add_optional(composer, MPROF_SECTION_COMMUNICATORS, 0, content.communicators);
    add_optional(composer, MPROF_SECTION_REGIONS, 0, content.regions);
    add_optional(composer, MPROF_SECTION_FILES, 0, content.files);
    add_optional(composer, MPROF_SECTION_PARALLEL, 0, content.parallel_regions);
    add_optional(composer, MPROF_SECTION_CALLSITES, 0, content.callsites);
    if (!content.modules.empty())
        add_records(composer, MPROF_SECTION_MODULES, 0, content.modules,
                    content.shorter_records ? offsetof(mprof_module, file_bytes)
                                            : sizeof(mprof_module));
    add_optional(composer, MPROF_SECTION_SCRIPTS, 0, content.scripts);
    add_optional(composer, MPROF_SECTION_OPERATIONS, 0, content.operations);
    add_journals(composer, content);
    add_optional(composer, MPROF_SECTION_COUNTERS, 0, content.counters);
    add_optional(composer, MPROF_SECTION_SAMPLES, 0, content.samples);
    add_optional(composer, MPROF_SECTION_CONDITIONS, 0, content.conditions);
    add_optional(composer, MPROF_SECTION_COLLECTIVE_TIMES, 0, content.collective_times);
    add_optional(composer, MPROF_SECTION_BASELINE, 0, content.baselines);
    add_optional(composer, MPROF_SECTION_LINT, 0, content.lint);
    add_optional(composer, MPROF_SECTION_LINT_STEPS, 0, content.lint_steps);
    add_optional(composer, MPROF_SECTION_LINT_FINDS, 0, content.lint_finds);
    if (!content.time_bins.empty())
        add_records(composer, MPROF_SECTION_TIME, 0, std::vector{content.time});
    add_optional(composer, MPROF_SECTION_TIME_BINS, 0, content.time_bins);
    for (const ExtraSection &extra : content.extra)
        composer.add(extra.type, 0, 1, extra.content);
    Bytes file = composer.file();
    return content.finished && content.packed ? packed(file, content.compression_level) : file;
}

mprof_entry make_entry(uint16_t function, uint64_t size, uint64_t calls, uint64_t ticks,
                       mprof_entry_kind kind)
{
    mprof_entry entry = {};
    entry.size = size;
    entry.function = function;
    entry.communicator = MPROF_COMM_SLOT_WORLD;
    entry.kind = static_cast<uint8_t>(kind);
    entry.in_use = 1;
    entry.calls = calls;
    entry.bytes = size * calls;
    entry.ticks = ticks;
    entry.min_ticks = calls > 0 ? ticks / calls : 0;
    entry.max_ticks = entry.min_ticks;
    return entry;
}

mprof_partner make_partner(mprof_partner_kind kind, uint32_t rank, uint64_t messages,
                           uint64_t bytes)
{
    mprof_partner partner = {};
    partner.rank = rank;
    partner.kind = static_cast<uint16_t>(kind);
    partner.in_use = 1;
    partner.messages = messages;
    partner.bytes = bytes;
    return partner;
}

mprof_region make_region(const std::string &name, uint64_t parent, uint64_t visits, uint64_t ticks)
{
    mprof_region region = {};
    region.flags = MPROF_REGION_IN_USE;
    region.parent = parent;
    region.visits = visits;
    region.ticks = ticks;
    name.copy(region.name, sizeof region.name - 1);
    return region;
}

mprof_file make_file(const std::string &name, uint32_t mode)
{
    mprof_file file = {};
    file.flags = MPROF_FILE_IN_USE;
    file.mode = mode;
    file.communicator = MPROF_COMM_SLOT_WORLD;
    file.opens = file.closes = 1;
    name.copy(file.name, sizeof file.name - 1);
    return file;
}

mprof_file_moves make_moves(uint64_t calls, uint64_t size, uint64_t ticks)
{
    return {calls, calls * size, ticks, size, size, calls, 0, 0};
}

mprof_counter make_counter(const std::string &name, const std::string &unit)
{
    mprof_counter counter = {};
    counter.flags = MPROF_COUNTER_IN_USE;
    counter.source = MPROF_COUNTER_PERF;
    name.copy(counter.name, sizeof counter.name - 1);
    unit.copy(counter.unit, sizeof counter.unit - 1);
    return counter;
}

mprof_module make_module(const std::string &path, const std::string &build_id)
{
    mprof_module module = {};
    module.flags = MPROF_MODULE_IN_USE;
    module.build_id_bytes = static_cast<uint32_t>(build_id.size() / 2);
    for (size_t i = 0; i < build_id.size() / 2; i++)
        module.build_id[i] =
            static_cast<uint8_t>(std::stoul(build_id.substr(2 * i, 2), nullptr, 16));
    path.copy(module.path, sizeof module.path - 1);
    return module;
}

mprof_callsite make_callsite(uint32_t parent, uint32_t module, uint64_t offset)
{
    mprof_callsite callsite = {};
    callsite.flags = MPROF_CALLSITE_IN_USE;
    callsite.parent = parent;
    callsite.module = module;
    callsite.offset = offset;
    return callsite;
}

mprof_script make_script(const std::string &file, const std::string &function, uint32_t first_line)
{
    mprof_script script = {};
    script.flags = MPROF_SCRIPT_IN_USE;
    script.first_line = first_line;
    function.copy(script.function, sizeof script.function - 1);
    file.copy(script.file, sizeof script.file - 1);
    return script;
}

mprof_callsite make_script_callsite(uint32_t parent, uint32_t script, uint32_t line,
                                    uint32_t instruction)
{
    mprof_callsite callsite = make_callsite(parent, 0, uint64_t{line} << 32U | instruction);
    callsite.script = script;
    return callsite;
}

mprof_segment make_segment(uint16_t from, uint32_t from_callsite, uint16_t to, uint32_t to_callsite,
                           uint64_t count, uint64_t ticks)
{
    mprof_segment segment = {};
    segment.from_callsite = from_callsite;
    segment.to_callsite = to_callsite;
    segment.from_function = static_cast<uint16_t>(from + 1);
    segment.to_function = static_cast<uint16_t>(to + 1);
    segment.in_use = 1;
    segment.count = count;
    segment.ticks = ticks;
    return segment;
}

mprof_entry make_completion(uint16_t function, uint64_t size, uint64_t count, uint64_t ticks,
                            uint64_t span_ticks, uint64_t span_mpi_ticks)
{
    mprof_entry entry = make_entry(function, size, count, ticks, MPROF_KIND_COMPLETION);
    entry.bytes = 0;
    entry.span_ticks = span_ticks;
    entry.span_mpi_ticks = span_mpi_ticks;
    return entry;
}

mprof_communicator make_communicator(uint32_t size, uint32_t rank, const std::string &name)
{
    mprof_communicator communicator = {};
    communicator.flags = MPROF_COMM_IN_USE;
    communicator.size = size;
    communicator.rank = rank;
    communicator.created = 1;
    name.copy(communicator.name, sizeof communicator.name - 1);
    return communicator;
}

RankFileContent sample_rank(uint32_t rank, uint32_t ranks, uint64_t wallclock_ns)
{
    constexpr uint64_t begin = 1000;
    RankFileContent content;
    content.rank = rank;
    content.ranks = ranks;
    content.run.start_realtime_ns = 1'793'000'000'000'000'000;  // 2026-10-26T07:33:20Z
    content.run.stop_realtime_ns = content.run.start_realtime_ns + wallclock_ns;
    content.run.user_ns = wallclock_ns;
    content.run.system_ns = wallclock_ns / 10;
    content.run.peak_memory_bytes = 100 << 20;
    content.run.end = MPROF_END_FINALIZE;
    content.run.abi = MPROF_ABI_OPENMPI;
    content.clock.kind = MPROF_CLOCK_MONOTONIC;
    content.clock.start = {begin, begin, begin};
    content.clock.latest = {begin + wallclock_ns, begin + wallclock_ns, begin + wallclock_ns};
    content.texts = {{"command", "./app --size 7"},
                     {"host", "node00"},
                     {"mpi_library", "Open MPI v4.1.4, more"}};
    content.functions = {"MPI_Init",      "MPI_Send",  "MPI_Recv",
                         "MPI_Allreduce", "MPI_Irecv", "MPI_Finalize"};
    content.threads.resize(1);
    content.threads[0].facts.threads = 1;
    content.threads[0].facts.ticks = begin + wallclock_ns;
    content.threads[0].facts.call_peer = MPROF_NO_PEER;
    content.communicators = {mprof_communicator{}, make_communicator(ranks, rank, ""),
                             make_communicator(1, 0, "")};
    return content;
}

RankFileContent killed_rank(uint32_t rank, uint32_t ranks, uint16_t function, uint64_t tick)
{
    RankFileContent content = sample_rank(rank, ranks, 1'000'000);
    content.finished = false;
    content.run.stop_realtime_ns = 0;
    content.run.user_ns = 0;
    content.run.system_ns = 0;
    content.run.peak_memory_bytes = 0;
    content.run.end = MPROF_END_NONE;
    content.threads[0].facts.in_call = function + 1U;
    content.threads[0].facts.call_peer = 0;
    content.threads[0].facts.ticks = tick;
    return content;
}

void write_file(const std::string &path, const std::vector<std::byte> &bytes)
{
    std::FILE *file = std::fopen(path.c_str(), "wb");
    const bool good =
        file != nullptr && (bytes.empty() || std::fwrite(bytes.data(), bytes.size(), 1, file) == 1);
    if (file != nullptr && std::fclose(file) == 0 && good)
        return;
    throw std::runtime_error("cannot write " + path);
}

}  // namespace mprof_test
