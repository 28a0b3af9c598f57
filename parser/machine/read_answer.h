// What the measuring program and the MPI behind it say, to MachineFigures: times line by line
// (libmprof/machine/measure.h), and which of the MPI's variables matter. Trusts nothing in it.
#pragma once

#include "machine/machine_figures.h"

#include <string>
#include <string_view>

namespace mprof {

class AnswerReader {
public:
    // True: the line is the program's. A launcher may have put something in front of it.
    bool take(std::string_view line);

    bool is_complete() const { return ended_; }
    const std::string &progress() const { return progress_; }  // what is being measured now
    // With `settings` as the MPI told them: all of them. read_answer.h chooses.
    MachineFigures figures;

private:
    bool ended_ = false;
    std::string progress_;
};

// Which of an MPI's variables matter for what was measured: eager limits, algorithms, transports,
// and only those of the device and the transport that are in use.

// Removes the others from figures.settings, and gives the kept ones their kind.
void choose_settings(MachineFigures &figures);

}  // namespace mprof
