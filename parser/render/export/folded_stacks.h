// The time of all ranks by call path, as flame graphs are made of: "main;step;MPI_Wait;waiting
// 1200". For flamegraph.pl, inferno, speedscope and others; share/doc/export.md says what each line
// is.
#pragma once

#include "report/report.h"

#include <map>
#include <string>

namespace mprof {

// Microseconds by stack: frames from the outermost inwards, with ";" between.
using FoldedStacks = std::map<std::string, double>;

// Of one run. The stacks of several runs add up.
void add_stacks(const Report &report, FoldedStacks &stacks);

// The two parts of it.
void add_call_stacks(const Report &report, FoldedStacks &stacks);
void add_computing_stacks(const Report &report, FoldedStacks &stacks);

// A line per stack of at least half a microsecond, in order of the stacks.
std::string folded_text(const FoldedStacks &stacks);

}  // namespace mprof
