// Lays out: header, the sections in the order in which they were added, each at a multiple of 8,
// and the directory: behind them, or before them in a live file.
#include "rank_file_writer.h"

#include "mprof/format/dictionary.h"

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

// The n-th byte of every record, for n from 0.
Bytes by_columns(const Bytes &records, size_t stride)
{
    Bytes columns;
    for (size_t n = 0; n < stride; n++)
        for (size_t at = n; at < records.size(); at += stride)
            columns.push_back(records[at]);
    return columns;
}

class Composer {
public:
    explicit Composer(const RankFileContent &content) : content_(content) {}

    uint32_t add(uint32_t type, uint32_t number, size_t record_bytes, const Bytes &content)
    {
        Section section;
        const size_t stride = mprof_column_stride(type, static_cast<uint32_t>(record_bytes));
        const bool columns = content_.finished && content_.columns && content.size() % stride == 0;
        section.facts.type = type;
        section.facts.number = number;
        section.facts.record_bytes = static_cast<uint32_t>(record_bytes);
        section.facts.form = columns ? MPROF_FORM_COLUMNS : MPROF_FORM_RECORDS;
        section.facts.stored_bytes = content.size();
        section.stored = columns ? by_columns(content, stride) : content;
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
        header.section_count = static_cast<uint32_t>(sections_.size());
        header.run_id = content_.run_id;
        header.world = content_.world;
        header.rank = content_.rank;
        header.ranks = content_.ranks;
        const size_t directory_bytes = sections_.size() * sizeof(mprof_section);
        Bytes bytes(sizeof header + (content_.finished ? 0 : directory_bytes));
        for (Section &section : sections_) {
            bytes.resize((bytes.size() + 7) / 8 * 8);
            section.facts.offset = bytes.size();
            bytes.insert(bytes.end(), section.stored.begin(), section.stored.end());
        }
        if (content_.finished)
            bytes.resize((bytes.size() + 7) / 8 * 8 + directory_bytes);
        const size_t directory = content_.finished ? bytes.size() - directory_bytes : sizeof header;
        header.directory_offset = static_cast<uint32_t>(directory);
        for (size_t i = 0; i < sections_.size(); i++)
            std::memcpy(&bytes[directory + i * sizeof(mprof_section)], &sections_[i].facts,
                        sizeof(mprof_section));
        header.content_bytes =
            content_.finished ? static_cast<uint32_t>(bytes.size() - sizeof header) : 0;
        std::memcpy(bytes.data(), &header, sizeof header);
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

// A section of records. Of another minor version they are longer, or shorter.
template <class T>
uint32_t add_records(Composer &composer, const RankFileContent &content, uint32_t type,
                     uint32_t number, const std::vector<T> &records)
{
    const size_t record_bytes =
        static_cast<size_t>(static_cast<int>(sizeof(T)) + content.longer_records);
    Bytes bytes;
    for (const T &record : records) {
        append(bytes, record);
        bytes.resize(bytes.size() - sizeof(T) + record_bytes, std::byte{0xee});
    }
    return composer.add(type, number, record_bytes, bytes);
}

// None if there are no records.
template <class T>
uint32_t add_optional(Composer &composer, const RankFileContent &content, uint32_t type,
                      uint32_t number, const std::vector<T> &records)
{
    return records.empty() ? 0 : add_records(composer, content, type, number, records);
}

void add_thread(Composer &composer, const RankFileContent &content, const ThreadContent &thread,
                uint32_t number)
{
    mprof_thread facts = thread.facts;
    const auto add = [&](uint32_t type, const auto &records) {
        return add_optional(composer, content, type, number, records);
    };
    facts.entries_section =
        add_records(composer, content, MPROF_SECTION_ENTRIES, number, thread.entries);
    facts.partners_section =
        add_records(composer, content, MPROF_SECTION_PARTNERS, number, thread.partners);
    facts.segments_section = add(MPROF_SECTION_SEGMENTS, thread.segments);
    facts.counter_values_section = add(MPROF_SECTION_COUNTER_VALUES, thread.counter_values);
    facts.off_cpu_section = add(MPROF_SECTION_OFF_CPU, thread.off_cpu);
    facts.cpu_samples_section = add(MPROF_SECTION_CPU_SAMPLES, thread.cpu_samples);
    facts.sample_paths_section = add(MPROF_SECTION_SAMPLE_PATHS, thread.sample_paths);
    add(MPROF_SECTION_FAULT_PATHS, thread.fault_paths);
    add(MPROF_SECTION_EARLY_PATHS, thread.early_paths);
    facts.last_calls_section = add(MPROF_SECTION_LAST_CALLS, thread.last_calls);
    add(MPROF_SECTION_THREAD, std::vector{facts});
}

// A finished file has all journals in one section, a live one a section for each, with room.
void add_journals(Composer &composer, const RankFileContent &content)
{
    const auto journal_bytes =
        static_cast<uint32_t>(static_cast<int>(sizeof(mprof_journal)) + content.longer_records);
    Bytes bytes;
    uint32_t number = 0;
    for (const JournalContent &journal : content.journals) {
        std::vector<uint32_t> room = journal.items;
        room.resize((room.size() + 1) / 2 * 2 + (content.finished ? 0 : 4));
        mprof_journal facts = journal.facts;
        facts.items = static_cast<uint32_t>(journal.items.size());
        facts.capacity = static_cast<uint32_t>(room.size());
        append(bytes, facts);
        bytes.resize(bytes.size() + journal_bytes - sizeof facts, std::byte{0xee});
        for (const uint32_t item : room)
            append(bytes, item);
        if (content.finished)
            continue;
        composer.add(MPROF_SECTION_JOURNALS, number++, journal_bytes, bytes);
        bytes.clear();
    }
    if (!bytes.empty())
        composer.add(MPROF_SECTION_JOURNALS, 0, journal_bytes, bytes);
}

void seal_header(std::vector<std::byte> &file, mprof_file_header header)
{
    header.header_checksum = 0;
    header.header_checksum = mprof_crc32(&header, sizeof header);
    std::memcpy(file.data(), &header, sizeof header);
}

}  // namespace

std::vector<std::byte> compressed(const std::vector<std::byte> &plain, int level)
{
    mprof_file_header header;
    std::memcpy(&header, plain.data(), sizeof header);
    Bytes file =
        compress(Bytes(plain.begin() + sizeof header, plain.end()), level, mprof_dictionary);
    if (file.size() >= header.content_bytes)
        return plain;
    file.insert(file.begin(), sizeof header, std::byte{0});
    std::memcpy(file.data(), &header, sizeof header);
    seal(file);
    return file;
}

void seal(std::vector<std::byte> &file)
{
    mprof_file_header header;
    if (file.size() < sizeof header)
        return;
    std::memcpy(&header, file.data(), sizeof header);
    if (header.state != MPROF_FILE_FINISHED)
        return;
    header.file_bytes = file.size();
    header.body_checksum = mprof_crc32(file.data() + sizeof header, file.size() - sizeof header);
    seal_header(file, header);
}

std::vector<std::byte> compose(const RankFileContent &content)
{
    Composer composer(content);
    const auto add = [&](uint32_t type, const auto &records) {
        add_optional(composer, content, type, 0, records);
    };
    add(MPROF_SECTION_RUN, std::vector{content.run});
    add(MPROF_SECTION_CLOCK, std::vector{content.clock});
    add_texts(composer, content);
    uint32_t number = 0;
    for (const ThreadContent &thread : content.threads)
        add_thread(composer, content, thread, number++);
    add(MPROF_SECTION_COMMUNICATORS, content.communicators);
    add(MPROF_SECTION_REGIONS, content.regions);
    add(MPROF_SECTION_FILES, content.files);
    add(MPROF_SECTION_PLAIN_FILES, content.plain_files);
    add(MPROF_SECTION_PARALLEL, content.parallel_regions);
    add(MPROF_SECTION_GPU, content.gpu);
    add(MPROF_SECTION_GPU_SITES, content.gpu_sites);
    add(MPROF_SECTION_GPU_KERNELS, content.gpu_kernels);
    add(MPROF_SECTION_GPU_BUFFERS, content.gpu_buffers);
    add(MPROF_SECTION_GPU_ACTIVITY, content.gpu_activity);
    add(MPROF_SECTION_GPU_WORK, content.gpu_work);
    add(MPROF_SECTION_GPU_BUSY, content.gpu_busy);
    add(MPROF_SECTION_NCCL_COMMS, content.nccl_comms);
    add(MPROF_SECTION_NCCL_CALLS, content.nccl_calls);
    add(MPROF_SECTION_NCCL_TIMES, content.nccl_times);
    add(MPROF_SECTION_CALLSITES, content.callsites);
    add(MPROF_SECTION_MODULES, content.modules);
    add(MPROF_SECTION_SCRIPTS, content.scripts);
    add(MPROF_SECTION_OPERATIONS, content.operations);
    add_journals(composer, content);
    add(MPROF_SECTION_COUNTERS, content.counters);
    add(MPROF_SECTION_SAMPLES, content.samples);
    add(MPROF_SECTION_CONDITIONS, content.conditions);
    add(MPROF_SECTION_COLLECTIVE_TIMES, content.collective_times);
    add(MPROF_SECTION_BASELINE, content.baselines);
    add(MPROF_SECTION_LINT, content.lint);
    add(MPROF_SECTION_LINT_STEPS, content.lint_steps);
    add(MPROF_SECTION_LINT_FINDS, content.lint_finds);
    if (!content.time_bins.empty())
        add(MPROF_SECTION_TIME, std::vector{content.time});
    add(MPROF_SECTION_TIME_BINS, content.time_bins);
    for (const ExtraSection &extra : content.extra)
        composer.add(extra.type, 0, 1, extra.content);
    Bytes file = composer.file();
    return content.finished && content.compressed ? compressed(file, content.compression_level)
                                                  : file;
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
