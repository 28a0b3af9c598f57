// Which of the counts stands for most of the system time is estimated by what each costs on any
// machine of the last ten years: a page fault with its page of zeros, a call, a byte that is
// copied. What no count tells, as opening files or giving memory back, samples may show: the
// innermost function is then the C library's, with the name of the call.
#include "verdict/kernel_work.h"

#include "report/number_text.h"
#include "report/place_rows.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <vector>

namespace mprof {
namespace {

constexpr double fault_s = 0.6e-6, call_s = 0.25e-6, copied_byte_s = 0.1e-9;

struct SystemCall {
    std::string_view name;  // of the function of the C library, without 64 and underscores
    KernelPart part;
};
constexpr SystemCall system_calls[] = {{"open", KernelPart::opens},
                                       {"openat", KernelPart::opens},
                                       {"close", KernelPart::opens},
                                       {"read", KernelPart::reads},
                                       {"pread", KernelPart::reads},
                                       {"readv", KernelPart::reads},
                                       {"write", KernelPart::writes},
                                       {"pwrite", KernelPart::writes},
                                       {"writev", KernelPart::writes},
                                       {"madvise", KernelPart::faults},
                                       {"munmap", KernelPart::faults},
                                       {"mmap", KernelPart::faults},
                                       {"brk", KernelPart::faults},
                                       {"sbrk", KernelPart::faults},
                                       {"mprotect", KernelPart::unknown},
                                       {"stat", KernelPart::unknown},
                                       {"fstat", KernelPart::unknown},
                                       {"lstat", KernelPart::unknown},
                                       {"getdents", KernelPart::unknown},
                                       {"lseek", KernelPart::unknown},
                                       {"fcntl", KernelPart::unknown},
                                       {"flock", KernelPart::unknown},
                                       {"ioctl", KernelPart::unknown},
                                       {"access", KernelPart::unknown},
                                       {"unlink", KernelPart::unknown},
                                       {"rename", KernelPart::unknown},
                                       {"poll", KernelPart::unknown},
                                       {"sigprocmask", KernelPart::unknown},
                                       {"send", KernelPart::unknown},
                                       {"recv", KernelPart::unknown},
                                       {"sendto", KernelPart::unknown},
                                       {"recvfrom", KernelPart::unknown},
                                       {"pthread_sigmask", KernelPart::unknown}};

// "__open64_nocancel" is open, and so is glibc's own name "__GI___libc_open64";
// "__fcntl64_nocancel_adjusted" is fcntl.
const SystemCall *call_of(std::string_view symbol)
{
    for (const std::string_view begin : {"", "GI_", "libc_"}) {
        if (symbol.starts_with(begin))
            symbol.remove_prefix(begin.size());
        while (symbol.starts_with('_'))
            symbol.remove_prefix(1);
    }
    for (const std::string_view end : {"_adjusted", "_nocancel", "64"})
        if (symbol.ends_with(end))
            symbol.remove_suffix(end.size());
    const auto *found =
        std::find_if(std::begin(system_calls), std::end(system_calls),
                     [symbol](const SystemCall &call) { return call.name == symbol; });
    return found == std::end(system_calls) ? nullptr : found;
}

bool is_of_libc(const Frame &frame)
{
    const std::string name = frame.module_name();
    return name.starts_with("libc.") || name.starts_with("libc-") || name.starts_with("ld-musl");
}

// The call of the system that most samples of the rank are in.
const SystemCall *sampled_call(const Report &report, uint32_t rank)
{
    std::map<const SystemCall *, uint64_t> samples;
    for (const HotSpotRow &row : report.hotspots)
        if (is_of_libc(row.site) && (row.spread.max_rank == rank || row.spread.ranks < 2))
            if (const SystemCall *call = call_of(row.site.symbol))
                samples[call] += row.samples;
    const SystemCall *most = nullptr;
    for (const auto &[call, count] : samples)
        if (most == nullptr || count > samples[most])
            most = call;
    return most != nullptr && samples[most] >= place_limits.call_samples ? most : nullptr;
}

double calls_s(uint64_t calls, uint64_t bytes)
{
    return static_cast<double>(calls) * call_s + static_cast<double>(bytes) * copied_byte_s;
}

struct Count {
    KernelPart part;
    double seconds;  // estimated
    std::string words;
};

// "1.3 million reads of 1 B"
std::string calls_text(uint64_t calls, const char *what, uint64_t bytes)
{
    return fmt::format("{} of {}", spoken_plural(calls, what),
                       bytes_text(bytes / std::max<uint64_t>(1, calls)));
}

// Those that cost most first.
std::vector<Count> counts_of(const KernelWork &work)
{
    std::vector<Count> counts = {{KernelPart::faults, static_cast<double>(work.faults) * fault_s,
                                  spoken_plural(work.faults, "page fault")},
                                 {KernelPart::reads, calls_s(work.read_calls, work.read_bytes),
                                  calls_text(work.read_calls, "read", work.read_bytes)},
                                 {KernelPart::writes, calls_s(work.write_calls, work.written_bytes),
                                  calls_text(work.write_calls, "write", work.written_bytes)}};
    std::stable_sort(counts.begin(), counts.end(),
                     [](const Count &a, const Count &b) { return a.seconds > b.seconds; });
    return counts;
}

bool is_of_rank(const PlainFileRow &row, std::optional<uint32_t> rank)
{
    return !rank || row.most_rank == rank || row.ranks > 1;
}

const RankRow *rank_with_most(const Report &report, std::optional<uint32_t> rank)
{
    const RankRow *found = nullptr;
    for (const RankRow &row : report.ranks)
        if (row.system_s &&
            (rank ? row.rank == *rank : found == nullptr || row.kernel_s() > found->kernel_s()))
            found = &row;
    return found;
}

// Of the reads, or of the writes.
const PlainFileRow *file_of(const Report &report, KernelPart part, uint32_t rank)
{
    const PlainFileRow *most = nullptr;
    const auto bytes_of = [part](const PlainFileRow &row) {
        return part == KernelPart::reads ? row.read_bytes : row.written_bytes;
    };
    if (part != KernelPart::reads && part != KernelPart::writes)
        return nullptr;
    for (const PlainFileRow &row : report.plain_files)
        if (is_of_rank(row, rank) && bytes_of(row) > 0 &&
            (most == nullptr || bytes_of(row) > bytes_of(*most)))
            most = &row;
    return most == nullptr || most->name.empty() ? nullptr : most;
}

}  // namespace

std::string system_call_name(const HotPlaceRow &row)
{
    if (!is_of_libc(row.site))
        return "";
    const SystemCall *call = call_of(row.site.symbol);
    if (call != nullptr)
        return std::string(call->name);
    const std::string_view symbol = row.site.symbol;
    return row.at_one_address && row.samples >= place_limits.address_samples
               ? std::string(symbol.substr(std::min(symbol.find_first_not_of('_'), symbol.size())))
               : "";
}

std::optional<KernelWork> find_kernel_work(const Report &report, std::optional<uint32_t> rank)
{
    const RankRow *row = rank_with_most(report, rank);
    const double cpu_s = row == nullptr ? 0 : row->process_s();
    if (cpu_s <= 0)
        return std::nullopt;
    KernelWork work;
    work.rank = row->rank;
    work.system_percent = 100 * row->kernel_s() / cpu_s;
    work.faults = row->minor_faults.value_or(0);
    work.read_calls = row->read_calls.value_or(0);
    work.read_bytes = row->read_bytes.value_or(0);
    work.write_calls = row->write_calls.value_or(0);
    work.written_bytes = row->written_bytes.value_or(0);
    // A count that explains hardly anything of the system time is not what it goes to.
    const std::vector<Count> counts = counts_of(work);
    const SystemCall *call = sampled_call(report, work.rank);
    if (call != nullptr)
        work.call = std::string(call->name);
    const bool is_sampled = counts.front().part == KernelPart::faults && call == nullptr &&
                            !report.fault_places.empty();
    const double share =
        is_sampled ? place_limits.sampled_faults_share : place_limits.counted_share;
    const bool is_counted = counts.front().seconds >= share * row->kernel_s();
    if (is_counted && (call == nullptr || call->part != KernelPart::opens))
        work.most = counts.front().part;
    else if (call != nullptr)
        work.most = call->part;
    work.file = file_of(report, work.most, work.rank);
    return work;
}

std::string KernelWork::words() const
{
    const std::vector<Count> counts = counts_of(*this);
    std::string parts;
    for (const Count &count : counts) {
        const uint64_t number = count.part == KernelPart::faults  ? faults
                                : count.part == KernelPart::reads ? read_calls
                                                                  : write_calls;
        if (number >= place_limits.told_count &&
            count.seconds >= place_limits.told_count_share * counts.front().seconds)
            parts += (parts.empty() ? "" : ", ") + count.words;
    }
    if (!call.empty())
        parts += fmt::format("{}samples in {}()", parts.empty() ? "" : ", ", call);
    return fmt::format("{} of the CPU time of rank {} is system time{}{}",
                       percent_text(system_percent), rank, parts.empty() ? "" : ": ", parts);
}

const PlainFileRow *most_moved_file(const Report &report, std::optional<uint32_t> rank)
{
    const PlainFileRow *most = nullptr;
    for (const PlainFileRow &row : report.plain_files)
        if (is_of_rank(row, rank) && (most == nullptr || row.bytes() > most->bytes()))
            most = &row;
    return most == nullptr || most->name.empty() ? nullptr : most;
}

std::string file_words(const Report &report, const PlainFileRow &file)
{
    const size_t ranks = report.ranks.size();
    const bool reads = file.read_bytes >= file.written_bytes;
    std::string who;
    if (file.ranks == ranks && ranks > 1)
        who = fmt::format("All {} ranks {}", ranks, reads ? "read" : "write");
    else if (file.ranks == 1 && file.most_rank)
        who = fmt::format("Rank {} alone {}", *file.most_rank, reads ? "reads" : "writes");
    else
        who = fmt::format("{} {}", plural(file.ranks, "rank"), reads ? "read" : "write");
    const uint64_t calls = reads ? file.read_calls : file.write_calls;
    const uint64_t bytes = reads ? file.read_bytes : file.written_bytes;
    return fmt::format("{} {}: {} in {}{}. ", who, file.name, bytes_text(bytes),
                       spoken_plural(calls, "call"),
                       calls > 1 ? " of " + bytes_text(bytes / calls) : "");
}

}  // namespace mprof
