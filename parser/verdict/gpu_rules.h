// The classes of the verdict that are about GPUs: where the GPU holds the rank. Rows of
// verdict_rules.cc, and their sentences.
#pragma once

#include "report/report.h"
#include "verdict/verdict_rules.h"

#include <optional>
#include <string>

namespace mprof {

// Where most of a use of the driver is: of the sites of a rank with most of it, if it has one.
const GpuSiteRow *gpu_site_of(const Report &report, GpuUse use, std::optional<uint32_t> rank);
// " at heat.cu:88 after kernel stencil"; "" = not known
std::string gpu_site_words(const GpuSiteRow *site);
// What of the GPU's work a wait is for. A program may wait only once behind all of a step: then the
// kernel that takes longer on that rank's GPU than on others, by CUPTI; without a rank, the one
// that takes longest. A kernel of NCCL is none, if others are known. "" = not known
std::string gpu_kernel_of(const Report &report, const GpuSiteRow *site,
                          std::optional<uint32_t> rank);
// " at train.py:40, most in kernel stencil": where ranks wait for their GPUs, and for what.
std::string gpu_wait_words(const Report &report, std::optional<uint32_t> rank);
// "stencil", " a graph"; what a wait follows, as a reader says it; "" = not known.
std::string gpu_kernel_words(const std::string &kernel);

// "its other threads are in the driver of the GPU for 3.20 s, mostly at heat.cu:88 after kernel
// stencil": of a rank that is blocked, or of all; "" = hardly, next to the time that it is blocked.
std::string gpu_threads_words(const Report &report, std::optional<uint32_t> rank);

// Fill sentence, why and gain of the verdict, for the first account of that kind.
void say_uneven_gpus(const Report &report, const VerdictFacts &facts, Verdict &verdict);
void say_gpu_copies(const Report &report, const VerdictFacts &facts, Verdict &verdict);
void say_gpu_launches(const Report &report, const VerdictFacts &facts, Verdict &verdict);

// No account explains the run, and ranks wait for their GPUs most of the time.
ClassRule rule_of_gpu_bound();

// "rank 1's GPU works longer": of the accounts of GPUs.
std::string gpu_few_words(const AccountRow &row);
// The function and line of each account of GPUs.
void name_gpu_places(Report &report);

}  // namespace mprof
