// Writes the rank files of the golden tests. For tests/bad it writes files that must be refused.
//
//   make_golden golden FOLDER    FOLDER/finished and FOLDER/killed, four ranks each
//   make_golden bad FOLDER       FOLDER/<case>/..., one folder per kind of damage
//
// The golden files are committed. So a change of the format that would break old files shows, and
// nobody's zstd version matters. The refused files are made at test time.
#include "rank_file_writer.h"

#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>

namespace {

using namespace mprof_test;
namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

constexpr uint32_t rank_count = 4;

enum FunctionId : uint16_t {
    init,
    comm_split,
    isend,
    irecv,
    waitall,
    allreduce,
    bcast,
    sendrecv,
    finalize
};

constexpr uint64_t ms = 1'000'000;  // in ns

// 3 ticks per ns; the rank ran 2 s.
void set_clock(RankFileContent &content)
{
    const uint64_t begin_ticks = 7'000'000'000'000 + content.rank * 1'000'000;
    const uint64_t begin_ns = 2'000'000'000'000;
    content.clock.kind = MPROF_CLOCK_TSC;
    content.clock.start = {begin_ticks - 30, begin_ns, begin_ticks + 30};
    content.clock.latest = {begin_ticks + 6000 * ms - 30, begin_ns + 2000 * ms,
                            begin_ticks + 6000 * ms + 30};
    content.clock.read_ticks = 60;
    content.clock.record_ticks = 150;
}

// `ns` is the whole time, clock reads included.
mprof_entry timed(uint16_t function, uint64_t size, uint64_t calls, uint64_t ns,
                  uint16_t communicator, mprof_entry_kind kind = MPROF_KIND_CALL)
{
    mprof_entry entry = make_entry(function, size, calls, 3 * ns, kind);
    entry.communicator = communicator;
    entry.min_ticks = entry.min_ticks / 2;
    entry.max_ticks = entry.max_ticks * 3;
    return entry;
}

mprof_entry completion(uint16_t function, uint64_t count, uint64_t ns, uint64_t span_ns,
                       uint64_t span_mpi_ns)
{
    mprof_entry entry =
        make_completion(function, 4096, count, 3 * ns, 3 * span_ns, 3 * span_mpi_ns);
    entry.communicator = MPROF_COMM_SLOT_WORLD;
    return entry;
}

mprof_entry at(mprof_entry entry, uint32_t callsite)
{
    entry.callsite = callsite;
    return entry;
}

mprof_partner timed_partner(mprof_partner_kind kind, uint32_t rank, uint64_t messages,
                            uint64_t bytes, uint64_t ns, uint32_t callsite)
{
    mprof_partner partner = make_partner(kind, rank, messages, bytes);
    partner.ticks = 3 * ns;
    partner.callsite = callsite;
    return partner;
}

// main() at 0x1500 calls what calls MPI. No such files are anywhere, so places stay module+offset.
enum Callsite : uint32_t { in_main = 1, send_site, receive_site, wait_site, sum_site, bcast_site };

void add_callsites(RankFileContent &content)
{
    content.modules = {mprof_module{},
                       make_module("/nonexistent/bin/heat", "00112233445566778899aabbccddeeff"),
                       make_module("/nonexistent/lib/libexchange.so", "")};
    content.callsites = {mprof_callsite{},
                         make_callsite(0, 1, 0x1500),
                         make_callsite(in_main, 2, 0x2410),
                         make_callsite(in_main, 2, 0x2388),
                         make_callsite(in_main, 2, 0x24c0),
                         make_callsite(in_main, 1, 0x1620),
                         make_callsite(in_main, 1, 0x1700)};
    ThreadContent &thread = content.threads[0];
    thread.facts.call_callsite = sum_site;
    thread.facts.last_function = finalize + 1;
    thread.facts.callsite_walks = 6;
    const uint64_t compute_ns = (content.rank == 2 ? 1600 : 800) * ms;
    thread.segments = {make_segment(allreduce, sum_site, irecv, receive_site, 999, 3 * compute_ns),
                       make_segment(isend, send_site, waitall, wait_site, 1000, 3 * 50 * ms)};
}

// A ring with a sum: rank 2 computes longest, so the others stay longer in MPI_Allreduce.
RankFileContent golden_rank(uint32_t rank)
{
    RankFileContent content = sample_rank(rank, rank_count, 2000 * ms);
    set_clock(content);
    content.run.user_ns = 1900 * ms;
    content.run.system_ns = 20 * ms;
    content.run.peak_memory_bytes = (uint64_t{300} + rank) << 20U;
    content.run.own_ns = 2 * ms;
    content.texts = {{"command", "./heat --grid 512 --steps 1000"},
                     {"host", rank < 2 ? "node00" : "node01"},
                     {"mpi_library", "Open MPI v4.1.4, package: Debian OpenMPI"},
                     {"job", ""}};
    content.functions = {"MPI_Init",  "MPI_Comm_split", "MPI_Isend",
                         "MPI_Irecv", "MPI_Waitall",    "MPI_Allreduce",
                         "MPI_Bcast", "MPI_Sendrecv",   "MPI_Finalize"};
    const uint64_t in_sum_ns = (rank == 2 ? 100 : 900) * ms;
    ThreadContent &thread = content.threads[0];
    thread.facts.ticks = content.clock.latest.ticks_after;
    thread.entries = {timed(init, 0, 1, 30 * ms, 0), timed(comm_split, 0, 1, 2 * ms, 1),
                      at(timed(isend, 4096, 1000, 2 * ms, 1), send_site),
                      at(timed(irecv, 4096, 999, 1 * ms, 1), receive_site),
                      at(timed(irecv, 0, 1, 1000, 1, MPROF_KIND_PENDING), receive_site),
                      at(timed(waitall, 0, 1000, 20 * ms, 0), wait_site),
                      at(timed(allreduce, 8, 1000, in_sum_ns, 1), sum_site),
                      at(timed(bcast, 100, 3, 1 * ms, 4), bcast_site),
                      at(timed(bcast, 5'000'000, 1, 4 * ms, 4), bcast_site),
                      // Of 70 ms between start and completion 60 were spent computing.
                      at(completion(irecv, 999, 18 * ms, 70 * ms, 10 * ms), receive_site),
                      at(completion(isend, 1000, 2 * ms, 70 * ms, 10 * ms), send_site),
                      timed(sendrecv, 16, 5, 1 * ms, 1),
                      timed(sendrecv, 24, 5, 0, 1, MPROF_KIND_RECEIVED),
                      timed(finalize, 0, 1, 1 * ms, 0)};
    const uint32_t right = (rank + 1) % rank_count;
    const uint32_t left = (rank + rank_count - 1) % rank_count;
    thread.partners = {
        timed_partner(MPROF_PARTNER_SENT, right, 1000, 1000 * 4096, 4 * ms, send_site),
        timed_partner(MPROF_PARTNER_SENT, right, 5, 5 * 16, ms / 2, 0),
        timed_partner(MPROF_PARTNER_RECEIVED, left, 999, 999 * 4096, 19 * ms, receive_site),
        timed_partner(MPROF_PARTNER_RECEIVED, left, 5, 5 * 24, ms / 2, 0)};
    add_callsites(content);
    content.communicators.push_back(make_communicator(0, 0, ""));
    content.communicators.push_back(make_communicator(2, rank % 2, "pair"));
    content.communicators.back().identity = 0x1000 + rank / 2;
    content.communicators.back().made_by = comm_split + 1;
    content.communicators.back().parent = 1;
    content.communicators.back().callsite = in_main;
    return content;
}

// Rank 1 was killed in a receive 1.25 s after MPI_Init; its table had become full, and it had a
// second thread.
RankFileContent killed_golden_rank()
{
    RankFileContent content = golden_rank(1);
    content.finished = false;
    content.run.stop_realtime_ns = content.run.user_ns = content.run.system_ns = 0;
    content.run.peak_memory_bytes = 0;
    content.run.end = MPROF_END_NONE;
    const uint64_t begin_ticks = content.clock.start.ticks_before + 30;
    content.clock.latest = {begin_ticks + 90 * ms - 30, content.clock.start.monotonic_ns + 30 * ms,
                            begin_ticks + 90 * ms + 30};
    ThreadContent &thread = content.threads[0];
    for (mprof_entry &entry : thread.entries)
        entry.ticks /= 2;
    thread.facts.ticks = begin_ticks + 3 * 1250 * ms;
    thread.facts.in_call = waitall + 1;
    thread.facts.call_peer = 0;
    thread.facts.call_callsite = wait_site;
    thread.facts.binned_calls = 40;
    thread.entries[2].precision = MPROF_PRECISION_BIN;
    content.threads.push_back(thread);
    content.threads[1].entries = {timed(allreduce, 8, 2, 5 * ms, 1), mprof_entry{}};
    content.threads[1].partners.clear();
    content.threads[1].segments.clear();
    content.threads[1].facts.in_call = 0;
    content.threads[1].facts.binned_calls = 0;
    return content;
}

std::string rank_file(uint32_t rank)
{
    return "rank-" + std::to_string(rank) + ".mprof";
}

void write_run(const fs::path &folder, const std::function<RankFileContent(uint32_t)> &content_of)
{
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (uint32_t rank = 0; rank < rank_count; rank++)
        write_file(folder / rank_file(rank), compose(content_of(rank)));
}

void write_golden(const fs::path &folder)
{
    for (const char *name : {"finished", "killed"})
        for (uint32_t rank = 0; rank < rank_count; rank++) {
            fs::create_directories(folder / name);
            const bool killed = std::string(name) == "killed" && rank == 1;
            const RankFileContent content = killed ? killed_golden_rank() : golden_rank(rank);
            write_file(folder / name / rank_file(rank), compose(content));
        }
}

// A good run in which `change` has been done to the bytes of rank 1.
void write_damaged(const fs::path &folder, const std::function<void(Bytes &)> &change)
{
    write_run(folder, golden_rank);
    Bytes bytes = compose(golden_rank(1));
    change(bytes);
    write_file(folder / rank_file(1), bytes);
}

Bytes text_bytes(const std::string &text)
{
    Bytes bytes;
    for (const char c : text)
        bytes.push_back(static_cast<std::byte>(c));
    return bytes;
}

void change_header(Bytes &bytes, const std::function<void(mprof_file_header &)> &change)
{
    mprof_file_header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    change(header);
    std::memcpy(bytes.data(), &header, sizeof header);
    seal(bytes);
}

// A good run, of which rank 1 is not compressed and has `change` done to one of its sections.
void write_misplaced(const fs::path &folder, size_t index,
                     const std::function<void(mprof_section &)> &change)
{
    write_run(folder, golden_rank);
    RankFileContent content = golden_rank(1);
    content.compressed = false;
    Bytes bytes = compose(content);
    mprof_file_header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::byte *place = bytes.data() + header.directory_offset + index * sizeof(mprof_section);
    mprof_section section;
    std::memcpy(&section, place, sizeof section);
    change(section);
    std::memcpy(place, &section, sizeof section);
    seal(bytes);
    write_file(folder / rank_file(1), bytes);
}

// As golden_rank(), with a change that somebody made on purpose.
void write_forged(const fs::path &folder, const std::function<void(RankFileContent &)> &change)
{
    write_run(folder, [&change](uint32_t rank) {
        RankFileContent content = golden_rank(rank);
        if (rank == 1)
            change(content);
        return content;
    });
}

// What a terminal would obey: clear the screen, set its title, ring; and a C1 control, in UTF-8.
const std::string evil = "\x1b[2J\x1b]0;t\a\r\x9b\xc2\x9b";

void name_all_evil(RankFileContent &content)
{
    for (auto &[key, value] : content.texts)
        value += evil;
    content.texts.emplace_back("key" + evil, evil);
    for (std::string &name : content.functions)
        name += evil;
    for (mprof_module &module : content.modules)
        module = make_module("/lib/" + evil, "");
    for (mprof_communicator &communicator : content.communicators)
        std::memcpy(communicator.name, evil.c_str(), evil.size() + 1);
    content.regions = {mprof_region{}, mprof_region{}, make_region(evil, 0, 1, 99)};
    content.counters = {make_counter(evil, evil.substr(0, 6))};
}

// Files that somebody made to harm, with checksums that are right: bounded time, bounded memory, no
// character that a terminal obeys, and no other file is read than regular ones, as ELF.
void write_hostile(const fs::path &folder)
{
    write_forged(folder / "zeros", [](RankFileContent &content) {
        content.threads[0].entries.resize((uint64_t{300} << 20U) / sizeof(mprof_entry));
        content.compression_level = 1;
    });
    write_damaged(folder / "sections", [](Bytes &bytes) {
        change_header(bytes, [](mprof_file_header &header) { header.section_count = UINT32_MAX; });
    });
    write_run(folder / "ranks", [](uint32_t rank) {
        RankFileContent content = golden_rank(rank);
        content.ranks = UINT32_MAX;
        return content;
    });
    write_forged(folder / "region-circle", [](RankFileContent &content) {
        content.regions = {mprof_region{}, mprof_region{}, make_region("a", 3, 1, 99),
                           make_region("b", 2, 1, 99), make_region("c", 4, 1, 99)};
    });
    write_forged(folder / "communicator-circle", [](RankFileContent &content) {
        for (mprof_communicator &communicator : content.communicators)
            communicator.parent = static_cast<uint16_t>(content.communicators.size() - 1);
    });
    write_run(folder / "names", [](uint32_t rank) {
        RankFileContent content = rank == 1 ? killed_golden_rank() : golden_rank(rank);
        name_all_evil(content);
        return content;
    });
    write_forged(folder / "paths", [](RankFileContent &content) {
        content.modules = {mprof_module{}, make_module("/dev/zero", ""),
                           make_module("../../../../../../../../etc/passwd", "")};
    });
}

void write_bad(const fs::path &folder)
{
    fs::remove_all(folder);
    fs::create_directories(folder / "empty");
    fs::create_directories(folder / "text");
    write_file(folder / "text" / "notes.txt", text_bytes("This is no rank file.\n"));
    write_damaged(folder / "truncated", [](Bytes &bytes) { bytes.resize(600); });
    write_damaged(folder / "emptied", [](Bytes &bytes) { bytes.clear(); });
    write_damaged(folder / "flipped",
                  [](Bytes &bytes) { bytes[bytes.size() - 20] ^= std::byte{4}; });
    write_damaged(folder / "flipped-header", [](Bytes &bytes) { bytes[36] ^= std::byte{1}; });
    write_damaged(folder / "longer", [](Bytes &bytes) { bytes.push_back(std::byte{0}); });
    write_damaged(folder / "replaced",
                  [](Bytes &bytes) { bytes = text_bytes("not a rank file at all"); });
    write_damaged(folder / "bomb", [](Bytes &bytes) {
        change_header(bytes, [](mprof_file_header &h) { h.content_bytes = UINT32_MAX; });
    });
    write_damaged(folder / "ratio", [](Bytes &bytes) {
        change_header(bytes, [](mprof_file_header &h) { h.content_bytes = 1U << 30U; });
    });
    write_misplaced(folder / "outside", 4, [](mprof_section &s) { s.offset = uint64_t{1} << 60U; });
    write_misplaced(folder / "overlap", 1,
                    [](mprof_section &s) { s.offset = sizeof(mprof_file_header); });
    write_run(folder / "newer", [](uint32_t rank) {
        RankFileContent content = golden_rank(rank);
        content.major = MPROF_FORMAT_MAJOR + 1;
        content.minor = 3;
        return content;
    });
    write_run(folder / "foreign", [](uint32_t rank) {
        RankFileContent content = golden_rank(rank);
        content.run_id += rank == 3 ? 1 : 0;
        return content;
    });
    write_run(folder / "circle", [](uint32_t rank) {
        RankFileContent content = golden_rank(rank);
        if (rank == 1)
            content.callsites[send_site].parent = sum_site;
        return content;
    });
    write_run(folder / "missing", golden_rank);
    fs::remove(folder / "missing" / rank_file(2));
    write_run(folder / "killed",
              [](uint32_t rank) { return rank == 1 ? killed_golden_rank() : golden_rank(rank); });
    write_run(folder / "escape", [](uint32_t rank) {
        RankFileContent content = golden_rank(rank);
        content.texts[0].second = "./app \x1b[2J";
        return content;
    });
    write_hostile(folder);
    write_run(folder / "good", golden_rank);
}

}  // namespace

int main(int argc, char **argv)
{
    const std::string what = argc == 3 ? argv[1] : "";
    try {
        if (what == "golden") {
            write_golden(argv[2]);
            return 0;
        }
        if (what == "bad") {
            write_bad(argv[2]);
            return 0;
        }
    } catch (const std::exception &problem) {
        std::cerr << "make_golden: " << problem.what() << '\n';
        return 1;
    }
    std::cerr << "usage: make_golden golden|bad FOLDER\n";
    return 2;
}
