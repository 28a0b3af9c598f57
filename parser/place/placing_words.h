// The sentences of a Placing, and what is told by names. For analyse_placing.cc.
#pragma once

#include "place/placing.h"
#include "place/read_order.h"
#include "report/report.h"

#include <string>

namespace mprof {

void add_words(const Report &report, const TransferModel &model, Placing &placing);

// How the order that the user has compares.
std::string judged_words(const Placing &placing, const JudgedOrder &judged);

// Where `written` puts a rank; the node is that of a host of the machine.
Place judged_place(const Machine &machine, const WrittenOrder &written, uint32_t rank);

// By the MPI library of the run.
Launcher launcher_of(const Report &report);

}  // namespace mprof
