// What the kernel does for a rank, by its own counts: page faults, calls that read and write, and
// which files these are of. Sentences and steps about the kernel's work and about files use it.
#pragma once

#include "report/place_rows.h"
#include "report/report.h"

#include <optional>
#include <string>

namespace mprof {

enum class KernelPart { unknown, faults, reads, writes, opens };

struct KernelWork {
    uint32_t rank = 0;
    double system_percent = 0;  // of the CPU time of the rank's process
    KernelPart most = KernelPart::unknown;
    uint64_t faults = 0;
    uint64_t read_calls = 0, read_bytes = 0, write_calls = 0, written_bytes = 0;
    const PlainFileRow *file = nullptr;  // that the largest part is of
    std::string call;  // of the system, which samples are in: "madvise"; "" = none

    // "81% of the CPU time of rank 1 is system time: 1.3 million reads of 1 B, 1,200 page faults"
    std::string words() const;
};

// Of that rank; without one, of the rank with most system time. None: nothing is known.
std::optional<KernelWork> find_kernel_work(const Report &report, std::optional<uint32_t> rank);

// Of a function of the C library that is a call of the system: "read" for __GI___libc_read; "" = it
// is none. One that is not known by its name has all samples behind the one instruction that calls
// the system.
std::string system_call_name(const HotPlaceRow &row);

// The file that a rank reads or writes most, without MPI; of no rank, of all of them. nullptr: it
// is not known.
const PlainFileRow *most_moved_file(const Report &report, std::optional<uint32_t> rank);

// "All 4 ranks read mesh.dat: 61.0 MiB in 1.0 million calls of 64 B. ", "Rank 0 alone writes
// state.dat, ..."; "" = there is nothing to say of it
std::string file_words(const Report &report, const PlainFileRow &file);

}  // namespace mprof
