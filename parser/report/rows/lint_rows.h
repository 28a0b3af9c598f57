// What is wrong in a run, and by which rules it was looked for: the rows of `mprof lint`.
// parser/lint/ fills them; its table of rules is in lint/lint_rules.cc.
#pragma once

#include "report/states.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mprof {

// One line of the program that breaks a rule, over all ranks that do so there.
struct LintRow {
    std::string rule;
    Severity severity = Severity::note;
    uint32_t rank = 0;             // the lowest one
    uint64_t ranks = 0;            // how many
    std::string function;          // that is called there, "" = none
    std::string file;              // of the line, as debug data have it; "" = not known
    uint32_t line = 0;             // 0 = not known
    std::string place;             // "cg.c:211", "lmp+0x4f2a10"; "" = not recorded
    uint64_t count = 0;            // how often, over these ranks
    std::string message;           // a sentence
    std::string standard;          // "MPI 4.1, 7.4.3"
    std::optional<double> cost_s;  // summed over ranks
};

struct LintRuleRow {
    std::string rule;
    Severity severity = Severity::note;
    std::string standard;
    std::string sentence;  // what it looks for
    bool looked_at = false;
    std::string gap;  // why it was not looked at, or not on all ranks; "" = on all
    uint64_t findings = 0;
};

}  // namespace mprof
