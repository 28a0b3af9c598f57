// What to try next: a table of rules, each with its evidence and how sure it is.
#pragma once

#include "report/report.h"
#include "verdict/verdict_facts.h"

namespace mprof {

// Fills verdict.next (at most three, those worth most first) and verdict.step_rules. The class is
// decided already.
void choose_next_steps(const Report &report, const VerdictFacts &facts, Verdict &verdict);

}  // namespace mprof
