// Where ranks compute, by samples of the CPU: the function that an account of computing names.
#pragma once

#include "report/report.h"

#include <optional>
#include <string>

namespace mprof {

struct WorkPlace {
    std::string function, place;  // "heavy_cells", "zoo.c:20"; "" = not known
    std::string words;            // "spin, called by heavy_cells (zoo.c:20)"
    double percent = 0;           // of all samples; 0 = of a rank
};

// The function in which `rank` computes longer than the others; without a rank, or where no
// function tells it apart, the one with most samples.
WorkPlace find_work_place(const Report &report, std::optional<uint32_t> rank);

// Where the program computes outside parallel regions.
WorkPlace find_serial_place(const Report &report);

// Where threads of a team compute: most samples, without those of waiting in the OpenMP library.
WorkPlace find_team_place(const Report &report);

// Whose lock or critical section the threads of a team wait at: the function that called the OpenMP
// library for it, by samples of the thread that calls MPI. Not `region`, the function with the
// parallel region, whose end it also waits for there.
WorkPlace find_lock_place(const Report &report, const std::string &region);

// Where `rank` computes before MPI_Init, or all ranks do, for so many seconds of CPU time: the
// innermost function of the program that has half of that, with all that it calls.
WorkPlace find_early_place(const Report &report, std::optional<uint32_t> rank, double cpu_s);

// Where the kernel works for the program: a function, or at least the two MPI calls around it.
WorkPlace find_system_place(const Report &report, std::optional<uint32_t> rank);

// The same for the kernel's account. Where its work is page faults, it is the function that has
// most of them. Where these have no samples either, a function that tells the rank apart may be the
// one; if not, it is between the calls where the rank takes longer than those that wait for it.
WorkPlace find_kernel_place(const Report &report, std::optional<uint32_t> rank);

// "a.c:5 and a.c:9": the calls between which the rank takes longer than those that wait for it; ""
// = not known.
std::string waited_ends(const Report &report, std::optional<uint32_t> rank);

// "between MPI_Bcast (tiles.c:151) and MPI_Reduce (tiles.c:150)", or "... and its next call"
std::string between_words(const SegmentRow &row);

// In which function ranks compute most of what they compute between these two calls; "" = not
// known. `segment` is a row of report.segments.
std::string words_inside(const Report &report, size_t segment);

// What the driver of a GPU has of the computing, where it is a fifth or more.
struct GpuPart {
    double percent = 0;  // of the computing: its largest part, which is waiting, copying or the
                         // rest
    std::string words;   // "waiting for the GPU at heat.cu:88: 348 ms on rank 1, 270 ms on average"
};
std::optional<GpuPart> find_gpu_part(const Report &report);

// "spin, called by heavy_cells (zoo.c:20)": a leaf that many functions call says nothing alone.
std::string words_with_caller(const HotPlaceRow &row);

}  // namespace mprof
