// What the measuring program says, line by line (libmprof/machine/answer_lines.h), to
// MachineFigures. Trusts nothing in it.
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
    // With `settings` as the MPI told them: all of them. machine_settings.h chooses.
    MachineFigures figures;

private:
    bool ended_ = false;
    std::string progress_;
};

}  // namespace mprof
