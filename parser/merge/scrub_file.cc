// A new file is made, and only allowed content is copied into it. So gaps, freed sections and
// padding hold nothing either.
#include "merge/scrub_file.h"

#include "merge/merged_file.h"
#include "merge/profile.h"
#include "mprof/format/format.h"
#include "read/file_bytes.h"
#include "read/file_layout.h"
#include "read/printable_text.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

namespace mprof {
namespace {

using OwnedBytes = std::vector<std::byte>;

enum class Rule {
    keep,
    first_part,  // up to the first comma: what comes behind may say who built it, and where
    base_name,   // of a path
    program,     // of a command, the base name of its first word
    numbers,     // a list of them; else nothing: the id of a GPU tells which machine it is in
    host
};

struct TextRule {
    std::string_view key;
    Rule rule;
};

// share/doc/understand/privacy.md is this table in words.
constexpr TextRule text_rules[] = {
    {"command", Rule::program},
    {"executable", Rule::base_name},
    {"host", Rule::host},
    {"mpi_library", Rule::first_part},
    {"mpi_path", Rule::base_name},
    {"program", Rule::base_name},
    {"mprof_version", Rule::keep},
    {"not_covered", Rule::keep},
    {"second_mpis", Rule::keep},
    {"summary", Rule::keep},
    {"counters_refused", Rule::keep},
    {"not_profiled", Rule::keep},
    {"cpu", Rule::keep},
    {"core_cpus", Rule::keep},
    {"cache_cpus", Rule::keep},
    {"socket_cpus", Rule::keep},
    {"numa_cpus", Rule::keep},
    {"cpus_allowed", Rule::keep},
    {"cgroup_cpus", Rule::keep},
    {"cgroup_memory_bytes", Rule::keep},
    {"clock_khz", Rule::keep},
    {"most_clock_khz", Rule::keep},
    {"heat_throttles", Rule::keep},
    {"gpu_devices", Rule::keep},
    {"gpu_sharing", Rule::keep},
    {"gpu_cpus", Rule::keep},
    {"gpu_uuid", Rule::numbers},
    {"environment.CUDA_VISIBLE_DEVICES", Rule::numbers},
    {"environment.ROCR_VISIBLE_DEVICES", Rule::numbers},
    {"environment.HIP_VISIBLE_DEVICES", Rule::numbers},
    {"environment.ZE_AFFINITY_MASK", Rule::numbers},
    {"environment.OMP_NUM_THREADS", Rule::keep},
    {"environment.SLURM_NTASKS", Rule::keep},
    {"environment.SLURM_JOB_NUM_NODES", Rule::keep},
};
constexpr std::string_view kept_prefix = "node.";

constexpr uint32_t kept_sections[] = {
    MPROF_SECTION_RUN,          MPROF_SECTION_CLOCK,       MPROF_SECTION_FUNCTIONS,
    MPROF_SECTION_THREAD,       MPROF_SECTION_ENTRIES,     MPROF_SECTION_PARTNERS,
    MPROF_SECTION_REGIONS,      MPROF_SECTION_CALLSITES,   MPROF_SECTION_COMMUNICATORS,
    MPROF_SECTION_MODULES,      MPROF_SECTION_SEGMENTS,    MPROF_SECTION_JOURNALS,
    MPROF_SECTION_OPERATIONS,   MPROF_SECTION_COUNTERS,    MPROF_SECTION_COUNTER_VALUES,
    MPROF_SECTION_SAMPLES,      MPROF_SECTION_BASELINE,    MPROF_SECTION_OFF_CPU,
    MPROF_SECTION_FILES,        MPROF_SECTION_CPU_SAMPLES, MPROF_SECTION_SCRIPTS,
    MPROF_SECTION_PARALLEL,     MPROF_SECTION_CONDITIONS,  MPROF_SECTION_TIME,
    MPROF_SECTION_TIME_BINS,    MPROF_SECTION_LAST_CALLS,  MPROF_SECTION_COLLECTIVE_TIMES,
    MPROF_SECTION_SAMPLE_PATHS, MPROF_SECTION_LINT,        MPROF_SECTION_LINT_STEPS,
    MPROF_SECTION_LINT_FINDS,   MPROF_SECTION_GPU,         MPROF_SECTION_GPU_SITES,
    MPROF_SECTION_GPU_KERNELS,  MPROF_SECTION_GPU_BUFFERS, MPROF_SECTION_PLAIN_FILES,
    MPROF_SECTION_GPU_ACTIVITY, MPROF_SECTION_GPU_WORK,    MPROF_SECTION_GPU_BUSY,
    MPROF_SECTION_NCCL_COMMS,   MPROF_SECTION_NCCL_CALLS,  MPROF_SECTION_NCCL_TIMES,
    MPROF_SECTION_FAULT_PATHS,  MPROF_SECTION_EARLY_PATHS};

// It is read as a command line again, so what needs quotes keeps them.
std::string program_of(const std::string &command)
{
    const std::vector<std::string> words = command_words(command);
    return words.empty() ? "" : quoted_word(without_folder(words[0]));
}

std::string apply(Rule rule, const std::string &value, HostNames &hosts)
{
    switch (rule) {
    case Rule::keep:
        return value;
    case Rule::first_part:
        return value.substr(0, value.find(','));
    case Rule::base_name:
        return without_folder(value);
    case Rule::program:
        return program_of(value);
    case Rule::numbers:
        return value.find_first_not_of("0123456789.,-") == std::string::npos ? value : "";
    case Rule::host:
        return hosts.emplace(value, fmt::format("node-{}", hosts.size() + 1)).first->second;
    }
    return "";
}

const TextRule *rule_of(std::string_view key)
{
    const auto *rule = std::find_if(std::begin(text_rules), std::end(text_rules),
                                    [&](const TextRule &known) { return known.key == key; });
    if (rule != std::end(text_rules))
        return rule;
    static constexpr TextRule kept = {kept_prefix, Rule::keep};
    return key.starts_with(kept_prefix) ? &kept : nullptr;
}

// Takes one text off the front.
std::string take_text(std::string_view &texts)
{
    std::string text(texts.substr(0, texts.find('\0')));
    texts.remove_prefix(std::min(texts.size(), text.size() + 1));
    return text;
}

OwnedBytes scrubbed_texts(std::span<const std::byte> content, HostNames &hosts)
{
    std::string_view texts(reinterpret_cast<const char *>(content.data()), content.size());
    std::string kept;
    while (!texts.empty()) {
        const std::string key = take_text(texts);
        const std::string value = take_text(texts);
        if (key.empty())
            break;
        if (const TextRule *rule = rule_of(key))
            kept += key + '\0' + apply(rule->rule, value, hosts) + '\0';
    }
    kept += std::string(2, '\0');
    const auto bytes = std::as_bytes(std::span(kept));
    return {bytes.begin(), bytes.end()};
}

// All the room of a text of a record.
template <size_t size>
void replace_text(char (&field)[size], const std::string &text)
{
    std::fill_n(std::begin(field), size, '\0');
    std::copy_n(text.begin(), std::min(text.size(), size - 1), std::begin(field));
}

template <size_t size>
std::string text_of(const char (&field)[size])
{
    return {std::begin(field), strnlen(std::begin(field), size)};
}

void scrub_record(mprof_module &module, const Scrubbing & /*unused*/)
{
    replace_text(module.path, without_folder(text_of(module.path)));
    module.file_bytes = 0;
    module.modified_ns = 0;
}

// Why an interpreter is not read stays.
void scrub_record(mprof_script &script, const Scrubbing &scrubbing)
{
    replace_text(script.file, without_folder(text_of(script.file)));
    if (!scrubbing.keeps_functions && (script.flags & MPROF_SCRIPT_UNREAD) == 0)
        replace_text(script.function, "");
}

void scrub_record(mprof_file &file, const Scrubbing & /*unused*/)
{
    replace_text(file.name, without_folder(text_of(file.name)));
}

void scrub_record(mprof_plain_file &file, const Scrubbing & /*unused*/)
{
    replace_text(file.name, without_folder(text_of(file.name)));
}

template <class Record>
void scrub_records(std::span<std::byte> records, uint32_t record_bytes, const Scrubbing &scrubbing)
{
    const size_t known = std::min<size_t>(record_bytes, sizeof(Record));
    for (size_t at = 0; known > 0 && at + record_bytes <= records.size(); at += record_bytes) {
        Record record = {};
        std::memcpy(&record, records.data() + at, known);
        scrub_record(record, scrubbing);
        std::memcpy(records.data() + at, &record, known);
    }
}

void scrub_run(std::span<std::byte> record)
{
    constexpr size_t offset = offsetof(mprof_run, process_id);
    constexpr size_t bytes = sizeof(mprof_run::process_id);
    if (record.size() >= offset + bytes)  // those of an earlier minor version may be shorter
        std::memset(record.data() + offset, 0, bytes);
}

// What is kept of each section. Other sections leave no trace. Each section gets a new place,
// because sections of a live file may overlap others.
void copy_section(std::span<const std::byte> from, mprof_section &section, OwnedBytes &to,
                  Scrubbing &scrubbing)
{
    const auto content = from.subspan(section.offset, section.stored_bytes);
    const bool is_text = section.type == MPROF_SECTION_TEXT;
    const bool is_kept = is_text || std::find(std::begin(kept_sections), std::end(kept_sections),
                                              section.type) != std::end(kept_sections);
    if (!is_kept || section.form != MPROF_FORM_RECORDS) {  // a form that is not known
        section = {};
        return;
    }
    OwnedBytes copy = is_text ? scrubbed_texts(content, scrubbing.hosts)
                              : OwnedBytes(content.begin(), content.end());
    if (section.type == MPROF_SECTION_MODULES)
        scrub_records<mprof_module>(copy, section.record_bytes, scrubbing);
    if (section.type == MPROF_SECTION_SCRIPTS)
        scrub_records<mprof_script>(copy, section.record_bytes, scrubbing);
    if (section.type == MPROF_SECTION_FILES)
        scrub_records<mprof_file>(copy, section.record_bytes, scrubbing);
    if (section.type == MPROF_SECTION_PLAIN_FILES)
        scrub_records<mprof_plain_file>(copy, section.record_bytes, scrubbing);
    if (section.type == MPROF_SECTION_RUN)
        scrub_run(copy);
    section.offset = to.size();
    section.stored_bytes = copy.size();
    to.insert(to.end(), copy.begin(), copy.end());
    to.resize((to.size() + 7) / 8 * 8);
}

// Gathers rank files, a block after the other.
class ScrubbedFiles {
public:
    ScrubbedFiles(const std::string &target, const TakenFiles &taken, Scrubbing scrubbing)
        : writer_(target, taken), scrubbing_(std::move(scrubbing))
    {
    }

    void add(const std::string &name, std::span<const std::byte> bytes)
    {
        auto scrubbed = scrubbed_rank_file(bytes, name, scrubbing_);
        if (!scrubbed.ok()) {
            counts_.left_out.push_back(scrubbed.error());
            return;
        }
        block_.add(without_folder(name), scrubbed.value());
        block_bytes_ += scrubbed.value().size();
        counts_.files++;
        if (block_bytes_ >= most_bytes)
            end_block();
    }

    Result<ScrubCounts> close(const std::string &target, const OwnedBytes &names)
    {
        if (counts_.files == 0)
            return counts_;
        if (block_bytes_ > 0)
            end_block();
        writer_.add_names(names);
        const std::string problem = writer_.close();
        if (!problem.empty())
            return FileError{target,  0,     "a file that can be written",
                             problem, false, FileTrouble::not_written};
        counts_.has_replaced = writer_.has_replaced();
        return counts_;
    }

private:
    void end_block()
    {
        const MergedBlock made = block_.make();
        writer_.add(made);
        counts_.bytes += made.stored.size();
        block_ = {};
        block_bytes_ = 0;
    }

    static constexpr uint64_t most_bytes = uint64_t{64} << 20U;
    MergedWriter writer_;
    BlockMaker block_;
    uint64_t block_bytes_ = 0;
    Scrubbing scrubbing_;
    ScrubCounts counts_;
};

void add_merged(ScrubbedFiles &scrubbed, const MergedFile &merged, std::vector<FileError> &left_out)
{
    for (size_t block = 0; block < merged.block_count(); block++) {
        const auto content = merged.read_block(block);
        if (!content.ok()) {
            left_out.push_back(content.error());
            continue;
        }
        const auto members = merged.members_of(block, content.value());
        if (!members.ok()) {
            left_out.push_back(members.error());
            continue;
        }
        for (const MergedMember &member : members.value())
            scrubbed.add(member.name, member.bytes);
    }
}

}  // namespace

Result<OwnedBytes> scrubbed_rank_file(std::span<const std::byte> bytes, const std::string &file,
                                      Scrubbing &scrubbing)
{
    const auto first = open_rank_file(bytes, file);
    if (!first.ok())
        return first.error();
    const bool finished = first.value().layout.finished();
    const OwnedBytes plain =
        finished ? decompressed_rank_file(bytes) : OwnedBytes(bytes.begin(), bytes.end());
    auto opened = open_rank_file(plain, file);
    if (!opened.ok())
        return opened.error();
    mprof_file_header header = opened.value().layout.header;
    std::vector<mprof_section> &sections = opened.value().layout.sections;
    OwnedBytes scrubbed(sizeof header);
    for (mprof_section &section : sections)
        copy_section(plain, section, scrubbed, scrubbing);
    if (finished) {
        seal_rank_file(scrubbed, header, sections);
        return scrubbed;
    }
    header.directory_offset = static_cast<uint32_t>(scrubbed.size());
    const auto directory = std::as_bytes(std::span(sections));
    scrubbed.insert(scrubbed.end(), directory.begin(), directory.end());
    std::memcpy(scrubbed.data(), &header, sizeof header);
    return scrubbed;
}

Result<ScrubCounts> scrub_files(const std::string &path, const std::string &target,
                                const Scrubbing &scrubbing, const OwnedBytes &names)
{
    const auto files = profile_files(path);
    if (!files.ok())
        return files.error();
    TakenFiles taken;
    for (const std::string &file : files.value())
        taken.add(file);
    ScrubbedFiles scrubbed(target, taken, scrubbing);
    std::vector<FileError> left_out;
    for (const std::string &file : without_links(files.value(), path, left_out)) {
        if (const auto merged = MergedFile::open(file)) {
            if (merged->ok())
                add_merged(scrubbed, merged->value(), left_out);
            else
                left_out.push_back(merged->error());
            continue;
        }
        const auto bytes = read_file_bytes(file);
        if (bytes.ok())
            scrubbed.add(file, bytes.value());
        else
            left_out.push_back(bytes.error());
    }
    auto counts = scrubbed.close(target, names);
    if (counts.ok())
        counts.value().left_out.insert(counts.value().left_out.end(), left_out.begin(),
                                       left_out.end());
    return counts;
}

}  // namespace mprof
